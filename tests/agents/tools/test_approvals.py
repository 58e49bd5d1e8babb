"""A human in the loop: the policy, calls that wait, results that are reviewed."""

from __future__ import annotations

import json
import shutil
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from graph.provenance.answers import BASE, answer_of
from typer.testing import CliRunner

from sage_ld.agents import Toolbox
from sage_ld.agents.tools.approval import (
    ApprovalDecision,
    ApprovalPendingError,
    ApprovalRequest,
    HoldingApprover,
)
from sage_ld.agents.tools.policy import Handling, ToolPolicy, load_policy, read_policy
from sage_ld.agents.tools.table import TOOLS
from sage_ld.cli.main import app
from sage_ld.foundation.errors import (
    BusyError,
    ConflictError,
    ForbiddenError,
    InputError,
    LimitError,
    NotFoundError,
    SageError,
)
from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.provenance import ApprovalLog, RetrievalLog

TEXT = {"text": "The Silver Otter is a prize for books.", "identifier": "otter"}
REVIEWED = {"tools": {"search": {"review": "ask"}}}
ASKED = {"question": "Who won the Golden Heron?"}


@pytest.fixture
def own(prizes: KnowledgeGraph, tmp_path: Path) -> Iterator[KnowledgeGraph]:
    """A copy of the graph, for a test that writes."""
    shutil.copytree(prizes.directory.path, tmp_path / "graph")
    graph = KnowledgeGraph.open(tmp_path / "graph")
    yield graph
    graph.close()


def holding(graph: KnowledgeGraph, policy: dict[str, Any] | None = None, caller: str = "agent") -> Toolbox:
    approver = HoldingApprover(graph.approvals, f"secret of {caller}")
    return Toolbox(graph, approve=approver, policy=read_policy(policy or {}), caller=caller)


def waiting(toolbox: Toolbox, name: str = "ingest_text", arguments: dict[str, Any] = TEXT) -> str:
    with pytest.raises(ApprovalPendingError, match="then make the same call again") as caught:
        toolbox.call(name, arguments)
    return caught.value.identifier


def test_a_policy_says_what_becomes_of_a_call(tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text(
        '[effects.writes]\nbefore = "allow"\ndecider = "admin"\n'
        '[tools.delete_document]\nbefore = "deny"\n[tools.search]\nreview = "ask"\n'
    )
    policy = load_policy(file)
    rules = [policy.rule(TOOLS[name]) for name in ("ingest_text", "delete_document", "search")]
    assert [(each.before, each.review, each.decider) for each in rules] == [
        (Handling.ALLOW, Handling.ALLOW, "admin"),
        (Handling.DENY, Handling.ALLOW, "admin"),
        (Handling.ALLOW, Handling.ASK, "write"),
    ]
    assert policy.rule(TOOLS["read"]) == ToolPolicy().rule(TOOLS["read"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tools.serch]", "unknown tool 'serch'; did you mean search?"),
        ("[effects.deletes]", "unknown effect 'deletes'"),
        ("[tools.search]\nbefor = 1", r"unknown key of \[tools.search\] 'befor'; did you mean before?"),
        ('[tools.search]\nbefore = "maybe"', "'maybe'; choose from allow, ask, deny"),
        ("[tools.search]\nbefore = true", "choose from allow, ask, deny"),
        ('[tools.search]\ndecider = "root"', "unknown role"),
        ('[tools.relate]\nelicit = "yes"', "elicit of .tools.relate.: 'yes'; give true or false"),
        ('[tools.relate]\nreview = "ask"', "a change cannot be held back"),
        ('[effects.writes]\nreview = "ask"', "a change cannot be held back"),
        ("[tools]\nsearch = 1", "tools.search is not a table"),
        ("tools = 1", "tools is not a table"),
        ("[tool.search]", "unknown table 'tool'; did you mean tools?"),
        ("[", "the policy cannot be read"),
    ],
)
def test_a_faulty_policy_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "policy.toml").write_text(text)
    with pytest.raises(InputError, match=message):
        load_policy(tmp_path / "policy.toml")


def test_a_denied_tool_does_not_run(own: KnowledgeGraph) -> None:
    policy = read_policy({"tools": {"ingest_text": {"before": "deny"}, "search": {"review": "deny"}}})
    with Toolbox(own, approve=lambda _: ApprovalDecision(True), policy=policy) as toolbox:
        with pytest.raises(ForbiddenError, match="the policy refuses a call of ingest_text"):
            toolbox.call("ingest_text", TEXT)
        with pytest.raises(ForbiddenError, match="the policy refuses the result of search"):
            toolbox.call("search", {"question": "Who?"})
    assert own.snapshot().number == 1


def test_a_result_is_reviewed_before_it_goes_out(own: KnowledgeGraph) -> None:
    seen: list[ApprovalRequest] = []

    def approve(request: ApprovalRequest) -> ApprovalDecision:
        seen.append(request)
        return ApprovalDecision(len(seen) > 1, "it names somebody")

    policy = read_policy({"tools": {"search": {"review": "ask"}}})
    with Toolbox(own, approve=approve, policy=policy) as toolbox:
        with pytest.raises(ForbiddenError, match="the result of search was not approved: it names somebody"):
            toolbox.call("search", {"question": "Who won the Golden Heron?"})
        answer = toolbox.call("search", {"question": "Who won the Golden Heron?"})
    assert seen[1].result == answer
    assert seen[0].question == "Search the graph (search): may its result go out?"


def test_an_error_says_nothing_of_what_is_reviewed(own: KnowledgeGraph) -> None:
    """SQL's error() puts rows into its message, and an unknown name lists those that there are."""
    policy = read_policy({"effects": {"reads": {"review": "ask"}}})
    calls = {
        "query_tables": [{"sql": "SELECT error(string_agg(a, chr(44))) FROM t"}, {"sql": "SELECT * FROM x"}],
        "sparql_query": [{"query": "SELECT * {"}],
        "read": [{"name": "no such document"}],
        "expand_node": [{"name": "http://e/none"}],
    }
    with Toolbox(own, policy=policy) as toolbox, Toolbox(own) as free:
        for name, arguments in calls.items():
            for each in arguments:
                with pytest.raises(InputError, match=f"^{name} failed with these arguments; its results are"):
                    toolbox.call(name, each)
                with pytest.raises(SageError) as told:
                    free.call(name, each)
                assert "reviewed" not in str(told.value)


def test_a_call_waits_and_runs_once_when_it_was_approved(own: KnowledgeGraph) -> None:
    with holding(own) as toolbox:
        identifier = waiting(toolbox)
        assert waiting(toolbox) == identifier
        assert own.snapshot().number == 1
        own.approvals.decide(identifier, True, by="person")
        assert waiting(toolbox, arguments={**TEXT, "text": "Another text."}) != identifier
        assert toolbox.call("ingest_text", TEXT)["status"] == "added"
        assert waiting(toolbox) != identifier, "an approval is for one call"
    assert own.snapshot().number == 2


def test_a_refusal_reaches_the_caller(own: KnowledgeGraph) -> None:
    with holding(own) as toolbox:
        own.approvals.decide(waiting(toolbox), False, by="person", reason="not today")
        with pytest.raises(ForbiddenError, match="not approved: not today"):
            toolbox.call("ingest_text", TEXT)
    assert own.snapshot().number == 1


def test_a_result_waits_for_its_review_and_goes_out_as_it_was_seen(own: KnowledgeGraph) -> None:
    with holding(own, REVIEWED) as toolbox:
        identifier = waiting(toolbox, "search", ASKED)
        assert waiting(toolbox, "search", ASKED) == identifier
        held = own.approvals.get(identifier)
        own.add("The Golden Heron was won by somebody else.", identifier="later")
        own.approvals.decide(identifier, True, by="person")
        released = toolbox.call("search", ASKED)
    assert held.result is not None
    assert released == json.loads(held.result)
    assert own.approvals.get(identifier).result is None, "what went out is not kept"


def test_a_result_that_is_refused_does_not_go_out(own: KnowledgeGraph) -> None:
    with holding(own, REVIEWED) as toolbox:
        own.approvals.decide(waiting(toolbox, "search", ASKED), False, by="person")
        with pytest.raises(ForbiddenError, match="the result of search was not approved"):
            toolbox.call("search", ASKED)


def test_the_callers_own_person_decides_where_the_callers_role_may(own: KnowledgeGraph) -> None:
    def yes(_: ApprovalRequest) -> ApprovalDecision:
        return ApprovalDecision(True)

    with holding(own) as toolbox:
        assert toolbox.call("ingest_text", TEXT, ask=yes)["status"] == "added"
    strict = holding(own, {"effects": {"writes": {"decider": "admin"}}})
    with strict, pytest.raises(ApprovalPendingError):
        strict.call("delete_document", {"name": "otter"}, ask=yes)


def test_another_caller_does_not_use_an_approval(own: KnowledgeGraph) -> None:
    with holding(own) as toolbox, holding(own, caller="other") as other:
        identifier = waiting(toolbox)
        own.approvals.decide(identifier, True, by="person")
        assert waiting(other) != identifier


def test_who_made_a_call_cannot_approve_it(own: KnowledgeGraph) -> None:
    with holding(own) as toolbox:
        identifier = waiting(toolbox)
    with pytest.raises(ConflictError, match="cannot approve your own call"):
        own.approvals.decide(identifier, True, by="secret of agent")
    own.approvals.decide(identifier, False, by="secret of agent")
    with pytest.raises(ConflictError, match="already been decided"):
        own.approvals.decide(identifier, True, by="person")


def test_an_approval_does_not_wait_for_ever(tmp_path: Path) -> None:
    log = ApprovalLog(tmp_path, Settings(approval_lifetime=1))
    late, soon = (log.hold("agent", name, {}, "admin").identifier for name in ("search", "read"))
    log.decide(soon, True, by="person")
    time.sleep(1.1)
    assert log.take("agent", "read", {}) is None
    with pytest.raises(ConflictError, match="approval_lifetime"):
        log.decide(late, True, by="person")
    assert [log.newest(waiting=True), len(log.newest())] == [(), 2]


def test_what_waits_has_a_limit(tmp_path: Path) -> None:
    log = ApprovalLog(tmp_path, Settings(max_waiting_approvals=2, max_comment_length=5))
    for number in range(2):
        log.hold(f"agent {number}", "search", {}, "admin")
    with pytest.raises(BusyError, match="max_waiting_approvals"):
        log.hold("agent 9", "search", {}, "admin")
    with pytest.raises(LimitError, match="max_comment_length"):
        log.decide(log.newest()[0].identifier, True, by="person", reason="x" * 6)
    with pytest.raises(NotFoundError, match="there is no approval 'x'"):
        log.get("x")


def test_who_makes_many_calls_leaves_others_room_for_theirs(tmp_path: Path) -> None:
    log = ApprovalLog(tmp_path, Settings(max_waiting_approvals=8))
    for number in range(4):
        log.hold("flood", "search", {"k": number}, "admin")
    with pytest.raises(BusyError, match="4 of them from this caller"):
        log.hold("flood", "search", {"k": 9}, "admin")
    assert log.hold("flood", "search", {"k": 1}, "admin").arguments == '{"k": 1}'  # which waits already
    log.hold("agent", "search", {"k": 0}, "admin")
    log.decide(log.newest()[-1].identifier, False, by="person")
    assert len(log.newest(waiting=True)) == 4


def test_calls_that_nobody_decided_about_are_forgotten_when_it_is_too_late(tmp_path: Path) -> None:
    log = ApprovalLog(tmp_path, Settings(approval_lifetime=1))
    log.hold("agent", "ingest_text", {"text": "x" * 10_000}, "admin")
    kept = log.hold("agent", "search", {}, "admin").identifier
    log.decide(kept, False, by="person")
    time.sleep(1.1)
    log.hold("agent", "read", {}, "admin")
    assert {each.tool for each in log.newest()} == {"search", "read"}


def test_long_calls_that_were_decided_push_out_no_retrievals(tmp_path: Path) -> None:
    settings = Settings(max_retrievals_bytes=2**20)
    log, retrievals = ApprovalLog(tmp_path, settings), RetrievalLog(tmp_path, BASE, settings)
    for number in range(200):
        retrievals.keep(answer_of(f"Question {number}?", "a"))
    for number in range(30):
        held = log.hold("agent", "ingest_text", {"text": f"{number}" + "x" * 100_000}, "admin").identifier
        log.decide(held, number % 2 == 0, by="person")
        if number < 28:
            log.take("agent", "ingest_text", json.loads(log.get(held).arguments))
    retrievals.prune()
    assert retrievals.count() == 200
    kept = [json.loads(each.arguments)["text"][:2] for each in log.newest()]
    assert kept == ["29", "28", "27", "26"], "a fourth part of the bytes, and those that have not been used"


def test_a_long_text_hides_no_other_argument_from_the_person(own: KnowledgeGraph) -> None:
    """Nor does a text move the cursor, or turn the direction of writing."""
    hostile = {"text": "\x9b2K\u202e" + "x" * 5_000, "name": "Prizes", "identifier": "heron", "replace": True}
    folder, arguments = str(own.directory.path), json.dumps(hostile)
    run = CliRunner().invoke(app, ["call", folder, "ingest_text", arguments], "n\n")
    with holding(own) as toolbox:
        waiting(toolbox, arguments=hostile)
    listed = CliRunner().invoke(app, ["approvals", "list", folder])
    for shown in (run.stderr, listed.stdout):
        for each in ('identifier: "heron"', "replace: true", "(5,0"):
            assert each in shown
        assert not {"\x9b", "\u202e"} & {*shown}


def test_the_person_at_the_terminal_decides(own: KnowledgeGraph) -> None:
    folder, run = str(own.directory.path), CliRunner()
    refused = run.invoke(app, ["call", folder, "ingest_text", json.dumps(TEXT)], input="n\n")
    assert refused.exit_code == 1
    assert own.snapshot().number == 1
    done = run.invoke(app, ["call", folder, "ingest_text", json.dumps(TEXT)], input="y\n")
    assert done.exit_code == 0, done.output
    assert "Add a text (ingest_text, which writes): may it run?" in done.stderr
    printed = done.stdout[done.stdout.index("{") :]  # after the answer, which the runner shows
    assert json.loads(printed)["status"] == "added"


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        (
            "question=x",
            "the argument 'question=x' is not JSON: Expecting value at character 1; send one object",
        ),
        ('["x"]', "the argument '[\"x\"]' is not a JSON object; give one"),
    ],
)
def test_a_wrong_argument_on_the_terminal_is_called_one(
    prizes: KnowledgeGraph, argument: str, message: str
) -> None:
    done = CliRunner().invoke(app, ["call", str(prizes.directory.path), "search", argument])
    assert isinstance(done.exception, InputError | SystemExit)
    said = f"{done.output}{done.exception}"
    assert message in said
    assert """such as '{"question": "Who won?"}'""" in said


def test_waiting_calls_are_listed_and_decided_on_the_command_line(own: KnowledgeGraph) -> None:
    def sage_ld(*words: str) -> str:
        done = CliRunner().invoke(app, ["approvals", words[0], str(own.directory.path), *words[1:]])
        assert done.exit_code == 0, done.output
        return done.stdout

    with holding(own) as toolbox:
        identifier = waiting(toolbox)
        other = waiting(toolbox, "delete_document", {"name": next(iter(own.documents))})
        assert f"{identifier}  " in sage_ld("list")
        assert sage_ld("give", identifier) == "ingest_text: approved\n"
        assert sage_ld("refuse", other, "--reason", "no") == "delete_document: refused\n"
        assert json.loads(sage_ld("list", "--json")) == []
        listed = json.loads(sage_ld("list", "--json", "--all"))
        states = [(each["state"], each.get("reason")) for each in listed]
        assert states == [("refused", "no"), ("approved", None)]
        assert all("terminal of user" in each["decider"] for each in listed)
        toolbox.call("ingest_text", TEXT)


def test_who_asks_and_who_decided_is_shown_by_name(own: KnowledgeGraph) -> None:
    asked: list[str] = []

    def approve(request: ApprovalRequest) -> ApprovalDecision:
        asked.append(request.caller)
        return ApprovalDecision(False)

    for name in ("research-agent", None):
        named = {} if name is None else {"caller": name}
        with Toolbox(own, approve=approve, **named) as toolbox, pytest.raises(ForbiddenError):
            toolbox.call("ingest_text", TEXT)
    assert asked == ["research-agent", "nobody"]
    with holding(own, caller="research-agent") as held:
        identifier = waiting(held)
    own.approvals.decide(identifier, True, by="secret of a person", name="librarian")
    listed = CliRunner().invoke(app, ["approvals", "list", str(own.directory.path), "--all"]).stdout
    assert "asked by research-agent, decided by librarian" in listed
    assert "secret" not in listed


def test_the_list_shows_the_first_part_of_a_result_and_show_the_whole(own: KnowledgeGraph) -> None:
    with holding(own, REVIEWED) as toolbox:
        identifier = waiting(toolbox, "search", ASKED)
    folder, run = str(own.directory.path), CliRunner()
    listed = run.invoke(app, ["approvals", "list", folder]).stdout
    whole = json.loads(run.invoke(app, ["approvals", "show", folder, identifier]).stdout)
    assert len(listed) < 800 < len(json.dumps(whole["result"]))
    assert whole["result"]["results"][0]["quoted"]["text"]


def test_a_database_of_the_former_version_gets_the_names(own: KnowledgeGraph) -> None:
    with holding(own) as toolbox:
        identifier = waiting(toolbox)
        with sqlite3.connect(own.approvals.file) as connection:
            for name in ("caller_name", "decider_name"):
                connection.execute(f"ALTER TABLE approval DROP COLUMN {name}")
            connection.execute("PRAGMA user_version = 2")
        connection.close()
        assert own.approvals.newest() == ()
        own.approvals.decide(identifier, True, by="person")
        assert own.approvals.get(identifier).decider_name == "person"
        assert toolbox.call("ingest_text", TEXT)["status"] == "added"


def test_a_whole_approval_moves_no_cursor_and_turns_no_line(own: KnowledgeGraph) -> None:
    said = {"question": "safe\u202egnp.exe\u009b2J\u2066\u200b", "k": "\x1b[31m"}
    held = own.approvals.hold("agent", "search", said, "write", {"answer": "a\u0085b\u061c"})
    shown = CliRunner().invoke(app, ["approvals", "show", str(own.directory.path), held.identifier]).stdout
    assert all(line.isprintable() for line in shown.splitlines())
    whole = json.loads(shown)
    assert (whole["arguments"], whole["result"]) == (said, {"answer": "a\u0085b\u061c"})
