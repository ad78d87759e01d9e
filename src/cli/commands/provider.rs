//! `rye provider`

use clap::error::ErrorKind;
use clap::{Args, Subcommand};

use crate::cli::args;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::hints;
use crate::cli::output::Output;
use crate::cli::text::{self, quoted};
use crate::context::Context;
use crate::id::ItemType;
use crate::item::{Money, MoneyError, Price};
use crate::process::{self, CancelFlag};
use crate::session::Session;
use crate::thread::{PriceOptions, check_providers, price_model, providers};

/// Manage providers of models
///
/// A provider document configures how to reach models and what they cost. Rye includes documents for Anthropic, OpenAI and Ollama; you can
/// add your own as a file in your user space.
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  rye provider list
  rye provider check
  rye provider check rye/agent/providers/ollama --model llama3
  rye provider price claude-sonnet-6 --input 3 --output 15")]
pub(in crate::cli) enum ProviderCommand {
    /// List provider documents, and what each still needs
    ///
    /// In a pipe, each line has id, space, status, host, secret and tiers, separated by tabs.
    #[command(after_help = "Examples:\n  rye provider list\n  rye provider list --json")]
    List,
    Check(CheckArgs),
    Price(PriceArgs),
}

/// Check that a model answers one small question
///
/// Without an id, asks every usable provider on the network. Sends the question as a thread would; it costs a few tokens. Exits with 6 when
/// a provider does not answer.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye provider check
  rye provider check rye/agent/providers/anthropic_messages
  rye provider check rye/agent/providers/ollama --model llama3")]
pub(in crate::cli) struct CheckArgs {
    /// The provider document: its id, or the path of its file
    #[arg(value_name = "ID")]
    id: Option<args::Named>,

    /// The model to ask [default: that of the tier `default`]
    #[arg(long, requires = "id")]
    model: Option<String>,
}

/// Give a model a price
///
/// Writes the price into your configuration, under `[prices]`: four lines, or more with prices of the provider's cache. A run refuses a model
/// without a price, because a limit on money could not be enforced. The price replaces that of the provider document.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye provider price claude-sonnet-6 --input 3 --output 15
  rye provider price big-model --input 0.20 --output 0.80 --cache-read 0.02 --provider my/server")]
pub(in crate::cli) struct PriceArgs {
    /// The model, by the id that the provider has for it
    #[arg(value_name = "MODEL")]
    model: String,

    /// The price of a million input tokens
    #[arg(long, value_name = "AMOUNT", value_parser = amount)]
    input: String,

    /// The price of a million output tokens
    #[arg(long, value_name = "AMOUNT", value_parser = amount)]
    output: String,

    /// The price of a million input tokens from the provider's cache [default: as other input]
    #[arg(long, value_name = "AMOUNT", value_parser = amount)]
    cache_read: Option<String>,

    /// The price of a million input tokens written to the provider's cache [default: as other input]
    #[arg(long, value_name = "AMOUNT", value_parser = amount)]
    cache_write: Option<String>,

    /// The currency of the amounts
    #[arg(long, value_name = "CODE", default_value = "USD", value_parser = currency)]
    currency: String,

    /// The provider document that serves the model: its id, or the path of its file [default: the only one that is set up]
    #[arg(long, value_name = "ID")]
    provider: Option<args::Named>,
}

impl PriceArgs {
    /// Names the act, for the question to the person.
    pub(in crate::cli) fn in_words(&self) -> String {
        let Self { model, input, output, currency, .. } = self;
        format!("price the model {} at {input} {currency} for input and {output} {currency} for output", quoted(model))
    }

    fn price(&self) -> Result<Price, MoneyError> {
        let amount = |text: &str| Money::parse(text, &self.currency);
        let optional = |text: Option<&String>| text.map(|text| amount(text)).transpose();
        Ok(Price {
            input_per_million: amount(&self.input)?,
            output_per_million: amount(&self.output)?,
            cache_read_per_million: optional(self.cache_read.as_ref())?,
            cache_write_per_million: optional(self.cache_write.as_ref())?,
            cache_write_1h_per_million: None,
            cache_1h_unasked: false,
        })
    }
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, command: &ProviderCommand) -> Result<Exit, Error> {
    match command {
        ProviderCommand::List => list(ctx, output),
        ProviderCommand::Check(args) => check(ctx, output, args),
        ProviderCommand::Price(args) => price(ctx, output, args),
    }
}

/// Checks an amount as it is read; its currency is known later.
fn amount(text: &str) -> Result<String, MoneyError> {
    Money::parse(text, "USD").map(|_| text.to_owned())
}

fn currency(text: &str) -> Result<String, MoneyError> {
    Money::parse("0", text).map(|_| text.to_owned())
}

fn list(ctx: &Context, output: &mut Output) -> Result<Exit, Error> {
    let listed = providers(&Session::open(ctx)?)?;
    output.outcome(&listed, |page| text::provider::write(page, &listed))?;
    let config = ctx.config_dir()?.join("config.toml");
    output.status(|page| text::provider::write_messages(page, &listed, &config));
    Ok(Exit::Done)
}

fn price(ctx: &Context, output: &mut Output, args: &PriceArgs) -> Result<Exit, Error> {
    let wrong = |error| Error::Usage(clap::Error::raw(ErrorKind::ValueValidation, error));
    let price = args.price().map_err(wrong)?;
    let session = Session::open(ctx)?;
    let named = args.provider.as_ref();
    let provider = named.map(|named| named.id(session.project(), Some(ItemType::Tool))).transpose()?;
    let outcome = price_model(&session, PriceOptions { model: args.model.clone(), provider, price })?;
    output.outcome(&outcome, |page| text::provider::write_price(page, &outcome))?;
    output.note(&hints::PROVIDER_CHECK_MODEL.fill(&[("id", &outcome.provider), ("name", &outcome.model)]));
    Ok(Exit::Done)
}

fn check(ctx: &Context, output: &mut Output, args: &CheckArgs) -> Result<Exit, Error> {
    let cancel = CancelFlag::new();
    process::install(&cancel)?;
    let session = Session::open(ctx)?;
    let mut again = |why: &str, wait: std::time::Duration| {
        output.note(&format!("{why}; retrying in {:.1} s", wait.as_secs_f32()));
    };
    let id = args.id.as_ref().map(|named| named.id(session.project(), Some(ItemType::Tool))).transpose()?;
    let checked = check_providers(&session, id.as_ref(), args.model.as_deref(), &cancel, &mut again)?;
    output.outcome(&checked, |page| text::provider::write_checks(page, &checked))?;
    output.status(|page| text::provider::write_failures(page, &checked));
    let has_answered = checked.checks.iter().all(|check| check.answered);
    Ok(match cancel.cause() {
        Some(_) => Exit::Stopped,
        None if has_answered => Exit::Done,
        None => Exit::Provider,
    })
}
