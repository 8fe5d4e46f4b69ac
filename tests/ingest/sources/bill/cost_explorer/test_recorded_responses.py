"""Responses as long as Cost Explorer's own, served over HTTP, are read to their exact totals."""

from __future__ import annotations

import json
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from ingest import aws as reached
from ingest.paid_requests.ledger import RequestLedger
from ingest.paid_requests.metering import MeteredClient
from ingest.paid_requests.response_cache import open_cache
from ingest.pull import pull
from ingest.source import Window
from ingest.sources.bill.cost_explorer.lines import tag_value
from ingest.sources.bill.cost_explorer.pages import Group, PagedAnswers
from models.raw.zone import RawZone
from tests.support.ingest.fake_aws import Configured, Fake

FOLDER = Path(__file__).parents[4] / "fixtures" / "generated"
BY_SERVICE = "cost_explorer_by_service.json"
BY_TAG = [
    ("cost_explorer_by_user.json", 15, "2.6296469820"),
    ("cost_explorer_by_environment.json", 6, "0.3122980949"),
    ("cost_explorer_by_absent_tag.json", 0, "0"),
]


def recorded(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize(("name", "count", "total"), BY_TAG)
def test_a_recording_by_tag_is_read_to_the_last_digit(
    tmp_path: Path, aws: Fake, name: str, count: int, total: str
) -> None:
    document = recorded(name)
    aws.shows(recorded=document, cost_now="2024-01-31")
    client = reached.client("ce", reached.Access())
    meter = MeteredClient(client, RequestLedger(tmp_path, Decimal(1)), "cost_explorer", "1")
    answers = PagedAnswers(meter, open_cache(tmp_path, "cost_explorer", {}))
    (group_by,) = document["GroupDefinitions"]
    request = {
        "TimePeriod": {"Start": "2023-12-12", "End": "2023-12-20"},
        "Granularity": "DAILY",
        "Metrics": ["BlendedCost"],
        "GroupBy": [group_by],
    }
    groups: list[Group] = [group for page in answers.groups(request, list) for group in page]
    amounts = [Decimal(group.metrics["BlendedCost"]["Amount"]) for group in groups]
    assert (len(groups), sum(amounts, Decimal(0))) == (count, Decimal(total))
    tags = [tag_value(group_by["Key"], group.keys[0]) for group in groups]
    assert all(tag and "$" not in tag for tag in tags)


def test_a_recorded_quarter_goes_through_a_pull_to_its_exact_total(
    configured: Configured, aws: Fake
) -> None:
    """Every recorded group as a charge: what the requests make of it is the same money."""
    bill = [
        {
            "day": day["TimePeriod"]["Start"],
            "record_type": "Tax" if "Tax" in group["Keys"][0] else "Usage",
            "usage_type": group["Keys"][0],
            "service": group["Keys"][0],
            "unit": group["Metrics"]["UnblendedCost"]["Unit"],
            "AmortizedCost": group["Metrics"]["UnblendedCost"]["Amount"],
            "UnblendedCost": group["Metrics"]["UnblendedCost"]["Amount"],
        }
        for day in recorded(BY_SERVICE)["ResultsByTime"]
        for group in day["Groups"]
    ]
    aws.shows(bill=bill, cost_now="2024-05-01", cost_page=100)
    settings = configured(
        {"kind": "cost_explorer"}, as_of="2024-05-01", cost={"source": "cost_explorer"}
    )
    pull(settings, ["cost_explorer"], Window(date(2024, 2, 1), date(2024, 4, 30))).raise_failures()
    live = RawZone(settings.data / "raw").live("cost_explorer")
    rows = [row for d in live for path in d.paths for row in pq.read_table(path).to_pylist()]
    amounts = [Decimal(row["unblended"]) for row in rows if row["request"] != "pair"]
    assert (len(amounts), sum(amounts)) == (967, Decimal("138.4736213596"))
    nine = [amount.quantize(Decimal("1e-9"), ROUND_HALF_UP) for amount in amounts]
    billed = [Decimal(t["BilledCost"]) for d in live for t in d.totals.values()]
    assert sum(billed) == sum(nine)
