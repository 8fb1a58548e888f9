"""The profile assistant: a user and an assistant over months, shaped as LongMemEval and BEAM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lcm_lab.synth.ask import Rules, ask
from lcm_lab.synth.assistant.cases import BANDS, cases_of
from lcm_lab.synth.assistant.facts import Builder
from lcm_lab.synth.assistant.render import render
from lcm_lab.synth.assistant.topics import language
from lcm_lab.synth.assistant.user import Plan, plans, user
from lcm_lab.synth.assistant.voice import voice
from lcm_lab.synth.cases import Source
from lcm_lab.synth.noise import Noise, noisy
from lcm_lab.synth.part import Part
from lcm_lab.synth.profile import Setting
from lcm_lab.synth.world import World

__all__ = ["ABOUT", "BANDS", "LANGS", "LIKE", "NOISE", "NOTES", "conversations", "part"]

ABOUT = (
    "Users of an assistant come back to it over months and get long answers on everyday and "
    "technical topics; people, firms, dates and figures are invented."
)
LANGS = ("mix", "en", "zh", "ja", "ko")
#: Thousandths of a user's words that are mistyped.
NOISE = 30
LIKE: Mapping[str, str] = {
    "shape": "BEAM: user messages 50 words in the mean, answers 576.",
    "overlap": "LongMemEval sessions .52, BEAM messages .48",
    "beaten": "LongMemEval 1, BEAM 23",
}
NOTES: Sequence[str] = (
    "Template set B is not untouched: its checks were run at seed 1, and two of its questions "
    "were reworded until they passed. No ranker was run on it.",
    "Failed gate (size S, seed 0): it does not order 22 lexical systems as the LongMemEval pool "
    "does (wanted: a tau-b of .55). That pool holds the answering turns of all its histories; with "
    'the same of all users here (view="pool") tau-b is .38 [.22, .67] at tier 1, which is the one '
    "like LongMemEval, and .33 [.12, .53] at tier 6. With each user's evidence apart "
    '(view="evidence") it is .26 [.11, .51] at tier 6, on whole sessions -.07 [-.22, .16]. So few '
    "questions tell little: halves of the real ones (235) agree by .58, of those here (307, tier "
    "1) by .53. Of 90 pairs of systems that differ for sure on both sides all 90 do so in one "
    "direction; 77 of 85 at tier 6, 63 of 69 with users apart.",
    "In that pool, at tier 1 and at tier 6: BM25's level holds (AnyR@5 .06 and .02 above, AllR@10 "
    ".07 and .03); TF-IDF loses to BM25 by .007 and .030, there it wins by .012; the six types are "
    "not as hard as there (tau-b .20 and -.07, for .33 with users apart).",
    "The pool was chosen by counts, and the gates were looked at once after. 257 messages are "
    "searched for a question, in LongMemEval's 423, with users apart 40 sessions; the gold has 150 "
    "stems, there 83, with users apart 341. Of 39 such figures 37 came nearer (38 at seed 2). It "
    "had been set down that a tau-b more than .03 lower would speak against it; that of the types "
    "is. No gate holds in one view and fails in the other.",
    "What still differs most from that pool: an assistant's message with evidence has 595 stems in "
    "the mean, there 239, so that length counts for more: without length normalisation BM25 loses "
    ".094 here, .024 there. Nothing was changed on that account.",
    "Failed gate: against BEAM's messages tau-b is .41 [.27, .55] at tier 6 and .52 [.42, .60] at "
    "tier 23 (wanted: .70; halves of BEAM's 96 questions agree by .86, of the 605 here by .91). Of "
    "163 pairs of systems that differ for sure on both sides 142 do so in one direction. At tier "
    "23 BM25's AnyR@5 is level with BEAM (-.02), its AllR@10 .20 above; TF-IDF wins by .04, in "
    "BEAM by .14; the types are as hard as there (tau-b .62).",
    "The gates were looked at four times. The first time: -.00 (sessions), .31 and .48 (BEAM, "
    "tiers 6 and 23). Then what differed in shape was set right: questions were too short, "
    "answers spoke in the first person, facts were told too far from their topic. The fourth time "
    "brought the pool. No parameter was set by the gates, but the figures above are not blind.",
    "Related words are not why, as was supposed here before. Of the words of a question that the "
    "gold lacks, the share that has a word in it with half of its groups of four letters, less the "
    "same for another message of that length, in points: LongMemEval -.6 [-1.7, .2], the pool here "
    "1.2 [.2, 2.2]; BEAM 5.6 [1.6, 11.8], here at tier 23 -.3 [-1.9, 1.5] (235, 307, 84 and 126 "
    "questions). By the words that it does not share, LSA finds the gold by chance in all of them "
    "(area under the curve .46, .46, .45 and .54).",
    "What else differs from BEAM, by counts and not by the gates (72 questions of its dev chats, "
    "300 here at tier 23; medians): 81 of 100 messages of the user hold a word that question and "
    "answer share, here 19; of the assistant's 85, here 52; such a word occurs 5.4 times in an "
    "answer, here 2.0, and 1.6 times in the message with the evidence, here once.",
    "Tried, and not kept: at tier 23 one project a user (20 users, 18 sessions) whose name and "
    "things most messages speak of. The counts came near BEAM's (71, 83, 5.2 and 1.3), the order "
    "did not: tau-b .34 [.24, .49], and .39 [.27, .52] with the usual eight users, for .52 "
    "before. So it is not for how often words recur alone that systems change places. BEAM's "
    "users also write a third as long as the mean message, here a fifth.",
    "Template language: advice is put together from clauses on 38 topics and is often beside the "
    "point of the question that it answers; 11 of 100 sentences of an assistant were there before "
    "(in BEAM 19).",
    "Both template sets take their advice (things, steps, reasons) from the same lists; "
    "statements of facts, questions and the sentences around them are apart.",
    "An answer stands in no other message of a history: the assistant comes back to what it was "
    "told, but never repeats a value, as real ones do.",
    "Questions of the types paraphrase and, mostly, ordering share nothing with their answers and "
    "are out of reach of words; quotations and other languages are easy.",
    "The decoys of a paraphrase are two sentences, and recommended firms carry names that say "
    "nothing of their trade.",
    "Lengths, overlap and the level of BM25 were looked at in LongMemEval's and BEAM's dev parts.",
)


def conversations(setting: Setting) -> list[tuple[str, Plan]]:
    """Give the users with how long their histories are."""
    return plans(setting.size)


def part(name: str, plan: Plan, setting: Setting) -> Part:
    """Make the history of one user."""
    world = user(name, plan, setting.draw(name, "user"))
    Builder(world, setting, setting.draw(name, "facts")).fill()
    messages = render(world, setting.templates, setting.draw(name, "render"), setting.tier)
    messages = noisy(messages, _noise(world, setting), setting.draw(name, "noise"))
    source = Source(
        world,
        messages,
        language(setting.templates),
        setting.draw(name, "ask"),
        voice,
    )
    rules = Rules(cases_of(setting), BANDS)
    return Part(world, messages, ask(source, setting.tier, rules))


def _noise(world: World, setting: Setting) -> Noise:
    """Let the user mistype, though nothing that an answer rests on."""
    told = [text for fact in world.facts for text in (fact.value, *fact.details.values())]
    return Noise(setting.noise, told, lambda m: m.role == "user" and m.lang == "en")
