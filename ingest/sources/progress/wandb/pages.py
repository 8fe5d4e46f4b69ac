"""Reads a page of a list that W&B answers."""

# ruff: noqa: N815 - named as in W&B's schema
from __future__ import annotations

from typing import Any

from pydantic import BaseModel


class Edge(BaseModel):
    """An item of a list, and the cursor from which the next page is asked for."""

    node: dict[str, Any]
    cursor: str | None = None


class PageInfo(BaseModel):
    """Whether a list has a next page."""

    hasNextPage: bool | None = None


class Page(BaseModel):
    """A page of a list."""

    edges: list[Edge] | None = None
    pageInfo: PageInfo | None = None

    @property
    def next_cursor(self) -> str | None:
        """The cursor of the next page; None on the last."""
        more = self.edges and self.pageInfo and self.pageInfo.hasNextPage
        return self.edges[-1].cursor if self.edges and more else None
