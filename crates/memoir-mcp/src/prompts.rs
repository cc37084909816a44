//! Prompts, which clients show to the user as commands.

use crate::error::ToolError;
use crate::tools::{Desk, Tool};
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::{Map, Value};

/// What there is.
pub(crate) fn list() -> Vec<Prompt> {
    let about = PromptArgument::new("about").with_description("What it is about").with_required(true);
    let what = PromptArgument::new("text").with_description("What is worth knowing").with_required(true);
    vec![
        Prompt::new("recall", Some("Bring in what helps from earlier sessions"), Some(vec![about])),
        Prompt::new("remember", Some("Keep something for later sessions"), Some(vec![what])),
    ]
}

/// A prompt, filled in.
pub(crate) fn get(desk: &Desk<'_>, name: &str, asked: &JsonObject) -> Result<GetPromptResult, ToolError> {
    let text = |field: &str| {
        let given = asked.get(field).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
        given.ok_or_else(|| ToolError::wrong(format!("the prompt `{name}` needs `{field}`")))
    };
    let said = match name {
        "recall" => {
            let mut arguments = Map::new();
            arguments.insert("query".to_owned(), text("about")?.into());
            Tool::Recall.run(desk, arguments)?.text
        }
        "remember" => format!("Keep this with memoir's tool `remember`, as I say it: {}", text("text")?),
        _ => return Err(ToolError::wrong("there is no such prompt; there are recall, remember")),
    };
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, said)]))
}
