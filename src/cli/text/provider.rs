//! Provider documents, and whether they answer.

use std::path::Path;

use rye_plugin_abi::provider::FailureClass;

use super::thread::seconds;
use super::{Cell, Page, Table, one_line};
use crate::cli::hints;
use crate::id::Space;
use crate::thread::{
    PriceOutcome, ProviderCheck, ProviderChecks, ProviderList, ProviderState, ProviderStatus, Unanswered,
};

/// Writes the documents.
pub(in crate::cli) fn write(page: &mut Page<'_>, listed: &ProviderList) {
    let heading = vec!["PROVIDER", "SPACE", "STATUS", "HOST", "SECRET", "TIERS"];
    let mut table = Table::new(heading).with_optional(&[1, 5]);
    listed.providers.iter().for_each(|state| table.row(row(state)));
    page.table(&table);
}

fn row(state: &ProviderState) -> Vec<Cell> {
    let status = state.status;
    let coloured = move |paint: super::Paint, text: &str| match status {
        ProviderStatus::Usable => paint.green(text),
        ProviderStatus::NoSecret => paint.dim(text),
        ProviderStatus::NotBound => paint.yellow(text),
        ProviderStatus::Invalid => paint.red(text),
    };
    let or_none = |text: Option<&String>| text.map_or("-", String::as_str).to_owned();
    let tiers: Vec<&str> = state.tiers.keys().map(String::as_str).collect();
    vec![
        Cell::with(&state.id, |paint, text| paint.bold(text)),
        Cell::dim(state.space),
        Cell::with(status.as_str(), coloured),
        Cell::new(or_none(state.host.as_ref())),
        Cell::new(or_none(state.secret.as_ref())),
        Cell::dim(if tiers.is_empty() { "-".to_owned() } else { tiers.join(" ") }),
    ]
}

/// Reports faults of documents that are set up and unusable, and the next command if none is usable.
pub(in crate::cli) fn write_messages(page: &mut Page<'_>, listed: &ProviderList, config: &Path) {
    for state in &listed.providers {
        match (state.status, &state.message, &state.variable) {
            (ProviderStatus::NotBound | ProviderStatus::Invalid, Some(message), _) => {
                let label = page.paint().yellow("warning:");
                page.line(format!("{label} `{}`: {}", state.id, one_line(message)));
                if let Some(hint) = mending(state, config) {
                    page.line(format!("hint: {hint}"));
                }
            }
            (ProviderStatus::Usable, _, Some(variable)) => {
                let host = state.host.as_deref().unwrap_or_default();
                page.line(format!("note: `{variable}` has `{}` asked at `{host}`", state.id));
            }
            (ProviderStatus::Usable | ProviderStatus::NoSecret, _, _) | (_, None, _) => {}
        }
    }
    let is_set_up =
        |state: &ProviderState| state.is_broken() || (state.status == ProviderStatus::Usable && state.secret.is_some());
    if !listed.providers.iter().any(is_set_up) {
        page.line(format!("hint: {}", hints::PROVIDER_SET_UP.fill(&[])));
    }
}

/// Returns what to do about a document that is set up and cannot be used.
fn mending(state: &ProviderState, config: &Path) -> Option<String> {
    match (state.status, &state.variable, &state.secret, &state.host) {
        (ProviderStatus::NotBound, _, Some(secret), Some(host)) => {
            let path = config.display();
            Some(hints::BIND.fill(&[("name", secret), ("host", host), ("id", &state.id), ("path", &path)]))
        }
        (ProviderStatus::Invalid, Some(variable), _, _) => Some(hints::ENDPOINT_VARIABLE.fill(&[("name", variable)])),
        (ProviderStatus::Invalid, None, _, _) if state.space == Space::User => {
            Some(hints::PROVIDER_MEND.fill(&[("id", &state.id)]))
        }
        (
            ProviderStatus::Usable | ProviderStatus::NoSecret | ProviderStatus::NotBound | ProviderStatus::Invalid,
            ..,
        ) => None,
    }
}

/// Writes the lines of a price, and where they are.
pub(in crate::cli) fn write_price(page: &mut Page<'_>, outcome: &PriceOutcome) {
    let path = page.path(&outcome.path);
    page.line(format!("wrote to {path}:"));
    outcome.lines.lines().for_each(|line| page.line(one_line(line)));
}

/// Writes the answers.
pub(in crate::cli) fn write_checks(page: &mut Page<'_>, checked: &ProviderChecks) {
    for check in &checked.checks {
        let paint = page.paint();
        let status = if check.answered { paint.green("ok") } else { paint.red("failed") };
        let tokens = format!("{} tokens, {} {}", check.usage.total(), check.spend.amount, check.spend.currency);
        page.line(format!(
            "{status} {} {} {}, {tokens}",
            paint.bold(&check.provider),
            one_line(&check.model),
            seconds(check.duration_ms)
        ));
    }
}

/// Says why providers did not answer, and what to do.
pub(in crate::cli) fn write_failures(page: &mut Page<'_>, checked: &ProviderChecks) {
    for check in checked.checks.iter().filter(|check| !check.answered) {
        let message = check.message.as_deref().unwrap_or_default();
        let label = page.paint().red("error:");
        page.line(format!("{label} `{}`: {}", check.provider, one_line(message)));
        page.line(format!("hint: {}", check.hint.clone().unwrap_or_else(|| hint(check))));
    }
    for skipped in &checked.skipped {
        let label = page.paint().yellow("warning:");
        page.line(format!("{label} `{}` is not asked: {}", skipped.provider, one_line(&skipped.message)));
    }
}

fn hint(check: &ProviderCheck) -> String {
    let secret = check.secret.clone().unwrap_or_default();
    match check.class {
        Some(FailureClass::Authentication) => hints::PROVIDER_KEY.fill(&[("name", &secret)]),
        Some(FailureClass::NotFound) => hints::PROVIDER_MODEL.fill(&[("id", &check.provider)]),
        Some(FailureClass::Billing) => hints::PROVIDER_CREDIT.fill(&[]),
        Some(FailureClass::RateLimit | FailureClass::Overloaded | FailureClass::Server | FailureClass::CutShort) => {
            hints::PROVIDER_LATER.fill(&[("id", &check.provider)])
        }
        None if let Some((host, unanswered)) = check.host.as_ref().zip(check.unanswered) => match unanswered {
            Unanswered::NotRunning => {
                hints::PROVIDER_START.fill(&[("id", &check.provider), ("host", host), ("name", &check.model)])
            }
            Unanswered::NotReached => hints::PROVIDER_REACH.fill(&[("id", &check.provider), ("host", host)]),
            Unanswered::BrokenOff => hints::PROVIDER_LATER.fill(&[("id", &check.provider)]),
        },
        Some(FailureClass::InvalidRequest | FailureClass::ContextExceeded | FailureClass::Unreadable) | None => {
            hints::PROVIDER_DOCUMENT.fill(&[("id", &check.provider)])
        }
    }
}
