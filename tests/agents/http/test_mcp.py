"""The tools over MCP, called by the official client: over standard input and output, and over HTTP."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from foundation.language_model.scripted_server import scripted_server
from jsonschema_rs import Draft202012Validator
from service.javascript_clients import JAVASCRIPT, javascript
from service.serving import Server, serving

from sage_ld.agents.tools.table import TOOLS
from sage_ld.agents.tools.tool import Effect, ToolRole
from sage_ld.graph import KnowledgeGraph
from sage_ld.service.access.tokens import AccessRole, create_token
from tests.agents.tools.test_toolbox import QUESTION, SCRIPT, arguments_of

pytest.importorskip("mcp", reason="needs the extra mcp")

import httpx2
import mcp_types as types
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from waiting import PATIENCE

Connect = Callable[..., AbstractAsyncContextManager[Client]]
READING = [name for name, tool in TOOLS.items() if tool.role is ToolRole.READ]
WRITING = [name for name, tool in TOOLS.items() if tool.effect is Effect.WRITES]
ENDLESS = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n2 ?o }"
ERAS = ["auto", "legacy"]


@pytest.fixture(scope="module")
def folder(prizes: KnowledgeGraph, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the graph of prizes, with its tokens; it is served by two processes."""
    copy = tmp_path_factory.mktemp("mcp") / "graph"
    shutil.copytree(prizes.directory.path, copy)
    return copy


@pytest.fixture
def own(prizes: KnowledgeGraph, tmp_path: Path) -> Path:
    """A copy for a test that serves it with settings and tokens of its own."""
    return Path(shutil.copytree(prizes.directory.path, tmp_path / "graph"))


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Server]:
    roles = (AccessRole.READ, AccessRole.WRITE)
    limits = {"web_searches": 2, "sparql_workers": 2, "sparql_long_queries": 2, "sparql_timeout": 300}
    limits["queue_timeout"] = 100
    policy = folder.parent / "policy.toml"
    policy.write_text("[effects.writes]\nelicit = true\n")
    rankings = "learned,shared,sections"  # the tool outline needs the last one
    settings = {"client_rankings": rankings, "tool_policy": policy, **limits}
    with serving(folder, roles, processes=2, **settings) as running:
        yield running


def over_http(server: Server) -> Connect:
    @asynccontextmanager
    async def connect(role: str = "read", **options: Any) -> AsyncIterator[Client]:
        headers = {"Authorization": f"Bearer {server.tokens[role]}"} if server.tokens else {}
        async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE, trust_env=False) as sender:
            url = f"http://127.0.0.1:{server.port}/mcp"
            async with Client(streamable_http_client(url, http_client=sender), **options) as client:
                yield client

    return connect


def over_stdio(folder: Path) -> Connect:
    @asynccontextmanager
    async def connect(role: str = "read", **options: Any) -> AsyncIterator[Client]:
        command = ["-m", "sage_ld.cli", "mcp", str(folder), "--role", role]
        parameters = StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))
        async with Client(stdio_client(parameters), **options) as client:
            yield client

    return connect


@pytest.fixture(params=["stdio", "http"])
def connect(request: pytest.FixtureRequest, folder: Path) -> Connect:
    if request.param == "stdio":
        return over_stdio(folder)
    return over_http(request.getfixturevalue("served"))


def run(work: Callable[[], Awaitable[None]]) -> None:
    async def within() -> None:
        async with asyncio.timeout(300):
            await work()

    asyncio.run(within())


async def first(client: Client) -> tuple[str, str]:
    """The best chunk for the question, and its document."""
    found = await client.call_tool("search", {"question": QUESTION})
    best = found.structured_content["results"][0]
    return best["chunk"], best["document"]


@pytest.mark.parametrize("era", ERAS)
def test_every_reading_tool_gives_what_its_schema_says(connect: Connect, era: Any) -> None:
    async def work() -> None:
        async with connect(mode=era) as client:
            listed = (await client.list_tools()).tools
            assert [tool.name for tool in listed] == READING
            free = [tool for tool in listed if TOOLS[tool.name].effect is Effect.READS]
            assert all(tool.annotations is not None and tool.annotations.read_only_hint for tool in free)
            names = await first(client)
            for tool in free:
                result = await client.call_tool(tool.name, arguments_of(tool.name, *names))
                assert not result.is_error, result
                Draft202012Validator(tool.output_schema).validate(result.structured_content)
                [text] = result.content
                assert json.loads(text.text) == result.structured_content

    run(work)


@pytest.mark.parametrize("era", ERAS)
def test_wrong_calls_are_told_as_the_protocol_wants_it(connect: Connect, era: Any) -> None:
    async def work() -> None:
        async with connect(mode=era) as client:
            wrong = await client.call_tool("search", {})
            assert wrong.is_error
            assert "question is missing" in wrong.content[0].text
            refused = await client.call_tool("delete_document", {"name": "x"})
            assert refused.is_error
            assert "needs the role write" in refused.content[0].text
            with pytest.raises(MCPError, match="there is no tool 'fetch'") as unknown:
                await client.call_tool("fetch", {})
            assert unknown.value.code == types.INVALID_PARAMS

    run(work)


def asked_person(answer: types.ElicitResult) -> tuple[list[str], Any]:
    """What a person was asked, and a person who gives an answer."""
    questions: list[str] = []

    async def person(_context: Any, asked: types.ElicitRequestParams) -> types.ElicitResult:
        questions.append(asked.message)
        return answer

    return questions, person


@pytest.mark.parametrize(
    ("transport", "era"), [("stdio", "auto"), ("stdio", "legacy"), ("http", "auto")], ids=str
)
def test_effects_wait_for_the_person_at_the_client(
    transport: str, era: Any, folder: Path, request: pytest.FixtureRequest
) -> None:
    connect = over_stdio(folder) if transport == "stdio" else over_http(request.getfixturevalue("served"))
    identifier = f"note-{transport}-{era}"
    text = {"text": f"The Silver Otter is a prize for {transport} {era}.", "identifier": identifier}

    async def work() -> None:
        no = types.ElicitResult(action="accept", content={"approve": False, "reason": "not today"})
        yes = types.ElicitResult(action="accept", content={"approve": True})
        questions, person = asked_person(no)
        async with connect("write", mode=era, elicitation_callback=person) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == list(TOOLS)
            refused = await client.call_tool("ingest_text", text)
            assert refused.is_error
            assert "was not approved: not today" in refused.content[0].text
            assert (await client.call_tool("read", {"name": identifier})).is_error
        assert len(questions) == 1
        assert identifier in questions[0]
        assert f"Asked by: {'nobody' if transport == 'stdio' else 'WRITE'}" in questions[0]
        questions, person = asked_person(types.ElicitResult(action="decline"))
        async with connect("write", mode=era, elicitation_callback=person) as client:
            declined = await client.call_tool("ingest_text", text)
            assert "the user chose decline" in declined.content[0].text
        questions, person = asked_person(yes)
        async with connect("write", mode=era, elicitation_callback=person) as client:
            chunk, _ = await first(client)
            for name in WRITING:
                arguments = arguments_of(name, chunk, identifier)
                given = text if name == "ingest_text" else arguments
                if name == "delete_document":
                    continue  # last, since the others need the document
                done = await client.call_tool(name, given)
                assert not done.is_error, done
                schema = {tool.name: tool for tool in (await client.list_tools()).tools}[name].output_schema
                Draft202012Validator(schema).validate(done.structured_content)
            assert not (await client.call_tool("read", {"name": identifier})).is_error
            gone = await client.call_tool("delete_document", {"name": identifier})
            assert gone.structured_content["chunks"] == 1
            assert (await client.call_tool("read", {"name": identifier})).is_error
        assert len(questions) == len(WRITING)

    run(work)


@pytest.mark.servers
@pytest.mark.parametrize(
    ("transport", "era"), [("stdio", "auto"), ("stdio", "legacy"), ("http", "auto")], ids=str
)
def test_what_costs_waits_for_the_person_and_gives_what_its_schema_says(
    transport: str, era: Any, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "policy.toml").write_text("[effects.costs]\nelicit = true\n")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")

    async def work(connect: Connect) -> None:
        questions, person = asked_person(types.ElicitResult(action="accept", content={"approve": True}))
        async with connect("write", mode=era, elicitation_callback=person) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            done = await client.call_tool("reason", arguments_of("reason", "", ""))
            assert not done.is_error, done
            Draft202012Validator(tools["reason"].output_schema).validate(done.structured_content)
            assert done.structured_content["quoted"] == {"answer": "Mira Tolland."}
        assert len(questions) == 1

    with scripted_server(*SCRIPT) as model:
        given = {"language_model": "m", "language_base_url": model.url, "language_cache_bytes": 0}
        if transport == "http":
            policy = tmp_path / "policy.toml"
            with serving(own, (AccessRole.WRITE,), tool_policy=policy, **given) as server:
                run(lambda: work(over_http(server)))
        else:
            for name, value in given.items():
                monkeypatch.setenv(f"SAGE_LD_{name.upper()}", str(value))
            run(lambda: work(over_stdio(own)))
        assert len(model.requests) == len(SCRIPT)


@pytest.mark.servers
def test_a_result_is_reviewed_as_it_goes_out(own: Path, tmp_path: Path) -> None:
    """The graph changes while the person looks: the call runs again, and its new result is shown, too."""
    rule = '[tools.statistics]\nbefore = "ask"\nreview = "ask"\nelicit = true\n'
    (tmp_path / "policy.toml").write_text(rule)
    seen: list[str] = []

    async def work(server: Server) -> None:
        async def person(_context: Any, asked: types.ElicitRequestParams) -> types.ElicitResult:
            seen.append(asked.message)
            if len(seen) == 2:
                text = json.dumps({"text": "A late note on otters.", "identifier": "late"})
                sent = {"Content_Type": "application/json", "token": "write"}
                added = await asyncio.to_thread(server.send, "POST", "/v1/documents", text, **sent)
                assert added.status == 201, added.content
            return types.ElicitResult(action="accept", content={"approve": True})

        async with over_http(server)("write", elicitation_callback=person) as client:
            result = await client.call_tool("statistics", {})
            assert not result.is_error, result
        shown = json.loads(seen[-1].split("\n", 2)[2])
        assert shown == result.structured_content
        assert json.loads(seen[1].split("\n", 2)[2])["revision"] < shown["revision"]

    with serving(own, (AccessRole.WRITE,), tool_policy=tmp_path / "policy.toml") as server:
        run(lambda: work(server))
    assert ["may it run" in each for each in seen] == [True, False, False]


def test_a_server_ends_with_its_client_in_the_middle_of_a_call(folder: Path) -> None:
    """Its query would take 300 s."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    call = {"name": "sparql_query", "arguments": {"query": ENDLESS}}
    command = [sys.executable, "-m", "sage_ld.cli", "mcp", str(folder)]
    environment = {**os.environ, "SAGE_LD_SPARQL_TIMEOUT": "300"}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as server:
        assert server.stdin is not None
        assert server.stdout is not None

        def send(method: str, **more: Any) -> None:
            assert server.stdin is not None
            server.stdin.write(json.dumps({"jsonrpc": "2.0", "method": method, **more}).encode() + b"\n")
            server.stdin.flush()

        send("initialize", id=1, params=hello)
        assert "result" in json.loads(server.stdout.readline())
        send("notifications/initialized")
        send("tools/call", id=2, params=call)
        send("ping", id=3)
        while json.loads(server.stdout.readline()).get("id") != 3:
            pass
        time.sleep(1)
        server.stdin.close()
        assert server.wait(PATIENCE) == 0


def tool_call(server: Server, arguments: dict[str, str], token: str = "write", **brought: Any) -> Any:
    """The answer of /mcp to a client of 2026-07-28 that writes its messages itself, and says yes."""
    said = {"approval": {"action": "accept", "content": {"approve": True}}}
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "agent", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
    }
    params = {"name": "ingest_text", "arguments": arguments, "inputResponses": said, "_meta": meta, **brought}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    names = {"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": "tools/call", "Mcp_Name": "ingest_text"}
    return server.send("POST", "/mcp", json.dumps(message), token=token, **names, **HEADERS).json


def test_a_client_answers_for_no_call_but_the_one_that_its_person_was_asked_about(served: Server) -> None:
    asked, other = ({"text": "The Otter.", "identifier": name} for name in ("asked", "other"))
    state = tool_call(served, asked)["result"]["requestState"]
    digest = hashlib.sha256(json.dumps(["ingest_text", other], sort_keys=True).encode()).hexdigest()
    for made_up in (digest, f"review {digest} {digest}", state):
        assert tool_call(served, other, requestState=made_up)["error"]["code"] == types.INVALID_PARAMS
    foreign = create_token(served.folder, "somebody else", AccessRole.WRITE, "2026-01-01")
    assert "error" in tool_call(served, asked, foreign, requestState=state)
    for name in ("asked", "other"):
        assert served.send("GET", f"/v1/documents/{name}").status == 404
    assert not tool_call(served, asked, requestState=state)["result"]["isError"]
    assert served.send("GET", "/v1/documents/asked").status == 200


@pytest.mark.servers
def test_what_a_client_says_of_its_person_does_not_count_unless_the_policy_says_so(folder: Path) -> None:
    questions, person = asked_person(types.ElicitResult(action="accept", content={"approve": True}))
    tokens = {
        role.name.lower(): create_token(folder, f"for {role.name}", role, "2026-01-01")
        for role in (AccessRole.WRITE, AccessRole.ADMIN)
    }
    with serving(folder) as server:
        server.tokens |= tokens

        async def work() -> None:
            async with over_http(server)("write", elicitation_callback=person) as client:
                held = await client.call_tool(
                    "ingest_text", {"text": "Nobody asked.", "identifier": "nobody"}
                )
                assert held.is_error
                assert "waits for a person" in held.content[0].text

        run(work)
        assert not questions
        assert server.send("GET", "/v1/documents/nobody").status == 404
        waiting = server.send("GET", "/v1/approvals", token="admin").json["approvals"]
        assert "nobody" in [each["arguments"].get("identifier") for each in waiting]


@pytest.mark.parametrize("era", ERAS)
def test_without_a_person_nothing_is_written(connect: Connect, era: Any) -> None:
    async def work() -> None:
        async with connect("write", mode=era) as client:
            refused = await client.call_tool("ingest_text", {"text": "Nobody said yes.", "identifier": "no"})
            assert refused.is_error
            assert re.search("a person has to approve a call|waits for a person", refused.content[0].text)
            assert (await client.call_tool("read", {"name": "no"})).is_error

    run(work)


@pytest.mark.parametrize("era", ERAS)
def test_resources_prompts_and_completion(connect: Connect, era: Any) -> None:
    async def work() -> None:
        async with connect(mode=era) as client:
            [*listed] = (await client.list_resources()).resources
            chunk, document = await first(client)
            assert document in [each.name for each in listed]
            for uri in (listed[0].uri, chunk):
                [content] = (await client.read_resource(uri)).contents
                assert isinstance(content, types.TextResourceContents)
                assert content.text
            templates = (await client.list_resource_templates()).resource_templates
            assert [each.name for each in templates] == ["document", "chunk"]
            with pytest.raises(MCPError, match="no chunk and no document"):
                await client.read_resource("http://example.org/nothing")
            [*prompts] = (await client.list_prompts()).prompts
            for each in prompts:
                assert each.arguments is not None
                filled = await client.get_prompt(each.name, {each.arguments[0].name: "The Heron"})
                assert "The Heron" in filled.messages[0].content.text
            with pytest.raises(MCPError, match="question is missing"):
                await client.get_prompt("answer_with_sources", {})
            place = types.PromptReference(type="ref/prompt", name="summarise_document")
            found = await client.complete(place, {"name": "document", "value": document[:2]})
            assert document in found.completion.values

    run(work)


@pytest.mark.parametrize("era", ERAS)
def test_progress_grows(connect: Connect, era: Any) -> None:
    told: list[float] = []

    async def note(progress: float, _total: float | None, _message: str | None) -> None:
        told.append(progress)

    async def work() -> None:
        async with connect(mode=era) as client:
            await client.call_tool("search", {"question": QUESTION}, progress_callback=note)

    run(work)
    assert told
    assert told == sorted(set(told))


@pytest.mark.parametrize(
    ("transport", "era"), [("stdio", "auto"), ("stdio", "legacy"), ("http", "auto")], ids=str
)
def test_a_cancelled_call_ends_and_the_next_is_answered(
    transport: str, era: Any, folder: Path, request: pytest.FixtureRequest
) -> None:
    """Over HTTP, an older client's cancellation is a request of its own, which may reach another process."""
    connect = over_stdio(folder) if transport == "stdio" else over_http(request.getfixturevalue("served"))

    async def work() -> None:
        async with connect(mode=era) as client:
            call = asyncio.create_task(client.call_tool("sparql_query", {"query": ENDLESS}))
            await asyncio.sleep(1)
            assert not call.done()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            answer = await client.call_tool("sparql_query", {"query": "ASK { ?s ?p ?o }"})
            assert answer.structured_content["quoted"] == {"boolean": True}

    run(work)


@pytest.mark.parametrize("era", ERAS)
def test_the_work_of_a_client_that_goes_away_ends(served: Server, era: Any) -> None:
    """All workers would be busy for 300 s, and a query that comes then be refused after 100 s."""

    async def work() -> None:
        for _ in range(3):
            async with over_http(served)(mode=era) as client:
                calls = [
                    asyncio.create_task(client.call_tool("sparql_query", {"query": f"{ENDLESS} # {number}"}))
                    for number in range(2)
                ]
                await asyncio.sleep(1)
                assert not any(call.done() for call in calls)
                for call in calls:
                    call.cancel()
                await asyncio.gather(*calls, return_exceptions=True)

    run(work)
    assert served.query("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }").status == 200


def test_twenty_clients_at_once(served: Server) -> None:
    async def one(number: int) -> bool:
        async with over_http(served)(mode=ERAS[number % 2]) as client:
            results = [await client.call_tool("search", {"question": f"{QUESTION} {number}"})]
            results.append(await client.call_tool("statistics", {}))
            return not any(result.is_error for result in results)

    async def work() -> None:
        assert all(await asyncio.gather(*(one(number) for number in range(20))))

    run(work)


# --- HTTP as such -------------------------------------------------------------------------------------

PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})
HEADERS = {"Content_Type": "application/json", "Accept": "application/json, text/event-stream"}


def test_what_guards_other_routes_guards_this_one(served: Server) -> None:
    assert served.send("POST", "/mcp", PING, **HEADERS).status == 200
    assert served.send("POST", "/mcp", PING, token="wrong", **HEADERS).status == 401
    assert served.send("POST", "/mcp", PING, Host="evil.example", **HEADERS).status == 421
    assert served.send("POST", "/mcp", PING, Origin="https://evil.example", **HEADERS).status == 403
    assert served.send("GET", "/mcp", Accept="text/event-stream").status == 405
    assert served.send("DELETE", "/mcp").status == 405
    assert served.send("POST", "/mcp", "{", **HEADERS).status == 400
    assert served.send("POST", "/mcp", "[" * 100_000, **HEADERS).status == 400
    assert served.send("POST", "/mcp", b"x", Content_Length=str(17 * 2**20), **HEADERS).status == 413
    assert served.alive()


@pytest.mark.servers
def test_a_service_that_is_not_public_wants_a_token(folder: Path) -> None:
    with serving(folder, public_read="false") as server:
        assert server.send("POST", "/mcp", PING, **HEADERS).status == 401


# --- the inspector ------------------------------------------------------------------------------------

INSPECTOR = JAVASCRIPT / "node_modules" / ".bin" / "mcp-inspector"


def inspector(target: list[str], *options: str) -> Any:
    """What the command line of the MCP inspector prints."""
    command = [str(INSPECTOR), "--cli", *target, *options]
    environment = {**os.environ, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
    for _ in range(20):  # it waits 15 s for a server, and for an answer; a busy machine may take longer
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, env=environment)
        if not re.search("timed? ?out", done.stderr, re.I):
            break
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def given(arguments: dict[str, Any]) -> list[str]:
    """Arguments of a tool, as the inspector takes them."""
    return [part for name, value in arguments.items() for part in ("--tool-arg", f"{name}={value}")]


@javascript
@pytest.mark.servers
def test_the_inspector_starts_a_server_lists_its_tools_and_calls_one(folder: Path) -> None:
    path = os.pathsep.join(sys.path)  # the inspector passes no variable on by itself
    target = ["-e", f"PYTHONPATH={path}", sys.executable, "-m", "sage_ld.cli", "mcp", str(folder)]
    assert [tool["name"] for tool in inspector(target, "--method", "tools/list")["tools"]] == READING
    called = inspector(
        target, "--method", "tools/call", "--tool-name", "search", *given({"question": QUESTION})
    )
    assert called["structuredContent"]["matched"] is True


@javascript
@pytest.mark.servers
def test_the_inspector_lists_and_calls_tools_of_a_service(served: Server) -> None:
    target = [f"http://127.0.0.1:{served.port}/mcp", "--transport", "http"]
    assert [tool["name"] for tool in inspector(target, "--method", "tools/list")["tools"]] == READING
    called = inspector(
        target, "--method", "tools/call", "--tool-name", "search", *given({"question": QUESTION})
    )
    assert called["structuredContent"]["matched"] is True
    assert called["structuredContent"]["notice"]
