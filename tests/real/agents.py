"""The real programs: how each is run without a terminal against a model that is none, and where its settings lie."""

import hashlib
import json
import os
import shutil
import subprocess

TOOL = {"claude": "Bash", "codex": "Bash", "gemini": "run_shell_command", "qwen": "run_shell_command", "copilot": "Bash",
        "droid": "Execute"}
EVENTS = {
    "pre": "PreToolUse", "post": "PostToolUse", "prompt": "UserPromptSubmit", "stop": "Stop", "start": "SessionStart",
}
GEMINI = {"pre": "BeforeTool", "post": "AfterTool", "prompt": "BeforeAgent", "start": "SessionStart"}
# `droid exec` does not announce its prompt.
DROID = {kind: event for kind, event in EVENTS.items() if kind != "prompt"}
FOLDER = {"copilot": ".github/copilot", "droid": ".factory"}
SNAKE = {
    "PreToolUse": "pre_tool_use", "PostToolUse": "post_tool_use", "UserPromptSubmit": "user_prompt_submit",
    "Stop": "stop", "SessionStart": "session_start",
}


class Agent:
    """One of them, with a project and a home folder that are its own. `programs` is where npm has put them."""

    def __init__(self, name, programs, folder, model):
        self.name, self.model = name, model
        self.project, self.home = f"{folder}/project", f"{folder}/home"
        self.events = {"gemini": GEMINI, "droid": DROID}.get(name, EVENTS)
        program = shutil.which(name, path=self.path(programs)) or name
        arguments = {
            "claude": ["-p", "run it", "--dangerously-skip-permissions"],
            "qwen": ["-p", "run it", "--yolo", "--auth-type", "openai"],
            "gemini": ["-m", "gemini-2.5-flash", "-p", "run it", "--yolo", "--skip-trust"],
            "codex": ["exec", "--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check",
                      "-c", "model_provider=mock", "-c", "model=m", "run it"],
            "copilot": ["-p", "run it", "--no-color", "--allow-all-tools"],
            "droid": ["exec", "-m", "custom:Standin-0", "--skip-permissions-unsafe", "run it"],
        }[name]
        self.command = [program, *arguments]
        self.env = {
            **os.environ, "HOME": self.home, "IS_SANDBOX": "1", "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "sk-ant-none",
            "OPENAI_BASE_URL": f"{model.url}/v1", "OPENAI_API_KEY": "none", "OPENAI_MODEL": "m",
            "COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_BASE_URL": f"{model.url}/v1", "COPILOT_PROVIDER_API_KEY": "none",
            "COPILOT_MODEL": "m", "COPILOT_AUTO_UPDATE": "false",
            "GOOGLE_GEMINI_BASE_URL": model.url, "GEMINI_API_KEY": "none", "MODEL_KEY": "none",
        }

    @staticmethod
    def path(programs):
        """The directories that npm puts programs into."""
        modules = f"{programs}/node_modules"
        return f"{modules}/.bin:{modules}/@factory/cli-linux-x64/bin"

    def begin(self):
        """Empty folders, in which the agent asks nothing before it starts."""
        for folder in (self.project, self.home):
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
        subprocess.run(["git", "init", "-q", self.project], check=True)
        if self.name == "gemini":
            self.write(self.home, ".gemini/settings.json", {"security": {"auth": {"selectedType": "gemini-api-key"}}})
            self.write(self.home, ".gemini/trustedFolders.json", {self.project: "TRUST_FOLDER"})
        if self.name == "copilot":
            self.write(self.home, ".copilot/config.json", {"trustedFolders": [self.project]})
        if self.name == "droid":
            model = {"model": "m", "displayName": "Standin", "baseUrl": f"{self.model.url}/v1", "apiKey": "none",
                     "provider": "generic-chat-completion-api", "maxOutputTokens": 4096}
            self.write(self.home, ".factory/settings.json", {"customModels": [model]})
        if self.name == "codex":
            self.write(self.home, ".codex/config.toml", (
                f'[model_providers.mock]\nname = "mock"\nbase_url = "{self.model.url}/v1"\n'
                'wire_api = "responses"\nenv_key = "MODEL_KEY"\n\n'
                f'[projects."{self.project}"]\ntrust_level = "trusted"\n'
            ))

    def configure(self, event, groups):
        """The hooks of one event, reviewed where that is needed."""
        settings = {"hooks": {event: groups}}
        if self.name != "codex":
            folder = FOLDER.get(self.name, f".{self.name}")
            self.write(self.project, f"{folder}/settings.json", settings)
            return
        self.write(self.home, ".codex/hooks.json", settings)
        with open(f"{self.home}/.codex/config.toml", "a") as config:
            for at, group in enumerate(groups):
                handler = group["hooks"][0]
                known = {"type": "command", "command": handler["command"], "async": False,
                         "timeout": handler.get("timeout", 600)}
                entry = {"event_name": SNAKE[event], "hooks": [known]}
                if "matcher" in group and event not in ("UserPromptSubmit", "Stop"):
                    entry["matcher"] = group["matcher"]
                text = json.dumps(entry, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
                digest = hashlib.sha256(text.encode()).hexdigest()
                key = f"{self.home}/.codex/hooks.json:{SNAKE[event]}:{at}:0"
                config.write(f'\n[hooks.state."{key}"]\ntrusted_hash = "sha256:{digest}"\n')

    @staticmethod
    def write(folder, name, what):
        path = f"{folder}/{name}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(what if isinstance(what, str) else json.dumps(what, indent=1))

    def run(self, seconds=40):
        """One session; what the model was told in it, and what was printed."""
        before = len(self.model.requests)
        ended = subprocess.run(self.command, env=self.env, cwd=self.project, stdin=subprocess.DEVNULL,
                               capture_output=True, text=True, timeout=seconds)
        return self.model.requests[before:], ended.stdout + ended.stderr
