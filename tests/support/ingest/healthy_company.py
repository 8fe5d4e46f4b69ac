"""A company whose AWS is in order, so that one thing can be wrong at a time."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from ingest.doctor import examine
from ingest.doctor.finding import Finding
from models.config.settings import Settings
from tests.support.ingest.fake_aws import Configured, Fake
from tests.support.ingest.focus_exports import as_csv, charge

PAYER, RESEARCH = "999900000001", "999900000002"
ROLE = f"arn:aws:iam::{RESEARCH}:role/reader"
LOCATION = "s3://bills/focus/daily"
SOURCES: tuple[dict[str, Any], ...] = (
    {"kind": "focus", "location": LOCATION},
    {"kind": "cost_explorer"},
    {"kind": "cloudwatch", "accounts": ["research"]},
    {"kind": "price_list"},
    {"kind": "spot_prices"},
    {"kind": "savings_plans"},
    {"kind": "capacity"},
    {"kind": "sagemaker"},
)
TABLE: dict[str, Any] = {
    "accounts": [
        {"id": RESEARCH, "name": "research", "role_arn": ROLE, "external_id": "agreed"},
    ],
    "organization": {"payer": PAYER},
}
DELIVERED = "bills/focus/daily/data/BILLING_PERIOD=2026-10/daily-00001.csv"


def company(configured: Configured, *sources: dict[str, Any], **table: object) -> Settings:
    settings: Settings = configured(*(sources or SOURCES), **{**TABLE, **table})
    return settings


def instant(hours_ago: float) -> str:
    return f"{datetime.now(UTC) - timedelta(hours=hours_ago):%Y-%m-%dT%H:%M:%SZ}"


def delivered(hours_ago: float, code: str = "DELIVERY_SUCCESS", **other: str) -> dict[str, str]:
    return {"StatusCode": code, "CreatedAt": instant(hours_ago + 1), **other} | (
        {"CompletedAt": instant(hours_ago)} if code == "DELIVERY_SUCCESS" else {}
    )


def export(**other: object) -> dict[str, Any]:
    return {
        "name": "daily",
        "bucket": "bills",
        "prefix": "focus",
        "query": "SELECT * FROM FOCUS_1_2_AWS",
        "health": {"StatusCode": "HEALTHY"},
        "executions": [delivered(30), delivered(6)],
        **other,
    }


def tag(key: str, status: str = "Active") -> dict[str, str]:
    day = "2026-03-01T00:00:00Z"
    return {"TagKey": key, "Type": "UserDefined", "Status": status, "LastUpdatedDate": day}


def metric(**dimensions: str) -> dict[str, Any]:
    points = [[instant(1), 1.0]]
    return {"namespace": "Breakeven", "name": "Epoch", "dimensions": dimensions, "points": points}


def healthy(**other: object) -> dict[str, Any]:
    """A world in which every check is well."""
    return {
        "account": PAYER,
        "payer": PAYER,
        "members": [],
        "now": instant(0),
        "roles": {ROLE: "agreed"},
        "objects": {DELIVERED: as_csv([charge("2026-10-01")]).decode()},
        "exports": [export(name="other", prefix="elsewhere"), export()],
        "allocation_tags": [tag("workload"), tag("run")],
        "metrics": [metric(Workload="atlas-7b", Run="t1")],
        **other,
    }


def wrong(settings: Settings) -> list[Finding]:
    """What is neither well nor merely waiting."""
    return [one for one in examine(settings) if one.state in ("warning", "blocks")]


def only(aws: Fake, settings: Settings, world: Mapping[str, object]) -> Finding:
    """The one thing that is wrong in a world."""
    aws.shows(**world)
    (found,) = wrong(settings)
    return found
