"""Ten questions that a person would ask of real transcripts, asked through MCP."""

import asyncio

import pytest

from lcm_lab.agent.episodic.tools import EpisodicTools
from lcm_lab.agent.mcp.server import server
from lcm_lab.store.store import Store
from lcm_lab.transcripts.read import read

pytest.importorskip("mcp", reason="the MCP SDK is not installed: serving is not tested")

#: Question, the session that answers it, and why it is that one.
QUESTIONS = [
    (
        "Why was CI testing something other than the branch I pushed?",
        "0fae0449-64d3-4788-8622-d3a47d82c14b",
        "there the assistant finds that CI checks out a merge with main, which had lint errors",
    ),
    (
        "Which dependencies did knip say we don't use?",
        "0fae0449-64d3-4788-8622-d3a47d82c14b",
        "the user pastes knip's list, auth0 first, and it is then cleaned up",
    ),
    (
        "What queue did we settle on for laptops without a network?",
        "eval-branches",
        "it ends with the choice of a local SQLite WAL queue, and 'offline' is its word",
    ),
    (
        "How did the crypto CTF with the release file go?",
        "sweagent_katy",
        "it is the run at the challenge Katy, whose only file is called release",
    ),
    (
        "Where did we change the commit message comment to show the last prompt?",
        "880d23f9-86b3-4345-af42-46381ab10e4d",
        "'Last Prompt: ' is put before the prompt in the comment of the commit editor",
    ),
    (
        "Did we move the interactive terminal test helpers into a file of their own?",
        "85cc202e-0e74-46ce-a485-e5fcd11f7a8c",
        "the helpers for interactive pty tests get a dedicated file there",
    ),
    (
        "Why do checkpoints record which agent made them?",
        "d1423492-e4f5-4a86-a997-1f1c8d09a940",
        "the field is added to rewind points, since a rewind needs to know the agent",
    ),
    (
        "What did we do about auto-commit making metadata commits without code changes?",
        "20b81bf8-77cd-4205-8ac9-727b573a70e4",
        "orphaned metadata commits of auto-commit are found and prevented there",
    ),
    (
        "How should my instructions change so that you stop asking for permission?",
        "67a8478e-78dc-44ab-82ea-f65c8ead85f6",
        "the user finds the assistant too tentative, and a section on proactiveness is rewritten",
    ),
    (
        "Did we give the thinking level border its own theme colors?",
        "d703a1a9-1b7b-4fb1-b512-c9738b1fe617",
        "explicit tokens for the border of each thinking level are added to the themes",
    ),
]


@pytest.fixture(scope="module")
def answers(shared):
    from mcp import Client

    store = Store(":memory:")
    store.add(read(shared / "transcripts"))
    tools = EpisodicTools(store, roots=[shared / "transcripts"])

    async def asking():
        async with Client(server(tools), read_timeout_seconds=120) as client:
            asked = [{"query": question, "limit": 3} for question, _, _ in QUESTIONS]
            return [await client.call_tool("search", one) for one in asked]

    return {
        question: [hit["exchange"]["sessionId"] for hit in found.structured_content["results"]]
        for (question, _, _), found in zip(QUESTIONS, asyncio.run(asking()), strict=True)
    }


@pytest.mark.parametrize(("question", "session", "why"), QUESTIONS)
def test_the_right_session_is_among_the_first_three_hits(answers, question, session, why):
    assert session in answers[question], why
