"""The protocol of `hookbench server`, as a client sees it that knows the specification. `pytest-lsp` beside this file runs it."""

import asyncio
import json
import os
import pathlib
import signal

import pytest
import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient, client_capabilities, make_test_lsp_client

PROGRAM = os.environ["HOOKBENCH_PROGRAM"]
# A matcher in the wrong case, behind a character that UTF-16 counts as two and UTF-8 as four.
SETTINGS = (
    '{"x": "😀", "hooks": {"PreToolUse": [{"matcher": "bash", '
    '"hooks": [{"type": "command", "command": "true"}]}]}}\n'
)
COLUMNS = {"utf-8": 51, "utf-16": 49}
pytestmark = pytest.mark.asyncio


def make_project(path: pathlib.Path) -> pathlib.Path:
    (path / ".claude").mkdir(parents=True)
    (path / ".claude/settings.json").write_text(SETTINGS)
    return path.resolve()


def settings_of(project: pathlib.Path) -> str:
    return (project / ".claude/settings.json").as_uri()


async def start(projects: list[pathlib.Path], encoding: str = "utf-16") -> LanguageClient:
    client = make_test_lsp_client()
    await client.start_io(PROGRAM, "server")
    capabilities = client_capabilities("visual-studio-code")
    capabilities.general = types.GeneralClientCapabilities(position_encodings=[encoding])
    folders = [types.WorkspaceFolder(uri=project.as_uri(), name=project.name) for project in projects]
    answer = await client.initialize_session(
        types.InitializeParams(capabilities=capabilities, workspace_folders=folders)
    )
    assert answer.capabilities.position_encoding == encoding
    return client


async def diagnostics_at(client: LanguageClient, uri: str, version: int) -> list[types.Diagnostic]:
    while True:
        published = await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        if (published.uri, published.version) == (uri, version):
            return published.diagnostics


async def open_settings(client: LanguageClient, uri: str) -> list[types.Diagnostic]:
    item = types.TextDocumentItem(uri=uri, language_id="json", version=1, text=SETTINGS)
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
    return await diagnostics_at(client, uri, 1)


async def exit_status(client: LanguageClient) -> int:
    return await asyncio.wait_for(client._server.wait(), 30)


def wrong_case(found: list[types.Diagnostic]) -> list[tuple[int, int]]:
    return [(one.range.start.line, one.range.start.character) for one in found if one.code == "HW301"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
async def test_columns_are_counted_in_the_encoding_of_the_client(tmp_path, encoding):
    project = make_project(tmp_path / "project")
    client = await start([project], encoding)
    assert wrong_case(await open_settings(client, settings_of(project))) == [(0, COLUMNS[encoding])]
    await client.shutdown_session()
    assert await exit_status(client) == 0


async def test_two_folders_have_their_own_findings(tmp_path):
    projects = [make_project(tmp_path / name) for name in ("one", "two")]
    client = await start(projects)
    for project in projects:
        assert wrong_case(await open_settings(client, settings_of(project))) == [(0, 49)]
    await client.shutdown_session()


async def test_an_edit_beyond_the_end_is_at_the_end(tmp_path):
    project = make_project(tmp_path / "project")
    uri = settings_of(project)
    client = await start([project])
    await open_settings(client, uri)
    beyond = types.Position(line=1_000_000, character=1_000_000)
    for version, (start_at, text, wanted) in enumerate(
        [(beyond, "}", "HW101"), (types.Position(line=0, character=0), SETTINGS, "HW301")], start=2
    ):
        change = types.TextDocumentContentChangePartial(range=types.Range(start=start_at, end=beyond), text=text)
        document = types.VersionedTextDocumentIdentifier(uri=uri, version=version)
        client.text_document_did_change(
            types.DidChangeTextDocumentParams(text_document=document, content_changes=[change])
        )
        assert wanted in [one.code for one in await diagnostics_at(client, uri, version)]
    await client.shutdown_session()


async def test_requests_answer_in_the_forms_of_the_specification(tmp_path):
    project = make_project(tmp_path / "project")
    uri = settings_of(project)
    client = await start([project])
    found = await open_settings(client, uri)
    document, place = types.TextDocumentIdentifier(uri=uri), found[0].range.start
    at = {"text_document": document, "position": place}
    everything = types.Range(start=types.Position(0, 0), end=types.Position(9, 0))
    hover = await client.text_document_hover_async(types.HoverParams(**at))
    assert "PreToolUse" in hover.contents.value
    assert await client.text_document_completion_async(types.CompletionParams(**at))
    assert await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
    assert await client.text_document_code_lens_async(types.CodeLensParams(document))
    assert await client.text_document_inlay_hint_async(types.InlayHintParams(document, everything))
    actions = await client.text_document_code_action_async(
        types.CodeActionParams(document, everything, types.CodeActionContext(diagnostics=[]))
    )
    assert "write Bash instead" in [action.title for action in actions]
    await client.text_document_definition_async(types.DefinitionParams(**at))
    await client.shutdown_session()


async def test_an_unknown_request_has_no_method_and_a_broken_message_is_answered(tmp_path):
    client = await start([make_project(tmp_path / "project")])
    with pytest.raises(JsonRpcException) as error:
        await client.protocol.send_request_async("hookbench/unknown", {})
    assert error.value.code == -32601
    client.protocol.notify("hookbench/unknown", {})
    with pytest.raises(JsonRpcException) as error:
        await client.initialize_async(types.InitializeParams(capabilities=types.ClientCapabilities()))
    assert error.value.code == -32600
    await client.shutdown_session()
    assert await exit_status(client) == 0


class RawServer:
    """A server whose client writes bytes of its own."""

    async def __aenter__(self):
        pipe = asyncio.subprocess.PIPE
        self.process = await asyncio.create_subprocess_exec(PROGRAM, "server", stdin=pipe, stdout=pipe)
        return self

    async def __aexit__(self, *_):
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGKILL)
            await self.process.wait()

    def write(self, body: str):
        self.process.stdin.write(f"Content-Length: {len(body)}\r\n\r\n{body}".encode())

    def ask(self, number: int, method: str, params: dict | None = None):
        self.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))

    async def read(self) -> dict:
        head = await asyncio.wait_for(self.process.stdout.readuntil(b"\r\n\r\n"), 30)
        return json.loads(await self.process.stdout.readexactly(int(head.split(b":")[1])))

    async def end(self) -> int:
        self.process.stdin.close()
        return await asyncio.wait_for(self.process.wait(), 30)


async def test_a_broken_message_is_answered_and_the_server_goes_on():
    async with RawServer() as server:
        server.ask(1, "initialize", {"capabilities": {}})
        assert (await server.read())["id"] == 1
        server.write('{"a":')
        answer = await server.read()
        assert (answer["id"], answer["error"]["code"]) == (None, -32700)
        server.ask(2, "shutdown")
        assert (await server.read())["result"] is None
        server.write('{"jsonrpc": "2.0", "method": "exit"}')
        assert await server.end() == 0


async def test_the_server_ends_when_its_client_ends_in_the_middle():
    for requests, rest in [(0, b""), (1, b""), (1, b"Content-Length: 500\r\n\r\n{"), (2, b"")]:
        async with RawServer() as server:
            for number, method in list(enumerate(["initialize", "shutdown"]))[:requests]:
                server.ask(number, method, {"capabilities": {}})
                assert (await server.read())["id"] == number
            server.process.stdin.write(rest)
            assert await server.end() == 1
