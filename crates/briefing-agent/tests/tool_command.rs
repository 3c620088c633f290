//! Commands as tools, with real processes.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "what fails here fails the test")]
#![cfg(all(unix, feature = "command"))]

mod tool_support;

use std::time::Duration;

use briefing_agent::ToolFailure;
use briefing_agent::tool::{CommandLimits, CommandTool};
use serde_json::json;
use tool_support::{Desk, gone, object, read_when_there, run, spec, text};

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
