//! Tools: their header in each language, their companions, and providers of models.

mod comments;
mod companions;
mod constants;
mod literal;
mod model_text;
mod provider;
mod source;

pub use model_text::model_text;
pub use provider::{
    ProviderError, keys_for_model, knows_no_reasoning, leave_out_of_params, provider, reasoning_fields,
};
pub(super) use source::{CURRENT_SCHEMA_KEYS, FORMER_SCHEMA_KEYS, read};
