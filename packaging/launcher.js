#!/usr/bin/env node
// Starts the program of this platform's package with the same arguments, terminal and streams, hands signals to it,
// and ends as it ended. npm installs that package as an optional dependency, so no script runs at installation.
"use strict";

const { spawn } = require("node:child_process");

const platform = `${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "hookbench.exe" : "hookbench";

let program;
try {
  program = require.resolve(`@hookbench/${platform}/${file}`);
} catch {
  const cause = `hookbench: the package @hookbench/${platform} is not installed`;
  console.error(`${cause}\n  help: install hookbench again without --omit=optional; npm has no package for other platforms than
        linux-x64 and linux-arm64 (with glibc), darwin-x64, darwin-arm64 and win32-x64`);
  process.exit(69);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit", windowsHide: false });

child.on("error", (error) => {
  console.error(`hookbench: cannot start ${program}: ${error.message}`);
  process.exit(69);
});

for (const signal of ["SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"]) {
  process.on(signal, () => child.kill(signal));
}
// A terminal sends these to both processes; the program decides what they do.
for (const signal of ["SIGINT", "SIGQUIT"]) {
  process.on(signal, () => process.stdin.isTTY || child.kill(signal));
}

child.on("exit", (status, signal) => {
  if (signal === null) {
    process.exit(status);
  }
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
