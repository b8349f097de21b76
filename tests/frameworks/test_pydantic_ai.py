"""The pydantic-ai toolset, in real runs with the scripted models of that package."""

from __future__ import annotations

import pytest

from hsum.testing import corpus

pytest.importorskip("pydantic_ai")

from pydantic_ai import Agent
from pydantic_ai.messages import (
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel

from adapters.frameworks.pydantic_ai import evidence_toolset

pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture
def index():
    """One file about one thing."""
    return corpus({"scope.md": "A shielded cancel scope survives.\n"})


def returned(messages):
    return {
        part.tool_name: part.content
        for message in messages
        for part in message.parts
        if isinstance(part, ToolReturnPart)
    }


def test_the_test_model_sees_the_three_tools(index):
    """A run offers search, get and check, and calls one of them."""
    model = TestModel(call_tools=["evidence_search"])

    result = Agent(model, toolsets=[evidence_toolset(index)]).run_sync("?")

    offered = {tool.name for tool in model.last_model_request_parameters.function_tools}
    assert {"evidence_search", "evidence_get", "evidence_check"} == offered
    found = returned(result.all_messages())["evidence_search"]["hits"]
    assert {"scope.md"} == {hit["path"] for hit in found}


def answering(messages, _info):
    """Search, get the first hit, then answer with its citation."""
    found = returned(messages)
    if not found:
        return call("evidence_search", query="shielded")
    citation = found["evidence_search"]["hits"][0]["citation"]
    if "evidence_get" not in found:
        return call("evidence_get", citation=citation, verify=True)
    return ModelResponse([TextPart(f'It "survives" ({citation}).')])


def call(tool, **arguments):
    return ModelResponse([ToolCallPart(tool, arguments)])


def test_a_scripted_agent_answers_with_evidence(index, assert_cited):
    """What the tools return is enough for an answer that holds."""
    agent = Agent(FunctionModel(answering), toolsets=[evidence_toolset(index)])

    result = agent.run_sync("Does a shielded scope survive?")

    got = returned(result.all_messages())["evidence_get"]
    assert ("intact", True) == (got["span_state"], got["untrusted_content"])
    assert_cited(result.output, index)


def test_refusals_reach_the_model(index):
    """A malformed citation comes back to the model with its code and the next step."""

    def hopeful(messages, _info):
        found = returned(messages)
        if found:
            return ModelResponse([TextPart(found["evidence_get"]["refused"]["code"])])
        return call("evidence_get", citation="hsum://nowhere")

    agent = Agent(FunctionModel(hopeful), toolsets=[evidence_toolset(index)])

    assert "CITATION_MALFORMED" == agent.run_sync("?").output
