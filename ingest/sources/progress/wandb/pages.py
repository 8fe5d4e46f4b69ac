"""Defines a page of a list in W&B's answers."""

# ruff: noqa: N815 - named as in W&B's schema
from __future__ import annotations

from typing import Any

from pydantic import BaseModel


class Edge(BaseModel):
    """An item of a W&B list, and the cursor from which the next page is requested."""

    node: dict[str, Any]
    cursor: str | None = None


class PageInfo(BaseModel):
    """Whether a W&B list has a next page."""

    hasNextPage: bool | None = None


class Page(BaseModel):
    """A page of a W&B list: its items, and whether more follow."""

    edges: list[Edge] | None = None
    pageInfo: PageInfo | None = None

    @property
    def next_cursor(self) -> str | None:
        """The cursor from which the next page is requested; None on the last page."""
        more = self.edges and self.pageInfo and self.pageInfo.hasNextPage
        return self.edges[-1].cursor if self.edges and more else None
