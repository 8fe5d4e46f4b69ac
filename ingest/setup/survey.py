"""Looks in AWS for the exports, accounts, tags and workloads of a company.

Most of it is free. Cost Explorer bills $0.01 a page for the list of activated tags, which is
requested only if some resource has a likely tag, and CloudWatch a thousandth of a cent for 500
series of the emitter; both are recorded in the ledger first. What is refused, or not there, becomes
a line of `unseen`, and its question stays open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ingest import aws
from ingest.aws.metrics.datapoints import LISTING_PRICE
from ingest.aws.organization import ACTIVE
from ingest.paid_requests.ledger import RequestLedger
from ingest.paid_requests.metering import MeteredClient
from ingest.sources.bill.cost_explorer import pages as cost_pages
from models.config.tags import plain
from models.contract.errors import BreakevenError
from models.engine.warehouse.lock import lock

API_REGION = "us-east-1"
KINDS = {"FOCUS_": "focus", "COST_AND_USAGE_REPORT": "cur2"}
NAMESPACE = "Breakeven"
LIKELY = {"workload": ("workload", "model", "project"), "run": ("run", "job", "experiment")}
"""Words of tag keys, the likeliest first."""
ENDS = ("name", "id")


@dataclass
class Survey:
    """What AWS shows of a company: account, exports, accounts of the organisation, tags, workloads.

    `exports` are pairs of kind and location, `members` pairs of id and name. `tags` are the keys on
    any resource, `active` those of them that are activated for cost allocation, so that they are on
    the bill.
    """

    account: str = ""
    region: str = ""
    exports: list[tuple[str, str]] = field(default_factory=list)
    members: list[tuple[str, str]] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    active: list[str] = field(default_factory=list)
    workloads: list[str] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)

    def likely(self, name: str) -> str:
        """Returns the tag key that seems to name `workload` or `run`; empty where none does."""
        return likely(name, self.active) or likely(name, self.tags)


def likely(name: str, keys: Sequence[str]) -> str:
    """Returns the tag key likeliest to name `workload` or `run`; empty where none seems to.

    `ml:model` and `Model` are one word; `JobName` and `run_id` come after `Job` and `run`, and
    after those a key that ends so, such as `ml_project` and `TrainingJobName`.
    """
    by_word = {plain(key): key for key in reversed(keys)}
    for word in LIKELY[name]:
        if word in by_word:
            return by_word[word]
    ends = [f"{word}{end}" for word in LIKELY[name] for end in ENDS]
    named = (by_word[end] for end in ends if end in by_word)
    longer = (key for end in (*LIKELY[name], *ends) for key in keys if plain(key).endswith(end))
    return next(named, "") or next(longer, "")


def survey(region: str = "", ledger: RequestLedger | None = None) -> Survey:
    """Returns a company's exports, accounts, tags and workloads in AWS; pays only by a `ledger`."""
    found = Survey()
    access = aws.Access(region=region or None)
    try:
        who = aws.identity(access)
    except BreakevenError as error:
        found.unseen.append(str(error))
        return found
    found.account, found.region = who.account, region or str(access.session.region_name)
    for ask, answers in (
        (_exports, found.exports),
        (_members, found.members),
        (_tags, found.tags),
    ):
        _collect(ask, access, answers, found.unseen)
    if ledger:
        _collect(partial(_workloads, ledger, found.account), access, found.workloads, found.unseen)
    if ledger and (found.likely("workload") or found.likely("run")):
        _collect(partial(_active_tags, ledger, found.account), access, found.active, found.unseen)
    return found


def _collect(
    ask: Callable[[aws.Access], Iterator[Any]],
    access: aws.Access,
    answers: list[Any],
    unseen: list[str],
) -> None:
    try:
        answers.extend(sorted(set(ask(access))))
    except BreakevenError as error:
        unseen.append(str(error))


def _exports(access: aws.Access) -> Iterator[tuple[str, str]]:
    """Yields the FOCUS and CUR 2.0 exports of this AWS account, with their S3 locations."""
    client = aws.client("bcm-data-exports", access.model_copy(update={"region": API_REGION}))
    with aws.refusals("bcm-data-exports:ListExports"):
        pages = client.get_paginator("list_exports").paginate()
        arns = [one["ExportArn"] for page in pages for one in page["Exports"]]
    for arn in arns:
        with aws.refusals("bcm-data-exports:GetExport"):
            export = client.get_export(ExportArn=arn)["Export"]
        query = export["DataQuery"]["QueryStatement"].upper()
        kind = next((kind for table, kind in KINDS.items() if table in query), None)
        there = export["DestinationConfigurations"]["S3Destination"]
        parts = (there["S3Bucket"], there["S3Prefix"].strip("/"), export["Name"])
        if kind:
            yield kind, "s3://" + "/".join(filter(None, parts))


def _members(access: aws.Access) -> Iterator[tuple[str, str]]:
    """Yields the open accounts of the AWS organisation that this account pays for."""
    client = aws.client("organizations", access)
    with aws.refusals("organizations:ListAccounts"):
        for page in client.get_paginator("list_accounts").paginate():
            for one in page["Accounts"]:
                if (one.get("State") or one["Status"]) == ACTIVE:
                    yield one["Id"], one.get("Name", "")


def _tags(access: aws.Access) -> Iterator[str]:
    """Yields the tag keys on AWS resources of the region."""
    client = aws.client("resourcegroupstaggingapi", access)
    with aws.refusals("tag:GetTagKeys"):
        for page in client.get_paginator("get_tag_keys").paginate():
            yield from page["TagKeys"]


def _active_tags(ledger: RequestLedger, account: str, access: aws.Access) -> Iterator[str]:
    """Yields the tag keys that the payer has activated for cost allocation."""
    meter = MeteredClient(aws.client("ce", access), ledger, "init", account)
    parameters: dict[str, Any] = {"Status": "Active", "MaxResults": 1000}
    with lock(ledger.path.parent, purpose="init"):
        while True:
            with aws.refusals("ce:ListCostAllocationTags"):
                page = meter.call("list_cost_allocation_tags", cost_pages.PRICE, **parameters)
            yield from (tag["TagKey"] for tag in page["CostAllocationTags"])
            if not page.get("NextToken"):
                return
            parameters["NextToken"] = page["NextToken"]


def _workloads(ledger: RequestLedger, account: str, access: aws.Access) -> Iterator[str]:
    """Yields the workloads that reported progress to CloudWatch in the last two weeks."""
    client = aws.client("cloudwatch", access)
    MeteredClient(client, ledger, "init", account, {"ListMetrics": LISTING_PRICE})
    paid = lock(ledger.path.parent, purpose="init")
    with paid, aws.refusals("cloudwatch:ListMetrics"):
        pages = client.get_paginator("list_metrics").paginate(Namespace=NAMESPACE)
        listed = [metric["Dimensions"] for page in pages for metric in page["Metrics"]]
    for dimensions in listed:
        named = {one["Name"]: one["Value"] for one in dimensions}
        if set(named) == {"Workload", "Run"}:
            yield named["Workload"]
