"""Tells how far the way to a first published number has come: sources, checks, pulls, build."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from dashboard.snapshot.context import data_context
from dashboard.wording.format import day
from dashboard.wording.setup_steps import SetupStep
from models.config.settings import Settings
from models.engine.build_record import read_build_record
from models.raw.pulls.feed_states import SHIPPED_SOURCE, FeedState


def setup_steps() -> list[SetupStep]:
    """Lists the steps to a first number with their state; empty if not all workloads are seen."""
    context = data_context()
    if not context.scope.everything:
        return []
    feeds = [feed for feed in context.feeds() if feed.source != SHIPPED_SOURCE]
    settings, found = context.settings, context.checks_and_cost
    return [_sources(settings), *found, *map(_pull, feeds), _build(settings, feeds)]


def _sources(settings: Settings) -> SetupStep:
    names = ", ".join(entry.label for entry in settings.sources)
    if names:
        return SetupStep("Sources in the config", "done", names)
    return SetupStep("Sources in the config", "open", "none yet: run `breakeven init`")


def _pull(feed: FeedState) -> SetupStep:
    title = f"Pull {feed.source}"
    if feed.last_error:
        return SetupStep(title, "failed", feed.last_error)
    if feed.last_success:
        return SetupStep(title, "done", _at(feed.last_success))
    return SetupStep(title, "open", "run `breakeven ingest`")


def _build(settings: Settings, feeds: Sequence[FeedState]) -> SetupStep:
    record = read_build_record(settings.data)
    if record.failed:
        when = _at(datetime.fromisoformat(record.last_attempt))
        return SetupStep("Build", "failed", f"{when}: run `breakeven build` to see why")
    waits = any(feed.last_success is None for feed in feeds)
    return SetupStep("Build", "open", "after the pulls" if waits else "run `breakeven build`")


def _at(moment: datetime) -> str:
    return f"{day(moment.date())}, {moment:%H:%M} UTC"
