"""The profile agent: a coding agent at work in projects, shaped as Claude Code transcripts.

A project has files that change, settings, tests, tickets and decisions (`world`, `facts`, `repo`);
its sessions are threads of requests, thinking, tool calls with outputs as the tools print them, and
short answers (`threads`, `work`, `shell`, `runs`, `records`). Questions are computed from what
became true and from who follows whom (`cases`). Sentences stand in ``a.toml`` and ``b.toml``, which
share none; names and the grammar of code in ``lexicon.toml`` and ``stacks.toml`` are common.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lcm_lab.synth.coding.cases import BANDS
from lcm_lab.synth.coding.profile import conversations, part

__all__ = ["ABOUT", "BANDS", "LANGS", "LIKE", "NOISE", "NOTES", "conversations", "part"]

ABOUT = (
    "A coding agent works in invented projects, in several sessions each (S: six projects of four "
    "sessions, M: ten of ten, L: 250 of twenty): requests, thinking, tool calls and their "
    "outputs, short answers, subagents, compacted context."
)
LANGS = ("en",)
NOISE = 0
LIKE: Mapping[str, str] = {
    "shape": "Claude Code transcripts: 540 entries a session in the median, quartiles 370 and 790.",
    "overlap": "there is no labelled counterpart",
    "beaten": "there is no labelled counterpart",
}
NOTES: Sequence[str] = (
    "Template set B is not untouched: its checks were run at seed 3, and some of its questions and "
    "two sentences were reworded until they passed. No ranker was run on it.",
    "S has 24 sessions and not 50, to stay small; a session is as long as a real one.",
    "Code, trace and test log look as they are printed, but nothing was run: an edit is random, a "
    "test does not fail because of it, and what is thought does not follow from what was read.",
    "Template language: half of the sentences that are thought and two thirds of those that are "
    "said are distinct within the collection; people and models repeat themselves less.",
    "Every value is given once a project and printed nowhere by chance. Real figures recur.",
    "What a user tells in passing stands in a message with a request that has nothing to do with "
    "it, more often than people do that.",
    "Long outputs are rarer than in real transcripts (at S, seed 0: three quarters have up to 1.2 "
    "thousand characters and one in a hundred 18 thousand; real 1.9 and 32), calls are shorter "
    "(.09 of all characters; real .16).",
    "One output in 17 was printed before, one in 70 of those with 200 characters and more; in real "
    "transcripts it is one in 20 to 50.",
    "Questions for a quotation and for a contradiction hold most words of their answer, as the "
    "real ones do: BM25 finds nearly all of them. Adjacency, ordering and paraphrase hold next to "
    "none, and BM25 finds next to none.",
    "Over its own questions TF-IDF is well below BM25 (nDCG@10 .35 and .50 at seed 0).",
    "Failed gate (size S, seed 0): no labelled history of an agent is at hand, so adjacency was "
    "mined in one way from this collection (120 questions) and from 35 real transcripts (104). "
    "21 systems that look around a message are ordered with a tau-b of .45 [.02, .63] (wanted: "
    ".60). That is about what so few questions can tell: halves of those mined here agree by .31, "
    "of the real ones by .69; of 42 pairs that differ for sure on both sides 39 do so in one "
    "direction. BM25 that looks around has AnyR@5 .03 here and .15 there, over seven times as many "
    "messages; TF-IDF is above it in both. Words alone find next to nothing in either.",
    "Adjacency had been looked at before, with five systems and an earlier miner, three times "
    "while lengths and sentences were being set; nothing was changed on its account.",
    "English only, no typing errors; no images, no web pages, no tools of other agents.",
)
