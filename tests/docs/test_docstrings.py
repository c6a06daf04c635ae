"""Every public name says what it is, what each of its parameters is, and shows an example; the
examples run as they stand, each in a fresh folder and with nothing but what it imports."""

from __future__ import annotations

import doctest
import inspect
import pkgutil
import re
import warnings
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest

import ringfence as rf
from ringfence.adapters import view
from ringfence.errors import RingfenceError
from ringfence.learned.cube import UnitCube

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
SHARED = {"export", "values", "vectors", "view"}
"""Modules of the adapters that no user imports."""
OF_THE_TOOL = {"RegionSearcher"}
"""Classes that a tool calls, by the tool's own names: their methods are documented there."""

NEEDS = {"neps.pipeline_space": "neps"}
"""Examples of packages that are imported only by the call, and may be missing."""


def named(prefix: str, value: Any) -> Iterator[tuple[str, Any]]:
    """A public value, and the public members of a class of ours."""
    yield prefix, value
    if inspect.isclass(value) and value.__name__ not in OF_THE_TOOL:
        for name, member in vars(value).items():
            if isinstance(member, (classmethod, staticmethod)):
                member = member.__func__
            documented = (property, cached_property)
            if not name.startswith("_") and (
                inspect.isfunction(member) or isinstance(member, documented)
            ):
                yield f"{prefix}.{name}", member


def core() -> dict[str, Any]:
    values = {f"rf.{name}": getattr(rf, name) for name in rf.__all__ if name != "__version__"}
    values |= {"UnitCube": UnitCube, "Translated": view.Translated}
    return {name: v for prefix, value in values.items() for name, v in named(prefix, value)}


def adapters() -> list[str]:
    import ringfence.adapters as package

    return sorted({m.name for m in pkgutil.iter_modules(package.__path__)} - SHARED)


def of_adapter(tool: str) -> dict[str, Any]:
    """The public names of an adapter; its test is skipped if the tool is not installed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            module = import_module(f"ringfence.adapters.{tool}")
            late = {name: getattr(module, name) for name in getattr(module, "__all__", ())}
        except ImportError as error:
            pytest.skip(str(error))
    public = {
        name: value
        for name, value in {**vars(module), **late}.items()
        if not name.startswith("_")
        and (inspect.isfunction(value) or inspect.isclass(value))
        and value.__module__.startswith(module.__name__)
    }
    return {n: v for name, value in public.items() for n, v in named(f"{tool}.{name}", value)}


def text_of(value: Any) -> str:
    return inspect.cleandoc(value.__doc__ or "")


def section(text: str, title: str) -> str:
    """What stands below `Args:` and the like."""
    found = re.search(rf"^{title}:\n((?:[ ]{{4}}.*\n|\n)*)", text + "\n", flags=re.MULTILINE)
    return found[1] if found else ""


def parameters(value: Any) -> set[str]:
    """What a user may pass."""
    if isinstance(value, (property, cached_property)):
        return set()
    if inspect.isclass(value):
        if issubclass(value, Exception) or value.__name__ in OF_THE_TOOL:
            return set()
        value = value.__init__ if "__init__" in vars(value) else value
    return set(inspect.signature(value).parameters) - {"self", "cls"}


def fields_with_words(value: Any) -> set[str]:
    """The fields of a class that have a line of their own below them in the source."""
    if not inspect.isclass(value):
        return set()
    source = inspect.getsource(value)
    return set(re.findall(r'^    (\w+): .*\n    """', source, flags=re.MULTILINE))


def shown_elsewhere(value: Any) -> bool:
    """Attributes are shown in the example of their class, errors in that of their base."""
    if inspect.isclass(value):
        return issubclass(value, RingfenceError) and value is not RingfenceError
    return isinstance(value, (property, cached_property))


def gaps(name: str, value: Any) -> list[str]:
    """What is missing from the documentation of a public name."""
    text = text_of(value)
    if not text:
        return [f"{name}: no docstring"]
    found = []
    if not re.match(r"[A-Z`'0-9].*", text) or not re.search(r"[.:]$", text.split("\n\n")[0]):
        found.append(f"{name}: the first sentence")
    told = set(re.findall(r"^ {4}\**(\w+)(?: \(.*\))?:", section(text, "Args"), flags=re.MULTILINE))
    told_or_shown = told | fields_with_words(value)
    wanted = parameters(value)
    found += [f"{name}: parameter {p}" for p in sorted(wanted - told_or_shown)]
    found += [f"{name}: there is no parameter {p}" for p in sorted(told - wanted)]
    if not (section(text, "Examples") or shown_elsewhere(value)):
        found.append(f"{name}: no example")
    return found


def run_example(name: str, value: Any) -> None:
    """The example of a public name, as a doctest that knows nothing."""
    if name in NEEDS and find_spec(NEEDS[name]) is None:
        return
    example = doctest.DocTestParser().get_doctest(text_of(value), {}, name, None, 0)
    said: list[str] = []
    doctest.DocTestRunner(optionflags=OPTIONS).run(example, out=said.append)
    assert not said, "".join(said)


CORE = core()
EXAMPLES = [name for name, value in CORE.items() if ">>>" in text_of(value)]


def test_every_public_name_is_documented():
    assert [gap for name, value in CORE.items() for gap in gaps(name, value)] == []


@pytest.mark.parametrize("tool", adapters())
def test_every_name_of_an_adapter_is_documented(tool):
    assert [gap for name, value in of_adapter(tool).items() for gap in gaps(name, value)] == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_of_a_name_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_example(name, CORE[name])


@pytest.mark.filterwarnings("default")  # of the tools
@pytest.mark.parametrize("tool", adapters())
def test_the_examples_of_an_adapter_run(tool, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, value in of_adapter(tool).items():
        run_example(name, value)


def test_errors_are_documented_with_what_they_are():
    kinds = [v for v in CORE.values() if inspect.isclass(v) and issubclass(v, Exception)]
    assert RingfenceError in kinds
    assert all(len(text_of(kind).split()) >= 5 for kind in kinds)


def test_a_gap_is_noticed():
    def good(n: int) -> int:
        """One more.

        Args:
            n: a number.

        Examples:
            >>> 1 + 1
            2
        """
        return n + 1

    assert gaps("good", good) == []
    good.__doc__ = text_of(good).replace("n: a", "m: a")
    assert gaps("good", good) == ["good: parameter n", "good: there is no parameter m"]
    good.__doc__ = "One more."
    assert gaps("good", good) == ["good: parameter n", "good: no example"]
