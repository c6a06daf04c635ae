"""scikit-learn: draws from a learned space for its randomized searches, and a search that learns.

`param_list` needs no scikit-learn; `LearnedSearchCV` is imported when first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ringfence.adapters.sklearn.draws import arguments, param_list

if TYPE_CHECKING:
    from ringfence.adapters.sklearn.search import LearnedSearchCV

__all__ = ["LearnedSearchCV", "arguments", "param_list"]


def __getattr__(name: str) -> Any:
    if name == "LearnedSearchCV":
        from ringfence.adapters.sklearn.search import LearnedSearchCV

        return LearnedSearchCV
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
