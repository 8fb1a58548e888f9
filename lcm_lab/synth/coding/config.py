"""The configuration of a project: one file a component, a value in it set and changed."""

from __future__ import annotations

from lcm_lab.synth.coding.phrases import Phrases
from lcm_lab.synth.coding.shell import Shell, Use, numbered
from lcm_lab.synth.world import Fact

__all__ = ["Config"]

#: Lines that every component's file has around what matters.
AROUND = (
    "enabled = true", "strict = false", 'log_level = "info"', "workers = 4", "retries = 3",
    "dry_run = false", "trace = true", 'mode = "normal"', "jitter = 10", "compress = true",
    'format = "json"', "audit = true", "verify = true", "parallel = 2", 'locale = "en"',
)  # fmt: skip


class Config:
    """Writes settings into ``config/<component>.toml``."""

    def __init__(self, shell: Shell, phrases: Phrases) -> None:
        self.shell, self.draw = shell, phrases.draw
        self._files: dict[str, list[str]] = {}

    def put(self, fact: Fact) -> Use:
        """Edit the file of a component so that a setting has a fact's value.

        Every setting has lines of no interest around it, so that an edit shows no other setting.
        """
        lines = self._files.setdefault(fact.entity, [f"[{fact.entity}]"])
        name = fact.attribute
        value = fact.value if fact.value.isdigit() else f'"{fact.value}"'
        new = f"{name} = {value}"
        path = f"{self.shell.root}/config/{fact.entity}.toml"
        at = next((i for i, line in enumerate(lines) if line.startswith(f"{name} = ")), 0)
        if at:
            old, lines[at] = lines[at], new
            call = f"Edit\nfile_path: {path}\nold_string: {old}\nnew_string: {new}"
        else:
            around = self.draw.sample(AROUND, 5)
            lines += [*around[:3], new, *around[3:]]
            at = len(lines) - 3
            old = f"{around[2]}\n{around[3]}"
            call = (
                f"Edit\nfile_path: {path}\nold_string: {old}\n"
                f"new_string: {around[2]}\n{new}\n{around[3]}"
            )
        if self.draw.chance(70):
            return Use(call, f"The file {path} has been updated successfully.")
        said = "Here's the result of running `cat -n` on a snippet of the edited file:"
        shown = numbered(lines[at - 2 : at + 3], at - 1)
        return Use(call, f"The file {path} has been updated. {said}\n{shown}")
