//! Hints about providers and their models.

use super::{ForModel, Hint};

hints! {
    PROVIDER "run `rye provider list` to list the providers, their models, and what they need" => "ask the user to set up a provider"
    PROVIDER_AMONG "name one of them with `--provider {id}`, or a model that only one of them has with `--model`" => nothing
    SECRET "set the variable `{name}`, or write the secret to `{path}` (mode 0600)" => "ask the user to set up the secret"
    PROVIDER_MEANT "did you mean `{id}`? run `rye provider check {id}`" => "ask the user which provider is meant"
    PROVIDER_MEND "mend the document, then run `rye -C ~ sign tool {id}`" => "ask the user to mend and sign the document"
    PROVIDER_NAME_MODEL "name one with `--model`: `rye provider check {id} --model MODEL`" => nothing
    MODEL_MEANT "did you mean `--model {name}`?" => nothing
    MODELS_NOW "name a model of a provider that is set up: {detail}" => nothing
    MODELS "name a model that has a price there: {detail}" => nothing
    PROVIDER_SET_UP "set `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`, then run `rye provider check`" => "ask the user to set up a provider"
    PROVIDER_KEY "put the right key into the variable or the file `{name}`, then run `rye provider check`" => "ask the user to set up the secret"
    PROVIDER_MODEL "name a model that the server has: `rye provider check {id} --model MODEL`" => nothing
    PROVIDER_CREDIT "see to the account of the provider, then run `rye provider check`" => "ask the user to see to the account of the provider"
    PROVIDER_LATER "wait, then run `rye provider check {id}`" => "try again later"
    PROVIDER_START "start the server at `{host}`, then run `rye provider check {id} --model {name}`; `rye load tool {id}` shows the address" => "ask the user to start the server"
    PROVIDER_REACH "see that this machine reaches `{host}`, then run `rye provider check {id}`; `rye provider list` shows the address" => "ask the user to look at the network and the provider's address"
    PROVIDER_DOCUMENT "look at what the document says: `rye load tool {id}`" => "ask the user to look at the provider"
    SECRETS "set one of these variables, then run `rye provider check`; to follow action elements without a model, use `--provider rye/agent/providers/steps`" => "ask the user to set up a provider"
    SECRETS_TO_CHECK "set one of these variables, then run `rye provider check`; to check the provider without a model, run `rye provider check rye/agent/providers/steps`" => "ask the user to set up a provider"
    EMPTY_MODEL "write the name of a model into `id`, or leave `id` out and name a tier" => "ask the user which model is meant"
    PRICE "give the model its price in USD for a million tokens: `rye provider price {name} --input {input} --output {output} --provider {id}`" => "ask the user to give the model a price"
    PRICE_OF_ANY "if a provider has this model, give it its price in USD for a million tokens: `rye provider price {name} --input {input} --output {output}`" => "ask the user to give the model a price"
    PRICE_AMONG "name one of these with `--provider`: {detail}" => nothing
    PROVIDER_CHECK_MODEL "run `rye provider check {id} --model {name}` to ask the model one small question" => nothing
}
