// Starts `hookbench server` for the open folders. Everything else is in the server.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const LANGUAGES = ["json", "jsonc", "toml", "yaml", "markdown", "shellscript", "python", "javascript", "typescript"];

let client;

exports.activate = async () => {
  const command = workspace.getConfiguration("hookbench").get("path");
  client = new LanguageClient("hookbench", "hookbench", { command, args: ["server"] }, {
    documentSelector: LANGUAGES.map((language) => ({ scheme: "file", language })),
  });
  await client.start();
};

exports.deactivate = () => client?.stop();
