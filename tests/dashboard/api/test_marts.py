"""Marts over the API: the same rows as the export and the snapshot, by page, in every form."""

from __future__ import annotations

import io
from decimal import Decimal
from urllib.parse import urlencode

import duckdb
import ibis
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from models.access.person import Grant
from models.contract import schema
from models.documents.exports import export
from models.records.tokens import Tokens
from tests.dashboard.api.conftest import Api, publish

ARROW, PARQUET = "application/vnd.apache.arrow.stream", "application/vnd.apache.parquet"
MORE = "UPDATE spend_daily SET billed_cost = billed_cost + 0.01"
LESS = "UPDATE spend_daily SET billed_cost = billed_cost - 0.01"
MARCH = "started_at::DATE BETWEEN '2026-03-01' AND '2026-03-31'"
COLUMNS = "cost,accelerator_hours,started_at"


def exported(api: Api, name: str, kind: str) -> bytes:
    file = api.folder / f"exported.{kind}"
    export.write(api.settings, name, None, kind, file)
    return file.read_bytes()


@pytest.mark.parametrize("name", [mart for mart in schema.MARTS if mart != "spend_daily"])
def test_a_mart_is_the_same_in_the_api_the_export_and_the_snapshot(api: Api, name: str) -> None:
    answer = api.get(f"marts/{name}")
    text = answer.text
    assert text[text.index("[\n") : -2].strip().encode() == exported(api, name, "json").strip()
    assert api.get(f"marts/{name}", Accept="text/csv").content == exported(api, name, "csv")
    parquet = pq.read_table(io.BytesIO(api.get(f"marts/{name}", Accept=PARQUET).content))
    arrow = pa.ipc.open_stream(api.get(f"marts/{name}", Accept=ARROW).content).read_all()
    mart = api.mart(name)
    assert arrow.equals(mart)
    assert parquet.equals(pq.read_table(io.BytesIO(exported(api, name, "parquet"))))
    assert parquet.cast(mart.schema).equals(mart)


@pytest.mark.parametrize("name", schema.MARTS)
def test_arrow_has_the_types_of_the_contract(api: Api, name: str) -> None:
    answer = api.get(f"marts/{name}?limit=1", Accept=ARROW)
    sent = pa.ipc.open_stream(answer.content).schema
    contract = schema.with_tags(schema.MARTS[name], ("team",)).to_pyarrow()
    assert ibis.schema(sent) == ibis.schema(contract)


def test_pages_hold_every_row_once_and_in_order(api: Api) -> None:
    whole = api.mart("spend_daily").to_pylist()
    assert len(whole) > 10_000
    assert len(api.get("marts/spend_daily").json()["rows"]) == 10_000
    for limit in (10_000, 4_567):
        rows = api.rows(f"marts/spend_daily?limit={limit}")
        assert [row["date"] for row in rows] == [row["date"].isoformat() for row in whole]
        costs = [row["billed_cost"] and Decimal(row["billed_cost"]) for row in rows]
        assert costs == [row["billed_cost"] for row in whole]
        assert [row["account"] for row in rows] == [row["account"] for row in whole]


def test_pages_of_arrow_and_csv_follow_the_link(api: Api) -> None:
    read, path = [], "marts/runs?limit=7&fields=run,cost"
    while path:
        answer = api.get(path, Accept=ARROW)
        read.append(pa.ipc.open_stream(answer.content).read_all())
        path = answer.links.get("next", {}).get("url", "")
    assert pa.concat_tables(read).equals(api.mart("runs").select(["run", "cost"]))
    csv = api.get("marts/runs?limit=7", Accept="text/csv")
    assert csv.text.count("\n") == 8
    assert "cursor=" in csv.links["next"]["url"]


@pytest.mark.parametrize(
    ("given", "condition"),
    [
        ([("workload", "atlas-7b")], "workload = 'atlas-7b'"),
        ([("purpose", "production"), ("purpose", "port")], "purpose IN ('production', 'port')"),
        ([("hardware", "gpu"), ("tag_team", "nlp")], "hardware = 'gpu' AND tag_team = 'nlp'"),
        ([("parity", "")], "parity IS NULL"),
        ([("parity", ""), ("parity", "parity")], "parity IS NULL OR parity = 'parity'"),
        ([("since", "2026-03-01"), ("until", "2026-03-31")], MARCH),
        ([("workload", "nobody's")], "FALSE"),
    ],
)  # fmt: skip
def test_filters_select_rows_of_runs(
    api: Api, given: list[tuple[str, str]], condition: str
) -> None:
    rows = api.rows(f"marts/runs?{urlencode(given)}")
    runs = api.mart("runs")  # noqa: F841 - DuckDB finds it by this name
    found = duckdb.sql(f"SELECT run FROM runs WHERE {condition}").fetchall()
    assert sorted(row["run"] for row in rows) == sorted(run for (run,) in found)
    assert condition == "FALSE" or found


def test_days_select_whole_months_and_yes_or_no_is_a_filter(api: Api) -> None:
    rows = api.rows("marts/monthly_summary?workload=atlas-7b&since=2026-03-15&until=2026-04-01")
    assert [row["month"] for row in rows] == ["2026-03", "2026-04"]
    days = api.rows("marts/savings_daily?workload=atlas-7b&since=2026-10-25&settled=false")
    assert [row["date"] for row in days] == ["2026-10-29", "2026-10-30", "2026-10-31"]
    both = api.rows("marts/savings_daily?workload=atlas-7b&since=2026-10-25&settled=&settled=true")
    assert [row["date"] for row in both] == [f"2026-10-{day}" for day in (25, 26, 27, 28)]
    assert api.rows("marts/savings_daily?since=2026-10-02&until=2026-10-01") == []


def test_fields_are_the_columns_that_are_sent_in_their_order(api: Api) -> None:
    whole, some = api.rows("marts/runs"), api.rows(f"marts/runs?fields={COLUMNS}")
    assert some == [{name: row[name] for name in COLUMNS.split(",")} for row in whole]
    assert api.rows("marts/runs?fields=cost&fields=accelerator_hours,started_at") == some


def test_money_is_text_and_counts_are_numbers(api: Api) -> None:
    (row,) = api.rows("marts/break_even?workload=atlas-7b")
    assert (row["cumulative_net"], row["progress"]) == ("19761.43", 1)
    assert row["left_out"] == {"unsettled": "148.32"}
    assert row["forecast_median"] is None


def test_an_etag_is_known_until_something_else_is_published(api: Api) -> None:
    first = api.get("marts/runs")
    etag = first.headers["ETag"]
    assert first.headers["Cache-Control"].split(", ") in (
        ["private", "no-cache"],
        ["no-cache", "private"],
    )
    for path in ("marts/runs", "marts/runs?workload=atlas-7b"):
        again = api.get(path, If_None_Match=etag)
        assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", etag)
    assert api.get("marts/runs", If_None_Match=etag, Accept="text/csv").status_code == 304
    publish(api.folder, "another")
    assert api.get("marts/runs", If_None_Match=etag).status_code == 200
    feeds = api.get("marts/freshness").headers["ETag"]
    publish(api.folder, "another", "UPDATE freshness SET requests_today = 7")
    assert feeds != api.get("marts/freshness", If_None_Match=feeds).headers["ETag"]
    assert api.get("marts/freshness", If_None_Match=feeds).status_code == 200


@pytest.mark.parametrize("scoped", [False, True])
@pytest.mark.parametrize("path", ["snapshot", "workloads/atlas-7b"])
def test_a_snapshot_of_a_later_day_is_another_answer(api: Api, path: str, scoped: bool) -> None:
    """A build of the next day that finds no figure changed publishes under the same id."""
    secret = Tokens(api.folder).create(f"{path} {scoped}", Grant("viewer", ("atlas-*",)), 1)
    who = {"Authorization": f"Bearer {secret}"} if scoped else {}
    publish(api.folder, "same", "UPDATE snapshot SET as_of = '2026-10-31'")
    known = {"If_None_Match": api.get(path, **who).headers["ETag"], **who}
    assert api.get(path, **known).status_code == 304
    publish(api.folder, "same", "UPDATE snapshot SET as_of = '2026-11-01'")
    again = api.get(path, **known)
    assert again.status_code == 200
    assert again.json().get("snapshot", again.json())["as_of"] == "2026-11-01"
    publish(api.folder, "same", "UPDATE snapshot SET as_of = '2026-10-31'")


def test_pages_of_two_snapshots_are_never_mixed(api: Api) -> None:
    publish(api.folder, "before")
    first = api.get("marts/spend_daily").json()
    publish(api.folder, "after", MORE)
    gone = api.get(first["next"])
    assert gone.status_code == 410
    assert gone.headers["Content-Type"] == "application/problem+json"
    assert "begin again without a cursor" in gone.json()["detail"]
    publish(api.folder, "before", LESS)
    rows = first["rows"] + api.rows(first["next"])
    assert sum(Decimal(row["billed_cost"]) for row in rows if row["billed_cost"]) == sum(
        cost for cost in api.mart("spend_daily")["billed_cost"].to_pylist() if cost
    )
