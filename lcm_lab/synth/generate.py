"""Synthetic collections: generate one in memory, or write one of any size to a folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from math import isnan
from pathlib import Path
from typing import Any, Literal, cast

from lcm_lab.collection import Collection
from lcm_lab.errors import BadParameter, nearest
from lcm_lab.synth.ask import BANDS, BEATEN, Bands
from lcm_lab.synth.assemble import Built, assemble
from lcm_lab.synth.card import About
from lcm_lab.synth.folder import Progress, save
from lcm_lab.synth.part import Part
from lcm_lab.synth.profile import Profile, Setting

__all__ = ["Built", "build", "conversations", "generate", "stream", "write"]

ProfileName = Literal["chat", "assistant", "agent"]
Size = Literal["S", "M", "L"]
Tier = Literal[1, 6, 23]

SIZES = ("S", "M", "L")
#: The most that may be mistyped: beyond it nobody could read it.
NOISIEST = 0.3
#: The parameters, and what they are when they are not given.
USUAL = {"size": "S", "seed": 0, "tier": 6, "templates": "A", "lang": None, "noise": None}
#: The module of each profile (`lcm_lab.synth.profile` says what is in it).
PROFILES = {
    "chat": "lcm_lab.synth.chat",
    "assistant": "lcm_lab.synth.assistant",
    "agent": "lcm_lab.synth.coding",
}


def generate(  # noqa: PLR0913  # a row of choices, all named
    profile: ProfileName = "chat",
    *,
    size: Size = "S",
    seed: int = 0,
    tier: Tier = 6,
    templates: Literal["A", "B"] = "A",
    lang: str | None = None,
    noise: float | None = None,
) -> Collection:
    """Make a synthetic collection whose answers are computed, not written.

    The same arguments give the same collection on every platform and Python version.

    Parameters
    ----------
    profile : {"chat", "assistant", "agent"}
        Two friends in 25 sessions of about 22 short turns, shaped as LoCoMo; a user with an
        assistant, as LongMemEval and BEAM; an agent at work on a project, as Claude Code's
        transcripts.
    size : {"S", "M", "L"}
        From a few hundred sessions (agent: two dozen, of hundreds of entries each) to 5,000. L is
        made in memory here: gigabytes, for the larger profiles. ``lcm-lab generate --size L``
        writes it one conversation at a time.
    seed : int
        0 to 4 are for development, 100 to 109 for tests.
    tier : {1, 6, 23}
        How hard, named after the median number of messages that hold as many of a question's words
        as its answer, or more, in LongMemEval (1), LoCoMo (6) and BEAM (23). The card has the
        figure that was reached.
    templates : {"A", "B"}
        A for development, B for tests; they share no sentence.
    lang : str, optional
        What languages are used. For chat: "mix" (the default: English for the most part, each pair
        of friends with a second language that about one message in eight is in), "en", or "zh",
        "ja", "ko" as every pair's second language.
    noise : float, optional
        The share of words that people mistype, 0 to 0.3; emoji, decomposed letters and clocks that
        stumble go with it. For chat .03, at 0 there is none of it.

    Returns
    -------
    Collection
        Grades: 3 states the answer by itself, 2 is one part of several, 1 is a superseded value
        (``stale``) or talk of the same thing without the value. ``relevant_from`` is 2. Topics of
        type "abstention" have no judgements: nothing answers them.

    Raises
    ------
    BadParameter
        For a parameter that there is not; says what there is, and what is nearest.

    Examples
    --------
    >>> bench = generate("chat", size="S", seed=0)
    >>> sorted(bench.topics["type"].unique())[:3]
    ['abstention', 'adjacency', 'contradiction']
    """
    return build(
        profile, size=size, seed=seed, tier=tier, templates=templates, lang=lang, noise=noise
    ).collection


def build(profile: ProfileName = "chat", **parameters: Any) -> Built:
    """Make a synthetic collection and keep its state log; parameters as for `generate`."""
    maker, setting = ready(profile, parameters)
    return assemble(
        setting.name, list(conversations(maker, setting)), about(maker), setting.parameters
    )


def write(folder: str | Path, built: Built) -> Path:
    """Write a collection with its ``world.json.xz`` and ``card.md``, and give the folder.

    The same arguments of `build` give the same bytes (packed files: under the same liblzma).
    """
    card = built.collection.card
    told = About(card["about"], card["like"], card["notes"])
    return save(Path(folder), built.parts, told, card["parameters"])


def stream(
    folder: str | Path,
    profile: ProfileName = "chat",
    *,
    progress: Progress | None = None,
    **parameters: Any,
) -> Path:
    """Write what `generate` makes, one conversation at a time: the same bytes in little memory.

    Interrupted, it leaves nothing under the folder's name. ``progress`` is called with the number
    of conversations written; `size_of` tells how many there will be.
    """
    maker, setting = ready(profile, parameters)
    parts = conversations(maker, setting)
    return save(Path(folder), parts, about(maker), setting.parameters, progress)


def size_of(profile: ProfileName, **parameters: Any) -> int:
    """Give how many conversations a collection has."""
    maker, setting = ready(profile, parameters)
    return len(maker.conversations(setting))


def ready(profile: str, given: Mapping[str, Any]) -> tuple[Profile, Setting]:
    """Give the profile's module and the setting, once every parameter is one that there is."""
    for name in given:
        if name not in USUAL:
            raise BadParameter(f"There is no parameter {name!r}.{nearest(name, USUAL)}")
    found = {**USUAL, **given}
    _check("profile", profile, tuple(PROFILES))
    _check("size", found["size"], SIZES)
    _check("tier", found["tier"], tuple(BEATEN))
    _check_seed(found["seed"])
    _check("templates", found["templates"], ("A", "B"))
    maker = cast(Profile, import_module(PROFILES[profile]))
    found["lang"] = maker.LANGS[0] if found["lang"] is None else found["lang"]
    _check("lang", found["lang"], maker.LANGS)
    usual: int = getattr(maker, "NOISE", 0)
    found["noise"] = usual if found["noise"] is None else _level(found["noise"])
    return maker, Setting(profile, **found)


def conversations(maker: Profile, setting: Setting) -> Iterator[Part]:
    """Make the conversations one after the other."""
    for name, plan in maker.conversations(setting):
        yield maker.part(name, plan, setting)


def about(maker: Profile) -> About:
    """Give what a profile says of itself."""
    return About(maker.ABOUT, maker.LIKE, maker.NOTES)


def bands_of(profile: str | None) -> Bands:
    """Give a profile's overlap bands; the usual ones for a collection that names no profile."""
    if profile not in PROFILES:
        return BANDS
    return cast(Profile, import_module(PROFILES[profile])).BANDS


def _level(noise: object) -> int:
    """Give the noise in thousandths."""
    if isinstance(noise, bool) or not isinstance(noise, int | float) or isnan(noise):
        raise BadParameter(f"noise must be a share of words, 0 to {NOISIEST}. Got {noise!r}.")
    if not 0 <= noise <= NOISIEST:
        close = 0 if noise < 0 else NOISIEST
        raise BadParameter(
            f"noise must be a share of words, 0 to {NOISIEST}. Got {noise!r}; write noise={close}."
        )
    return round(noise * 1000)


def _check_seed(seed: object) -> None:
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise BadParameter(f"seed must be a whole number of at least 0. Got {seed!r}.")


def _check(name: str, value: object, options: tuple[object, ...]) -> None:
    if value not in options or isinstance(value, bool):
        there = ", ".join(map(repr, options))
        numbers = [one for one in options if isinstance(one, int)]
        hint = nearest(str(value), map(str, options))
        if isinstance(value, int | float) and not isinstance(value, bool) and numbers:
            close = min(numbers, key=lambda one: (abs(one - value), one))
            hint = f" The nearest is {close}."
        raise BadParameter(f"{name} must be one of {there}. Got {value!r}.{hint}")
