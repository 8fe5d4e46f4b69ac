from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any

import dash
import pytest
from dash._utils import to_json
from dash.development.base_component import Component
from plotly.offline import get_plotlyjs_version

from dashboard.address import ids
from dashboard.address.view import View
from dashboard.pages.clusters import page as clusters
from dashboard.pages.compare import page as compare
from dashboard.pages.decide import page as decide
from dashboard.pages.finance import page as finance
from dashboard.pages.overview import page as overview
from dashboard.pages.rates import page as rates
from dashboard.pages.runs import page as runs
from dashboard.pages.source import page as source
from dashboard.pages.trust import page as trust
from dashboard.pages.workload import page as workload
from dashboard.pages.workload import queries as workload_queries
from dashboard.server import shell
from dashboard.server.document import ASSETS
from dashboard.server.page_list import is_page
from dashboard.snapshot.context import DataContext
from dashboard.widgets.serialisation import to_plain
from dashboard.wording.explanations import EVERY
from dashboard.wording.unknown import NO_HOURS
from models.config.settings import Settings
from models.engine.warehouse.reader import Reader
from models.raw.pulls.feed_states import FeedState
from tests.dashboard.conftest import World
from tests.support.dashboard import world
from tests.support.dashboard.days import Row
from tests.support.dashboard.server import tab_within
from tests.support.dashboard.text import text

PATHS = (
    "/",
    "/finance",
    *(f"/workload/{w.name}" for w in world.WORKLOADS),
    "/nowhere",
    "/source/gpu-baseline?workload=orion-13b",
    "/source/unheard-of",
    "/workload/unheard-of",
)


def components(tree: Any) -> Iterator[Component]:  # noqa: ANN401  # children may be anything
    if isinstance(tree, Component):
        yield tree
        yield from components(getattr(tree, "children", None))
    elif isinstance(tree, list | tuple):
        for child in tree:
            yield from components(child)


def spelled(identity: object) -> str:
    """One spelling of an id, in the layout and in the callbacks."""
    return json.dumps(identity, sort_keys=True) if isinstance(identity, dict) else str(identity)


def controls(component: Component) -> bool:
    return isinstance(getattr(component, "id", None), dict)


def callbacks(app: dash.Dash) -> list[dict[str, Any]]:
    found = app.server.test_client().get("/_dash-dependencies").get_json()
    return [entry for entry in found if "_pages" not in entry["output"]]


def outputs(entry: dict[str, Any]) -> list[str]:
    """What a callback writes; one that only touches the address writes nothing."""
    return [] if entry.get("no_output") else entry["output"].strip(".").split("...")


def trees(app: dash.Dash) -> list[Component]:
    return [
        app.layout(),
        overview.layout(),
        workload.layout("orion-13b"),
        compare.layout(),
        runs.layout(),
        finance.layout(),
        clusters.layout(),
        rates.layout(),
        decide.layout(),
        trust.layout(),
        source.layout("untagged-spend"),
    ]


def test_what_is_sent_plain_is_what_dash_would_send(app: dash.Dash, serving: World) -> None:
    for tree in trees(app):
        assert json.loads(to_json(to_plain(tree))) == json.loads(to_json(tree))


def test_every_callback_refers_to_something_on_a_page(app: dash.Dash, serving: World) -> None:
    every = [each for tree in trees(app) for each in components(tree)]
    known = {spelled(each.id) for each in every if getattr(each, "id", None)}
    for entry in callbacks(app):
        used = [part["id"] for part in entry["inputs"] + entry["state"]]
        used += [part.rsplit(".", 1)[0] for part in outputs(entry)]
        for identity in used:
            if "ALL" not in identity:
                decoded = json.loads(identity) if identity.startswith("{") else identity
                assert spelled(decoded) in known, identity


def test_what_one_page_listens_to_stands_on_that_page(app: dash.Dash) -> None:
    """Dash raises in the browser where one of a callback's pages is not there."""
    for entry in callbacks(app):
        named = [json.loads(part["id"]) for part in entry["inputs"] if "{" in part["id"]]
        pages = {str(identity["page"]) for identity in named}
        heard = [part["id"] for part in entry["inputs"]]
        assert len(pages) <= 1, entry["output"]
        assert not (named and ids.SNAPSHOT in heard), entry["output"]


def test_no_output_has_two_writers(app: dash.Dash) -> None:
    written = [part for entry in callbacks(app) for part in outputs(entry)]
    assert len(written) == len(set(written))


def test_a_server_without_the_deliveries_says_so(app: dash.Dash, serving: World) -> None:
    """Of a snapshot that was copied elsewhere, or a raw zone that was cleared."""
    shown = source.draw_rows("untagged-spend", View(), {})
    assert "The deliveries are not here" in text(shown)
    told = text(source.draw_explanation("untagged-spend", View()))
    assert "Untagged, $" in told
    assert "Leaves out" in told


@pytest.mark.parametrize("path", PATHS)
def test_every_page_renders_and_serialises(app: dash.Dash, serving: World, path: str) -> None:
    there = 404 if path == "/nowhere" or path.endswith("/unheard-of") else 200
    assert app.server.test_client().get(path).status_code == there
    name = path.removeprefix("/workload/")
    tree = workload.layout(name) if path.startswith("/workload/") else overview.layout()
    assert json.loads(to_json(tree))


def test_filters_in_the_address_reach_the_page(serving: World) -> None:
    shown = workload.layout("atlas-7b", axis="hours", period="week", **{"from": "2026-09-01"})
    found = {spelled(c.id): c for c in components(shown) if controls(c)}
    assert found[spelled(ids.WORKLOAD_AXIS)].value == "hours"
    assert found[spelled(ids.WORKLOAD_PERIOD)].value == "week"
    days = found[spelled(ids.WORKLOAD_DAYS)]
    assert (days.start_date, days.end_date) == ("2026-09-01", None)


def test_an_unknown_workload_gets_a_clear_page(serving: World) -> None:
    assert "No workload is called <b>x</b>" in text(workload.layout("%3Cb%3Ex%3C%2Fb%3E"))


def test_a_callback_draws_what_the_page_draws(serving: World) -> None:
    drawn = workload.redraw_loss("", "", "hours", "000001", "atlas-7b")
    assert "Training loss of each run against machine-hours." in to_json(drawn)


def test_runs_that_nothing_was_billed_for_say_so(
    serving: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unbilled(name: str) -> Callable[..., list[Row]]:
        found: Callable[..., list[Row]] = getattr(workload_queries, name)
        nothing = dict.fromkeys(("cost", "cost_so_far", "hours_so_far", "clock_so_far"), Decimal(0))
        return lambda *args: [row | nothing | {"hardware": None} for row in found(*args)]

    for name in ("loss", "spending"):
        monkeypatch.setattr(workload_queries, name, unbilled(name))
    page = text(workload.layout("atlas-7b"))
    assert f"No cost or hours to draw the loss against {NO_HOURS}" in page
    assert f"No cost is known {NO_HOURS}" in page


def test_before_the_first_build_pages_say_so(
    app: dash.Dash, serving: World, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    door = app.server.extensions["breakeven"]
    never = (FeedState("focus"),)
    empty = type(door)(Reader(settings.data / "elsewhere"), {}, every_feed=lambda: never)
    monkeypatch.setitem(app.server.extensions, "breakeven", empty)
    assert "never pulled" not in text(shell.shell())  # the page lists what is still to be pulled
    assert "Nothing is published yet." in text(overview.layout())
    assert "Nothing is published yet." in text(workload.layout("atlas-7b"))


def test_a_damaged_pointer_is_no_broken_page(
    app: dash.Dash, serving: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "current.json").write_text("{bad")
    monkeypatch.setitem(app.server.extensions, "breakeven", DataContext(Reader(tmp_path), {}))
    answer = app.server.test_client().get("/readyz")
    assert answer.status_code == 503
    assert "`breakeven build` writes it anew" in answer.get_json()["status"]
    assert "Nothing published yet" in text(shell.shell())
    layouts = {page["path"]: page["layout"] for page in dash.page_registry.values()}
    for path in ("/", "/compare", "/runs", "/clusters", "/rates", "/decide", "/trust", "/finance"):
        told = text(layouts[path]())
        assert "`breakeven build` writes it anew" in told
        assert "Nothing is published yet." not in told


def test_the_sql_behind_a_number_is_served_as_text(app: dash.Dash, serving: World) -> None:
    client = app.server.test_client()
    answer = client.get("/sql/runs")
    assert answer.get_data(as_text=True) == "SELECT *\nFROM runs"
    assert answer.mimetype == "text/plain"
    assert client.get("/sql/passwords").status_code == 404


def test_every_mart_that_a_page_names_has_its_sql(app: dash.Dash, serving: World) -> None:
    pages = (import_module(page["module"]) for page in dash.page_registry.values())
    named = {mart for page in pages for mart in getattr(page, "MARTS", ())}
    named.update(mart for of in EVERY for mart in of.marts)
    client = app.server.test_client()
    assert {"all_savings_daily", "left_out_and_flagged", "gpu_volume"} <= named
    assert [mart for mart in sorted(named) if client.get(f"/sql/{mart}").status_code != 200] == []


def test_responses_are_compressed_and_assets_kept(app: dash.Dash, serving: World) -> None:
    client = app.server.test_client()
    page = client.get("/", headers={"Accept-Encoding": "gzip"})
    assert page.headers["Content-Encoding"] == "gzip"
    with client.get("/assets/plotly-basic.min.js") as asset:
        assert asset.headers["Cache-Control"] == "public, max-age=31536000"


def test_the_basic_bundle_is_of_the_plotly_that_is_installed() -> None:
    head = (ASSETS / "plotly-basic.min.js").read_text(encoding="utf-8")[:80]
    assert f"v{get_plotlyjs_version()}" in head


def test_the_document_points_plotly_at_the_basic_bundle(app: dash.Dash, serving: World) -> None:
    document = app.server.test_client().get("/").get_data(as_text=True)
    assert document.count("plotly-basic.min.js") == 1
    assert 'rel="preload"' in document


def test_what_was_asked_of_a_snapshot_is_answered_again_until_there_is_another(
    app: dash.Dash, serving: World
) -> None:
    client = tab_within(app.server)
    body = {
        "output": "overview-curve.children",
        "outputs": {"id": ids.OVERVIEW_CURVE, "property": "children"},
        "inputs": [
            {"id": ids.OVERVIEW_DAYS, "property": "start_date", "value": None},
            {"id": ids.OVERVIEW_DAYS, "property": "end_date", "value": None},
            {"id": ids.OVERVIEW_SHOWN, "property": "value", "value": "net"},
            {"id": ids.OVERVIEW_NEW_SNAPSHOT, "property": "data", "value": "x"},
        ],
        "changedPropIds": [],
        "state": [],
    }
    asked: list[str] = []
    reader = app.server.extensions["breakeven"].reader
    answered = reader._rows
    reader._rows = lambda sql, *given: asked.append(sql) or answered(sql, *given)
    first, again = (client.post("/_dash-update-component", json=body) for _ in range(2))
    reader._rows = answered
    assert first.data == again.data
    assert len(asked) == len(set(asked)) > 0


def test_an_address_that_no_page_has_is_answered_by_a_page_of_ours(
    app: dash.Dash, serving: World
) -> None:
    client = tab_within(app.server)
    every = client.get("/_dash-dependencies").get_json()
    content = next(entry for entry in every if "_pages_content" in entry["output"])
    outputs = [
        dict(zip(("id", "property"), part.rsplit(".", 1), strict=True))
        for part in content["output"].strip(".").split("...")
    ]
    given = {"pathname": "/nowhere", "search": ""}
    inputs = [each | {"value": given[each["property"]]} for each in content["inputs"]]
    body = {"output": content["output"], "outputs": outputs, "inputs": inputs, "state": []}
    answer = client.post("/_dash-update-component", json=body | {"changedPropIds": []})
    assert "There is no page at this address" in answer.get_data(as_text=True)


def test_a_percent_sign_in_the_name_of_a_workload_is_part_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workload, "exists", lambda name: name == "half-50%20")
    assert is_page("/workload/half-50%20")
