//! Tables of questions and the calls they ask for. The tools here are of many kinds, because the rules
//! know none of them.

use serde_json::{Value, json};

use super::*;
use crate::stand_in::model::CallResult;
use crate::tools::list::read_list;

fn host_info() -> Value {
    json!({
        "name": "host_info",
        "description":
            "Facts about the computer the user sits at: operating system, CPU, memory or uptime.",
        "method": "_demo.minime/host_info",
        "inputSchema": {
            "type": "object",
            "properties": { "topic": {
                "type": "string",
                "description": "What to report.",
                "enum": ["os", "cpu", "memory", "uptime"]
            } },
            "required": ["topic"]
        }
    })
}

fn todo() -> [Value; 2] {
    [
        json!({
            "name": "add_todo",
            "description": "Add one item to the user's to-do list.",
            "method": "_com.example/todo/add",
            "inputSchema": {
                "properties": { "item": { "type": "string" } },
                "required": ["item"]
            }
        }),
        json!({
            "name": "list_todos",
            "description": "List the items of the user's to-do list.",
            "method": "_com.example/todo/list"
        }),
    ]
}

fn unrelated() -> [Value; 2] {
    [
        json!({
            "name": "run_command",
            "description": "Run a shell command.",
            "method": "_com.example/run",
            "inputSchema": {
                "properties": { "command": { "type": "string" } },
                "required": ["command"]
            }
        }),
        json!({
            "name": "send_mail",
            "description": "Send a mail to a person.",
            "method": "_com.example/mail",
            "inputSchema": {
                "properties": { "to": { "type": "string" }, "text": { "type": "string" } },
                "required": ["to", "text"]
            }
        }),
    ]
}

fn greenhouse() -> Value {
    json!({
        "name": "greenhouse",
        "description": "Reads a sensor in the greenhouse.",
        "method": "_farm/greenhouse",
        "inputSchema": {
            "properties": {
                "sensor": { "type": "string", "enum": ["soilMoisture", "temp", "co2", "light"],
                            "description": "One of moisture of the soil, warmth, air quality or light." },
                "fahrenheit": { "type": "boolean" },
                "samples": { "type": "integer" }
            },
            "required": ["sensor"]
        }
    })
}

fn all() -> Vec<Value> {
    let mut tools = vec![greenhouse(), host_info()];
    tools.extend(unrelated());
    tools.extend(todo());
    tools
}

#[track_caller]
fn check(tools: &[Value], question: &str, expected: &[(&str, Value)]) {
    let tools = read_list(&Value::Array(tools.to_vec())).tools;
    let (calls, _) = decide(&tools, question);
    let found: Vec<(String, Value)> =
        calls.into_iter().map(|call| (call.tool, Value::Object(call.arguments))).collect();
    let expected: Vec<(String, Value)> =
        expected.iter().map(|(tool, arguments)| ((*tool).to_owned(), arguments.clone())).collect();
    assert_eq!(found, expected, "{question}");
}

#[track_caller]
fn topics(question: &str, expected: &[&str]) {
    let calls: Vec<_> =
        expected.iter().map(|topic| ("client_host_info", json!({ "topic": topic }))).collect();
    check(&[host_info()], question, &calls);
    check(&all(), question, &calls);
}

#[test]
fn each_value_that_is_asked_for_is_one_call() {
    topics(
        "What operating system does my machine run, and how much memory does it have?",
        &["os", "memory"],
    );
    topics("Which CPU does my machine have, and since when is it up?", &["cpu", "uptime"]);
    topics("How much memory is free on my machine?", &["memory"]);
    topics("Which CPU does my machine have?", &["cpu"]);
    topics("Tell me its OS, its central processing unit and its uptime", &["os", "cpu", "uptime"]);
}

#[test]
fn a_question_without_a_matching_word_calls_nothing() {
    for question in ["hi", "", "How are you?", "What is the answer to everything?", "日本は?"] {
        check(&all(), question, &[]);
    }
}

#[test]
fn values_of_another_tool_are_found_by_their_words_and_by_their_descriptions() {
    let calls = |sensors: &[&str]| -> Vec<(&'static str, Value)> {
        sensors.iter().map(|sensor| ("client_greenhouse", json!({ "sensor": sensor }))).collect()
    };
    check(&all(), "How is the air quality?", &calls(&["co2"]));
    check(
        &all(),
        "Is there enough light, and what is the temperature?",
        &calls(&["light", "temp"]),
    );
    check(&all(), "How high is the soil moisture?", &calls(&["soilMoisture"]));
}

#[test]
fn other_parameters_are_filled_from_the_same_words() {
    let call = |arguments| [("client_greenhouse", arguments)];
    check(&all(), "Take 3 samples of the light", &call(json!({ "sensor": "light", "samples": 3 })));
    check(
        &all(),
        "What is the temp in Fahrenheit?",
        &call(json!({ "sensor": "temp", "fahrenheit": true })),
    );
    check(
        &all(),
        "What is the temp, but not in fahrenheit?",
        &call(json!({ "sensor": "temp", "fahrenheit": false })),
    );
}

#[test]
fn an_order_calls_the_tool_it_names_with_the_rest_of_the_words() {
    let add = |item: &str| ("client_add_todo", json!({ "item": item }));
    check(&all(), "Add milk to my to-do list", &[add("milk")]);
    check(&all(), "Add bread and butter", &[add("bread and butter")]);
    check(&all(), "Please add \"call Ann & Bob\" to my todo list.", &[add("call Ann & Bob")]);
    check(&all(), "Add milk and list my todos", &[add("milk"), ("client_list_todos", json!({}))]);
}

#[test]
fn a_question_that_shares_words_with_two_tools_calls_the_better_one() {
    check(&all(), "What is on my to-do list?", &[("client_list_todos", json!({}))]);
    check(
        &all(),
        "Run the command `make test`",
        &[("client_run_command", json!({ "command": "make test" }))],
    );
}

/// One tool of each kind a program may have, and what is asked of it.
#[test]
fn tools_of_many_kinds_are_called_as_they_are_meant() {
    let tool = |name: &str, description: &str, schema: Value| json!({ "name": name, "description": description, "method": "_x/y", "inputSchema": schema });
    let text =
        |name: &str| json!({ "properties": { name: { "type": "string" } }, "required": [name] });
    let weather = tool(
        "weather",
        "The weather of a city.",
        json!({ "properties": { "city": {}, "day": { "enum": ["today", "tomorrow"] } },
                "required": ["city"] }),
    );
    let lamp = tool(
        "set_lamp",
        "Switches a lamp.",
        json!({ "properties": { "room": { "enum": ["kitchen", "bedroom"] },
                                "state": { "enum": ["on", "off"] } },
                "required": ["room", "state"] }),
    );
    let sum = tool(
        "add",
        "Adds two numbers.",
        json!({ "properties": { "a": { "type": "number" }, "b": { "type": "number" } },
                "required": ["a", "b"] }),
    );
    let bus = tool(
        "bus_info",
        "Facts about the bus.",
        json!({ "properties": { "fact": { "enum": ["driver", "fuel"] } }, "required": ["fact"] }),
    );
    let files = tool("list_files", "Lists the files of a folder.", text("path"));
    let clock = tool("get_time", "The time in a city.", text("city"));
    for (tool, question, arguments) in [
        (
            weather,
            "What's the weather in Paris tomorrow?",
            json!({ "city": "Paris", "day": "tomorrow" }),
        ),
        (lamp, "Turn the lamp in the kitchen on", json!({ "room": "kitchen", "state": "on" })),
        (sum, "Add 2 and -3.5", json!({ "a": 2, "b": -3.5 })),
        (bus, "Who drives the bus?", json!({ "fact": "driver" })),
        (files, "List the files in /tmp/x.d", json!({ "path": "/tmp/x.d" })),
        (clock, "What time is it in Tokyo?", json!({ "city": "Tokyo" })),
    ] {
        let name = format!("client_{}", tool["name"].as_str().unwrap());
        let mut tools = vec![tool];
        tools.extend(unrelated());
        check(&tools, question, &[(&name, arguments)]);
    }
}

#[test]
fn two_quoted_texts_fill_two_parameters_in_their_order() {
    check(
        &all(),
        "Send a mail to 'Ann' with 'see you at 9'",
        &[("client_send_mail", json!({ "to": "Ann", "text": "see you at 9" }))],
    );
}

#[test]
fn the_same_call_is_made_once() {
    topics("What memory is there? How much memory?", &["memory"]);
}

#[test]
fn arrays_take_all_values_in_one_call() {
    let tool = json!({
        "name": "compare", "method": "_c", "description": "Compares cities.",
        "inputSchema": { "properties": {
            "cities": { "type": "array", "items": { "enum": ["Paris", "Rome", "Oslo"] } } } }
    });
    check(
        &[tool],
        "Compare Rome with Oslo",
        &[("client_compare", json!({ "cities": ["Rome", "Oslo"] }))],
    );
}

#[test]
fn a_parameter_the_question_does_not_give_is_asked_for_not_made_up() {
    let tools = read_list(&Value::Array(all())).tools;
    let Step::Say(chunks) = first_step(&view("Give me host info", &tools)) else {
        panic!("expected a text")
    };
    assert_eq!(
        chunks,
        ["To call client_host_info I need its topic (one of: os, cpu, memory, uptime)."]
    );
}

#[test]
fn a_turn_calls_then_answers_then_ends() {
    let tools = read_list(&json!([{ "name": "ping", "method": "_p" }])).tools;
    let mut turn = Rules.begin(&view("ping", &tools));
    let mut step = |done| turn.next(done).now_or_never().unwrap();
    let Step::Call(calls) = step(None) else { panic!("expected a call") };
    let result = CallResult { text: "pong".into(), is_failed: false };
    let called = calls.into_iter().map(|call| (call, result.clone())).collect();
    let Step::Say(chunks) = step(Some(Done::Called(called))) else { panic!("expected an answer") };
    assert!(chunks.concat().contains("pong"));
    assert_eq!(step(Some(Done::Said)), Step::END);
}

fn view<'a>(question: &'a str, tools: &'a [ToolDescription]) -> View<'a> {
    View { session_id: "s", cwd: "/", prompt: &Value::Null, question, tools }
}
