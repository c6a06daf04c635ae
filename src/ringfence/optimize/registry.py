"""The optimizers by name, and methods of the user's own."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from ringfence.errors import SettingError
from ringfence.optimize import methods
from ringfence.optimize.method import BaseMethod


def names() -> tuple[str, ...]:
    """The names of all optimizers."""
    return tuple(sorted(module.name.replace("_", "-") for module in iter_modules(methods.__path__)))


def method_class(method: str | type[BaseMethod]) -> type[BaseMethod]:
    """The method behind a name, or the class itself; SettingError if it is neither."""
    if isinstance(method, type) and issubclass(method, BaseMethod):
        return method
    if method not in names():
        raise SettingError(
            f"there is no optimizer {method!r}; choose one of {', '.join(names())}, or pass a "
            "class of your own, derived from ringfence.optimize.BaseMethod"
        )
    module = import_module(f"{methods.__name__}.{method.replace('-', '_')}")
    cls: type[BaseMethod] = module.Method
    return cls


def method_name(method: str | type[BaseMethod]) -> str:
    """The name of a method in messages and files: that of a class says where it is."""
    return method if isinstance(method, str) else f"{method.__module__}:{method.__qualname__}"
