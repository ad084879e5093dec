#!/usr/bin/env node
// {{title}}
//
//:refuse
// Exit 0  no objection.
// Exit 2  refused; the reason is on stderr. An event that cannot be read is refused, too.
//:ask change context
// Exit 0  without output no objection; with JSON the answer.
//:check keep
// Exit 0  all is well.
// Exit 2  the command fails; the model reads the end of its output on stderr.
//:format notify
// Exit 0  always.
//:check keep format notify
import { spawnSync } from "node:child_process";
//:format
import { existsSync } from "node:fs";
//:*
import { readFileSync } from "node:fs";

//:refuse ask context
const PATTERN = new RegExp({{pattern}});
//:change
const PATTERN = new RegExp({{pattern}}, "g");
//:refuse ask context change
const TEXT = {{text}};
//:check keep format notify
const COMMAND = {{command}};
//:refuse ask context

/** Every text of a JSON value. */
function texts(value) {
  if (typeof value === "string") return [value];
  return value !== null && typeof value === "object" ? Object.values(value).flatMap(texts) : [];
}
//:change

/** The same JSON value with the pattern replaced in every text. */
function changed(value) {
  if (typeof value === "string") return value.replace(PATTERN, TEXT);
  if (Array.isArray(value)) return value.map(changed);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, changed(one)]));
}
//:check keep

/** The end of the command's output if it fails. */
function failure() {
  const ended = spawnSync("sh", ["-c", `${COMMAND} 2>&1`], { stdio: ["ignore", "pipe", "inherit"], timeout: 50_000 });
  return ended.status === 0 ? null : `${COMMAND} fails:\n${String(ended.stdout).slice(-2000).trim()}`;
}
//:*

let event;
try {
  event = JSON.parse(readFileSync(0, "utf8"));
  if (typeof {{name}} !== "string") throw new Error("it has no name");
  //:change
  if (typeof event.tool_input !== "object") throw new Error("it has no tool_input");
  //:*
} catch (error) {
  console.error(`the event cannot be read: ${error.message}`);
  //:refuse
  {{repeat:`the event cannot be read: ${error.message}`}}
  //:refuse ask
  process.exit(2);
  //:context change format notify check keep
  process.exit(1);
  //:*
}
//:refuse
if (texts({{event}}).some((text) => PATTERN.test(text))) {
  {{repeat:TEXT}}
  console.error(TEXT);
  process.exitCode = 2;
}
//:ask
if (texts({{event}}).some((text) => PATTERN.test(text))) {
  const answers = {{answers:ask:TEXT}};
  console.log(JSON.stringify(answers[{{name}}]));
}
//:context
if (texts({{event}}).some((text) => PATTERN.test(text))) {
  const answers = {{answers:replace:TEXT}};
  console.log(JSON.stringify(answers[{{name}}]));
}
//:change
const newInput = changed(event.tool_input);
if (JSON.stringify(newInput) !== JSON.stringify(event.tool_input)) {
  const answers = {{answers:modify:newInput}};
  console.log(JSON.stringify(answers[{{name}}]));
}
//:check
const reason = failure();
if (reason) {
  {{repeat:reason}}
  console.error(reason);
  process.exitCode = 2;
}
//:keep
// The agent continued because of this hook before; asking again and again would never end.
const reason = event.stop_hook_active === true ? null : failure();
if (reason) {
  {{repeat:reason}}
  console.error(reason);
  process.exitCode = 2;
}
//:format
const named = ["file_path", "notebook_path", "path", "absolute_path"].map((key) => event.tool_input?.[key]);
const patched = [...String(event.tool_input?.command ?? "").matchAll(/^\*\*\* (?:Add File|Update File|Move to): (.+)$/gm)];
for (const path of [...named, ...patched.map((line) => line[1])].filter((path) => path && existsSync(path))) {
  spawnSync("sh", ["-c", `${COMMAND} "$1" >&2`, "sh", path], { stdio: ["ignore", "inherit", "inherit"], timeout: 60_000 });
}
//:notify
const env = { ...process.env, MESSAGE: String(event.message ?? {{name}}) };
spawnSync("sh", ["-c", `${COMMAND} >&2`], { env, stdio: ["ignore", "inherit", "inherit"], timeout: 20_000 });
//:*
