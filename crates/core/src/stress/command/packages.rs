//! Package managers: aliases of their commands, and other managers of the same packages.

use super::super::draft::VariantList;
use super::super::family::DeedFamily;
use super::target::{TargetCommand, is_plain};

/// The names of `npm install` in npm's own table.
const NPM_INSTALL: [&str; 11] =
    ["add", "i", "in", "ins", "inst", "insta", "instal", "isnt", "isnta", "isntal", "isntall"];

const TABLE: &str = "only the package manager knows its aliases";
const OTHER: &str = "it needs another package manager";

pub(super) fn add(target: &TargetCommand<'_>, list: &mut VariantList) {
    let family = DeedFamily::Packages;
    let (Some(program), Some(values)) = (target.program(), target.values()) else { return };
    let Some((command, rest)) = values.get(1..).and_then(<[&str]>::split_first) else { return };
    let packages: Vec<&str> = rest.iter().copied().filter(|word| !word.starts_with('-')).collect();
    if packages.len() != rest.len() || packages.is_empty() || !packages.iter().all(|word| is_plain(word)) {
        return;
    }
    let packages = packages.join(" ");
    let mut other = |text: String, why: &str, reason| target.add_unproven(list, family, &text, why, reason);
    match (program, *command) {
        ("npm", name) if name == "install" || NPM_INSTALL.contains(&name) => {
            for alias in std::iter::once("install").chain(NPM_INSTALL).filter(|alias| *alias != name) {
                other(format!("npm {alias} {packages}"), "npm has several names for this command", TABLE);
            }
            other(format!("npm --save {name} {packages}"), "options may precede the command", TABLE);
            other(format!("npm {name} {packages} --save"), "npm saves the package by default", TABLE);
            other(format!("npm --prefix . {name} {packages}"), "the prefix is the working directory", TABLE);
            other(format!("corepack npm {name} {packages}"), "corepack starts npm", OTHER);
            other(format!("npx npm {name} {packages}"), "npx starts npm", TABLE);
            for manager in ["pnpm add", "pnpm install", "pnpm i", "yarn add", "bun add", "bun install", "bun i"] {
                other(format!("{manager} {packages}"), "the package manager installs the same package", OTHER);
            }
            if !packages.contains(['@', ' ', '/']) {
                let why = "this is the version that npm installs by default";
                other(format!("npm {name} {packages}@latest"), why, TABLE);
                other(format!("npm {name} npm:{packages}"), "`npm:` names the same registry", TABLE);
            }
        }
        ("pnpm" | "yarn" | "bun", "add") => {
            for manager in ["npm install", "npm i", "npm add", "pnpm add", "yarn add", "bun add"] {
                if manager != format!("{program} add") {
                    other(format!("{manager} {packages}"), "the package manager installs the same package", OTHER);
                }
            }
        }
        ("pip" | "pip3", "install") => {
            for text in ["pip install", "pip3 install", "python3 -m pip install", "python -m pip install"] {
                if text != format!("{program} install") {
                    other(format!("{text} {packages}"), "the names start the same program", TABLE);
                }
            }
            for text in ["uv pip install", "uv add", "poetry add", "pipenv install"] {
                other(format!("{text} {packages}"), "the package manager installs the same package", OTHER);
            }
            other(format!("{program} install --upgrade {packages}"), "the option installs what is missing", TABLE);
        }
        ("npx", _) => {
            for text in ["npm exec --", "npm x --", "pnpm dlx", "yarn dlx", "bunx", "npx --yes"] {
                let words = values.get(1..).unwrap_or(&[]).join(" ");
                other(format!("{text} {words}"), "it runs the same package", OTHER);
            }
        }
        ("apt" | "apt-get", "install") => {
            for text in ["apt", "apt-get", "aptitude"].iter().filter(|text| **text != program) {
                other(format!("{text} install {packages}"), "it installs the same package", OTHER);
            }
        }
        _ => {}
    }
}
