"""Drafts are remembered while their snapshot is the current one, and no longer."""

from __future__ import annotations

import gc
import weakref
from typing import Any

from dashboard.pages.finance.month_end import DRAFTS, Drafts


class Made:
    """In place of a statement."""


def test_a_draft_is_made_once_for_a_snapshot_and_dropped_with_it() -> None:
    drafts: Any = Drafts()
    first = drafts.get("one", ("2025-09", "held"), Made)
    assert drafts.get("one", ("2025-09", "held"), Made) is first
    assert drafts.get("one", ("2025-09", "another close"), Made) is not first
    watched = weakref.ref(first)
    del first
    second = drafts.get("two", ("2025-09", "held"), Made)
    gc.collect()
    assert watched() is None
    assert drafts.get("two", ("2025-09", "held"), Made) is second


def test_only_the_last_drafts_are_held() -> None:
    drafts: Any = Drafts()
    watched = weakref.ref(drafts.get("one", ("0", ""), Made))
    for number in range(DRAFTS):
        drafts.get("one", (f"{number + 1}", ""), Made)
    gc.collect()
    assert watched() is None
