"""Which lines a CSV has where its page has rows, and where it has none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date

import pytest
from flask import Flask

from dashboard.address.view import View
from dashboard.server import downloads

LONG_AGO = date(1999, 1, 1)


@pytest.mark.parametrize(
    "lines",
    [downloads.runs, downloads.groups, downloads.compare, downloads.rates, downloads.tie_out],
)
def test_a_file_without_rows_has_the_header_of_one_with_rows(
    server: Flask, lines: Callable[[View], downloads.Lines]
) -> None:
    view = View(group="hardware")
    header, *rows = lines(view)
    assert rows
    assert list(lines(replace(view, start=LONG_AGO, end=LONG_AGO))) == [header]


def test_runs_that_are_not_grouped_are_no_groups(server: Flask) -> None:
    assert downloads.groups(View()) == []


@pytest.mark.parametrize("sort", ["region:asc", "account:desc", "nonsense:asc"])
def test_runs_cannot_be_sorted_by_what_their_charges_may_differ_in(
    server: Flask, sort: str
) -> None:
    assert list(downloads.runs(View(sort=sort))) == list(downloads.runs(View()))
