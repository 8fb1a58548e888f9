"""The conversations of the profile: projects, their sizes, and how one is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lcm_lab.errors import BadParameter
from lcm_lab.synth.ask import Rules, ask
from lcm_lab.synth.cases import Source
from lcm_lab.synth.coding.cases import BANDS, cases, voice
from lcm_lab.synth.coding.facts import Builder
from lcm_lab.synth.coding.render import render
from lcm_lab.synth.coding.repo import Repo
from lcm_lab.synth.coding.world import CALENDAR, Project
from lcm_lab.synth.draw import Draw
from lcm_lab.synth.language import Language, table
from lcm_lab.synth.part import Part
from lcm_lab.synth.profile import Setting

__all__ = ["Plan", "conversations", "part"]

#: By size: projects, and sessions of each; a session has 540 entries in the median.
PROJECTS = {"S": (6, 4), "M": (10, 10), "L": (250, 20)}
LANGUAGES = ("python", "typescript", "go")


@dataclass(frozen=True)
class Plan:
    """A project before anything is true in it: name, domain, language, number of sessions."""

    code: str
    domain: int
    language: str
    sessions: int


def conversations(setting: Setting) -> list[tuple[str, Plan]]:
    """Give the projects of a size; names of projects repeat only when the list is used up.

    Raises
    ------
    BadParameter
        For noise: nobody mistypes here.
    """
    if setting.noise:
        raise BadParameter(
            f"The profile agent has no noise. Got {setting.noise / 1000:g}; leave it out, or write "
            "noise=0."
        )
    lexicon, draw = table("coding", "lexicon"), setting.draw("projects")
    projects, sessions = PROJECTS[setting.size]
    names: list[str] = []
    while len(names) < projects:
        names += draw.shuffle(lexicon["codenames"])
    domains = draw.shuffle(range(len(lexicon["domain"])))
    width = max(2, len(str(projects)))
    return [
        (
            f"p{number + 1:0{width}d}",
            Plan(
                names[number],
                domains[number % len(domains)],
                LANGUAGES[number % len(LANGUAGES)],
                sessions,
            ),
        )
        for number in range(projects)
    ]


def part(name: str, plan: Plan, setting: Setting) -> Part:
    """Make one project with its sessions and its questions."""
    lexicon, stack = table("coding", "lexicon"), table("coding", "stacks")[plan.language]
    words = Language(table("coding", setting.templates.lower()), {})
    world = _project(name, plan, lexicon, setting.draw(name, "project"))
    docs = words.facts["doc"]["line"]
    repo = Repo((plan.code, world.nouns), stack, lexicon, docs, setting.draw(name, "code"))
    Builder(world, lexicon, words, repo, setting.draw(name, "facts")).fill(setting.tier)
    rendered = render(world, repo, lexicon, words, setting.draw(name, "render"))
    source = Source(world, rendered.messages, words, setting.draw(name, "ask"), voice)
    rules = Rules(cases(rendered, lexicon), BANDS)
    return Part(world, rendered.messages, ask(source, setting.tier, rules))


def _project(name: str, plan: Plan, lexicon: Mapping[str, Any], draw: Draw) -> Project:
    return Project(
        name,
        CALENDAR.starts(plan.sessions, draw),
        code=plan.code,
        prefix=plan.code[:3].upper(),
        language=plan.language,
        nouns=list(lexicon["domain"][plan.domain]["nouns"]),
        vendors=draw.sample(lexicon["vendors"], 6),
        features=draw.sample(lexicon["features"], 6),
    )
