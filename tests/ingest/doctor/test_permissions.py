"""Each action that is refused is named, alone, with what goes without it and the remedy."""

from __future__ import annotations

from typing import Any

import pytest

from ingest.doctor import examine
from ingest.doctor.aws_access.permission_probes import PROBES
from ingest.doctor.aws_access.policy_statements import policy_statement
from ingest.paid_requests import ledger
from models.engine.warehouse.lock import lock
from tests.support.ingest.fake_aws import Configured, Fake
from tests.support.ingest.focus_exports import as_csv, charge
from tests.support.ingest.healthy_company import PAYER, SOURCES, company, healthy, only, wrong

FILES: tuple[dict[str, Any], ...] = (
    {"kind": "focus", "location": "bill.csv"},
    {"kind": "progress_file", "location": "epochs.csv"},
)
BLOCKING = (
    "s3:ListBucket",
    "s3:GetObject",
    "kms:Decrypt",
    "ce:GetCostAndUsage",
    "ce:GetDimensionValues",
    "ce:GetTags",
    "cloudwatch:ListMetrics",
    "cloudwatch:GetMetricData",
    "pricing:GetProducts",
    "ec2:DescribeSpotPriceHistory",
    "savingsplans:DescribeSavingsPlans",
    "savingsplans:DescribeSavingsPlansOfferingRates",
    "ec2:DescribeCapacityReservations",
    "ec2:DescribeCapacityBlocks",
    "ec2:DescribeCapacityBlockExtensionHistory",
    "ec2:DescribeInstanceTypeOfferings",
    "ec2:DescribeCapacityBlockOfferings",
    "sagemaker:ListTrainingJobs",
    "sagemaker:DescribeTrainingJob",
    "sagemaker:ListTags",
)
WARNING = (
    "ce:ListCostAllocationTags",
    "bcm-data-exports:ListExports",
    "bcm-data-exports:GetExport",
    "bcm-data-exports:ListExecutions",
)


OF_THE_BILL = ("s3:", "kms:", "bcm-data-exports:", "ce:ListCostAllocationTags")


def concerned(action: str) -> list[dict[str, Any]]:
    """The sources that call the action; a bill and progress from files, where those do not."""
    kinds = {kind for kind, calls in PROBES.items() if action in (probe.action for probe in calls)}
    if action.startswith(OF_THE_BILL):
        kinds.add("focus")
    found = [one for one in SOURCES if one["kind"] in kinds]
    return found + [one for one in FILES if one["kind"] not in kinds]


def test_where_nothing_is_missing_nothing_is_said_to_be(configured: Configured, aws: Fake) -> None:
    aws.shows(**healthy())
    found = list(examine(company(configured)))
    assert [one.line() for one in found if one.state in ("warning", "blocks")] == []
    said = "\n".join(one.line() for one in found if one.state == "ok")
    for words in (
        f"credentials: AWS: arn:aws:iam::1:user/u of account {PAYER}",
        "assumed with its external id, account 999900000002",
        "focus: may s3:ListBucket, s3:GetObject",
        "has 2026-10 to 2026-10, months: 1",
        "daily last delivered ",
        'tags.run = "run": activated on 2026-03-01',
        "reported in the last two weeks: atlas-7b (1 series)",
        "s behind AWS",
    ):
        assert words in said or (words == "s behind AWS" and "s ahead of AWS" in said), words


@pytest.mark.parametrize("action", [*BLOCKING, *WARNING])
def test_the_one_action_that_is_refused_is_named_alone(
    configured: Configured, aws: Fake, action: str
) -> None:
    (configured.home / "bill.csv").write_bytes(as_csv([charge("2026-10-01")]))
    (configured.home / "epochs.csv").write_text("observed_at,workload,run,epoch\n")
    found = only(aws, company(configured, *concerned(action)), healthy(denied=[action]))
    assert found.state == ("warning" if action in WARNING else "blocks")
    assert f"not authorized to perform: {action}: " in found.found
    assert f"{action} was refused" in found.found or action == "kms:Decrypt"
    assert found.remedy == (
        f"allow {action} to this caller "
        f"(statement {policy_statement(action)} of deploy/iam-policy.json)"
    )


@pytest.mark.parametrize("denied", [["s3:GetObject"], []])
def test_the_right_to_read_is_tried_where_no_file_has_come_yet(
    configured: Configured, aws: Fake, denied: list[str]
) -> None:
    settings = company(configured, {"kind": "focus", "location": "s3://bills/focus/daily"})
    aws.shows(**healthy(denied=denied, objects={"bills/elsewhere": ""}))
    said = [(one.state, one.found) for one in examine(settings) if one.check == "permissions"]
    if denied:
        ((state, found),) = said
        assert (state, "not authorized to perform: s3:GetObject" in found) == ("blocks", True)
    else:
        assert said == [("ok", "may s3:ListBucket, s3:GetObject")]


def test_a_role_that_cannot_be_assumed_is_said_once(configured: Configured, aws: Fake) -> None:
    settings = company(
        configured,
        {"kind": "cloudwatch", "accounts": ["research"], "regions": ["us-east-1", "us-west-2"]},
        {"kind": "focus", "location": "s3://bills/focus/daily"},
    )
    found = only(aws, settings, healthy(roles={}))
    assert (found.check, found.state) == ("roles", "blocks")
    assert found.about.startswith("account research (999900000002)")
    assert "sts:AssumeRole arn:aws:iam::999900000002:role/reader was refused" in found.found
    assert "trust policy" in found.remedy
    assert "allow sts:AssumeRole to this caller (statement OtherAccounts of" in found.remedy


def test_another_external_id_is_the_role_s(configured: Configured, aws: Fake) -> None:
    found = only(aws, company(configured), healthy(roles={_role(): "another"}))
    assert found.check == "roles"
    assert "external_id" in found.remedy


def test_the_payer_that_may_not_list_its_members_is_named(
    configured: Configured, aws: Fake
) -> None:
    settings = company(configured, {"kind": "cloudwatch", "accounts": ["*"]}, *SOURCES[:1])
    found = only(aws, settings, healthy(denied=["organizations:ListAccounts"]))
    assert (found.check, found.state) == ("organization", "blocks")
    assert "perform: organizations:ListAccounts" in found.found


def test_an_explicit_deny_is_another_s_to_lift(configured: Configured, aws: Fake) -> None:
    aws.shows(**healthy(denied=["ce:GetTags"], denial="with an explicit deny in a service control"))
    (found,) = wrong(company(configured))
    assert found.remedy.startswith("a policy denies ce:GetTags explicitly")


def test_no_dry_call_is_paid_for(configured: Configured, aws: Fake) -> None:
    """But what AWS bills all the same is in the ledger: tags, and CloudWatch's and S3's lists."""
    aws.shows(**healthy())
    settings = company(configured)
    list(examine(settings))
    paid = ledger.read_lines(settings.data / ledger.FILE)
    assert sorted((line["operation"], line["dollars"]) for line in paid) == [
        ("GetObject", "0.0000004"),
        ("ListCostAllocationTags", "0.01"),
        *[("ListMetrics", "0.00001")] * 2,
        *[("ListObjectsV2", "0.000005")] * 3,
    ]
    never = {"Start": "2001-01-02", "End": "2001-01-01"}
    for operation in ("GetCostAndUsage", "GetDimensionValues", "GetTags"):
        assert [asked["TimePeriod"] for asked in aws.asked(operation)] == [never]


def test_what_cannot_be_paid_for_is_not_asked(configured: Configured, aws: Fake) -> None:
    aws.shows(**healthy())
    settings = company(configured, cost={"api_budget_usd_per_day": "0.005"})
    found = {(one.check, one.state): one.found for one in examine(settings) if one.state != "ok"}
    assert "would exceed cost.api_budget_usd_per_day" in found["tags", "skipped"]
    assert aws.asked("ListCostAllocationTags") == []
    with lock(settings.data, purpose="ingest"):
        states = {one.state for one in examine(settings)}
    assert states == {"ok", "skipped"}


def _role() -> str:
    return "arn:aws:iam::999900000002:role/reader"
