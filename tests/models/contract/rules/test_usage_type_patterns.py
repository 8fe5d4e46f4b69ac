"""AWS's usage types tell instance hours, fees of Capacity Blocks and container pods apart."""

from __future__ import annotations

import pytest

from models.contract.rules import usage_type_patterns as patterns
from tests.support.marts.hand_written_tables import rows, table


@pytest.mark.parametrize(
    ("usage_type", "meanings"),
    [
        ("BoxUsage:trn1.32xlarge", {"hours", "block_hours"}),
        ("USW2-BoxUsage:p4d.24xlarge", {"hours", "block_hours"}),
        ("BoxUsage:inf2.xlarge", {"hours", "block_hours"}),
        ("BoxUsage:c7i.large", {"hours"}),
        ("EUC1-SpotUsage:p5.48xlarge", {"hours"}),
        ("DedicatedUsage:trn1.2xlarge", {"hours"}),
        ("USE2-CapacityBlockFee:p5.48xlarge", {"fee"}),
        ("CapacityBlockFee", {"fee"}),
        ("USW2-EKSPod-EC2:p4d.24xlarge", {"pod"}),
        ("ECSTask-EC2:p4d.24xlarge", {"pod"}),
        ("USW2-EKS-EC2-GB-Hours", {"pod"}),
        ("ECS-EC2-vCPU-Hours", {"pod"}),
        ("USE1-AmazonEKS-Hours:perCluster", set()),
        ("USW2-UnusedBox:p4d.24xlarge", set()),
        ("USW2-EBS:VolumeUsage.gp3", set()),
        ("USW2-DataTransfer-Out-Bytes", set()),
    ],
)
def test_a_usage_type_has_the_meanings_that_aws_gives_it(
    usage_type: str, meanings: set[str]
) -> None:
    given = table({"meter": "string"}, {"meter": usage_type})
    by_name = {
        "pod": patterns.POD,
        "hours": patterns.INSTANCE_HOURS,
        "fee": patterns.BLOCK_FEE,
        "block_hours": patterns.BLOCK_HOURS,
    }
    found = given.select(**{name: given.meter.re_search(p) for name, p in by_name.items()})
    (held,) = rows(found, *by_name)
    assert {name for name, holds in zip(by_name, held, strict=True) if holds} == meanings
