//! A headless Chromium, where there is one.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Names under which it is installed.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
/// Set where none is a failure.
const WANTED: &str = "SPOTSIM_TEST_CHROMIUM";

/// The program, or `None` and a sentence where there is none and none is wanted.
pub fn found() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let all = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let found = all.into_iter().find(|file| file.is_file());
    assert!(
        found.is_some() || std::env::var_os(WANTED).is_none(),
        "{WANTED} is set, and there is no Chromium"
    );
    if found.is_none() {
        _ = writeln!(std::io::stderr(), "no Chromium here: pages were not looked at");
    }
    found
}

/// Where screenshots are kept.
pub fn screenshots() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("screenshots");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs it on `file` with these arguments; the network is out of reach, and what it keeps is in `folder`.
pub fn chromium(program: &Path, folder: &Path, file: &Path, arguments: &[String]) -> Output {
    let profile = format!("--user-data-dir={}", folder.join("profile").display());
    let fixed = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--host-resolver-rules=MAP * ~NOTFOUND",
        "--hide-scrollbars",
        &profile,
    ];
    let url = format!("file://{}", file.display());
    let output = Command::new(program).args(fixed).args(arguments).arg(url).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// What it says on the console about `file`, a line a message.
pub fn console(program: &Path, folder: &Path, file: &Path) -> Vec<String> {
    let arguments = ["--enable-logging=stderr", "--v=0", "--dump-dom"].map(str::to_owned);
    let output = chromium(program, folder, file, &arguments);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    stderr.lines().filter(|line| line.contains("CONSOLE")).map(str::to_owned).collect()
}
