//! Commands as tools, with real processes.

use std::time::Duration;

use crate::support::{Desk, gone, object, read_when_there, run, spec, text};
use briefing_agent::tool::{CommandLimits, CommandTool, Proposal};
use briefing_agent::{Tool, ToolFailure};
use serde_json::json;

fn shell(script: &str) -> CommandTool {
    let mut spec = spec("command", r#"{"type":"object"}"#);
    spec.timeout = Some(Duration::from_secs(60));
    CommandTool::new(spec, "/bin/sh").args(["-c", script])
}

fn within(time: Duration, script: &str) -> CommandTool {
    let mut spec = spec("command", r#"{"type":"object"}"#);
    spec.timeout = Some(time);
    CommandTool::new(spec, "/bin/sh").args(["-c", script])
}

async fn outcome(tool: &CommandTool) -> Result<String, ToolFailure> {
    let desk = Desk::open().await;
    run(tool, json!({}), &desk.cx()).await.map(|output| text(&output))
}

#[tokio::test]
async fn the_input_is_handed_over_as_json_and_the_output_is_the_outcome() {
    let desk = Desk::open().await;
    let output = run(&shell("cat"), json!({"a": "b\n'\"$(id)"}), &desk.cx()).await.unwrap();
    assert_eq!(text(&output), r#"{"a":"b\n'\"$(id)"}"#);
}

#[tokio::test]
async fn a_program_without_a_path_is_found() {
    let desk = Desk::open().await;
    let tool = CommandTool::new(spec("command", r#"{"type":"object"}"#), "cat");
    assert_eq!(text(&run(&tool, json!({"a": 1}), &desk.cx()).await.unwrap()), r#"{"a":1}"#);
}

#[test]
fn of_the_environment_the_names_are_shown() {
    let shown = format!("{:?}", shell("true").env("SHOP_TOKEN", "tok-987654"));
    assert!(shown.contains("SHOP_TOKEN") && !shown.contains("tok-987654"), "{shown}");
}

#[tokio::test]
async fn the_environment_is_what_is_given() {
    let desk = Desk::open().await;
    let tool =
        shell("env | grep -v -e ^PWD= -e ^_= -e ^SHLVL= -e ^OLDPWD= | sort; pwd").env("SHOP", "a b").dir(desk.folder.path());
    let output = run(&tool, json!({}), &desk.cx()).await.unwrap();
    let dir = desk.folder.path().display();
    assert_eq!(text(&output), format!("BRIEFING_CALL_KEY=key-1\nPATH=/usr/local/bin:/usr/bin:/bin\nSHOP=a b\n{dir}\n"));
}

#[tokio::test]
async fn nothing_printed_is_an_empty_outcome() {
    let desk = Desk::open().await;
    assert_eq!(run(&shell("true"), json!({}), &desk.cx()).await.unwrap().parts, []);
}

#[tokio::test]
async fn bytes_that_are_no_text_are_marked() {
    assert_eq!(outcome(&shell(r"printf 'a\377b'")).await, Ok("a\u{fffd}b".to_owned()));
}

#[tokio::test]
async fn an_exit_code_is_a_failure_with_the_last_lines_of_the_errors() {
    let script = "for i in $(seq 1 1000); do echo line $i >&2; done; echo out; exit 3";
    let lines: Vec<String> = (981..=1000).map(|number| format!("line {number}")).collect();
    let message = format!("exit code 3\n{}", lines.join("\n"));
    assert_eq!(outcome(&shell(script)).await, Err(ToolFailure::Failed { message }));
    let message = "exit code 1\nonly said here".to_owned();
    assert_eq!(outcome(&shell("echo only said here; exit 1")).await, Err(ToolFailure::Failed { message }));
}

#[tokio::test]
async fn a_signal_is_a_crash() {
    let detail = "it was ended by signal 11".to_owned();
    assert_eq!(outcome(&shell("kill -SEGV $$")).await, Err(ToolFailure::Crashed { detail }));
}

#[tokio::test]
async fn a_program_that_is_not_there_is_a_failure() {
    let tool = CommandTool::new(spec("command", r#"{"type":"object"}"#), "/no/such/program");
    let Err(ToolFailure::Failed { message }) = outcome(&tool).await else { panic!("it cannot have run") };
    assert!(message.starts_with("exit code 127\n"), "{message}");
}

#[tokio::test]
async fn too_much_output_ends_the_group() {
    let desk = Desk::open().await;
    let pid = desk.path("pid");
    let script = format!("sleep 1000 & echo $! > {}; head -c 1000000000 /dev/zero; sleep 1000", pid.display());
    let failure = run(&shell(&script), json!({}), &desk.cx()).await.unwrap_err();
    assert_eq!(failure, ToolFailure::TooMuch { limit: 1 << 20 });
    gone(&pid).await;
}

#[tokio::test]
async fn a_gigabyte_of_errors_is_not_kept() {
    let script = "head -c 1000000000 /dev/zero >&2; echo done";
    assert_eq!(outcome(&shell(script)).await, Ok("done\n".to_owned()));
}

#[tokio::test]
async fn a_command_that_hangs_is_ended_with_its_children() {
    let desk = Desk::open().await;
    let pid = desk.path("pid");
    let script = format!("sleep 1000 & echo $! > {}; trap '' TERM INT; while :; do sleep 1000; done", pid.display());
    let after = Duration::from_secs(2);
    let failure = run(&within(after, &script), json!({}), &desk.cx()).await.unwrap_err();
    assert_eq!(failure, ToolFailure::TimedOut { after });
    gone(&pid).await;
}

#[tokio::test]
async fn children_that_hold_the_pipes_open_hang_nothing_and_are_ended() {
    let desk = Desk::open().await;
    let pid = desk.path("pid");
    let script = format!("for i in $(seq 1 50); do sleep 1000 & done; echo $! > {}; echo done", pid.display());
    assert_eq!(run(&shell(&script), json!({}), &desk.cx()).await.map(|output| text(&output)), Ok("done\n".to_owned()));
    gone(&pid).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn children_that_start_others_and_end_are_all_ended() {
    let desk = Desk::open().await;
    let leader = desk.path("leader");
    let script = format!("f() {{ (sleep 0.002; f) & (sleep 0.5) & }}; echo $$ > {}; f; sleep 0.1; echo done", leader.display());
    assert_eq!(run(&shell(&script), json!({}), &desk.cx()).await.map(|output| text(&output)), Ok("done\n".to_owned()));
    let group = read_when_there(&leader).await.trim().to_owned();
    for _ in 0..1_000 {
        if members(&group) == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("some of group {group} still run");
}

/// How many processes of that group run. A zombie does not.
#[cfg(target_os = "linux")]
fn members(group: &str) -> usize {
    let stats =
        std::fs::read_dir("/proc").unwrap().filter_map(|entry| std::fs::read_to_string(entry.ok()?.path().join("stat")).ok());
    let fields =
        stats.map(|stat| stat.rsplit_once(')').unwrap().1.split_whitespace().take(3).map(str::to_owned).collect::<Vec<_>>());
    fields.filter(|fields| fields[2] == group && fields[0] != "Z").count()
}

#[tokio::test]
async fn a_child_that_left_the_group_and_holds_the_pipes_open_hangs_nothing() {
    let desk = Desk::open().await;
    let pid = desk.path("pid");
    let script = format!(
        "setsid sh -c 'echo $$ > {}; exec sleep 30' & echo done; while ! test -s {}; do :; done",
        pid.display(),
        pid.display()
    );
    assert_eq!(run(&shell(&script), json!({}), &desk.cx()).await.map(|output| text(&output)), Ok("done\n".to_owned()));
    // It is out of reach, as the documentation says: this test ends it.
    let number: i32 = read_when_there(&pid).await.trim().parse().unwrap();
    rustix::process::kill_process(rustix::process::Pid::from_raw(number).unwrap(), rustix::process::Signal::KILL).unwrap();
    gone(&pid).await;
}

#[tokio::test]
async fn dropping_the_future_ends_the_group() {
    let desk = Desk::open().await;
    let (leader, child) = (desk.path("leader"), desk.path("child"));
    let script = format!("echo $$ > {}; sleep 1000 & echo $! > {}; wait", leader.display(), child.display());
    let (tool, cx, input) = (shell(&script), desk.cx(), object(json!({})));
    let mut call = briefing_agent::Tool::run(&tool, &input, &cx);
    // Polled until both run.
    let both = async {
        read_when_there(&leader).await;
        read_when_there(&child).await;
    };
    match futures_util::future::select(&mut call, Box::pin(both)).await {
        futures_util::future::Either::Left((outcome, _)) => panic!("it ended: {outcome:?}"),
        futures_util::future::Either::Right(_) => {}
    }
    drop(call);
    gone(&leader).await;
    gone(&child).await;
}

#[tokio::test]
async fn a_large_input_that_is_not_read_hangs_nothing() {
    let desk = Desk::open().await;
    let input = json!({"text": "x".repeat(1 << 20)});
    assert_eq!(run(&shell("echo done"), input.clone(), &desk.cx()).await.map(|output| text(&output)), Ok("done\n".to_owned()));
    assert_eq!(
        run(&shell("wc -c"), input, &desk.cx()).await.map(|output| text(&output).trim().to_owned()),
        Ok("1048587".to_owned())
    );
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn limits_are_set_before_the_program_runs() {
    let limits =
        CommandLimits { memory: Some(256 << 20), cpu_seconds: Some(7), processes: Some(200), ..CommandLimits::default() };
    let script = "awk '/^Max (cpu|core|processes|address)/ {print $2, $(NF-2), $(NF-1)}' /proc/self/limits";
    let expected = "cpu 7 8\ncore 0 0\nprocesses 200 200\naddress 268435456 268435456\n";
    assert_eq!(outcome(&shell(script).limits(limits)).await, Ok(expected.to_owned()));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn processor_time_is_bounded() {
    let limits = CommandLimits { cpu_seconds: Some(1), ..CommandLimits::default() };
    let detail = "it used up its 1 s of processor time".to_owned();
    assert_eq!(outcome(&shell("while :; do :; done").limits(limits)).await, Err(ToolFailure::Crashed { detail }));
}

async fn proposal(tool: &CommandTool) -> Result<Proposal, ToolFailure> {
    let desk = Desk::open().await;
    tool.propose(&object(json!({"order": 7})), &desk.cx()).await
}

#[tokio::test]
async fn without_a_program_that_proposes_the_declaration_is_compared() {
    let declared = async |tool: CommandTool| {
        let Proposal { preview, fingerprint } = proposal(&tool).await.unwrap();
        assert_eq!(preview, "{\n  \"order\": 7\n}");
        fingerprint
    };
    let named = |name: &str, schema: &str| CommandTool::new(spec(name, schema), "/bin/cat");
    let any = r#"{"type":"object"}"#;
    let first = declared(named("a", any).args(["x", "y"])).await;
    assert_eq!(first.len(), 64);
    assert_eq!(declared(named("a", r#"{ "type": "object" }"#).args(["x", "y"]).env("KEY", "secret")).await, first);
    let others = [
        named("b", any).args(["x", "y"]),
        named("a", any).args(["xy"]),
        named("a", any).args(["x", "y"]).dir("/tmp"),
        named("a", r#"{"type":"object","required":["order"]}"#).args(["x", "y"]),
        CommandTool::new(spec("a", any), "/bin/tac").args(["x", "y"]),
    ];
    for other in others {
        assert_ne!(declared(other).await, first);
    }
}

#[tokio::test]
async fn a_program_proposes_with_what_it_would_touch() {
    let desk = Desk::open().await;
    let state = desk.path("state");
    let script = format!(
        r#"read -r input; printf '{{"preview": "cancels %s; key %s", "fingerprint": "%s"}}' \
            "$(printf %s "$input" | tr -d '"')" "$BRIEFING_CALL_KEY" "$(cat {})""#,
        state.display()
    );
    let tool = shell("touch ran").dir(desk.folder.path()).proposing("/bin/sh", ["-c", &script]);
    std::fs::write(&state, "open").unwrap();
    let first = proposal(&tool).await.unwrap();
    assert_eq!(first.preview, "cancels {order:7}; key ");
    assert_eq!(proposal(&tool).await.unwrap(), first);
    std::fs::write(&state, "sent").unwrap();
    let changed = proposal(&tool).await.unwrap();
    assert_eq!(changed.preview, first.preview);
    assert_ne!(changed.fingerprint, first.fingerprint);
    // What would be done counts too, though the program that proposes says the same.
    let other = shell("touch other").dir(desk.folder.path()).proposing("/bin/sh", ["-c", &script]);
    assert_ne!(proposal(&other).await.unwrap().fingerprint, changed.fingerprint);
    assert!(!desk.path("ran").exists());
}

#[tokio::test]
async fn what_a_program_prints_as_no_json_is_the_preview_and_what_is_compared() {
    let printing = |text: &str| shell("true").proposing("/bin/echo", [text]);
    let first = proposal(&printing("cancels order 7, which is open")).await.unwrap();
    assert_eq!(first.preview, "cancels order 7, which is open\n");
    assert_eq!(proposal(&printing("cancels order 7, which is open")).await.unwrap(), first);
    assert_ne!(proposal(&printing("cancels order 7, which is sent")).await.unwrap().fingerprint, first.fingerprint);
    let without = proposal(&printing(r#"{"preview": "cancels order 7"}"#)).await.unwrap();
    assert_eq!(without.preview, "cancels order 7");
    // No program's words may pass for a fingerprint that it did not give.
    let odd = proposal(&printing(r#"{"preview": 7, "fingerprint": "a"}"#)).await.unwrap();
    assert_eq!(odd.preview, "{\"preview\": 7, \"fingerprint\": \"a\"}\n");
}

#[tokio::test]
async fn a_proposal_that_fails_proposes_nothing_and_says_so() {
    let failing = |program: &str, args: &[&str]| {
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        within(Duration::from_secs(1), "true").proposing(program, args)
    };
    let failed = |why: &str| Err(ToolFailure::Failed { message: format!("nothing was done: {why}") });
    let why = "the program that proposes it failed: exit code 3\nno such order";
    assert_eq!(proposal(&failing("/bin/sh", &["-c", "echo no such order >&2; exit 3"])).await, failed(why));
    let why = "the program that proposes it failed: it took longer than 1 s and was ended";
    assert_eq!(proposal(&failing("/bin/sleep", &["1000"])).await, failed(why));
    let limits = CommandLimits { output_bytes: 10, ..CommandLimits::default() };
    let why = "the program that proposes it failed: it printed more than 10 bytes and was ended";
    assert_eq!(proposal(&failing("/bin/echo", &["more than ten bytes"]).limits(limits)).await, failed(why));
    assert_eq!(proposal(&failing("/bin/true", &[])).await, failed("the program that proposes it shows nothing to confirm"));
}

#[tokio::test]
async fn a_failure_says_whether_the_command_may_have_done_something() {
    let may = |failure: ToolFailure| (failure.may_have_done(), failure.to_string());
    let after = Duration::from_secs(1);
    let late = outcome(&within(after, "sleep 1000")).await.unwrap_err();
    assert_eq!(may(late), (true, "the tool took longer than 1 s and was ended; it may have had its effect".to_owned()));
    let limits = CommandLimits { output_bytes: 1, ..CommandLimits::default() };
    let much = outcome(&shell("echo many").limits(limits)).await.unwrap_err();
    assert_eq!(may(much), (true, "the tool gave back more than 1 bytes and was ended; it may have had its effect".to_owned()));
    let killed = outcome(&shell("kill -KILL $$")).await.unwrap_err();
    assert_eq!(may(killed), (true, "the tool crashed and may have had its effect: it was ended by signal 9".to_owned()));
    assert_eq!(may(outcome(&shell("exit 2")).await.unwrap_err()), (false, "exit code 2".to_owned()));
    let nowhere = outcome(&shell("true").dir("/no/such/folder")).await.unwrap_err();
    assert_eq!(may(nowhere), (false, "it could not be run: entity not found".to_owned()));
}
