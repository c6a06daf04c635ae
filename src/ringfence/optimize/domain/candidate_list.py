"""Listed: configurations checked and turned into rows once, for many searches of one list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ringfence.arrays import FloatArray
from ringfence.errors import SettingError
from ringfence.learned.full import full_space
from ringfence.optimize.domain.layout import Layout
from ringfence.space import Config, Space


@dataclass(frozen=True, eq=False)
class Listed:
    """Configurations of `space`; SpaceError where one of them is not."""

    space: Space
    configs: tuple[Config, ...]
    rows: FloatArray
    """As `Layout.encode` gives them."""

    def __iter__(self) -> Iterator[Config]:
        return iter(self.configs)

    def __len__(self) -> int:
        return len(self.configs)


def listed(space: Space, configs: Iterable[Mapping[str, Any]]) -> Listed:
    """The configurations, checked; handed on as they are where that was done for this space."""
    if isinstance(configs, Listed) and configs.space == space:
        return configs
    copies = tuple(dict(config) for config in configs)
    if not copies:
        raise SettingError("the list of candidates is empty")
    for config in copies:
        space.check(config)
    return Listed(space, copies, Layout(full_space(space)).encode(copies))
