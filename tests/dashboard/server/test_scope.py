"""Whoever sees some workloads only gets no byte of another's: names, runs, and sums of dollars.

Many requests of many people are drawn against one company's snapshot; all of them share the
server's caches.
"""

from __future__ import annotations

import io
import json
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import urlencode
from zipfile import ZipFile

import dash
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from werkzeug.test import TestResponse

from dashboard.api.columns import DAYS
from dashboard.api.media import ARROW, CSV, JSON, PARQUET
from dashboard.server.empty_scopes import warn_of_empty_scopes
from dashboard.server.identity import gate
from dashboard.server.page_list import PAGES
from dashboard.snapshot import scope_sums
from dashboard.snapshot.context import EXTENSION, attach_data
from dashboard.snapshot.rows_behind.numbers import ROWS_BEHIND
from models.access import acting
from models.access.person import Grant, Person
from models.access.scope import Scope
from models.config.network.access import AccessEntry
from models.contract import schema
from models.engine.warehouse.reader import Reader
from models.engine.warehouse.scoped_views import EVERYONES
from tests.support.access.company import MIXED, RULED, TEAMS, company
from tests.support.dashboard.server import tab_within
from tests.support.world import Marts, World

DRAWS, DRAWN_PEOPLE = 90, 12
EVERY = {**schema.MARTS, **schema.EXPLAINERS}
NONCE = re.compile(r'"end_id":"[^"]*"')
NAMES = (*TEAMS, "team-x-atlas-7b")
ANSWERS = ("/csv/runs", "/csv/run_groups", "/csv/compare", "/csv/pools", "/csv/rates",
           "/csv/tie_out")  # fmt: skip
UNCACHED = "/csv/source/"
"""Streams of the bill, which are of one reader each."""
PEOPLE: tuple[tuple[tuple[Grant, ...], set[str]], ...] = (
    ((Grant("viewer", ("atlas-*",)),), {"atlas-7b", "atlas-vit"}),
    ((Grant("viewer", tag={"team": "nlp"}),), {"atlas-7b"}),
    ((Grant("viewer", tag={"team": "vision"}),), {"atlas-vit", "zircon-moe"}),
    (
        (Grant("viewer", ("zircon-moe",)), Grant("viewer", tag={"team": "nlp"})),
        {"atlas-7b", "zircon-moe"},
    ),
    ((Grant("viewer", ("quasar-13b",)),), {"quasar-13b"}),
    ((Grant("viewer", ("nothing-*",)),), set()),
    ((Grant("admin", ("team-x-*",)),), {"team-x-atlas-7b"}),
)
"""Grants, and what they let a person see: quasar-13b bears its team on some of its hours only."""
As = Callable[[tuple[Grant, ...]], None]
Secrets = Callable[[set[str]], tuple[re.Pattern[str], set[str]]]


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    return company(World(tmp_path_factory.mktemp("company"))).build()


@pytest.fixture(scope="module")
def served(app: dash.Dash, marts: Marts) -> Iterator[dash.Dash]:
    """The app over the company; what it copies for a scope is there for later tests."""
    with pytest.MonkeyPatch.context() as here:
        here.setitem(app.server.extensions, EXTENSION, None)
        attach_data(app.server, marts.settings)
        yield app
        app.server.extensions[EXTENSION].reader.close()


@pytest.fixture
def sign_in(monkeypatch: pytest.MonkeyPatch) -> As:
    def sign_in(grants: tuple[Grant, ...]) -> None:
        for module in (acting, gate):
            monkeypatch.setattr(module, "operator", lambda: Person("ada", grants))

    return sign_in


def is_own(row: dict[str, Any], seen: set[str]) -> bool:
    return row.get("workload") in seen


@pytest.mark.parametrize(("grants", "seen"), PEOPLE)
def test_a_table_holds_the_rows_of_the_scope_and_nothing_of_the_company(
    grants: tuple[Grant, ...], seen: set[str], marts: Marts
) -> None:
    reader, scope = Reader(marts.settings.data / "snapshots"), Person("ada", grants).scope
    for table in EVERY:
        rows = reader.rows(f"SELECT * FROM {table}", (), scope)
        whole = marts.rows(f"SELECT * FROM {table}")
        if table in EVERYONES:
            assert rows == whole
        elif table not in ("accelerator_days", "price_history", "unmatched_runs", "break_even"):
            expected = [row for row in whole if is_own(row, seen)]
            assert sorted(map(str, rows)) == sorted(map(str, expected)), table
        else:
            assert len(rows) <= len(whole)
    (hours,) = reader.rows("SELECT sum(accelerator_hours) AS sum FROM accelerator_days", (), scope)
    (own,) = reader.rows("SELECT sum(accelerator_hours) AS sum FROM spend_daily", (), scope)
    assert hours == own
    reader.close()


def test_a_row_says_nothing_of_other_workloads(marts: Marts) -> None:
    reader = Reader(marts.settings.data / "snapshots")
    sql = "SELECT counterpart_run, tag_rule, cause FROM unmatched_runs WHERE workload = 'atlas-7b'"
    hidden = {"counterpart_run": None, "tag_rule": None, "cause": "never_reported"}
    assert reader.rows(sql, (), Scope(patterns=("atlas-7b",))) == [hidden]
    (shown,) = reader.rows(sql, (), Scope(patterns=("*atlas-7b",)))
    assert (shown["counterpart_run"], shown["cause"]) == ("zr_lost_9", "name_differs")
    reason = "SELECT reason FROM break_even WHERE workload = 'team-x-atlas-7b'"
    said = "no production Trainium run has settled yet"
    assert reader.rows(reason, (), Scope(patterns=("team-*",))) == [{"reason": said}]
    assert reader.rows(reason) == [
        {"reason": f"{said}; but $213.68 (effective) of Trainium spend names no run or workload"}
    ]
    reader.close()


def test_the_sql_of_a_mart_names_nothing_of_the_config(marts: Marts) -> None:
    """Who sees some workloads only reads the same text: it may name no other, and no run."""
    named = (*NAMES, RULED, "vision-labs", "999900000002", "4817.29", "91234.56")
    texts = {row["mart"]: row["sql"] for row in marts.rows("SELECT mart, sql FROM queries")}
    assert {mart: [n for n in named if n in sql] for mart, sql in texts.items()} == {
        mart: [] for mart in texts
    }


def numbers(rows: list[dict[str, Any]]) -> set[str]:
    """How dollars and hours could stand in an answer: exact, and with cents."""
    found = set()
    for value in (value for row in rows for value in row.values()):
        if isinstance(value, Decimal) and abs(value) >= 10 and value * 100 % 100:
            exact = abs(value).normalize()
            found |= {f"{exact:f}", f"{exact:,.2f}", f"{exact:.2f}"}
    return found


@pytest.fixture(scope="module")
def secrets(marts: Marts) -> Secrets:
    """For what a person sees: the names, and the numbers, that no answer to them may hold."""
    tables = {name: marts.rows(f"SELECT * FROM {name}") for name in EVERY}

    def secrets(seen: set[str]) -> tuple[re.Pattern[str], set[str]]:
        shown, hidden = set[str](), set[str]()
        for name, rows in tables.items():
            if name not in ("price_history", *EVERYONES):
                shown |= numbers([row for row in rows if is_own(row, seen)])
                hidden |= numbers([row for row in rows if not is_own(row, seen)])
        others = set(NAMES) - seen
        runs = {row["run"] for row in tables["progress_daily"] if row["workload"] in others}
        runs |= {row["run"] for row in tables["runs"] if row["workload"] in others}
        accounts = {"jb-at-1"} if "atlas-7b" in others else set()
        accounts |= {"jb-zi-2"} if "zircon-moe" in others else set()
        accounts |= {"999900000002", "sp-7f7f", "4817.29", "91234.56", "vision-labs"}
        words = "|".join(re.escape(each) for each in (others | runs | accounts))
        return re.compile(rf"(?<![\w-])({words})(?![\w-])"), hidden - shown

    return secrets


def addresses(draw: random.Random, runs: list[tuple[str, str]]) -> dict[str, Any]:
    """A page's filters as somebody who guesses names would write them."""
    workload, run = draw.choice(runs)
    given = {
        "workload": draw.choice(NAMES),
        "where": draw.choice((f"workload={workload}", "hardware=gpu", "tag_team=vision")),
        "by": draw.choice(("workload", "region", "tag_team", "run", "account")),
        "then": draw.choice(("hardware", "workload", "purchase_option", "-")),
        "group": draw.choice(("workload", "tag_team", "hardware")),
        "run": f"{workload}/{run}",
        "month": draw.choice(("2025-05", "2025-09", "2025-10")),
        "period": draw.choice(("week", "month")),
        "named": draw.choice(("trn", "", "lost")),
        "tied": draw.choice(("billed", "effective")),
        "basis": draw.choice(("list", "configured")),
    }
    return {name: given[name] for name in draw.sample(sorted(given), draw.randint(0, 4))}


def fields(draw: random.Random, wired: dict[str, Any], query: dict[str, Any]) -> dict[str, Any]:
    """What a page, or somebody by hand, sends to one callback."""

    def part(each: dict[str, str]) -> dict[str, Any]:
        name, value = each["id"], None
        if "pathname" in each["property"]:
            paths = [options.get("path", "/workload/x") for _, options in PAGES[:-1]]
            value = draw.choice([*paths, *(f"/workload/{name}" for name in NAMES)])
        elif each["property"] == "search":
            value = f"?{urlencode(query)}"
        elif name.startswith("{"):
            value = draw.choice((None, draw.choice(NAMES), "workload", "2025-09"))
        elif "name" in name or name.endswith(("-of", "-workload")):
            value = draw.choice(NAMES)
        elif "asked" in name:
            value = {"number": draw.choice(sorted(ROWS_BEHIND)), "query": query}
        spelled = json.loads(name) if name.startswith("{") else name
        return {"id": spelled, "property": each["property"], "value": value}

    outputs = wired["output"].strip(".").split("...")
    return {
        "output": wired["output"],
        "outputs": [_output(each) for each in outputs] if len(outputs) > 1 else _output(outputs[0]),
        "inputs": [part(each) for each in wired["inputs"]],
        "state": [part(each) for each in wired["state"]],
        "changedPropIds": [],
    }


def _output(text: str) -> dict[str, Any]:
    name, _, of = text.rpartition(".")
    return {"id": json.loads(name) if name.startswith("{") else name, "property": of}


def drawn_grants(draw: random.Random) -> tuple[Grant, ...]:
    """What somebody may be granted: names, patterns around parts of names, tags; several add up."""

    def grant() -> Grant:
        name = draw.choice((*NAMES, "nobody-has-it"))
        start, end = sorted((draw.randint(0, len(name)), draw.randint(0, len(name))))
        pattern = draw.choice((name, f"{name[:end]}*", f"*{name[start:]}", f"{name[:start]}*"))
        if draw.random() < 0.3:
            return Grant("viewer", tag={"team": draw.choice(("nlp", "vision", "none"))})
        return Grant("viewer", (pattern if pattern != "*" else "atlas-*",))

    return tuple(grant() for _ in range(draw.randint(1, 3)))


def seen_by(of: tuple[Grant, ...]) -> set[str]:
    """What the grants let somebody see, worked out from the names and the tags of the bill."""
    patterns = [pattern for grant in of for pattern in grant.workloads]
    teams = {grant.tag["team"] for grant in of if grant.tag}
    tagged = {name for name, team in TEAMS.items() if team in teams and name != MIXED}
    return tagged | {name for name in NAMES if any(fnmatchcase(name, each) for each in patterns)}


def api_address(draw: random.Random, runs: list[tuple[str, str]]) -> str:
    """Rows of a mart, filtered as somebody who guesses would."""
    mart, (workload, run) = draw.choice(sorted(schema.MARTS)), draw.choice(runs)
    columns = schema.MARTS[mart]
    given = {
        "workload": draw.choice((workload, "", "(portfolio)")),
        "run": run,
        "account": draw.choice(("999900000001", "999900000002")),
        "since": "2025-05-01",
        "fields": draw.choice(sorted(columns)),
        "limit": f"{draw.randint(1, 40)}",
    }
    known = [n for n in sorted(given) if n in columns or (n == "since" and mart in DAYS)]
    chosen = draw.sample(known, draw.randint(0, len(known)))
    chosen += draw.sample(("fields", "limit"), draw.randint(0, 2))
    return f"/api/v1/marts/{mart}?{urlencode({name: given[name] for name in chosen})}"


def address(draw: random.Random, runs: list[tuple[str, str]]) -> str:
    """An address that somebody who guesses names would type, or a program would ask for."""
    page, query = draw.choice(NAMES), urlencode(addresses(draw, runs))
    kinds = (
        lambda: f"{draw.choice(ANSWERS)}?{query}",
        lambda: f"/csv/source/{draw.choice(sorted(ROWS_BEHIND))}?{query}",
        lambda: f"/statement/2025-0{draw.choice((5, 9))}.{draw.choice(('json', 'csv'))}",
        lambda: f"/sql/{draw.choice(sorted(EVERY))}",
        lambda: f"/workload/{page}",
        lambda: draw.choice((f"/api/v1/workloads/{page}", "/api/v1/snapshot", "/api/v1/marts")),
        lambda: f"/api/v1/statements/2025-09?{query and 'version=1'}",
    )
    return draw.choice((*kinds, *[lambda: api_address(draw, runs)] * 5))()


def text_of(answer: TestResponse) -> str:
    """What an answer says, in whatever form."""
    form = answer.mimetype
    if form == PARQUET:
        return str(pq.read_table(io.BytesIO(answer.data)).to_pylist())
    if form == ARROW:
        return str(pa.ipc.open_stream(answer.data).read_all().to_pylist())
    if form == "application/zip":
        with ZipFile(io.BytesIO(answer.data)) as files:
            return "".join(files.read(name).decode() for name in files.namelist())
    return answer.get_data(as_text=True)


def test_no_answer_holds_a_name_or_a_sum_from_outside_the_scope(
    served: dash.Dash, sign_in: As, marts: Marts, secrets: Secrets
) -> None:
    draw, client = random.Random(22), tab_within(served.server)
    known = client.get("/_dash-dependencies").get_json()
    wired = [each for each in known if not each["clientside_function"]]
    rows_behind = [each for each in wired if each["output"].startswith("source-rows")]
    runs = [(row["workload"], row["run"]) for row in marts.rows("SELECT workload, run FROM runs")]
    drawn = [of for of, _ in PEOPLE] + [drawn_grants(draw) for _ in range(DRAWN_PEOPLE)]
    held = [(of, secrets(seen_by(of))) for of in drawn]
    assert [seen_by(of) for of, _ in PEOPLE] == [seen for _, seen in PEOPLE]
    statuses = set[int]()
    for number in range(DRAWS):
        url, body = "/_dash-update-component", None
        if number % 2:
            callbacks = rows_behind if number % 16 == 1 else wired
            body = fields(draw, draw.choice(callbacks), addresses(draw, runs))
        else:
            url = address(draw, runs)
        # whoever asks for lines of the bill waits for a second
        people = 1 if number % 16 == 1 or url.startswith(UNCACHED) else 2
        form = {"Accept": draw.choice(("*/*", JSON, CSV, ARROW, PARQUET))}
        if not url.startswith(UNCACHED):
            sign_in((Grant("admin"),))  # who sees everything fills the caches first
            client.post(url, json=body) if body else client.get(url, headers=form)
        for of, (names, sums) in draw.sample(held, people):
            sign_in(of)
            answer = client.post(url, json=body) if body else client.get(url, headers=form)
            statuses.add(answer.status_code)
            asked, text = json.dumps(body) + url, text_of(answer)
            told = {name for name in names.findall(text) if name not in asked}
            told |= {each for each in re.findall(r"\d[\d,]*\.\d+", text) if each in sums}
            assert not told, (of, url, body)
    assert statuses <= {200, 204, 400, 404, 406}
    assert 200 in statuses


def test_what_is_out_of_scope_answers_as_what_does_not_exist(
    served: dash.Dash, sign_in: As
) -> None:
    client = tab_within(served.server)
    sign_in(PEOPLE[0][0])
    for path in (
        "/workload/{}",
        "/csv/runs?where=workload%3D{}",
        "/csv/source/savings?workload={}",
    ):
        hidden, absent = (client.get(path.format(name)) for name in ("zircon-moe", "zircon-foo"))
        texts = [NONCE.sub("", each.get_data(as_text=True)) for each in (hidden, absent)]
        assert hidden.status_code == absent.status_code
        assert texts[0].replace("zircon-moe", "zircon-foo") == texts[1]
    assert client.get("/workload/zircon-moe").status_code == 404
    assert client.get("/workload/atlas-vit").status_code == 200
    for path in (
        "/finance",
        "/trust",
        "/statement/2025-09.json",
        "/csv/tie_out",
        "/api/v1/statements/2025-09",
        "/api/v1/workloads/zircon-moe",
        "/api/v1/marts/tie_out",
    ):
        assert client.get(path).status_code == 404
    mine = client.get("/api/v1/marts/break_even")
    assert {row["workload"] for row in mine.get_json()["rows"]} == {"atlas-7b", "atlas-vit"}
    sign_in((Grant("viewer"),))
    known = {"If-None-Match": mine.headers["ETag"]}
    assert client.get("/api/v1/marts/break_even", headers=known).status_code == 200
    for path in ("/finance", "/trust", "/csv/tie_out", "/workload/zircon-moe"):
        assert client.get(path).status_code == 200


def test_an_entry_that_shows_nobody_anything_is_a_warning(
    marts: Marts, caplog: pytest.LogCaptureFixture
) -> None:
    entries = (
        {"group": "a", "role": "viewer", "workloads": ("atlas-*", "atlos-*")},
        {"group": "b", "role": "viewer", "tag": {"team": "nlp"}},
        {"group": "c", "role": "viewer", "tag": {"team": "nlq"}},
    )
    access = tuple(AccessEntry.model_validate(each) for each in entries)
    reader = Reader(marts.settings.data / "snapshots")
    warn_of_empty_scopes(marts.settings.model_copy(update={"access": access}), reader)
    reader.close()
    assert [record.getMessage() for record in caplog.records] == [
        "[[access]] no. 1: no workload has a name like 'atlos-*' yet",
        "[[access]] no. 3: no workload has team = 'nlq' on all its accelerator-hours yet",
    ]


def test_pulls_and_feeds_are_the_companys(served: dash.Dash, sign_in: As) -> None:
    whole = replace(served.server.extensions[EXTENSION], every_feed=lambda: ("a feed",))
    sign_in(PEOPLE[0][0])
    assert (whole.feeds(), whole.pulls()) == ((), ())
    sign_in((Grant("viewer"),))
    assert whole.feeds() == ("a feed",)
    assert {pull.source for pull in whole.pulls()} >= {"focus", "progress_file"}


def test_sums_of_the_scope_are_exact(served: dash.Dash, sign_in: As, marts: Marts) -> None:
    rows = {row["workload"]: row for row in marts.rows("SELECT * FROM break_even")}
    draw = random.Random(7)
    for of in [of for of, _ in PEOPLE] + [drawn_grants(draw) for _ in range(DRAWN_PEOPLE)]:
        own = [rows[name] for name in seen_by(of) if name in rows]
        net = sum(row["cumulative_net_saving"] or 0 for row in own)
        invested = sum(row["cumulative_investment"] or 0 for row in own)
        sign_in(of)
        with served.server.test_request_context("/"):
            found = scope_sums.standing()
        if own:
            assert (found["cumulative_net_saving"], found["cumulative_investment"]) == (
                net,
                invested,
            )
            assert found["cumulative_net"] == net - invested
