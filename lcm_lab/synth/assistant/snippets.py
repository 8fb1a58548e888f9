"""Code as an assistant shows it: short, named, and about nothing that anybody would ask for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lcm_lab.synth.assistant.phrases import Phrases
from lcm_lab.synth.language import FIELD, table

__all__ = ["snippet"]


def snippet(phrases: Phrases, language: str, templates: str) -> tuple[str, str]:
    """Give the name that the code is called by, and the fenced code.

    Parameters
    ----------
    phrases : Phrases
        Whose decks choose among snippets and names.
    language : {"python", "javascript", "sql", "bash", "yaml", "formula"}
    templates : {"A", "B"}
    """
    names: Mapping[str, Any] = phrases.lexicon["code_names"]
    written = table("assistant", "code")[language][templates.lower()]
    fields = {
        key: phrases.deal(name, names[name])
        for key, name in (
            ("var", "variable"), ("var2", "variable"), ("verb", "verb"), ("table", "table"),
            ("table2", "table"), ("column", "column"), ("column2", "column"),
        )
    }  # fmt: skip
    fields |= {"fn": f"{fields['verb']}_{fields['var']}", "Table": fields["table"].title()}
    text = FIELD.sub(lambda found: fields[found.group(1)], phrases.deal(language, written))
    tongue = "text" if language == "formula" else language
    return fields["fn"], f"```{tongue}\n{text}\n```"
