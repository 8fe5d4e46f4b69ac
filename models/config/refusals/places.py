"""Names the place of a value in the config as somebody who looks for it in the file counts."""

from __future__ import annotations

from collections.abc import Sequence


def place(loc: tuple[int | str, ...]) -> str:
    """Names where a value stands, given its keys and its positions in lists, which begin at 0.

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
