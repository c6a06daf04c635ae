"""What --rename, --value, --scale and --off say, of all sources or of the one named in front."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ringfence.cli.options.pairs import as_value, once, pairs

if TYPE_CHECKING:
    from ringfence.history import History

EXAMPLES = {
    "--rename": "learning_rate=lr",
    "--value": "dropout=0.0",
    "--scale": "dropout=0.01",
    "--off": "gamma=0",
}


@dataclass(frozen=True)
class Mends:
    """What was said of the parameters, by option."""

    rename: Sequence[str]
    value: Sequence[str]
    scale: Sequence[str]
    off: Sequence[str]

    def of(self, source: str, sources: Sequence[str]) -> Mends:
        """What is said of one source: SOURCE:NAME=VALUE, without what is in front; of "", what is
        said of all."""
        lists = (self.rename, self.value, self.scale, self.off)
        return Mends(
            *([rest for s, rest in _split(texts, sources) if s == source] for texts in lists)
        )

    def applied(self, history: History) -> History:
        """The history under new names, in new units, with numbers in place of flags, then with the
        values of today."""
        names, values = _by_name(self.rename, "--rename"), _by_name(self.value, "--value")
        history = history.rename(names) if names else history
        history = _scaled(history, _by_name(self.scale, "--scale"))
        said = _by_name(self.off, "--off").items()
        off = {name: _number(text, "--off", name, "0") for name, text in said}
        history = history.with_off(off) if off else history
        filled = {name: as_value(text) for name, text in values.items()}
        return history.with_values(filled) if filled else history


def _split(texts: Sequence[str], sources: Sequence[str]) -> list[tuple[str, str]]:
    """The source that each text names in front of a colon, as it was typed, or none; and the
    rest."""
    from ringfence.errors import SettingError
    from ringfence.words import did_you_mean

    split = []
    for text in texts:
        named = [source for source in sources if text.startswith(f"{source}:")]
        source = max(named, key=len, default="")
        front, colon, _ = text.partition("=")[0].rpartition(":")
        if colon and not named and (hint := did_you_mean(front, sources)):
            raise SettingError(f"{text!r} is about {front!r}, which is not among the runs; {hint}")
        split.append((source, text[len(source) + 1 :] if source else text))
    return split


def _by_name(texts: Sequence[str], option: str) -> dict[str, str]:
    from ringfence.errors import SettingError

    values = once(pairs(texts, option, EXAMPLES[option]), option)
    if empty := [name for name, text in values.items() if not text]:
        example = EXAMPLES[option].partition("=")[2]
        raise SettingError(
            f"{option} {empty[0]}= has no value; say which, as in {empty[0]}={example}"
        )
    return values


def _number(text: str, option: str, name: str, example: str) -> float:
    from ringfence.errors import SettingError

    number = as_value(text)
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise SettingError(f"{option} {name} must be a number such as {example}, not {text!r}")
    return number


def _scaled(history: History, factors: dict[str, str]) -> History:
    """The history in other units: of NAME in all tasks, or of TASK:NAME in one."""
    from ringfence.errors import SettingError

    by_tasks: dict[tuple[str, ...], dict[str, float]] = {}
    for name, text in factors.items():
        factor = _number(text, "--scale", name, "0.01")
        named = [task for task in history.tasks if name.startswith(f"{task}:")]
        front = name.rpartition(":")[0]
        if front and not named and name not in history.roles.parameters:
            raise SettingError(f"--scale {name}={text}: no source and no task is {front!r}")
        if name not in history.roles.parameters and named:
            task = max(named, key=len)
            by_tasks.setdefault((task,), {})[name[len(task) + 1 :]] = factor
        else:
            by_tasks.setdefault((), {})[name] = factor
    for tasks, said in by_tasks.items():
        history = history.scaled(said, tasks=tasks or None)
    return history
