"""Before the first build every page says how far the way to it has come."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from dash import html
from dash.development.base_component import Component
from flask import Flask

from dashboard.snapshot.context import EXTENSION, DataContext, data_context
from dashboard.snapshot.unpublished import once_published
from dashboard.widgets.page_states import nothing_published
from models.access.acting import Actor, acting
from models.access.person import Grant, Person
from models.config.loading import validated_settings
from models.engine.build_record import FILE
from models.engine.warehouse.reader import Reader
from models.raw.pulls.feed_states import FeedState
from tests.support.dashboard.text import text

SOURCES = [{"kind": "focus", "location": "bill"}, {"kind": "progress_file", "location": "p.csv"}]
PULLED = FeedState("focus", "bill", last_success=datetime(2026, 9, 3, 5, 7, tzinfo=UTC))
NEVER = FeedState("progress_file")
SHIPPED = FeedState("prices", last_success=PULLED.last_success)
REFUSED = FeedState("progress_file", last_error="p.csv: no such file")


@once_published(nothing_published)
def page() -> Component | None:
    """A page that reads the snapshot."""
    return html.P(str(data_context().rows("SELECT 1", {})))


def drawn(folder: Path, *feeds: FeedState) -> str:
    settings = validated_settings({"sources": SOURCES}, home=folder)
    reader, app = Reader(settings.data / "snapshots"), Flask("unpublished")
    app.extensions[EXTENSION] = DataContext(reader, {}, settings=settings, every_feed=lambda: feeds)
    with app.test_request_context():
        return text(page())


def test_it_says_what_is_done_and_what_to_run(tmp_path: Path) -> None:
    told = drawn(tmp_path, PULLED, NEVER, SHIPPED)
    assert "Sources in the config Done focus, progress_file" in told
    assert "Pull focus Done 3 Sep 2026, 05:07 UTC" in told
    assert "Pull progress_file To do run breakeven ingest" in told
    assert "Build To do after the pulls" in told
    assert "Pull prices" not in told


def test_it_says_what_failed(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    failed = {"last_attempt": "2026-09-03T06:00:00+00:00", "failed": True}
    (tmp_path / "data" / FILE).write_text(json.dumps(failed))
    told = drawn(tmp_path, PULLED, REFUSED)
    assert "Pull progress_file Failed p.csv: no such file" in told
    assert "Build Failed 3 Sep 2026, 06:00 UTC: run breakeven build to see why" in told


def test_a_reader_of_some_workloads_is_told_nothing_of_the_company(tmp_path: Path) -> None:
    own = Person("ada", (Grant("viewer", ("atlas-*",)),))
    with acting(Actor(own, "10.0.0.1")):
        told = drawn(tmp_path, PULLED, REFUSED)
    assert "Nothing is published yet." in told
    assert "focus" not in told
