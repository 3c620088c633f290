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
    assert!(with("key_env = \"A\"\nkey_file = \"b\"").contains("both given"));
    assert!(with("prices = { input = -1, output = 1 }").contains("prices.input: -1 is no price"));
    assert!(with("[limits]\nrounds = 0").starts_with("limits.rounds: "));
    assert!(with("[[mcp]]\nname = \"s\"").contains("exactly one of run and url"));
    assert!(with("[[mcp]]\nname = \"s\"\nurl = \"http://x\"\nenv = [\"A\"]").contains("is not run here"));
    let command = "[[command]]\nname = \"t\"\ndescription = \"\"\nrun = [\"x\"]\neffect = \"reads\"\ninput_schema = \"{}\"\n";
    assert!(with(&format!("{command}{command}")).contains("two have the name \"t\""));
    assert!(with(&command.replace("\"{}\"", "\"{\"")).starts_with("command \"t\", input_schema: "));
    assert!(with(&command.replace("[\"x\"]", "[]")).starts_with("command \"t\", run: no program"));
}
