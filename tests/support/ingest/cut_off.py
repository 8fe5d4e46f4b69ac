"""A DuckDB connection of a process that ends before one of its statements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from ibis.backends.duckdb import Backend


class CutOff:
    """Passes statements on to DuckDB, until the first that begins as `before` says."""

    def __init__(self, con: Any, before: str) -> None:  # noqa: ANN401 - as DuckDB's
        self._con, self._before = con, before

    def execute(self, statement: Any, *given: Any) -> Any:  # noqa: ANN401 - as DuckDB's
        """As DuckDB's."""
        text = statement if isinstance(statement, str) else statement.query
        if text.strip().startswith(self._before):
            raise KeyboardInterrupt
        return self._con.execute(statement, *given)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - as DuckDB's
        return getattr(self._con, name)


def cut_off(backend: Backend, step: Callable[[], object], before: str) -> None:
    """Ends a step before its first statement that begins with a text, as if it was killed."""
    whole = backend.con
    backend.con = CutOff(whole, before)
    with pytest.raises(KeyboardInterrupt):
        step()
    backend.con = whole
