"""Where the parameters of a space are in an estimator: `C` may be `svc__C` of a pipeline."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ringfence.errors import SettingError
from ringfence.words import some


def prefix_of(parameters: Iterable[str], names: Collection[str]) -> str:
    """What leads to the one step that has all of these names: "svc__", or "" for the estimator
    itself.

    Args:
        parameters: what `estimator.get_params()` has, nested ones included.
        names: those of the space.

    Raises:
        SettingError: no step has them all, or several do.
    """
    known = set(parameters)
    if known.issuperset(names):
        return ""
    steps = sorted({name[: name.rindex("__") + 2] for name in known if "__" in name})
    fitting = [step for step in steps if known.issuperset(step + name for name in names)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise SettingError(
            f"several steps have all parameters of the space: {some(fitting)}; "
            f"call them '{fitting[0]}{min(names)}' and so on in the space"
        )
    nearest = max(["", *steps], key=lambda step: sum(step + name in known for name in names))
    missing = [name for name in names if nearest + name not in known]
    whose = f"step {nearest.removesuffix('__')!r}" if nearest else "the estimator"
    raise SettingError(
        f"no step of the estimator has all parameters of the space; {whose} has no "
        f"{some([repr(name) for name in missing])}"
    )
