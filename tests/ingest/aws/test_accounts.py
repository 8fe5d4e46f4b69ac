"""Many accounts and regions: each is a pull of its own, with a role, and in every key."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from ingest import sources
from ingest.pull import Report, pull
from ingest.schedule.due import due
from ingest.source import Window
from models.config.settings import Settings
from models.contract.errors import ConfigError
from models.raw.pulls.feed_states import FeedJournal
from models.raw.zone import RawZone
from tests.support.ingest.fake_aws import Configured, Fake
from tests.support.ingest.focus_exports import charge, deliver
from tests.support.some_marts import some_marts

PAYER, RESEARCH, VISION = "999900000001", "999900000002", "999900000003"
NOW = "2026-10-31T12:00:00Z"
ROLE = "arn:aws:iam::{account}:role/breakeven"
EAST, WEST = "us-east-1", "us-west-2"
ACCOUNTS = [
    {"id": PAYER, "name": "payer", "role_arn": ""},
    {"id": RESEARCH, "name": "research"},
    {"id": VISION, "name": "vision"},
]
ORGANIZATION = {"role_arn": ROLE, "external_id": "agreed", "regions": [EAST, WEST]}
METRICS = {"kind": "cloudwatch", "accounts": ["*"]}


def epochs(value: float, day: str = "2026-10-31") -> list[dict[str, Any]]:
    """One sample of a run that is called the same everywhere."""
    return [
        {
            "namespace": "Breakeven",
            "name": "Epoch",
            "dimensions": {"Workload": "atlas-7b", "Run": "r1"},
            "points": [[f"{day}T10:00:00Z", value]],
        }
    ]


def role(account: str) -> str:
    return ROLE.replace("{account}", account)


def world(**other: object) -> dict[str, Any]:
    """Three accounts, two regions; each region of each has an epoch count of its own."""
    accounts = (PAYER, RESEARCH, VISION)
    shown = {
        account: {EAST: {"metrics": epochs(n)}, WEST: {"metrics": epochs(n + 0.5)}}
        for n, account in enumerate(accounts, 1)
    }
    roles = {role(RESEARCH): "agreed", role(VISION): "agreed"}
    return {"accounts": shown, "roles": roles, "now": NOW, "payer": PAYER, **other}


def company(configured: Configured, *entries: dict[str, Any], **table: object) -> Settings:
    base = {"as_of": "2026-10-31", "organization": ORGANIZATION, "accounts": ACCOUNTS}
    settings: Settings = configured(*entries, **{**base, **table})
    return settings


def values(settings: Settings) -> dict[str, list[float]]:
    """By unit, what the live deliveries say."""
    found: dict[str, list[float]] = {}
    for delivery in RawZone(settings.data / "raw").live("cloudwatch"):
        rows = [row for path in delivery.paths for row in pq.read_table(path).to_pylist()]
        found.setdefault(delivery.key.unit, []).extend(row["value"] for row in rows)
    return found


def errors(report: Report) -> list[str]:
    return [str(error) for error in report.errors]


def test_every_account_and_region_is_read_with_its_role(configured: Configured, aws: Fake) -> None:
    aws.shows(**world())
    settings = company(configured, METRICS)
    pull(settings, ["cloudwatch"]).raise_failures()
    assert values(settings) == {
        f"{PAYER}-{EAST}": [1.0],
        f"{PAYER}-{WEST}": [1.5],
        f"{RESEARCH}-{EAST}": [2.0],
        f"{RESEARCH}-{WEST}": [2.5],
        f"{VISION}-{EAST}": [3.0],
        f"{VISION}-{WEST}": [3.5],
    }
    assert {asked["RoleArn"] for asked in aws.asked("AssumeRole")} == {role(RESEARCH), role(VISION)}
    assert {asked["ExternalId"] for asked in aws.asked("AssumeRole")} == {"agreed"}
    assert aws.places("AssumeRole") == {("testing", EAST)}  # where the caller is at home


def test_one_that_fails_is_a_line_and_never_stops_the_others(
    configured: Configured, aws: Fake
) -> None:
    shown = world(roles={role(RESEARCH): "agreed", role(VISION): "another"})
    shown["accounts"][RESEARCH]["opted_out"] = [WEST]
    aws.shows(**shown)
    settings = company(configured, METRICS)
    report = pull(settings, ["cloudwatch"])
    assert set(values(settings)) == {f"{PAYER}-{EAST}", f"{PAYER}-{WEST}", f"{RESEARCH}-{EAST}"}
    assert [line.split(" was refused")[0] for line in errors(report)] == [
        f"account research ({RESEARCH}) in {WEST}: sts:GetCallerIdentity",
        f"account vision ({VISION}) in {EAST}: sts:AssumeRole {role(VISION)}",
        f"account vision ({VISION}) in {WEST}: sts:AssumeRole {role(VISION)}",
    ]
    assert "the account has opted in to this region" in errors(report)[0]
    assert "its trust policy allow this caller and external_id" in errors(report)[1]
    assert not any("\n" in line for line in errors(report))
    told = {(d["account"], d["region"]): bool(d["error"]) for d in report.documents()[:-1]}
    assert len(told) == 6
    assert [whose for whose, failed in told.items() if failed] == [
        (RESEARCH, WEST),
        (VISION, EAST),
        (VISION, WEST),
    ]


def test_an_account_that_failed_is_due_while_its_sibling_is_not(
    configured: Configured, aws: Fake
) -> None:
    aws.shows(**world(roles={role(RESEARCH): "agreed"}))
    settings = company(configured, METRICS)
    pull(settings)
    feeds = [feed for feed in FeedJournal(settings.data).pulled() if feed.source == "cloudwatch"]
    failed = [feed.location for feed in feeds if not feed.last_success]
    assert [role(VISION) in place for place in failed] == [True] * len(failed)
    assert 0 < len(failed) < len(feeds)
    now = datetime.now(UTC)
    assert due(settings, now) == ["cloudwatch"]
    aws.shows(**world())
    pull(settings)
    assert due(settings, now) == []


def test_each_account_is_as_fresh_as_itself(
    configured: Configured, aws: Fake, tmp_path: Path
) -> None:
    shown = world()
    shown["accounts"][RESEARCH] = {EAST: {"metrics": epochs(2.0, "2026-10-30")}}
    aws.shows(**shown)
    deliver(tmp_path / "bill", "2026-10", [charge("2026-10-29", BillingAccountId=PAYER)])
    bill = {"kind": "focus", "location": "bill"}
    settings = company(configured, bill, METRICS)
    pull(settings).raise_failures()
    aws.shows(**world(roles={role(RESEARCH): "agreed"}))
    pull(settings, ["cloudwatch"])
    marts = some_marts(settings, "freshness")
    rows = marts.rows("SELECT source, account, newest_day, last_success FROM freshness")
    days = {(row["source"], row["account"]): row["newest_day"] for row in rows}
    assert days == {
        ("cloudwatch", PAYER): date(2026, 10, 31),
        ("cloudwatch", RESEARCH): date(2026, 10, 31),
        ("cloudwatch", VISION): date(2026, 10, 31),
        ("focus", PAYER): date(2026, 10, 29),
        ("prices", None): None,
    }
    success = {row["account"]: row["last_success"] for row in rows if row["source"] != "focus"}
    assert success[VISION] < success[RESEARCH]


def test_credentials_that_end_in_the_middle_are_renewed(configured: Configured, aws: Fake) -> None:
    """Each lasts four requests here, and the backfill of one account takes many more."""
    shown = world(session_requests=4)
    shown["accounts"][RESEARCH][EAST]["metrics"] = epochs(2.0) * 9
    aws.shows(**shown, metric_page=1)
    settings = company(configured, {**METRICS, "accounts": ["research"], "regions": [EAST]})
    pull(settings, ["cloudwatch"]).raise_failures()
    assert len(aws.asked("ListMetrics")) == 9
    assert len(aws.asked("AssumeRole")) > 3
    assert list(values(settings)) == [f"{RESEARCH}-{EAST}"]


def test_a_role_that_is_taken_away_meanwhile_is_one_line(configured: Configured, aws: Fake) -> None:
    gone = {"operation": "AssumeRole", "code": "AccessDenied", "on": [3]}
    aws.shows(**world(errors=[gone]))
    settings = company(configured, {**METRICS, "accounts": ["research"], "regions": [EAST]})
    (line,) = errors(pull(settings, ["cloudwatch"]))
    assert line.startswith(
        f"account research ({RESEARCH}) in {EAST}: sts:AssumeRole {role(RESEARCH)} was refused"
    )
    assert len(aws.asked("GetCallerIdentity")) == 1
    assert not aws.asked("ListMetrics")


def test_another_partition_is_asked_where_the_account_is(configured: Configured, aws: Fake) -> None:
    gov = "arn:aws-us-gov:iam::{account}:role/breakeven"
    aws.shows(metrics=epochs(7.0), now=NOW, external_id="agreed")
    organization = {**ORGANIZATION, "role_arn": gov, "regions": ["us-gov-west-1"]}
    entry = {**METRICS, "accounts": ["vision"]}
    settings = company(configured, entry, organization=organization)
    pull(settings, ["cloudwatch"]).raise_failures()
    assert values(settings) == {f"{VISION}-us-gov-west-1": [7.0]}
    assert aws.places("AssumeRole") == {("testing", "us-gov-west-1")}


def test_credentials_of_another_account_are_refused(configured: Configured, aws: Fake) -> None:
    aws.shows(**world())
    accounts = [{"id": RESEARCH, "role_arn": ""}]
    settings = company(configured, METRICS, accounts=accounts)
    report = pull(settings, ["cloudwatch"])
    assert errors(report)[0] == (
        f"account {RESEARCH} in {EAST}: the credentials are another account's: "
        f"{PAYER}, not {RESEARCH} (give this account a role_arn)"
    )
    assert values(settings) == {}


def test_cost_explorer_is_asked_once_an_account(configured: Configured, aws: Fake) -> None:
    shown = world()
    for account, amount in ((RESEARCH, "2"), (VISION, "3")):
        day = {"day": "2026-10-01", "record_type": "Usage", "usage_type": "BoxUsage:trn1.32xlarge"}
        money = {"AmortizedCost": amount, "UnblendedCost": amount, "unit": "USD", "service": "EC2"}
        shown["accounts"][account]["bill"] = [{**day, **money, "tags": {"run": "r1"}}]
    aws.shows(**shown)
    entry = {"kind": "cost_explorer", "accounts": ["research", VISION]}
    organization = {**ORGANIZATION, "payer": PAYER}
    settings = company(
        configured, entry, organization=organization, cost={"source": "cost_explorer"}
    )
    october = Window(date(2026, 10, 1), date(2026, 10, 31))
    pull(settings, ["cost_explorer"], october).raise_failures()
    live = RawZone(settings.data / "raw").live("cost_explorer")
    assert {(d.key.unit, d.key.period): d.totals for d in live} == {
        (account, "2026-10"): {
            f"{account}|{account}|2026-10": {
                "BilledCost": f"{cost}.000000000",
                "EffectiveCost": f"{cost}.000000000",
            }
        }
        for account, cost in ((RESEARCH, 2), (VISION, 3))
    }
    assert aws.places("GetCostAndUsage") == {(RESEARCH, EAST), (VISION, EAST)}


def test_exports_of_one_name_in_two_accounts_do_not_meet(
    configured: Configured, tmp_path: Path
) -> None:
    for account, cost in ((RESEARCH, "2"), (VISION, "3")):
        own = {"account": account, "BillingAccountId": account}
        deliver(tmp_path / account / "bill", "2026-09", [charge("2026-09-01", cost, **own)])
    entry = {"kind": "focus", "accounts": ["research", "vision"], "location": "{account}"}
    settings = company(configured, entry)
    for new in (1, 0):
        report = pull(settings, ["focus"])
        report.raise_failures()
        assert [result.new for result in report.results[:2]] == [new, new]
    live = RawZone(settings.data / "raw").live("focus")
    assert {d.key.unit: list(d.totals) for d in live} == {
        f"{account}/bill": [f"{account}|{account}|2026-09"] for account in (RESEARCH, VISION)
    }


def test_forty_accounts_by_three_regions_are_a_hundred_and_twenty_sources(
    configured: Configured,
) -> None:
    accounts = [{"id": f"9999000000{n:02}"} for n in range(40)]
    organization = {**ORGANIZATION, "regions": [EAST, WEST, "us-gov-west-1"]}
    table = {"accounts": accounts, "organization": organization}
    found = sources.configured(company(configured, METRICS, **table))
    assert len(found) == 121
    assert len({source.location for source in found}) == 121


def test_regions_alone_are_read_with_the_configured_credentials(
    configured: Configured, aws: Fake
) -> None:
    aws.shows(**world())
    settings = company(configured, {"kind": "cloudwatch", "regions": [EAST, WEST]})
    pull(settings, ["cloudwatch"]).raise_failures()
    assert values(settings) == {f"{PAYER}-{EAST}": [1.0], f"{PAYER}-{WEST}": [1.5]}


def test_a_closed_account_is_left_to_its_name(configured: Configured) -> None:
    accounts = [*ACCOUNTS[:2], {**ACCOUNTS[2], "closed": "2026-03-31"}]
    everyone = sources.configured(company(configured, METRICS, accounts=accounts))
    assert {VISION in source.location for source in everyone} == {False}
    entry = {**METRICS, "accounts": ["vision"]}
    named = sources.configured(company(configured, entry, accounts=accounts))
    assert [VISION in source.location for source in named] == [True, True, False]


@pytest.mark.parametrize(("days_ago", "pulled"), [(-30, True), (0, True), (4, True), (5, False)])
def test_an_account_is_pulled_until_its_last_day_is_settled(
    configured: Configured, days_ago: int, pulled: bool
) -> None:
    settings = company(configured)
    assert settings.cost.settle_days == 3
    closed = settings.today - timedelta(days=days_ago)
    accounts = [*ACCOUNTS[:2], {**ACCOUNTS[2], "closed": f"{closed}"}]
    everyone = sources.configured(company(configured, METRICS, accounts=accounts))
    assert any(VISION in source.location for source in everyone) is pulled


LISTED = [
    {"id": PAYER, "name": "payer"},
    {"id": RESEARCH, "name": "Research (prod)"},
    {"id": "999900000004", "name": "old", "state": "SUSPENDED"},
    {"id": "999900000005", "name": "gone", "state": "CLOSED"},
    {"id": VISION, "name": "Vision"},
    {"id": "999900000006", "name": "left", "state": "CLOSED"},
]


def listing(configured: Configured, **table: object) -> Settings:
    """Only what no listing says is configured: the payer's credentials, an own region."""
    accounts = [
        {"id": PAYER, "role_arn": ""},
        {"id": RESEARCH, "regions": [WEST]},
        {"id": "999900000006", "closed": "2026-03-31"},
    ]
    organization = {**ORGANIZATION, "payer": PAYER}
    return company(
        configured, METRICS, **{"accounts": accounts, "organization": organization, **table}
    )


def test_the_payer_lists_who_else_there_is(
    configured: Configured, aws: Fake, caplog: pytest.LogCaptureFixture
) -> None:
    aws.shows(**world(members=LISTED, member_page=2))
    settings = listing(configured)
    pull(settings, ["cloudwatch"]).raise_failures()
    assert set(values(settings)) == {
        *(f"{account}-{region}" for account in (PAYER, VISION) for region in (EAST, WEST)),
        f"{RESEARCH}-{WEST}",
    }
    assert len(aws.asked("ListAccounts")) == 3
    assert [record.getMessage() for record in caplog.records if "organisation" in record.msg] == [
        "account old (999900000004) is SUSPENDED in the organisation: it is not pulled",
        "account gone (999900000005) is CLOSED in the organisation: it is not pulled",
    ]
    aws.forget()
    pull(settings, ["prices"])
    assert not aws.asked("ListAccounts")


def test_a_payer_that_does_not_list_them_is_a_line_and_the_known_are_pulled(
    configured: Configured, aws: Fake
) -> None:
    denied = {"operation": "ListAccounts", "code": "AccessDeniedException", "on": [1]}
    aws.shows(**world(members=LISTED, errors=[denied]))
    settings = listing(configured)
    report = pull(settings, ["cloudwatch"])
    (line,) = errors(report)
    assert line.startswith(f"organization.payer {PAYER}: organizations:ListAccounts was refused")
    assert len(values(settings)) == 3
    assert len(sources.configured(listing(configured, accounts=[]))) == 3  # the payer, two regions


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"accounts": ["resaerch"]}, "unknown account: resaerch (did you mean research?)"),
        ({"accounts": ["*"], "role_arn": role(PAYER)}, "role_arn cannot be set beside accounts"),
        (
            {"regions": [EAST], "region": WEST},
            "region cannot be set beside accounts or regions: us-west",
        ),
        (
            {"kind": "cost_explorer", "regions": [EAST]},
            "cost_explorer is the same in every region: us-east-1 (remove `regions`)",
        ),
        (
            {"kind": "focus", "accounts": ["*"], "location": "bills"},
            "several accounts read one location: bills (write {account} in place",
        ),
        ({"acounts": ["*"]}, "unknown option: acounts (did you mean accounts?)"),
    ],
)
def test_a_mistaken_entry_is_refused_in_one_line(
    configured: Configured, entry: dict[str, Any], said: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        sources.configured(company(configured, {"kind": "cloudwatch", **entry}))
    assert said in str(caught.value)


def test_a_payers_bill_is_never_added_to_its_members(configured: Configured) -> None:
    entries = [
        {"kind": "cost_explorer", "name": name, "accounts": [name]} for name in ("payer", "vision")
    ]
    money = {"cost": {"source": "cost_explorer"}}
    said = r"\[\[sources\]\] payer: a payer's bill holds its members' bills too: "
    with pytest.raises(ConfigError, match=said + "organization.payer is not set"):
        sources.configured(company(configured, *entries, **money))
    known = {**money, "organization": {**ORGANIZATION, "payer": PAYER}}
    with pytest.raises(ConfigError, match=said + f"{PAYER} \\(name only the payer"):
        sources.configured(company(configured, *entries, **known))
    assert len(sources.configured(company(configured, *entries))) == 3  # only checks of an export
    unnamed = [{"kind": "cost_explorer"}, entries[1]]
    with pytest.raises(ConfigError, match=r"\] cost_explorer: a payer's .*: it names no account"):
        sources.configured(company(configured, *unnamed, **known))
    by_role = [
        {"kind": "cost_explorer", "name": name, "role_arn": role(account)}
        for name, account in (("all", PAYER), ("vision", VISION))
    ]
    with pytest.raises(ConfigError, match=r"\] all: a payer's .*: it names no account"):
        sources.configured(company(configured, *by_role, **known))


def test_one_role_may_read_the_files_of_all_accounts(configured: Configured) -> None:
    entry = {"kind": "focus", "accounts": ["*"], "location": "s3://bills/{account}"}
    central = {"role_arn": role(PAYER), "external_id": "of-the-bucket"}
    for own, entered in ((central, role(PAYER)), ({"role_arn": ""}, None)):
        *found, _ = sources.configured(company(configured, {**entry, **own}))
        assert [source.location for source in found] == [
            f"s3://bills/{account}" for account in (PAYER, RESEARCH, VISION)
        ]
        assert {source.options.role_arn for source in found} == {entered}  # type: ignore[attr-defined]


def test_without_accounts_all_of_them_is_nobody(configured: Configured) -> None:
    with pytest.raises(ConfigError, match=r"no account is open: \* \(add \[\[accounts\]\]"):
        sources.configured(company(configured, METRICS, accounts=[]))


def test_two_entries_that_read_the_same_account_are_refused(configured: Configured) -> None:
    twin = {**METRICS, "accounts": ["vision"], "name": "again"}
    with pytest.raises(ConfigError, match=f"read the same: .* in us-east-1 of .*{VISION}"):
        sources.configured(company(configured, METRICS, twin))
