"""CandidateList: configurations that are checked and turned into rows once, for many searches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ringfence.arrays import FloatArray
from ringfence.errors import SettingError, SpaceError
from ringfence.learned.full import full_space
from ringfence.optimize.domain.layout import Layout
from ringfence.space import Config, Space
from ringfence.space.parameters import unbox


@dataclass(frozen=True, eq=False)
class CandidateList:
    """Configurations of `space`, the only ones to be searched."""

    space: Space
    configs: tuple[Config, ...]
    rows: FloatArray
    """As `Layout.encode` gives them."""

    @classmethod
    def of(cls, space: Space, configs: Iterable[Mapping[str, Any]]) -> CandidateList:
        """The configurations, or SpaceError if one of them does not belong to the space. A list
        that was checked for this space is returned as it is."""
        if isinstance(configs, CandidateList) and configs.space == space:
            return configs
        copies = tuple(_plain(space, config, n) for n, config in enumerate(configs))
        if not copies:
            raise SettingError("the list of candidates is empty")
        return cls(space, copies, Layout(full_space(space)).encode(copies))

    def __iter__(self) -> Iterator[Config]:
        return iter(self.configs)

    def __len__(self) -> int:
        return len(self.configs)


def _plain(space: Space, config: Mapping[str, Any], number: int) -> Config:
    """The values of the active parameters, as a file can hold them."""
    if not isinstance(config, Mapping):
        raise SettingError(
            f"candidates are configurations, dicts of values by name, and candidate {number} is "
            f"{type(config).__name__}; of a DataFrame pass frame.to_dict('records')"
        )
    try:
        space.check(config)
    except SpaceError as error:
        raise SpaceError(f"candidate {number}: {error}") from error
    active = space.active(config)
    return {name: unbox(value) for name, value in config.items() if name in active}
