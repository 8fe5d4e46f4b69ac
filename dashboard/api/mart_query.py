"""Turns the parameters of a request into SQL on a mart, in the order of the exports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from pydantic import BaseModel

from dashboard.api.columns import DAYS, filters

Parameters = dict[str, object]
BOUNDS = {"since": ">=", "until": "<="}


@dataclass(frozen=True)
class MartQuery:
    """A request for rows of a mart: the mart, its columns with types, and the query parameters."""

    mart: str
    columns: Mapping[str, str]
    given: BaseModel

    @property
    def fields(self) -> list[str]:
        """Returns the names of the columns that a request asks for; empty means all."""
        return list(self._value("fields"))

    @property
    def limit(self) -> int:
        """Returns how many rows a page has at most."""
        return int(self._value("limit"))

    @property
    def cursor(self) -> str | None:
        """Returns the request's page cursor, which says where its page begins, or None."""
        cursor: str | None = self._value("cursor")
        return cursor

    @property
    def needed(self) -> set[str]:
        """Returns the names of the columns that a request selects or filters by, except days."""
        return {*self.fields, *(name for name in filters(self.columns) if self._value(name))}

    @property
    def digest(self) -> str:
        """Returns a digest of mart, filters and columns, the same for each page of a request."""
        read = self.given.model_dump_json(exclude={"limit", "cursor"})
        return sha256(f"{self.mart} {read}".encode()).hexdigest()[:16]

    def sql(self, held: Sequence[str], offset: int) -> tuple[str, Parameters]:
        """Returns the SQL, with its parameters, that reads a page of rows and one more row.

        `held` are the columns that the snapshot has. As in the exports, rows are sorted by all of
        them.
        """
        conditions, parameters = ["TRUE"], Parameters(rows=self.limit + 1, skipped=offset)
        for condition, bound in (*self._filters(), *self._days()):
            conditions.append(condition)
            parameters |= bound
        chosen, order = (", ".join(map(_quoted, names)) for names in (self.fields or held, held))
        return (
            f"SELECT {chosen} FROM {_quoted(self.mart)} WHERE {' AND '.join(conditions)} "
            f"ORDER BY {order} LIMIT $rows OFFSET $skipped",
            parameters,
        )

    def _filters(self) -> Iterator[tuple[str, Parameters]]:
        for number, (column, dtype) in enumerate(filters(self.columns).items()):
            values = self._value(column)
            if values:
                known: list[object] = [value for value in values if value]
                if dtype == "boolean":
                    known = [value == "true" for value in known]
                null = f" OR {_quoted(column)} IS NULL" if "" in values else ""
                name = f"filter{number}"
                yield f"(list_contains(${name}, {_quoted(column)}){null})", {name: known}

    def _days(self) -> Iterator[tuple[str, Parameters]]:
        for name, compared in BOUNDS.items():
            day = self._value(name) if self.mart in DAYS else None
            if day is not None:
                column = DAYS[self.mart]
                if self.columns[column] == "string":
                    yield f"{_quoted(column)} {compared} ${name}", {name: day.isoformat()[:7]}
                else:
                    yield f"CAST({_quoted(column)} AS DATE) {compared} ${name}", {name: day}

    def _value(self, name: str) -> Any:  # noqa: ANN401 - of whichever parameter
        return getattr(self.given, name)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
