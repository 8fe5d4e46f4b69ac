"""Describes, in terms of TOML and not of Python, what is wrong with a config value."""

from __future__ import annotations

from pydantic_core import ErrorDetails

TEXT, NUMBER = "Input should be text, in quotes", "Input should be a number"
TABLE, LIST = "Input should be a table", "Input should be a list: [ … ]"
DAY, TIME = "write a day as 2026-10-31", "write a time as 2026-03-01T11:30:00Z"
EMPTY, YES_OR_NO = "Input should not be empty", "Input should be true or false"
FORMS = {
    **dict.fromkeys(("string_type", "path_type"), TEXT),
    **dict.fromkeys(("decimal_type", "float_type", "int_type"), NUMBER),
    **dict.fromkeys(("decimal_parsing", "float_parsing", "int_parsing"), NUMBER),
    "int_from_float": "Input should be a whole number",
    **dict.fromkeys(("bool_type", "bool_parsing"), YES_OR_NO),
    **dict.fromkeys(("dict_type", "model_type"), TABLE),
    "tuple_type": LIST,
    "too_short": EMPTY,
    **dict.fromkeys(("date_type", "date_parsing", "date_from_datetime_inexact"), DAY),
    "date_from_datetime_parsing": DAY,
    **dict.fromkeys(("datetime_type", "datetime_parsing", "datetime_from_date_parsing"), TIME),
}
"""Kinds of pydantic's errors whose own text is about Python, and what stands in its place."""


def problem(fault: ErrorDetails) -> str:
    """Converts a pydantic error on a config value to words: which form the value must have.

    Where a table and a list of tables are mixed up it says which brackets to write: `[workloads]`
    in the file is one table, and `[[workloads]]` begins each of several.
    """
    loc, given, kind = fault["loc"], fault["input"], fault["type"]
    if len(loc) == 1 and kind == "tuple_type" and isinstance(given, dict):
        return f"write [[{loc[0]}]], with two brackets, before each entry"
    if len(loc) == 1 and kind == "model_type" and isinstance(given, list):
        return f"write [{loc[0]}], with one bracket, once"
    return FORMS.get(kind, fault["msg"].removeprefix("Value error, "))
