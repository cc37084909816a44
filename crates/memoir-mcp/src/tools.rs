//! The tools, in one table: what each is called, what a model is told of it, what it takes, and who may use it.

mod commit;
mod describe;
mod forget;
mod read;
mod recall;
mod remember;
mod search;
mod session_read;
mod status;
mod timeline;

pub(crate) use read::SCHEME;

use crate::answer::Answer;
use crate::caller::Caller;
use crate::error::ToolError;
use crate::library::{Library, VIEW};
use crate::when::{self, End};
use memoir_event::{Kind, nearest};
use memoir_journal::{Filter, Journal, PageToken};
use memoir_session::{CommitRules, ProjectNames, Sessions};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// What a tool needs of its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// It only reads.
    Read,
    /// It adds something.
    Write,
    /// It takes something away.
    Forget,
}

/// A tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    Recall,
    Search,
    Read,
    Timeline,
    Remember,
    Forget,
    Commit,
    Status,
}

/// Who asks for what, with what, and for how long.
pub(crate) struct Desk<'a> {
    pub(crate) library: &'a Library,
    pub(crate) caller: &'a Caller,
    /// False once nobody waits any more.
    pub(crate) go_on: &'a dyn Fn() -> bool,
}

impl Tool {
    pub(crate) const ALL: [Tool; 8] = [
        Tool::Recall,
        Tool::Search,
        Tool::Read,
        Tool::Timeline,
        Tool::Remember,
        Tool::Forget,
        Tool::Commit,
        Tool::Status,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Tool::Recall => "recall",
            Tool::Search => "search",
            Tool::Read => "read",
            Tool::Timeline => "timeline",
            Tool::Remember => "remember",
            Tool::Forget => "forget",
            Tool::Commit => "commit",
            Tool::Status => "status",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Tool> {
        Tool::ALL.into_iter().find(|tool| tool.name() == name)
    }

    pub(crate) const fn access(self) -> Access {
        match self {
            Tool::Recall | Tool::Search | Tool::Read | Tool::Timeline | Tool::Status => Access::Read,
            Tool::Remember | Tool::Commit => Access::Write,
            Tool::Forget => Access::Forget,
        }
    }

    /// Does what the tool is for.
    pub(crate) fn run(self, desk: &Desk<'_>, arguments: Map<String, Value>) -> Result<Answer, ToolError> {
        match self {
            Tool::Recall => recall::run(desk, arguments_of(arguments)?),
            Tool::Search => search::run(desk, &arguments_of(arguments)?),
            Tool::Read => read::run(desk, &arguments_of(arguments)?),
            Tool::Timeline => timeline::run(desk, &arguments_of(arguments)?),
            Tool::Remember => remember::run(desk, arguments_of(arguments)?),
            Tool::Forget => forget::run(desk, arguments_of(arguments)?),
            Tool::Commit => commit::run(desk, &arguments_of(arguments)?),
            Tool::Status => status::run(desk, &arguments_of(arguments)?),
        }
    }
}

/// The arguments as the tool takes them; one that it does not know is an error that names those it does.
fn arguments_of<T: DeserializeOwned>(arguments: Map<String, Value>) -> Result<T, ToolError> {
    // Models fill what they do not need with null.
    let given = arguments.into_iter().filter(|(_, value)| !value.is_null()).collect();
    serde_json::from_value(Value::Object(given)).map_err(|error| ToolError::wrong(format!("wrong arguments: {error}")))
}

impl Desk<'_> {
    /// The sessions of a journal, for what no rule has to decide.
    pub(crate) fn sessions<'s>(&'s self, journal: &'s dyn Journal) -> Sessions<'s> {
        let library = self.library;
        Sessions {
            journal,
            redactor: &library.redactor,
            clock: &library.clock,
            rules: CommitRules::default(),
            owner: "mcp",
            is_alive: &|_| true,
        }
    }

    pub(crate) fn now_ms(&self) -> i64 {
        (self.library.clock)()
    }

    /// The project that the caller works in.
    pub(crate) fn project_here(&self) -> Result<Option<String>, ToolError> {
        self.library.project(self.caller.dir.as_deref(), self.caller.session.as_deref())
    }

    /// The project that an argument means; `.` is the caller's own.
    pub(crate) fn project(&self, named: Option<&str>) -> Result<Option<String>, ToolError> {
        match named.map(str::trim) {
            None | Some("") => Ok(None),
            Some("." | "here") => {
                let unknown = || ToolError::wrong("memoir cannot tell which project you are in: name it");
                self.project_here()?.ok_or_else(unknown).map(Some)
            }
            Some(name) => {
                let shown = self.library.shown();
                let mut ids = self.project_names(&shown)?.named(name)?;
                if ids.len() > 1 {
                    let ids = ids.join(", ");
                    return Err(ToolError::wrong(format!(
                        "several projects are called `{name}`: {ids}; pass one of them"
                    )));
                }
                Ok(Some(ids.pop().unwrap_or_else(|| name.to_owned())))
            }
        }
    }

    /// What projects are called.
    pub(crate) fn project_names<'s>(&self, journal: &'s dyn Journal) -> Result<ProjectNames<'s>, ToolError> {
        let names = ProjectNames::new(journal, VIEW);
        Ok(match (self.project_here()?, self.caller.dir.as_deref()) {
            (Some(project), Some(dir)) => names.at(&project, dir),
            _ => names,
        })
    }

    /// What events must match.
    pub(crate) fn filter(&self, wanted: &Wanted<'_>) -> Result<Filter, ToolError> {
        let time = |text: Option<&str>, end| {
            let text = text.filter(|text| !text.trim().is_empty());
            text.map(|text| when::moment(text, end, self.now_ms(), &self.library.zone)).transpose()
        };
        let session = match wanted.session.filter(|name| !name.trim().is_empty()) {
            Some(name) => Some(self.library.known_session(name)?.shown()),
            None => None,
        };
        Ok(Filter {
            repo: self.project(wanted.project)?,
            session,
            from_ms: time(wanted.since, End::First)?,
            to_ms: time(wanted.until, End::Last)?,
            event_type: wanted.kind.filter(|kind| !kind.trim().is_empty()).map(event_type).transpose()?,
            ..Filter::default()
        })
    }
}

/// What several tools let a caller choose by.
#[derive(Debug, Default)]
pub(crate) struct Wanted<'a> {
    pub(crate) project: Option<&'a str>,
    pub(crate) session: Option<&'a str>,
    pub(crate) since: Option<&'a str>,
    pub(crate) until: Option<&'a str>,
    pub(crate) kind: Option<&'a str>,
}

impl<'a> Wanted<'a> {
    /// Where and when.
    pub(crate) fn at(
        [project, session]: [&'a Option<String>; 2],
        [since, until]: [&'a Option<String>; 2],
    ) -> Wanted<'a> {
        let [project, session, since, until] = [project, session, since, until].map(|given| given.as_deref());
        Wanted { project, session, since, until, kind: None }
    }

    /// Of a kind only, if one is given.
    pub(crate) fn of_kind(self, kind: &'a Option<String>) -> Wanted<'a> {
        Wanted { kind: kind.as_deref(), ..self }
    }
}

fn event_type(name: &str) -> Result<String, ToolError> {
    if Kind::is_type(name) {
        return Ok(name.to_owned());
    }
    let known = || Kind::ALL.iter().map(|kind| kind.as_str());
    let meant = nearest(name, known()).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
    let known: Vec<&str> = known().collect();
    Err(ToolError::wrong(format!("unknown type `{name}`{meant} (known are {})", known.join(", "))))
}

/// Where a page of events goes on.
pub(crate) fn after(cursor: Option<&str>) -> Result<Option<PageToken>, ToolError> {
    let wrong = |text: &str| ToolError::wrong(format!("`{text}` is not a cursor: pass what an earlier answer showed"));
    cursor.map(|text| PageToken::parse(text.trim()).ok_or_else(|| wrong(text))).transpose()
}

/// The first page of one thing, by its name.
pub(crate) fn read_whole(desk: &Desk<'_>, name: &str) -> Result<Answer, ToolError> {
    read::run(desk, &read::Asked { id: name.to_owned(), cursor: None })
}
