//! What was truly said in the conversations, once each, put together from all requests and answers.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use super::history::{Entry, entries};
use super::reply::Spoken;
use super::seen::{Purpose, Seen, Sent};
use crate::Client;

/// One thing that was said or done in a conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    /// The client's session id; Gemini sends none, so there it is `conversation-1` and so on.
    pub session: String,
    /// Which sub-agent, when it was one.
    pub agent: Option<String>,
    /// What it was.
    pub said: Said,
}

/// The kinds of things that occur in a conversation.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// Words of the user; in a sub-agent, its task.
    User(String),
    /// A block of text of the model.
    Assistant(String),
    /// A call of a tool; the input of a tool that takes free text is a JSON string.
    Call {
        /// The tool, without its namespace.
        name: String,
        /// Its arguments.
        args: Value,
    },
    /// What a call gave back to the model.
    Result {
        /// The tool.
        name: String,
        /// The text as the model got it.
        text: String,
    },
}

/// A conversation as its last request and the answer to it left it.
struct Conversation {
    session: String,
    agent: Option<String>,
    entries: Vec<Entry>,
}

/// What is known while the requests are gone through.
#[derive(Default)]
struct Listener {
    conversations: Vec<Conversation>,
    ids: HashSet<String>,
    tools: HashMap<String, String>,
    /// What was in answers that went out in part; a later request shows what the client kept of it.
    broken: Vec<Entry>,
    heard: Vec<Heard>,
}

/// Everything that was said in a client's conversations.
pub(super) fn transcript(requests: &[Seen], client: Client) -> Vec<Heard> {
    let mut listener = Listener::default();
    for seen in requests.iter().filter(|seen| seen.client == Some(client)) {
        match seen.purpose {
            Purpose::Turn | Purpose::Agent => listener.listen(seen),
            // The last result before a compaction may come with the request for the summary only.
            Purpose::Compaction => listener.listen_for_results(seen),
            Purpose::Side | Purpose::Count | Purpose::Other => {}
        }
    }
    listener.heard
}

impl Listener {
    fn listen(&mut self, seen: &Seen) {
        let entries = entries(seen);
        let (session, agent) = self.speaker(seen, &entries);
        let known = |one: &Conversation| one.session == session && one.agent == agent;
        let place = self.conversations.iter().position(known);
        let before = match place {
            Some(place) => &self.conversations[place].entries,
            // A fork repeats the conversation that it left.
            None => self.nearest(&entries, &agent).map_or(&[][..], |near| &self.conversations[near].entries),
        };
        let repeated = repeated(before, &entries);
        let mut found = Vec::new();
        for (entry, repeated) in entries.iter().zip(repeated) {
            match entry {
                Entry::User { id: Some(id), .. } | Entry::Result { id, .. } if !self.ids.insert(id.clone()) => {}
                Entry::User { id: None, .. } | Entry::Assistant(_) | Entry::Call { .. } if repeated => {}
                Entry::User { text, .. } => found.push(Said::User(text.clone())),
                Entry::Result { id, text } => found.push(self.result(id, text)),
                Entry::Assistant(_) | Entry::Call { .. } => found.extend(self.kept(entry)),
            }
            self.learn_tool(entry);
        }
        let mut now = entries;
        match seen.sent {
            Sent::Whole => {
                let answer = answer(seen);
                found.extend(answer.iter().filter_map(said));
                now.extend(answer);
            }
            Sent::Part => self.broken.extend(answer(seen)),
            Sent::Nothing => {}
        }
        self.heard.extend(found.into_iter().map(|said| Heard { session: session.clone(), agent: agent.clone(), said }));
        match place {
            Some(place) => self.conversations[place].entries = now,
            None => self.conversations.push(Conversation { session, agent, entries: now }),
        }
    }

    fn listen_for_results(&mut self, seen: &Seen) {
        let entries = entries(seen);
        let (session, agent) = self.speaker(seen, &entries);
        for entry in &entries {
            self.learn_tool(entry);
            if let Entry::Result { id, text } = entry
                && self.ids.insert(id.clone())
            {
                let said = self.result(id, text);
                self.heard.push(Heard { session: session.clone(), agent: agent.clone(), said });
            }
        }
    }

    /// Calls come before their results in every request.
    fn learn_tool(&mut self, entry: &Entry) {
        if let Entry::Call { id, name, .. } = entry {
            self.tools.insert(id.clone(), name.clone());
        }
    }

    fn result(&self, id: &str, text: &str) -> Said {
        Said::Result { name: self.tools.get(id).cloned().unwrap_or_default(), text: text.to_owned() }
    }

    /// What the client kept of an answer that it got in part.
    fn kept(&mut self, entry: &Entry) -> Option<Said> {
        let place = self.broken.iter().position(|broken| match (broken, entry) {
            (Entry::Assistant(whole), Entry::Assistant(part)) => whole.starts_with(part.as_str()),
            (broken, entry) => same(broken, entry),
        })?;
        match (self.broken.remove(place), entry) {
            (Entry::Assistant(_), _) => said(entry),
            (whole, _) => said(&whole),
        }
    }

    /// Whose conversation a request belongs to.
    fn speaker(&self, seen: &Seen, entries: &[Entry]) -> (String, Option<String>) {
        let header = |name: &str| seen.header(name).unwrap_or_default().to_owned();
        let is_agent = seen.is_agents();
        match seen.client {
            Some(Client::Codex) => (header("session-id"), is_agent.then(|| header("thread-id"))),
            Some(Client::Claude) => {
                (header("x-claude-code-session-id"), is_agent.then(|| header("x-claude-code-agent-id")))
            }
            Some(Client::Gemini) | None => {
                let agent = is_agent.then(|| "agent".to_owned());
                match self.nearest(entries, &agent) {
                    Some(near) => (self.conversations[near].session.clone(), agent),
                    None => (format!("conversation-{}", self.conversations.len() + 1), agent),
                }
            }
        }
    }

    /// The conversation that a request goes on with, judged by what it repeats.
    fn nearest(&self, entries: &[Entry], agent: &Option<String>) -> Option<usize> {
        let ranked = self.conversations.iter().enumerate().filter(|(_, one)| one.agent.is_some() == agent.is_some());
        let ranked = ranked.filter_map(|(place, one)| {
            let flags = repeated(&one.entries, entries);
            let shared: Vec<&Entry> =
                entries.iter().zip(&flags).filter(|(_, same)| **same).map(|(one, _)| one).collect();
            let answers = shared.iter().filter(|one| !matches!(one, Entry::User { .. })).count();
            let unanswered = one.entries.iter().all(|one| matches!(one, Entry::User { .. }));
            // Two conversations may begin with the same words; only answers that come back tell that it is one.
            (answers > 0 || (unanswered && !shared.is_empty())).then_some((shared.len(), place))
        });
        ranked.max().map(|(_, place)| place)
    }
}

/// The answer to a request, as later requests will repeat it.
fn answer(seen: &Seen) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for spoken in &seen.said {
        match (spoken.clone(), entries.last_mut()) {
            (Spoken::Reasoning(_), _) => {}
            // Gemini has no blocks: texts that follow each other are one.
            (Spoken::Text(text), Some(Entry::Assistant(whole))) if seen.client == Some(Client::Gemini) => {
                whole.push_str(&text);
            }
            (Spoken::Text(text), _) => entries.push(Entry::Assistant(text)),
            (Spoken::Call { id, name, args, .. }, _) => entries.push(Entry::Call { id, name, args }),
            (Spoken::Custom { id, name, input }, _) => entries.push(Entry::Call { id, name, args: json!(input) }),
        }
    }
    entries
}

/// What the model said, as a test sees it.
fn said(entry: &Entry) -> Option<Said> {
    match entry {
        Entry::Assistant(text) => Some(Said::Assistant(text.clone())),
        Entry::Call { name, args, .. } => Some(Said::Call { name: name.clone(), args: args.clone() }),
        Entry::User { .. } | Entry::Result { .. } => None,
    }
}

/// Which entries of `now` were there `before`, by the longest common subsequence.
fn repeated(before: &[Entry], now: &[Entry]) -> Vec<bool> {
    let mut lengths = vec![vec![0_u32; now.len() + 1]; before.len() + 1];
    for (row, old) in before.iter().enumerate().rev() {
        for (column, new) in now.iter().enumerate().rev() {
            lengths[row][column] = match same(old, new) {
                true => lengths[row + 1][column + 1] + 1,
                false => lengths[row + 1][column].max(lengths[row][column + 1]),
            };
        }
    }
    let (mut row, mut column, mut flags) = (0, 0, vec![false; now.len()]);
    while row < before.len() && column < now.len() {
        if same(&before[row], &now[column]) {
            flags[column] = true;
            (row, column) = (row + 1, column + 1);
        } else if lengths[row + 1][column] >= lengths[row][column + 1] {
            row += 1;
        } else {
            column += 1;
        }
    }
    flags
}

fn same(old: &Entry, new: &Entry) -> bool {
    match (old, new) {
        (Entry::User { id: Some(old), .. }, Entry::User { id: Some(new), .. }) => old == new,
        (Entry::User { text: old, .. }, Entry::User { text: new, .. }) => old == new,
        (Entry::Assistant(old), Entry::Assistant(new)) => old == new,
        // Gemini makes the ids of calls itself, so the server's own never come back.
        (Entry::Call { id: old, name: old_name, .. }, Entry::Call { id: new, name, .. }) => {
            old == new || old_name == name
        }
        (Entry::Result { id: old, .. }, Entry::Result { id: new, .. }) => old == new,
        (Entry::User { .. } | Entry::Assistant(_) | Entry::Call { .. } | Entry::Result { .. }, _) => false,
    }
}
