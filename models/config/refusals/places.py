"""Names where a value is in the config, in words that help to look for it in the file."""

from __future__ import annotations

from collections.abc import Sequence


def place(loc: tuple[int | str, ...]) -> str:
    """Formats where a config value is, for an error message: `[[investments]] no. 2: days`.

    Examples: the key `days` of the second `[[investments]]` is `[[investments]] no. 2: days`, the
    first of `organization.regions` is `organization.regions, no. 1`.
    """
    match loc:
        case (str(table), int(position), *within):
            entry = f"[[{table}]] no. {position + 1}"
            return f"{entry}: {_joined(within)}" if within else entry
        case _:
            return _joined(loc)


def _joined(loc: Sequence[int | str]) -> str:
    words = (f".{part}" if isinstance(part, str) else f", no. {part + 1}" for part in loc)
    return "".join(words).removeprefix(".")
