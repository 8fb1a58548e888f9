"""The card of a synthetic collection as Markdown, for a reader."""

from __future__ import annotations

from typing import Any

__all__ = ["card_text"]

GRADES = """\
- Grades: 3 states the answer, 2 is one part of several, 1 is a superseded value (stale) or talk of
  the same thing without its value. Binary measures count from 2."""
LEFT_OUT = """\
*Left out*: no wording in the band of its type after 20 tries. For abstention, where nothing
answers, the overlap is that of the best message. *Tie or beat*: how many other messages hold as
many of a question's content stems as its best gold message, or more."""


def card_text(card: dict[str, Any]) -> str:
    """Give the card as Markdown for a reader."""
    made, like = card["parameters"], card["like"]
    head = [
        f"# synth-{made['profile']}-{made['size'].lower()}",
        card["about"],
        "A state machine decided what is true and when; sentences were made from it, questions and "
        "answers computed from it.",
        f"Made by `lcm.generate({made['profile']!r}, {_arguments(made)})`. Licence "
        f"{card['licence']}. Canary {card['canary']}: please keep it out of training data.",
        "\n".join([*_shape(card, like), GRADES]),
        _table(card),
        LEFT_OUT,
        "Known weaknesses:",
        "\n".join(f"- {note}" for note in card["notes"]),
    ]
    return "\n\n".join(head) + "\n"


def _shape(card: dict[str, Any], like: dict[str, str]) -> list[str]:
    lines = [
        f"- {card['messages']:,} messages in {card['sessions']:,} sessions; words a message: "
        f"{_spread(card['words_per_message'])}; messages a session: "
        f"{_spread(card['messages_per_session'])}. {like['shape']}",
        f"- {_share(card['sentences_seen_before'])} of the sentences of four words and more were "
        f"said before in the same conversation, word for word.{like.get('repeated', '')}",
        f"- The gold holds {card['overlap']:.2f} of a question's content stems "
        f"({like['overlap']}); a median of {card['tie_or_beat_median']:g} other messages hold as "
        f"many or more ({like['beaten']}).",
    ]
    if len(card["languages"]) > 1:
        said = ", ".join(f"{lang} {n:,}" for lang, n in card["languages"].items())
        lines.insert(1, f"- Messages by language: {said}.")
    if card["characters"]:
        kinds = "; ".join(
            f"{kind} {found['n']:,} messages, {_spread(found)}"
            for kind, found in card["characters"].items()
        )
        lines.insert(1, f"- Characters by kind: {kinds}.")
    return lines


def _table(card: dict[str, Any]) -> str:
    head = [
        "| type | topics | overlap, mean | tie or beat, median | gold messages, mean | left out |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    rows = [
        f"| {kind} | {row['topics']} | {row['overlap']:.2f} | {row['tie_or_beat_median']:g} | "
        f"{row['gold']:.1f} | {card['dropped'][kind]} |"
        for kind, row in card["types"].items()
    ]
    return "\n".join([*head, *rows])


def _arguments(made: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in made.items() if name != "profile")


def _spread(of: dict[str, Any]) -> str:
    first, second, third = of["quartiles"] or (0, 0, 0)
    return f"mean {of['mean']}, quartiles {first}, {second} and {third}"


def _share(of: float) -> str:
    return f"{100 * of:.1f} %"
