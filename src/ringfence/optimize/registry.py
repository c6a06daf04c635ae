"""The optimizers by name."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from ringfence.errors import SettingError
from ringfence.optimize import methods
from ringfence.optimize.method import BaseMethod


def names() -> tuple[str, ...]:
    """The names of all optimizers."""
    return tuple(sorted(module.name.replace("_", "-") for module in iter_modules(methods.__path__)))


def method_class(name: str) -> type[BaseMethod]:
    """The method behind a name, or SettingError."""
    if name not in names():
        raise SettingError(f"there is no optimizer {name!r}; choose one of {', '.join(names())}")
    module = import_module(f"{methods.__name__}.{name.replace('-', '_')}")
    found: type[BaseMethod] = module.Method
    return found
