//! `memoir config`.

use crate::cli::{ConfigAction, ConfigArgs};
use crate::exit::{Done, Usage};
use crate::home::Home;
use crate::print::{Out, Style};
use crate::settings::{self, Kind, Origin, SETTINGS, Setting, Settings};
use anyhow::{Context, Result};
use serde_json::json;

pub fn run(home: &Home, args: &ConfigArgs) -> Result<Done> {
    let mut out = Out::new();
    match &args.action {
        None => {
            let (settings, problem) = match Settings::load(home) {
                Ok(settings) => (settings, None),
                Err(error) => (Settings::without_file(home)?, Some(error)),
            };
            list(&settings, args.json, &mut out)?;
            if let Some(error) = problem {
                out.flush()?;
                return Err(error);
            }
        }
        Some(ConfigAction::Path) => out.line(&home.config_file().display().to_string())?,
        Some(ConfigAction::Get { key }) => {
            let setting = settings::find(key).map_err(Usage)?;
            let settings = Settings::load(home)?;
            let (value, _) = settings.shown.get(setting.key).cloned().unwrap_or((String::new(), Origin::Default));
            out.line(&value)?;
        }
        Some(ConfigAction::Set { key, value }) => {
            let setting = settable(home, key)?;
            let value = settings::from_text(setting, value).map_err(|what| Usage(format!("`{key}` {what}")))?;
            set(home, key, Some(&value))?;
        }
        Some(ConfigAction::Unset { key }) => set(home, key, None)?,
    }
    out.flush()?;
    Ok(Done::Well)
}

fn list(settings: &Settings, json: bool, out: &mut Out) -> Result<()> {
    for setting in SETTINGS {
        let Some((value, origin)) = settings.shown.get(setting.key) else { continue };
        let from = match origin {
            Origin::Default => "default".to_owned(),
            Origin::File => "config.toml".to_owned(),
            Origin::Environment(name) => (*name).to_owned(),
        };
        if json {
            out.json(
                &json!({"key": setting.key, "value": value, "from": from, "env": setting.env, "about": setting.about}),
            )?;
        } else {
            let shown = if value.is_empty() { "(none)" } else { value };
            let name = out.styled(Style::Bold, setting.key);
            let about = out.styled(Style::Dim, &format!("    {}", setting.about));
            let env = setting.env.first().map_or_else(String::new, |name| format!(", or {name}"));
            out.line(&format!("{name} = {shown}  ({from}{env})"))?;
            out.line(&about)?;
        }
    }
    Ok(())
}

/// The setting of that name, if it has a value that can be set in one go.
fn settable(home: &Home, key: &str) -> Result<&'static Setting> {
    let setting = settings::find(key).map_err(Usage)?;
    if setting.kind == Kind::Tables {
        return Err(Usage(format!("`{key}` is a list of tables: edit {} by hand", home.config_file().display())).into());
    }
    Ok(setting)
}

/// Sets a list; an empty one is as good as none.
pub fn set_list(home: &Home, key: &str, names: &[String]) -> Result<()> {
    let list = toml::Value::Array(names.iter().cloned().map(toml::Value::String).collect());
    set(home, key, (!names.is_empty()).then_some(&list))
}

/// Changes one line of config.toml and keeps everything else in it as it is.
fn set(home: &Home, key: &str, value: Option<&toml::Value>) -> Result<()> {
    let setting = settable(home, key)?;
    home.prepare()?;
    let file = home.config_file();
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", file.display())),
    };
    let mut document: toml_edit::DocumentMut =
        text.parse().map_err(|error| Usage(format!("{} is not valid TOML: {error}", file.display())))?;
    let (section, name) = key.split_once('.').map_or((None, key), |(section, name)| (Some(section), name));
    let table = match section {
        None => document.as_table_mut(),
        Some(section) => document
            .entry(section)
            .or_insert_with(toml_edit::table)
            .as_table_mut()
            .ok_or_else(|| Usage(format!("`{section}` in {} is not a table", file.display())))?,
    };
    match value {
        None => {
            table.remove(name);
        }
        Some(value) => {
            settings::check(setting, value).map_err(|what| Usage(format!("`{key}` {what}")))?;
            table.insert(name, item(value));
        }
    }
    memoir_install::write_atomically(&file, document.to_string().as_bytes(), Some(0o600))?;
    Ok(())
}

fn item(value: &toml::Value) -> toml_edit::Item {
    match value {
        toml::Value::Integer(number) => toml_edit::value(*number),
        toml::Value::Boolean(flag) => toml_edit::value(*flag),
        toml::Value::Array(items) => {
            toml_edit::value(items.iter().filter_map(toml::Value::as_str).collect::<toml_edit::Array>())
        }
        other => toml_edit::value(other.as_str().unwrap_or_default()),
    }
}
