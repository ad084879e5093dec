//! The open page as sentences.

use super::sentences::{self, expanded, sentence};
use super::{compare, matching};
use crate::model::Model;
use crate::page::Page;
use crate::{events, files, intercept, problems};

/// Returns the open page as sentences.
pub fn page_sentences(model: &Model) -> Vec<String> {
    match model.page {
        Page::Bench => sentences::band(model),
        Page::Match => matching::page(model),
        Page::Events => events::sentences::page(model),
        Page::Problems => problems::sentences::page(model),
        Page::Compare => compare::page(model),
        Page::Intercept => intercept::sentences::page(model).iter().map(|text| sentence(&expanded(text))).collect(),
        Page::Files => files::sentences::summary(&model.files).iter().map(|text| sentence(&expanded(text))).collect(),
    }
}
