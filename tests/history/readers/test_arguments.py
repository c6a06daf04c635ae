"""What a reader is told is used, or refused: never ignored."""

from __future__ import annotations

import pytest

from ringfence import HistoryError, read_history
from ringfence.history.example import EXAMPLES, unpack_example


@pytest.mark.parametrize("argument", ["task", "objective", "budget", "status", "ignore", "decimal"])
@pytest.mark.parametrize("name", [name for name in EXAMPLES if name != "openml"])
def test_an_argument_is_used_or_refused(name, argument, tmp_path):
    """A name that leads nowhere, and a notation where numbers are numbers already."""
    entry = EXAMPLES[name]
    arguments = {"objective": entry.objective, "format": entry.format}
    arguments[argument] = "comma" if argument == "decimal" else "nowhere"
    source = unpack_example(name, tmp_path / "example")
    if argument == "decimal" and name in ("csv", "wandb"):  # text, where it may be needed
        assert len(read_history(source, **arguments))
        return
    with pytest.raises(HistoryError) as caught:
        read_history(source, **arguments)
    assert "\n" not in str(caught.value)
    assert "nowhere" in str(caught.value) or argument in str(caught.value)
