"""The adapter for the Agents SDK of OpenAI: an agent that calls a tool and answers, over a scripted model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from agents import Agent, FunctionTool, OpenAIChatCompletionsModel, Runner
from foundation.language_model.scripted_server import Said, ScriptedServer, scripted_server
from openai import AsyncOpenAI

from sage_ld import KnowledgeGraph
from sage_ld.agents import Toolbox
from sage_ld.agents.integrations.openai_agents import function_tools

QUESTION = "What is a rope made of?"


@pytest.fixture
def toolbox(prizes: KnowledgeGraph) -> Iterator[Toolbox]:
    with Toolbox(prizes) as made:
        yield made


async def answered(toolbox: Toolbox, script: list[Any]) -> tuple[str, ScriptedServer]:
    """What an agent answers whose model follows a script, and the server that was asked."""
    with scripted_server(*script) as server:
        async with AsyncOpenAI(base_url=server.url, api_key="none") as client:
            model = OpenAIChatCompletionsModel("m", client)
            agent = Agent("Reader", instructions="Cite.", tools=function_tools(toolbox), model=model)
            result = await Runner.run(agent, QUESTION)
    return result.final_output, server


def told(server: ScriptedServer) -> str:
    """What the model was told of its last call."""
    return server.requests[-1]["messages"][-1]["content"]


async def test_an_agent_searches_and_answers(toolbox: Toolbox) -> None:
    arguments = {"question": QUESTION, "k": 1, "from_graph": 0}
    answer, server = await answered(toolbox, [Said(tools=(("search", arguments),)), "Of hemp."])
    assert answer == "Of hemp."
    assert json.loads(told(server)) == toolbox.call("search", arguments)
    sent = {each["function"]["name"]: each["function"] for each in server.requests[0]["tools"]}
    listed = {each["function"]["name"]: each["function"] for each in toolbox.openai_tools()}
    assert sent.keys() == listed.keys()
    for name, function in sent.items():
        assert function["parameters"] == listed[name]["parameters"]


@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [
        ("search", {"question": QUESTION, "kk": 3}, "kk"),
        ("delete_document", {"name": "rope.md"}, "a person has to approve"),
    ],
)
async def test_what_is_refused_is_told_to_the_model(
    toolbox: Toolbox, name: str, arguments: dict[str, Any], why: str
) -> None:
    answer, server = await answered(toolbox, [Said(tools=((name, arguments),)), "I cannot."])
    assert answer == "I cannot."
    assert told(server).startswith("Error: ")
    assert why in told(server)


@pytest.mark.parametrize("arguments", ["{", "[1]"])
async def test_arguments_that_are_no_object_are_told(toolbox: Toolbox, arguments: str) -> None:
    search: FunctionTool = function_tools(toolbox)[0]
    said = await search.on_invoke_tool(None, arguments)  # type: ignore[arg-type]
    assert said.startswith("Error: ")
