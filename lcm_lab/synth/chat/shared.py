"""What becomes true of the plans of the two: decisions with their reasons, and words that clash."""

from __future__ import annotations

from lcm_lab.synth.chat.facts import Builder
from lcm_lab.synth.world import Fact

__all__ = ["add_clashes", "add_decisions"]

#: By plan: how many things are decided, and how many attributes the two see differently.
DECISIONS, CLASHES = 3, 1


def add_decisions(builder: Builder) -> None:
    """Decide things about each plan: first one of the two raises it, later it is settled.

    The value of a decision is its reason, that of a discussion an argument.
    """
    world, draw = builder.world, builder.draw
    names = draw.shuffle(sorted(builder.words.facts["decision"]))
    for plan in world.plans:
        for _ in range(DECISIONS):
            ways = builder.words.of("decision", name := names.pop())
            owner = draw.pick(world.speakers).name
            raised = builder.session(high=len(world.starts) - 2)
            for kind, way, who, session in (
                ("discussion", "discuss", world.other(owner).name, raised),
                ("decision", "decide", owner, builder.session(raised)),
            ):
                template = draw.pick(ways[way])
                value = template[template.index("«") + 1 : template.index("»")]
                world.add(
                    Fact("", kind, name, plan, who, value, session, "plans", "plan", told=template)
                )


def add_clashes(builder: Builder) -> None:
    """Let the two say different things of a plan, in different sessions, and never settle it."""
    world, draw = builder.world, builder.draw
    taken = {fact.slot for fact in world.facts}
    for plan in world.plans:
        schemes = [s for s in builder.scheme["slot"] if "plan" in s["of"]]
        free = [s for s in schemes if (plan, s["name"]) not in taken]
        for scheme in draw.sample(free, CLASHES):
            sessions = draw.sample(range(len(world.starts)), 2)
            for speaker, session in zip(draw.shuffle(world.speakers), sessions, strict=True):
                value = builder.take(scheme["values"])
                world.add(
                    Fact(
                        "", "clash", scheme["name"], plan, speaker.name, value, session,
                        scheme["domain"], "plan",
                    )
                )  # fmt: skip
