"""What may be tuned: parameters, conditions, and their coordinates."""

from ringfence.space.axes import Axis
from ringfence.space.conditions import Condition
from ringfence.space.encoding import Encoding, axis_of, value_of
from ringfence.space.files import read_space, space_from, write_space
from ringfence.space.parameters import (
    Categorical,
    Choice,
    Constant,
    Float,
    Int,
    Parameter,
    choice_key,
)
from ringfence.space.space import Config, Space, allows

__all__ = [
    "Axis",
    "Categorical",
    "Choice",
    "Condition",
    "Config",
    "Constant",
    "Encoding",
    "Float",
    "Int",
    "Parameter",
    "Space",
    "allows",
    "axis_of",
    "choice_key",
    "read_space",
    "space_from",
    "value_of",
    "write_space",
]
