"""What a page says of an address that asks for something that does not exist."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.address.view import View
from dashboard.server.page_list import layouts
from dashboard.server.unknown_parameters import ASSUMED, FIELDS, PARAMETERS
from dashboard.snapshot.context import DataContext
from models.contract.errors import StorageError
from tests.dashboard.conftest import World
from tests.support.dashboard.text import text

Query = dict[str, str | list[str]]


def drawn(path: str, query: Query) -> Any:  # noqa: ANN401 - a component, or a plain one
    (layout,) = (layout for _, layout, options in layouts() if options.get("path") == path)
    return layout(**query)


@pytest.mark.parametrize(
    ("path", "query", "said"),
    [
        ("/", {"from": "2026-02-30"}, "“2026-02-30”. Days are shown from the first one on."),
        ("/rates", {"to": "soon"}, "No such day. The address asks for “soon”. Days are shown up"),
        ("/trust", {"tied": "net"}, "No such basis. The address asks for “net”. Billed cost is"),
        ("/compare", {"by": "planet"}, "No such dimension. The address asks for “planet”."),
        ("/compare", {"where": ["hardware=gpu", "planet=mars"]}, "asks for “planet=mars”. Runs"),
        ("/runs", {"group": "region"}, "asks for “region”. Runs are not grouped."),
        ("/runs", {"columns": ["cost", "taste"]}, "No such column. The address asks for “taste”."),
        ("/clusters", {"pool": "moon/base"}, "No such pool. The address asks for “moon/base”."),
        ("/clusters", {"workload": "nobody"}, "“nobody”. No run of it is shown."),
        ("/finance", {"month": "2026-13"}, "No such month. The address asks for “2026-13”. The"),
        ("/finance", {"version": "²"}, "No such version. The address asks for “²”. The newest"),
        (
            "/decide",
            {"runs": "many", "gpu": "0"},
            "No such figure (runs). The address asks for “many”.",
        ),
        ("/decide", {"used": "101"}, "asks for “101”. That of the data is used."),
        ("/decide", {"team": "no", "horizon": "12"}, "No such answer. The address asks for “no”."),
    ],
)
def test_a_value_that_names_nothing_is_said_once(
    serving: World, path: str, query: Query, said: str
) -> None:
    read = text(drawn(path, query))
    assert said in read
    assert read.count("The address asks for") == 1


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/", {"from": "2026-01-01", "to": "", "curve": "months"}),
        ("/compare", {"by": "region", "then": "none", "where": ["hardware=gpu"], "basis": "list"}),
        ("/runs", {"group": "hardware", "columns": ["cost"], "named": "a run that is not there"}),
        ("/decide", {"runs": "1,000.5", "gpu_price": "-20", "arch": "port", "effort": "weeks"}),
        ("/finance", {"month": "2026-09", "against": "1", "from": "carried from another page"}),
    ],
)
def test_what_a_page_shows_or_does_not_read_is_not_remarked(
    serving: World, path: str, query: Query
) -> None:
    assert "The address asks for" not in text(drawn(path, query))


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/clusters", {"pool": "moon/base", "workload": "nobody"}),
        ("/runs", {"where": "planet=mars"}),
        ("/compare", {"by": "planet"}),
    ],
)
def test_nothing_is_called_unknown_while_no_snapshot_can_be_read(
    serving: World, monkeypatch: pytest.MonkeyPatch, path: str, query: Query
) -> None:
    def damaged(*_: object) -> list[object]:
        raise StorageError("cannot read marts.duckdb", value="damaged", remedy="build again")

    monkeypatch.setattr(DataContext, "rows", damaged)
    read = text(drawn(path, query))
    assert "cannot read marts.duckdb" in read
    assert "The address asks for" not in read


def test_a_long_value_is_cut(serving: World) -> None:
    assert f"“{'n' * 60}…”" in text(drawn("/rates", {"period": "n" * 10_000}))


def test_every_parameter_that_a_page_reads_has_its_words() -> None:
    read = {name for _, _, options in layouts() for name in options.get("reads", "").split()}
    assert read == set(PARAMETERS)
    of_pages = {FIELDS.get(name, name) for name in read - set(ASSUMED)}
    assert of_pages <= set(View.__dataclass_fields__)
