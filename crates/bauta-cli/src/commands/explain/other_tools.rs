//! Names of other tools on the screen.

use bauta_plan::work::other_tools::{Ours, TheirName, Tool};
use serde_json::{Value, json};

use crate::arguments::Global;
use crate::print::{object, out};
use crate::tables::{table, text};
use crate::words::joined;

/// What each of the found names is, what is ours, and how to read on.
pub(super) fn show_names(asked: &str, found: &[&TheirName], global: &Global) {
    if global.json {
        let found: Vec<Value> = found.iter().map(|name| as_json(name)).collect();
        object(&json!({ "asked": asked, "theirs": found }));
        return;
    }
    for name in found {
        out!("{} ({}): {}", name.name, name.tool.name(), name.is);
        if name.ours.is_empty() {
            out!("  ours     nothing");
        }
        for ours in &name.ours {
            out!("  {}", in_words(ours));
        }
        out!("  differs  {}", name.differs);
        out!();
    }
    out!("Read on: {}", read_on(found));
    let mut tools: Vec<&str> = found.iter().map(|name| name.tool.name()).collect();
    tools.sort_unstable();
    tools.dedup();
    for tool in tools {
        out!("All names of {tool} that we know: `bauta explain {tool}`");
    }
}

/// All names of a tool, in a table.
pub(super) fn show_tool(tool: Tool, global: &Global) {
    if global.json {
        let names: Vec<Value> = tool.names().map(as_json).collect();
        object(&json!({ "tool": tool.name(), "about": tool.about(), "theirs": names }));
        return;
    }
    out!("{} is {}.", tool.name(), tool.about());
    let mut shown = table(["theirs", "what it is", "ours"]);
    for name in tool.names() {
        let ours: Vec<String> = name.ours.iter().map(briefly).collect();
        shown.add_row([text(name.name), text(name.is), text(ours.join(", "))]);
    }
    out!("{shown}");
    out!("In brackets: not the same, but what comes nearest.");
    out!("`bauta explain NAME` says how ours differs.");
}

fn as_json(name: &TheirName) -> Value {
    let ours: Vec<Value> = name.ours.iter().map(ours_as_json).collect();
    json!({
        "tool": name.tool.name(),
        "name": name.name,
        "also": name.also,
        "is": name.is,
        "ours": ours,
        "differs": name.differs,
    })
}

fn ours_as_json(ours: &Ours) -> Value {
    let mut value = match ours {
        Ours::Method { id, with } => json!({ "method": id, "parameters": with }),
        Ours::Nearest { id, with } => json!({ "nearest": id, "parameters": with }),
        Ours::Command(command) => json!({ "command": command }),
        Ours::Plan(line) => json!({ "plan": line }),
    };
    value["read_on"] = json!(ours.read_on());
    value
}

fn in_words(ours: &Ours) -> String {
    match ours {
        Ours::Method { id, with } => format!("ours     {}", method(id, with)),
        Ours::Nearest { id, with } => format!("nearest  {}", method(id, with)),
        Ours::Command(command) => format!("command  {command}"),
        Ours::Plan(line) => format!("plan     {line}"),
    }
}

fn method(id: &str, with: &[&str]) -> String {
    if with.is_empty() {
        return id.to_owned();
    }
    let with: Vec<String> = with.iter().map(|name| (*name).to_owned()).collect();
    format!("{id}, with {}", joined(&with))
}

fn briefly(ours: &Ours) -> String {
    match ours {
        Ours::Method { id, .. } => (*id).to_owned(),
        Ours::Nearest { id, .. } => format!("({id})"),
        Ours::Command(command) => (*command).to_owned(),
        Ours::Plan(line) => (*line).to_owned(),
    }
}

/// What to type, each command once.
fn read_on(found: &[&TheirName]) -> String {
    let mut commands: Vec<String> = Vec::new();
    for ours in found.iter().flat_map(|name| &name.ours) {
        let command = format!("`{}`", ours.read_on());
        if !commands.contains(&command) {
            commands.push(command);
        }
    }
    if commands.is_empty() {
        commands.push("`bauta list`".to_owned());
    }
    commands.join(", ")
}
