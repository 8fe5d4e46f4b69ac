"""HyperPod: its jobs hold a part of the pool of an instance type, for its bill names no machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ingest.pull import Report, pull
from models.config.settings import Settings
from tests.support.ingest.fake_aws import Configured, Fake
from tests.support.ingest.price_answers import told
from tests.support.slurm.printed import DAY, asked, job, printed


def node(number: int, kind: str = "ml.trn1.32xlarge") -> dict[str, Any]:
    return {
        "InstanceGroupName": "workers",
        "InstanceId": f"i-0{number}",
        "InstanceType": kind,
        "LaunchTime": "2026-10-01T00:00:00Z",
        "InstanceStatus": {"Status": "Running"},
        "PrivateDnsHostname": f"ip-10-0-0-{number}.ec2.internal",
    }


def pulled(configured: Configured) -> tuple[Settings, Report]:
    source = {"kind": "hyperpod", "cluster": "atlas", "location": "slurm", "region": "us-east-1"}
    settings = configured(source)
    return settings, pull(settings, ["hyperpod"])


def test_jobs_of_its_slurm_hold_the_pool_of_their_nodes_type(
    configured: Configured, aws: Fake, tmp_path: Path
) -> None:
    nodes = [node(1), node(2), node(3, "ml.p5.48xlarge")]
    aws.shows(clusters={"atlas": nodes}, node_page=2)
    held = {"NodeList": "ip-10-0-0-[1-3]", "AllocTRES": "gres/neuron=24"}
    (tmp_path / "slurm").mkdir()
    (tmp_path / "slurm" / f"sacct-{DAY}.psv").write_text(printed(job(**held), about=asked()))
    settings, report = pulled(configured)
    report.raise_failures()
    rows = sorted(told(settings, "observed_allocations"), key=lambda row: row["node"])
    assert [(row["resource"], row["pool"], row["accelerators"]) for row in rows] == [
        (None, "ml.trn1.32xlarge", 8),
        (None, "ml.trn1.32xlarge", 8),
        (None, "ml.p5.48xlarge", 8),
    ]
    assert {row["cluster"] for row in rows} == {"id-of-atlas"}
    assert len(aws.asked("ListClusterNodes")) == 2
    assert pulled(configured)[1].results[0].new == 0


def test_a_cluster_that_is_not_there_is_one_line(
    configured: Configured, aws: Fake, tmp_path: Path
) -> None:
    aws.shows()
    (error,) = pulled(configured)[1].results[0].errors
    assert "sagemaker:ListClusterNodes" in str(error)
    assert "atlas" in str(error)
