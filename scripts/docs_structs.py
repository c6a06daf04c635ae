"""An extension of griffe, which reads the source for the reference: the fields of a msgspec.Struct
are the parameters of its constructor, as those of a dataclass are."""

from __future__ import annotations

from typing import Any

from griffe import Attribute, Class, Extension, Function, Parameter, ParameterKind, Parameters


class Structs(Extension):
    """Give every Struct the constructor that msgspec gives it."""

    def on_class_members(self, *, cls: Class, **_: Any) -> None:
        """Add `__init__`, once the fields of the class are known."""
        if not any(str(base) == "msgspec.Struct" for base in cls.bases):
            return
        fields = [
            member
            for member in cls.members.values()
            if isinstance(member, Attribute)
            and member.annotation
            and not member.labels & NOT_STORED
        ]
        parameters = Parameters(
            *(
                Parameter(
                    field.name,
                    annotation=field.annotation,
                    kind=ParameterKind.positional_or_keyword,
                    default=field.value,
                )
                for field in fields
            )
        )
        cls.set_member("__init__", Function("__init__", parameters=parameters, parent=cls))


NOT_STORED = {"property", "cached"}
"""Labels of attributes that are computed."""
