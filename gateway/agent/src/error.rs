//! What can be wrong with the settings of this crate. Failures of a running request are
//! [`talaria_types::model::ModelError`]s; failures of a tool are results.

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the base URL {0:?} is not an http or https address")]
    BaseUrl(String),
    #[error("the API key has characters that can't stand in a header")]
    ApiKey,
    #[error("the HTTP client could not be set up")]
    Client(#[source] reqwest::Error),
    #[error("two tools are named {0:?}")]
    DuplicateTool(String),
    #[error("the tool name {0:?} is not 1 to 64 letters, digits, underscores or hyphens")]
    ToolName(String),
    #[error("the input schema of the tool {tool:?} is not valid: {problem}")]
    ToolSchema { tool: String, problem: String },
}
