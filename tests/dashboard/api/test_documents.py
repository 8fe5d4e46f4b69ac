"""The other documents of the API: marts, a workload, a statement, the snapshot, and refusals."""

from __future__ import annotations

import json
from datetime import date

import pytest
import requests

from models.access.person import Grant
from models.contract import schema
from models.documents import statement_tables
from models.documents.paper import paper
from models.records.tokens import Tokens
from tests.dashboard.api.conftest import Api

PROBLEM = "application/problem+json"


def test_every_mart_is_listed_with_its_columns_grain_units_and_nulls(api: Api) -> None:
    marts = api.get("marts").json()["marts"]
    assert [mart["name"] for mart in marts] == list(schema.MARTS)
    for mart in marts:
        columns = schema.expanded(schema.MARTS[mart["name"]], ("team",))
        assert {column["name"]: column["type"] for column in mart["columns"]} == columns
        assert all((mart["grain"], mart["units"], mart["nulls"], mart["section"]))
        assert api.get(f"{mart['href']}?limit=1").status_code == 200
    (runs,) = (mart for mart in marts if mart["name"] == "runs")
    cost = {
        "name": "cost",
        "type": schema.MONEY,
        "json": "dollars as decimal text",
        "filter": False,
    }
    assert cost in runs["columns"]
    assert (runs["grain"], runs["days"]) == ("workload × run", "started_at")


def test_a_workload_is_one_document(api: Api) -> None:
    document = api.get("workloads/atlas-7b").json()
    assert document["workload"] == "atlas-7b"
    assert document["sentence"].startswith("Moving atlas-7b to Trainium has paid for itself")
    assert [document["standing"]] == api.rows("marts/break_even?workload=atlas-7b")
    assert document["months"] == api.rows("marts/monthly_summary?workload=atlas-7b")
    baselines = api.rows("marts/baselines?workload=atlas-7b&main=true")
    assert document["baseline"] == max(baselines, key=lambda row: date.fromisoformat(row["date"]))
    assert document["snapshot"] == api.get("snapshot").json()
    assert document["snapshot"]["settled_through"] == "2026-10-28"


def test_a_statement_is_that_of_the_export(api: Api) -> None:
    answer = api.get("statements/2026-09")
    assert answer.content == statement_tables.to_json(paper(api.settings, "2026-09"))
    again = api.get("statements/2026-09", If_None_Match=answer.headers["ETag"])
    assert again.status_code == 304
    lines = (api.folder / "audit.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[-1])["what"] == "export statement"


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("marts/run", 404, "did you mean runs?"),
        ("nothing", 404, "see /api/v1/docs"),
        ("workloads/nobody", 404, "there is no such workload: 'nobody' (known: "),
        ("workloads/(portfolio)", 404, "there is no such workload"),
        ("workloads/" + "n" * 300, 400, "name: '" + "n" * 80 + "' ("),
        ("statements/1999-01", 404, "nothing is known of this month: 1999-01"),
        ("statements/2026-13", 400, "month: '2026-13' (a month, such as 2026-09)"),
        ("statements/2026-09?version=7", 404, "there is no such close"),
        ("statements/2026-09?version=%C2%B2", 400, "version: '\\xb2' ("),
        ("marts/runs?since=2026-02-30", 400, "since: '2026-02-30' (there is no such day"),
        ("marts/runs?until=yesterday", 400, "until: 'yesterday' (write a day as 2026-10-31)"),
        ("marts/runs?limit=10001", 400, "limit: '10001' ("),
        ("marts/runs?limit=" + "9" * 100, 400, "limit: '" + "9" * 80 + "' (write a number"),
        ("marts/runs?fields=cost,coast", 400, "fields: 'coast' ("),
        (
            "marts/runs?hardwear=gpu",
            400,
            "hardwear: 'gpu' (there is no such parameter; did you mean",
        ),
        (
            "marts/break_even?since=2026-01-01",
            400,
            "since: '2026-01-01' (there is no such parameter",
        ),
        (
            "workloads/atlas-7b?since=2026-01-01",
            400,
            "since: '2026-01-01' (there is no such parameter; this address takes none)",
        ),
        ("snapshot?month=2026-09", 400, "month: '2026-09' (there is no such parameter"),
        ("marts?name=runs", 400, "name: 'runs' (there is no such parameter"),
        ("marts/savings_daily?settled=yes", 400, "settled: 'yes' ("),
        ("marts/runs?limit=5&limit=6", 400, "limit: '5,6' (it is given more than once)"),
        ("marts/runs?cursor=bm9uZQ", 400, "cursor: 'bm9uZQ' (it is not a cursor"),
        ("marts/runs?cursor=" + "A" * 3000, 400, "it is not a cursor"),
        ("marts/runs?cursor=%F0%9F%82%A1", 400, "take it from `next` of the page before"),
    ],
)
def test_what_is_wrong_is_said_with_the_remedy(api: Api, path: str, status: int, said: str) -> None:
    answer = api.get(path)
    problem = answer.json()
    assert (answer.status_code, answer.headers["Content-Type"]) == (status, PROBLEM)
    assert said in problem["detail"]
    assert (problem["status"], "\n" in problem["detail"]) == (status, False)
    assert all(len(each["value"]) <= 80 for each in problem["errors"])
    assert (status == 400) == bool(problem["errors"])


def test_a_cursor_is_of_its_rows_alone(api: Api) -> None:
    following = api.get("marts/runs?limit=3&workload=atlas-7b").json()["next"]
    wider = following.replace("limit=3", "limit=30")
    assert len(api.get(wider).json()["rows"]) > 3
    for other in (following.replace("atlas", "orion"), following.replace("runs", "progress_daily")):
        answer = api.get(other)
        assert (answer.status_code, "another mart or filter" in answer.text) == (400, True)


def test_a_form_that_there_is_not_is_406_and_the_preferred_one_is_sent(api: Api) -> None:
    assert api.get("marts/runs", Accept="image/png").status_code == 406
    several = api.get("marts/runs?limit=1", Accept="text/csv;q=0.5, application/json;q=0.9")
    assert several.headers["Content-Type"] == "application/json"
    assert (
        api.get("marts/runs?limit=1", Accept="text/*")
        .headers["Content-Type"]
        .startswith("text/csv")
    )


def test_only_reading_is_allowed(api: Api) -> None:
    path = "/api/v1/marts/runs"
    head, got = requests.head(api.server.url + path, timeout=60), api.get(path)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["ETag"] == got.headers["ETag"]
    options = api.server.ask("OPTIONS", path)
    assert options.status == 200
    assert set(options.headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS"}
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        answer = api.server.ask(method, path)
        assert (answer.status, answer.headers["Content-Type"]) == (405, PROBLEM)


def test_the_limits_of_the_server_hold_and_are_said_as_problems(api: Api) -> None:
    path = "/api/v1/marts/runs"
    foreign = api.server.ask("GET", path, Host="evil.example")
    large = api.server.ask("GET", path, Content_Length=str((1 << 20) + 1))
    long = api.server.ask("GET", f"{path}?workload={'n' * 9000}")
    assert [foreign.status, large.status, long.status] == [400, 413, 414]
    assert {each.headers["Content-Type"] for each in (foreign, large, long)} == {PROBLEM}


def test_a_token_reads_what_its_role_may(api: Api) -> None:
    tokens = Tokens(api.folder)
    viewer, finance = (tokens.create(role, Grant(role), 1) for role in ("viewer", "finance"))
    assert api.get("marts/runs?limit=1", Authorization=f"Bearer {viewer}").status_code == 200
    statements = [
        api.get("statements/2026-09", Authorization=f"Bearer {token}")
        for token in (viewer, finance, f"{viewer}x")
    ]
    assert [answer.status_code for answer in statements] == [403, 200, 401]
    assert {statements[n].headers["Content-Type"] for n in (0, 2)} == {PROBLEM}
    assert statements[2].headers["WWW-Authenticate"].lower().startswith("bearer")


def test_a_scoped_token_reads_its_workloads_and_nothing_of_the_company(api: Api) -> None:
    secret = Tokens(api.folder).create("scoped", Grant("viewer", ("atlas-*",)), 1)
    bearer = f"Bearer {secret}"
    whole, own = api.get("marts/runs"), api.get("marts/runs", Authorization=bearer)
    assert {row["workload"] for row in own.json()["rows"]} == {"atlas-7b"}
    assert own.headers["ETag"] != whole.headers["ETag"]
    known = {"If_None_Match": whole.headers["ETag"], "Authorization": bearer}
    assert api.get("marts/runs", **known).status_code == 200
    following = api.get("marts/runs?limit=3").json()["next"]
    assert api.get(following, Authorization=bearer).status_code == 410
    for path in ("marts/tie_out", "marts/freshness", "workloads/orion-13b"):
        assert api.get(path, Authorization=bearer).status_code == 404
    assert api.get("workloads/atlas-7b", Authorization=bearer).status_code == 200


def test_reading_sets_no_cookie(api: Api) -> None:
    for path in ("marts/runs", "docs", "nothing", "openapi.json"):
        assert "Set-Cookie" not in api.get(path).headers
