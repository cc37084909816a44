//! What the model is told to say, in each client's own words.

use memoir_testkit::model::{text, tool};
use memoir_testkit::{Client, Reply};
use serde_json::json;

/// Writes the file `notes.txt` with the client's own tool.
pub fn write(client: Client) -> Reply {
    match client {
        Client::Codex => {
            Reply::new().custom("apply_patch", "*** Begin Patch\n*** Add File: notes.txt\n+a note\n*** End Patch\n")
        }
        Client::Claude => tool("Write", json!({"file_path": "notes.txt", "content": "a note\n"})),
        Client::Gemini => tool("write_file", json!({"file_path": "notes.txt", "content": "a note\n"})),
    }
}

/// Sends a sub-agent with a task.
pub fn send_agent(client: Client) -> Reply {
    match client {
        Client::Codex => tool("spawn_agent", json!({"task_name": "helper", "message": "the child's task"})),
        Client::Claude => claudes_agent(false),
        Client::Gemini => tool("invoke_agent", json!({"agent_name": "generalist", "prompt": "the child's task"})),
    }
}

/// Sends a sub-agent of Claude's that works while its parent goes on.
pub fn send_background_agent() -> Reply {
    claudes_agent(true)
}

fn claudes_agent(run_in_background: bool) -> Reply {
    tool(
        "Agent",
        json!({
            "description": "a task", "prompt": "the child's task", "subagent_type": "general-purpose",
            "run_in_background": run_in_background,
        }),
    )
}

/// What the parent does until its agent is done, where it does not simply wait.
pub fn wait_for_agent(client: Client) -> Option<Reply> {
    (client == Client::Codex).then(|| tool("wait_agent", json!({"timeout_ms": 10_000})))
}

/// The last thing that a sub-agent says.
pub fn answer_of_agent(client: Client) -> Reply {
    match client {
        Client::Codex | Client::Claude => text("The child's answer."),
        Client::Gemini => tool("complete_task", json!({"result": {"response": "The child's answer."}})),
    }
}

/// A summary of a conversation in the form that the client asks for.
pub fn summary(client: Client) -> Reply {
    match client {
        Client::Codex => text("A summary of the test."),
        Client::Claude => text("<summary>A summary of the test.</summary>"),
        Client::Gemini => text("<state_snapshot>A summary of the test.</state_snapshot>"),
    }
}
