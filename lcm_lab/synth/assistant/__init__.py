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
    "does (wanted: a tau-b of .55). That pool holds the answering turns of all its histories; "
    'with the same of all users here (view="pool") tau-b is .19 [.08, .46] at tier 1, which is '
    "the one like LongMemEval, and .51 [.27, .70] at tier 6. With each user's evidence apart "
    '(view="evidence") it is .20 [.05, .42] at tier 6. So few questions tell little: halves of '
    "the real ones (235) agree by .58, of those here (306, tier 1) by .71, and the orders of two "
    "seeds by .74 (.63 to .84, seeds 0 to 4). Of 88 pairs of systems that differ for sure on both "
    "sides 81 do so in one direction; all 85 at tier 6, 66 of 78 with users apart.",
    "In that pool, at tier 1 and at tier 6: BM25's level holds (AnyR@5 .04 and .05 above, AllR@10 "
    ".05 and .04); TF-IDF loses to BM25 by .015 and .012 (by .008 to .024 at seeds 0 to 4, tier "
    "1), there it wins by .012; the six types are not as hard as there (tau-b -.07 and -.07, for "
    ".33 with users apart).",
    "The pool was chosen by counts, before lengths were set right, and the gates were looked at "
    "once after. 257 messages were searched for a question, in LongMemEval's 423, with users "
    "apart 40 sessions; the gold had 150 stems (now 138), there 83, with users apart 341. Of 39 "
    "such figures 37 came nearer (38 at seed 2). It had been set down that a tau-b more than .03 "
    "lower would speak against it; that of the types was. No gate holds in one view and fails in "
    "the other.",
    "What still differs most from that pool is the length of answers: an assistant's message with "
    "evidence has 605 words in the mean at tier 1, there 231 (25 messages). It was specified so, "
    "as BEAM's are (576, an answer's evidence in 300 to 900; 90 of 100 lie there in English, of "
    "LongMemEval's 24), and is why BM25 loses more without length normalisation: .100 [.068, "
    ".131], there .024 [.007, .041]; among users' messages alone .024 [.007, .042] and .031 "
    "[.016, .047]. It is not why systems change places: with answers cut to LongMemEval's lengths "
    "the loss was half (.047 for .094 then), and tau-b .40 [.20, .64] at tier 1 and .33 [.15, "
    ".57] at tier 6, for .38 and .33 uncut.",
    "Lengths were set right at last: answers in English had 617 words in the mean for the 576 "
    "that are wanted, and a spread wider than BEAM's (a tenth below 336 and a tenth above 974; "
    "now 357 and 848, in BEAM 315 and 726); users wrote 56 words for 50, 27 of 100 more where "
    "there was evidence (now 8; in BEAM 9 less [-24, 10]). At tier 23 the gold was longer than 61 "
    "of 100 messages of its role, now than 54, as in BEAM. It moved tau-b in the pool from .38 to "
    ".19 at tier 1 and from .33 to .51 at tier 6, which is no more than a seed does: the orders "
    "of five seeds as they were and as they are agree by .75, among themselves by .72 and .74 "
    "(tier 1).",
    "Failed gate: against BEAM's messages tau-b is .53 [.46, .64] at tier 23 (wanted: .70; halves "
    "of BEAM's 96 questions agree by .86, of the 606 here by .92); at tier 6 it was .41 [.27, "
    ".55] before lengths were set right. Of 170 pairs of systems that differ for sure on both "
    "sides 151 do so in one direction. At tier 23 BM25's AnyR@5 is level with BEAM (-.03), its "
    "AllR@10 .21 above; TF-IDF wins by .04, in BEAM by .14; the types are as hard as there (tau-b "
    ".71).",
    "The gates were looked at six times. The first time: -.00 (sessions), .31 and .48 (BEAM, "
    "tiers 6 and 23). Then what differed in shape was set right: questions were too short, "
    "answers spoke in the first person, facts were told too far from their topic. The fourth time "
    "brought the pool, the fifth was for answers cut short, the sixth for lengths set right. No "
    "parameter was set by the gates, but the figures above are not blind.",
    "Related words are not why, as was supposed here before. Of the words of a question that the "
    "gold lacks, the share that has a word in it with half of its groups of four letters, less "
    "the same for another message of that length, in points: LongMemEval -.6 [-1.7, .2], the pool "
    "here -.0 [-1.1, 1.0]; BEAM 5.6 [1.6, 11.8], here at tier 23 -.4 [-3.3, 1.8] (235, 306, 84 "
    "and 127 questions). By the words that it does not share, LSA finds the gold by chance in all "
    "of them (area under the curve .46, .45, .45 and .55).",
    "What else differs from BEAM, by counts and not by the gates (72 questions of its dev chats, "
    "300 here at tier 23, before lengths were set right; medians): 81 of 100 messages of the user "
    "hold a word that question and answer share, here 19; of the assistant's 85, here 52; such a "
    "word occurs 5.4 times in an answer, here 2.0, and 1.6 times in the message with the "
    "evidence, here once.",
    "Tried, and not kept: at tier 23 one project a user (20 users, 18 sessions) whose name and "
    "things most messages speak of. The counts came near BEAM's (71, 83, 5.2 and 1.3), the order "
    "did not: tau-b .34 [.24, .49], and .39 [.27, .52] with the usual eight users, for .52 then. "
    "So it is not for how often words recur alone that systems change places. BEAM's users also "
    "write a third as long as the mean message, here a fifth.",
    "Template language: advice is put together from clauses on 38 topics and is often beside the "
    "point of the question that it answers; 11 of 100 sentences of an assistant were there before "
    "(in BEAM 19).",
    "Both template sets take their advice (things, steps, reasons) from the same lists; "
    "statements of facts, questions and the sentences around them are apart.",
    "Answers in other languages are 4 to 10 sentences long, 70 to 360 characters, whatever their "
    "length in English.",
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
