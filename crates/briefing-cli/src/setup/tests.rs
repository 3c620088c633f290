//! What is meant by a configuration, and what is wrong with one.

use super::*;
use briefing::Wire;
use models::KeySource;

fn resolved(text: &str) -> Result<Setup, Failure> {
    let file = toml::from_str(text).map_err(|error| wrong("briefing.toml", error))?;
    Setup::resolve(PathBuf::from("desk/briefing.toml"), file)
}

fn model(text: &str) -> Setup {
    resolved(&format!("persona = \"p.toml\"\n[[model]]\n{text}")).unwrap()
}

fn fault(text: &str) -> String {
    let failure = resolved(text).unwrap_err();
    assert_eq!(failure.kind, Kind::Config, "{text}");
    assert!(failure.hint.is_some() || failure.message.contains("TOML"), "{text}");
    failure.message
}

#[test]
fn paths_are_of_the_folder_and_defaults_are_filled_in() {
    let setup = model("name = \"gpt-5\"");
    assert_eq!((setup.database, setup.persona), (PathBuf::from("desk/briefing.db"), PathBuf::from("desk/p.toml")));
    assert_eq!((setup.card_lasts, setup.keep), (Duration::from_secs(86_400), Duration::from_secs(30 * 86_400)));
    let [gpt] = setup.models.as_slice() else { panic!("{:?}", setup.models) };
    assert_eq!((gpt.wire(), gpt.base_url.as_str()), (Wire::OpenAiChat, "https://api.openai.com/v1"));
    assert_eq!((&gpt.key, gpt.stream), (&KeySource::Env("OPENAI_API_KEY".to_owned()), true));
}

#[test]
fn the_family_tells_the_wire_and_a_server_of_ones_own_wants_no_key() {
    let of = |text: &str| model(text).models.remove(0);
    assert_eq!(of("name = \"claude-sonnet-4-5\"").wire(), Wire::Anthropic);
    assert_eq!(of("name = \"gemini-3-flash\"").key, KeySource::Env("GEMINI_API_KEY".to_owned()));
    let own = of("name = \"qwen3\"\nbase_url = \"http://127.0.0.1:8080/v1/\"\ncontext = 8192");
    assert_eq!((own.key, own.base_url.as_str(), own.profile.context), (KeySource::None, "http://127.0.0.1:8080/v1", 8_192));
    assert_eq!(of("name = \"x\"\nkey_file = \"k\"").key, KeySource::File(PathBuf::from("desk/k")));
    let priced = of("name = \"x\"\nprices = { input = 3, output = 0.5 }\nparameters = { temperature = 0.2, stop = [\"x\"] }");
    assert_eq!(priced.prices.map(|prices| (prices.input, prices.output)), Some((3_000_000, 500_000)));
    let parameters: Vec<_> = priced.parameters.iter().map(|(name, value)| format!("{name}={}", value.as_str())).collect();
    assert_eq!(parameters, ["stop=[\"x\"]", "temperature=0.2"]);
}

#[test]
fn tools_are_confirmed_unless_they_read() {
    let command = |more: &str| {
        let text = "name = \"gpt-5\"\n[[command]]\nname = \"t\"\ndescription = \"d\"\ninput_schema = { type = \"object\" }\nrun = [\"x\", \"y\"]\n";
        model(&format!("{text}{more}")).commands.remove(0)
    };
    let (reads, writes) = (command("effect = \"reads\""), command("effect = \"writes\""));
    assert_eq!((reads.confirm, writes.confirm), (false, true));
    assert_eq!((reads.schema.as_str(), reads.program.as_str()), (r#"{"type":"object"}"#, "x"));
    assert!(!command("effect = \"writes\"\nconfirm = false").confirm);
    let server =
        |more: &str| model(&format!("name = \"gpt-5\"\n[[mcp]]\nname = \"s\"\nrun = [\"x\"]\n{more}")).servers.remove(0);
    assert_eq!(server("").confirm, Confirm::Writes);
    assert_eq!(server("confirm = \"all\"").confirm, Confirm::All);
    assert_eq!(server("confirm = [\"a\"]").confirm, Confirm::Tools(vec!["a".to_owned()]));
}

#[test]
fn what_is_wrong_is_told_with_its_key() {
    let with = |more: &str| fault(&format!("persona = \"p.toml\"\n[[model]]\nname = \"gpt-5\"\n{more}"));
    assert_eq!(fault("persona = \"p.toml\""), "no model is named");
    assert!(with("unknown = 1").contains("unknown field `unknown`"));
    assert!(with("key = \"sk-1\"").starts_with("model \"gpt-5\", key: a key does not belong into this file"));
    assert!(with("base_url = \"https://me:sk-1@host/v1\"").contains("a key does not belong"));
    assert!(!with("base_url = \"https://me:sk-1@host/v1\"").contains("sk-1"));
    assert!(with("headers = { x-api-key = \"sk-1\" }").starts_with("model \"gpt-5\", headers.x-api-key: "));
    assert!(with("base_url = \"host:80\"").contains("an address begins with"));
    assert!(with("[cards]\nlanguage = \"tlh\"").starts_with("cards.language: there are no confirmations in \"tlh\""));
    assert!(with("key_env = \"A\"\nkey_file = \"b\"").contains("both given"));
    assert!(with("prices = { input = -1, output = 1 }").contains("prices.input: -1 is no price"));
    for limit in ["rounds", "tokens", "calls", "failures", "cost"] {
        assert_eq!(with(&format!("[limits]\n{limit} = 0")), format!("limits.{limit}: more than 0 is wanted"));
    }
    for key in ["context", "max_output", "connect_timeout_s", "idle_timeout_s"] {
        assert_eq!(with(&format!("{key} = 0")), format!("model \"gpt-5\", {key}: more than 0 is wanted"));
    }
    assert_eq!(with("[cards]\nexpire_h = 0"), "cards.expire_h: more than 0 is wanted");
    assert!(with("[[mcp]]\nname = \"s\"").contains("exactly one of run and url"));
    assert!(with("[[mcp]]\nname = \"s\"\nurl = \"http://x\"\nenv = [\"A\"]").contains("is not run here"));
    let command = "[[command]]\nname = \"t\"\ndescription = \"\"\nrun = [\"x\"]\neffect = \"reads\"\ninput_schema = \"{}\"\n";
    assert!(with(&format!("{command}{command}")).contains("two have the name \"t\""));
    assert!(with(&command.replace("\"{}\"", "\"{\"")).starts_with("command \"t\", input_schema: "));
    assert!(with(&command.replace("[\"x\"]", "[]")).starts_with("command \"t\", run: no program"));
    for key in ["timeout_s", "memory_mb", "output_kb"] {
        assert_eq!(with(&format!("{command}{key} = 0")), format!("command \"t\", {key}: more than 0 is wanted"));
    }
}

#[test]
fn a_key_is_told_by_no_failure() {
    let with = |more: &str| {
        let text = format!("persona = \"p.toml\"\n[[model]]\nname = \"gpt-5\"\n{more}");
        let file = parsed("briefing.toml", &text);
        let failure = file.and_then(|file| Setup::resolve(PathBuf::from("briefing.toml"), file)).unwrap_err();
        assert!(failure.kind == Kind::Config && failure.hint.is_some(), "{more}: {failure:?}");
        assert!(!format!("{failure:?}").contains("s3cr3t"), "{more}: {failure:?}");
        failure
    };
    let message = |more: &str| with(more).message;
    // In the place of a variable's name.
    assert!(message("key_env = \"sk-s3cr3t\"").contains("key_env: it is no name of a variable"));
    assert!(message("headers_env = { x-api-key = \"s3cr3t-1\" }").contains("headers_env.x-api-key: it is no name"));
    // In the place of a file, among the parameters, and among the arguments of a program.
    assert!(message("key_file = \"sk-s3cr3t\"").contains("key_file: a key does not belong"));
    for parameter in ["api_key = \"s3cr3t\"", "user = \"sk-s3cr3t\""] {
        assert!(message(&format!("parameters = {{ {parameter} }}")).contains("a key does not belong"), "{parameter}");
    }
    assert!(message("[[mcp]]\nname = \"s\"\nrun = [\"x\", \"--token=sk-s3cr3t\"]").contains("run: a key does not belong"));
    // In a header.
    for header in ["x-auth-token", "ocp-apim-subscription-key", "cf-aig-authorization", "X-Client-Secret", "Set-Cookie"] {
        assert!(message(&format!("headers = {{ {header} = \"s3cr3t\" }}")).contains("a key does not belong"), "{header}");
    }
    assert!(message("headers = { x-name = \"Bearer s3cr3t\" }").contains("headers.x-name: a key does not belong"));
    assert!(with("headers = { x-auth = \"s3cr3t\" }").hint.unwrap().contains("headers_env"));
    // In the address of a server of tools, or beside it.
    for url in ["https://h/mcp?apiKey=s3cr3t", "https://u:s3cr3t@h/mcp", "https://h/mcp#s3cr3t", "h/s3cr3t"] {
        let failure = with(&format!("[[mcp]]\nname = \"s\"\nurl = \"{url}\""));
        assert!(failure.message.starts_with("mcp \"s\", url: ") && failure.hint.unwrap().contains("headers_env"), "{url}");
    }
    for key in ["headers = { Authorization = \"s3cr3t\" }", "key = \"s3cr3t\"", "api_key = \"s3cr3t\""] {
        assert!(message(&format!("[[mcp]]\nname = \"s\"\nurl = \"https://h/mcp\"\n{key}")).contains("a key does not belong"));
    }
    assert!(message("[[mcp]]\nname = \"s\"\nrun = [\"x\"]\nenv = [\"s3cr3t-1\"]").contains("env: it is no name"));
    // Under a key that there is not, or where something else is wanted.
    assert!(message("token = \"s3cr3t\"").contains("line 4: "));
    message("stream = \"sk-s3cr3t\"");
    message("[[mcp]]\nname = \"s\"\nrun = [\"x\"]\nenv = { API_KEY = \"s3cr3t\" }");
    assert!(message("unknown = 1").contains("unknown field `unknown`"));
}

#[test]
fn secret_headers_and_limits_of_processes_are_taken() {
    let setup = model("name = \"gpt-5\"\nheaders_env = { x-api-key = \"GATEWAY_KEY\" }");
    assert_eq!(setup.models[0].headers_env, [("x-api-key".to_owned(), "GATEWAY_KEY".to_owned())]);
    let command = "name = \"gpt-5\"\n[[command]]\nname = \"t\"\ndescription = \"d\"\ninput_schema = \"{}\"\nrun = [\"x\"]\neffect = \"reads\"\n";
    assert_eq!(model(&format!("{command}processes = 64")).commands[0].processes, Some(64));
    let proposing = format!("{command}confirm = true\npropose = [\"./look\", \"7\"]");
    assert_eq!(model(&proposing).commands[0].propose, Some(("./look".to_owned(), vec!["7".to_owned()])));
    let text = format!("persona = \"p.toml\"\n[[model]]\n{command}propose = [\"./look\"]");
    assert!(fault(&text).contains("propose: nothing is confirmed"));
    let text = format!("persona = \"p.toml\"\n[[model]]\n{command}processes = 0");
    assert_eq!(fault(&text), "command \"t\", processes: more than 0 is wanted");
}

#[test]
fn a_language_is_one_that_is_known() {
    let setup = |language: &str| model(&format!("name = \"gpt-5\"\n[cards]\nlanguage = \"{language}\""));
    for known in ["en", "de-AT", "RU", "et_EE.UTF-8"] {
        assert_eq!(setup(known).language, known);
    }
    let failure = resolved("persona = \"p.toml\"\n[[model]]\nname = \"gpt-5\"\n[cards]\nlanguage = \"\"").unwrap_err();
    assert_eq!(failure.hint.unwrap(), "one of de, en, es, et, fr, it, pl, ru");
}
