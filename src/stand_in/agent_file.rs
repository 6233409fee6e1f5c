//! The agent file: the keys of mm's that matter here, read from YAML. Keys it does not know are
//! ignored, because a real agent file has many more. Knows nothing of what the settings do.

use std::fmt;
use std::time::Duration;

use saphyr::{LoadableYamlNode, MarkedYaml, Scalar, YamlData};

use super::duration;
use crate::tools::limits::MAX_OUTPUT;
use crate::tools::report::Discovery;

/// When a call asks the client for permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permissions {
    /// Only when `yolo` is false.
    Auto,
    /// Always.
    Ask,
}

/// Which model decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelKind {
    /// The words of the question.
    Rules,
    /// A script.
    Script,
    /// A server with the chat completions of `OpenAI`.
    OpenAi,
}

/// The words for them.
pub(super) const MODEL_KINDS: &[(&str, ModelKind)] =
    &[("rules", ModelKind::Rules), ("script", ModelKind::Script), ("openai", ModelKind::OpenAi)];

/// `standIn` of an agent file: what mm has no key for. What is absent is `None`.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ModelSettings {
    /// `standIn.model`.
    pub model: Option<ModelKind>,
    /// `standIn.script`: the file of the script, as it was written.
    pub script: Option<String>,
    /// `standIn.baseUrl` of the model server.
    pub base_url: Option<String>,
    /// `standIn.modelName`: what the server calls the model.
    pub model_name: Option<String>,
    /// `standIn.apiKey`; it is better kept in the environment.
    pub api_key: Option<String>,
    /// `standIn.temperature`.
    pub temperature: Option<f64>,
}

/// The settings of an agent file.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentFile {
    /// `acp.clientTools.enabled`, default true. False: no tools, no list request.
    pub is_enabled: bool,
    /// `acp.clientTools.discovery`, default `meta`.
    pub discovery: Discovery,
    /// `acp.clientTools.permissions`, default `auto`.
    pub permissions: Permissions,
    /// `acp.clientTools.timeout`, default 30 s: the longest wait for a call, and for the list.
    pub timeout: Duration,
    /// `yolo`, default true.
    pub is_yolo: bool,
    /// `bashTool`, default true. Without effect: the stand-in never has a shell.
    pub has_bash_tool: bool,
    /// `maxOutput`, default [`MAX_OUTPUT`]: the most characters of a result that the model reads.
    pub max_output: usize,
    /// `standIn`.
    pub model: ModelSettings,
}

impl Default for AgentFile {
    fn default() -> Self {
        Self {
            is_enabled: true,
            discovery: Discovery::Meta,
            permissions: Permissions::Auto,
            timeout: Duration::from_secs(30),
            is_yolo: true,
            has_bash_tool: true,
            max_output: MAX_OUTPUT,
            model: ModelSettings::default(),
        }
    }
}

/// What is wrong with an agent file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentFileError {
    /// The name of the file, as it was given.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The key with its path, empty for what concerns no key.
    pub key: String,
    /// What was expected and what came.
    pub problem: String,
}

impl fmt::Display for AgentFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: ", self.file, self.line)?;
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.problem)
    }
}

impl std::error::Error for AgentFileError {}

impl AgentFile {
    /// Reads the text of the file called `file`.
    ///
    /// # Errors
    /// The first value that is not what its key takes, and what is no YAML.
    pub fn parse(file: &str, text: &str) -> Result<Self, AgentFileError> {
        let error = |line, problem| AgentFileError {
            file: file.to_owned(),
            line,
            key: String::new(),
            problem,
        };
        let documents = MarkedYaml::load_from_str(text).map_err(|scan| {
            error(scan.marker().line(), format!("expected YAML, got: {}", scan.info()))
        })?;
        let Some(document) = documents.first() else { return Ok(Self::default()) };
        let root = Node { file, path: String::new(), yaml: document };
        let defaults = Self::default();
        let tools = root.member("acp")?.member("clientTools")?;
        let own = root.member("standIn")?;
        Ok(Self {
            is_enabled: tools.member("enabled")?.boolean(defaults.is_enabled)?,
            discovery: tools.member("discovery")?.word(
                &[("meta", Discovery::Meta), ("request", Discovery::Request)],
                defaults.discovery,
            )?,
            permissions: tools.member("permissions")?.word(
                &[("auto", Permissions::Auto), ("ask", Permissions::Ask)],
                defaults.permissions,
            )?,
            timeout: tools.member("timeout")?.duration(defaults.timeout)?,
            is_yolo: root.member("yolo")?.boolean(defaults.is_yolo)?,
            has_bash_tool: root.member("bashTool")?.boolean(defaults.has_bash_tool)?,
            max_output: root.member("maxOutput")?.count(defaults.max_output)?,
            model: ModelSettings {
                model: own.member("model")?.optional_word(MODEL_KINDS)?,
                script: own.member("script")?.text()?,
                base_url: own.member("baseUrl")?.text()?,
                model_name: own.member("modelName")?.text()?,
                api_key: own.member("apiKey")?.text()?,
                temperature: own.member("temperature")?.number()?,
            },
        })
    }
}

/// A value in the file and where it stands.
struct Node<'a> {
    file: &'a str,
    path: String,
    yaml: &'a MarkedYaml<'a>,
}

/// A value that may be absent; `null` is the same.
struct Member<'a>(Option<Node<'a>>);

impl<'a> Node<'a> {
    fn member(&self, key: &str) -> Result<Member<'a>, AgentFileError> {
        let mapping = match &self.yaml.data {
            YamlData::Mapping(mapping) => mapping,
            YamlData::Value(Scalar::Null) => return Ok(Member(None)),
            _ => return Err(self.unexpected("a mapping")),
        };
        let found = mapping.iter().find(|(name, _)| name.data.as_str() == Some(key));
        let path =
            if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        Ok(Member(found.map(|(_, yaml)| Node { file: self.file, path, yaml })))
    }

    fn unexpected(&self, expected: &str) -> AgentFileError {
        AgentFileError {
            file: self.file.to_owned(),
            line: self.yaml.span.start.line(),
            key: self.path.clone(),
            problem: format!("expected {expected}, got {}", shown(&self.yaml.data)),
        }
    }
}

impl<'a> Member<'a> {
    fn member(&self, key: &str) -> Result<Member<'a>, AgentFileError> {
        self.0.as_ref().map_or(Ok(Member(None)), |node| node.member(key))
    }

    fn read<T>(
        &self,
        default: T,
        expected: &str,
        take: impl FnOnce(&Scalar<'a>) -> Option<T>,
    ) -> Result<T, AgentFileError> {
        let Some(node) = &self.0 else { return Ok(default) };
        match &node.yaml.data {
            YamlData::Value(Scalar::Null) => Ok(default),
            YamlData::Value(scalar) => take(scalar).ok_or_else(|| node.unexpected(expected)),
            _ => Err(node.unexpected(expected)),
        }
    }

    fn boolean(&self, default: bool) -> Result<bool, AgentFileError> {
        self.read(default, "true or false", Scalar::as_bool)
    }

    fn count(&self, default: usize) -> Result<usize, AgentFileError> {
        self.read(default, "an integer above 0", |scalar| {
            scalar.as_integer().and_then(|count| usize::try_from(count).ok()).filter(|n| *n > 0)
        })
    }

    fn duration(&self, default: Duration) -> Result<Duration, AgentFileError> {
        self.read(default, "a duration above 0 like 30s, 500ms or 1m30s", |scalar| {
            scalar.as_str().and_then(duration::parse)
        })
    }

    fn text(&self) -> Result<Option<String>, AgentFileError> {
        self.read(None, "a text", |scalar| scalar.as_str().map(|text| Some(text.to_owned())))
    }

    fn number(&self) -> Result<Option<f64>, AgentFileError> {
        self.read(None, "a number", |scalar| {
            let whole = scalar.as_integer().and_then(|whole| whole.to_string().parse().ok());
            scalar.as_floating_point().or(whole).map(Some)
        })
    }

    fn optional_word<T: Copy>(&self, words: &[(&str, T)]) -> Result<Option<T>, AgentFileError> {
        let words: Vec<_> = words.iter().map(|(word, value)| (*word, Some(*value))).collect();
        self.word(&words, None)
    }

    fn word<T: Copy>(&self, words: &[(&str, T)], default: T) -> Result<T, AgentFileError> {
        let expected: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        self.read(default, &expected.join(" or "), |scalar| {
            let word = scalar.as_str()?;
            words.iter().find(|(known, _)| *known == word).map(|(_, value)| *value)
        })
    }
}

fn shown<'a>(data: &YamlData<'a, MarkedYaml<'a>>) -> String {
    match data {
        YamlData::Mapping(_) => "a mapping".to_owned(),
        YamlData::Sequence(_) => "a sequence".to_owned(),
        YamlData::Value(Scalar::Null) => "nothing".to_owned(),
        YamlData::Value(Scalar::Boolean(value)) => value.to_string(),
        YamlData::Value(Scalar::Integer(value)) => value.to_string(),
        YamlData::Value(Scalar::FloatingPoint(value)) => value.to_string(),
        YamlData::Value(Scalar::String(value)) => format!("{value:?}"),
        _ => "something else".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn reads(text: &str, change: impl FnOnce(&mut AgentFile)) {
        let mut expected = AgentFile::default();
        change(&mut expected);
        assert_eq!(AgentFile::parse("a.yaml", text), Ok(expected));
    }

    #[track_caller]
    fn fails(text: &str, expected: &str) {
        let error = AgentFile::parse("a.yaml", text).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn every_key_is_read() {
        let text = "yolo: false\nbashTool: false\nmaxOutput: 100\nacp:\n  clientTools:\n    enabled: false\n    discovery: request\n    permissions: ask\n    timeout: 1m30s\nstandIn: {model: openai, script: a.json, baseUrl: http://x, modelName: m, apiKey: k, temperature: 0}\n";
        reads(text, |file| {
            *file = AgentFile {
                is_enabled: false,
                discovery: Discovery::Request,
                permissions: Permissions::Ask,
                timeout: Duration::from_secs(90),
                is_yolo: false,
                has_bash_tool: false,
                max_output: 100,
                model: ModelSettings {
                    model: Some(ModelKind::OpenAi),
                    script: Some("a.json".to_owned()),
                    base_url: Some("http://x".to_owned()),
                    model_name: Some("m".to_owned()),
                    api_key: Some("k".to_owned()),
                    temperature: Some(0.0),
                },
            };
        });
    }

    #[test]
    fn what_is_absent_or_empty_has_its_default() {
        for text in [
            "",
            "# nothing\n",
            "acp:\n",
            "acp:\n  clientTools:\n",
            "acp: {clientTools: {timeout: }}",
        ] {
            reads(text, |_| {});
        }
    }

    #[test]
    fn keys_it_does_not_know_are_ignored() {
        let text =
            "name: demo\nmodels: [{a: 1}]\n7: x\nacp:\n  other: {}\n  clientTools: {color: red}\n";
        reads(text, |_| {});
    }

    #[test]
    fn an_error_names_file_line_and_key() {
        fails(
            "yolo: true\nacp:\n  clientTools:\n    discovery: maybe\n",
            "a.yaml:4: acp.clientTools.discovery: expected meta or request, got \"maybe\"",
        );
        fails("\nyolo: sure\n", "a.yaml:2: yolo: expected true or false, got \"sure\"");
        fails("maxOutput: 0\n", "a.yaml:1: maxOutput: expected an integer above 0, got 0");
        fails("acp: [1]\n", "a.yaml:1: acp: expected a mapping, got a sequence");
        fails("bashTool: {a: 1}\n", "a.yaml:1: bashTool: expected true or false, got a mapping");
        fails(
            "acp: {clientTools: {timeout: 30}}",
            "a.yaml:1: acp.clientTools.timeout: expected a duration above 0 like 30s, 500ms or 1m30s, got 30",
        );
        fails(
            "standIn: {model: gpt}",
            "a.yaml:1: standIn.model: expected rules or script or openai, got \"gpt\"",
        );
        fails(
            "standIn: {temperature: hot}",
            "a.yaml:1: standIn.temperature: expected a number, got \"hot\"",
        );
        fails("just text", "a.yaml:1: expected a mapping, got \"just text\"");
    }

    #[test]
    fn what_is_no_yaml_names_its_line() {
        let error = AgentFile::parse("a.yaml", "yolo: true\nx: [1\ny: }\n").unwrap_err();
        assert!(error.to_string().starts_with("a.yaml:"), "{error}");
        assert!(error.problem.starts_with("expected YAML"), "{error}");
        assert!(error.line >= 2, "{error}");
    }
}
