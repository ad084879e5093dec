//! The output formats of commands, and the masking of pages for others.

use clap::{Args, ValueEnum};

use super::print::lines::{PageForm, PageStyle};

/// Text or JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    Json,
}

/// Text, JSON, or a page for others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PageFormat {
    Text,
    Json,
    /// Markdown, for an issue or a chat
    Markdown,
    /// One HTML file without script or network
    Html,
}

impl PageFormat {
    /// The form of the page; `None` for JSON.
    pub fn form(self) -> Option<PageForm> {
        match self {
            PageFormat::Text => Some(PageForm::Text),
            PageFormat::Json => None,
            PageFormat::Markdown => Some(PageForm::Markdown),
            PageFormat::Html => Some(PageForm::Html),
        }
    }
}

/// The masking of pages for others.
#[derive(Debug, Clone, Args)]
pub struct SharingArgs {
    /// Keep values that look like secrets in Markdown and HTML, which mask them otherwise
    #[arg(long)]
    pub show_secrets: bool,
}

impl SharingArgs {
    /// The style of a page in this form. A terminal shows what its user owns.
    pub fn style(&self, form: PageForm) -> PageStyle {
        PageStyle { form, masks: form != PageForm::Text && !self.show_secrets }
    }
}

/// Text, or one JSON line for each fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LinesFormat {
    Text,
    Jsonl,
}

/// Text, one JSON document, one JSON line for each step, or a page for others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StreamFormat {
    Text,
    Json,
    Jsonl,
    /// Markdown, for an issue or a chat
    Markdown,
    /// One HTML file without script or network
    Html,
}

impl StreamFormat {
    /// The form of the page; `None` for JSON.
    pub fn form(self) -> Option<PageForm> {
        match self {
            StreamFormat::Text => Some(PageForm::Text),
            StreamFormat::Json | StreamFormat::Jsonl => None,
            StreamFormat::Markdown => Some(PageForm::Markdown),
            StreamFormat::Html => Some(PageForm::Html),
        }
    }
}
