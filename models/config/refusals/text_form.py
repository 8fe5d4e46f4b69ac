"""Text fields that must match a pattern, in config and requests, with their error message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema


@dataclass(frozen=True)
class TextForm:
    """The pattern of a text field: a regular expression, and the error message if it fails.

    It stands beside a field's type: `Annotated[str, TextForm(…)]`. A value that does not match is
    refused with the words.
    """

    pattern: str
    words: str

    def __get_pydantic_core_schema__(self, _: Any, __: GetCoreSchemaHandler) -> CoreSchema:  # noqa: ANN401 - a type
        """Returns the pydantic schema of a text matching the pattern, with its error message."""
        text = core_schema.str_schema(pattern=self.pattern)
        return core_schema.custom_error_schema(
            text, custom_error_type="text_form", custom_error_message=self.words
        )


WEB_ADDRESS = TextForm(
    r"^https?://[^@\s]+$",
    "an address that begins with http:// or https://, without user and password",
)
MONTH = TextForm(r"^[0-9]{4}-(0[1-9]|1[0-2])$", "a month, such as 2026-09")
