//! Linker settings of the program.
#![allow(clippy::disallowed_methods, reason = "a build script is told by variables and asks the compiler")]

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // A non-PIE executable needs no relocation when it starts. Relocation takes a third of the run time of
    // `hookbench forward`, which an agent starts for every event.
    let target = |name: &str| std::env::var(name).unwrap_or_default();
    if target("CARGO_CFG_TARGET_OS") == "linux" && target("CARGO_CFG_TARGET_ENV") == "gnu" {
        println!("cargo:rustc-link-arg-bins=-no-pie");
        // One shared library less to load at each start.
        if let Some(directory) = static_unwinder().filter(|_| target("HOST") == target("TARGET")) {
            println!("cargo:rustc-link-search=native={directory}");
            println!("cargo:rustc-link-lib=static:-bundle=gcc_eh");
        }
    }
}

/// The directory of the static library that unwinds the stack. `None` if the compiler has none.
fn static_unwinder() -> Option<String> {
    let asked = std::process::Command::new("cc").arg("-print-file-name=libgcc_eh.a").output().ok()?;
    let path = String::from_utf8(asked.stdout).ok()?;
    let directory = std::path::Path::new(path.trim()).parent()?;
    // A compiler that has no such file prints its name alone.
    directory.is_absolute().then(|| directory.display().to_string())
}
