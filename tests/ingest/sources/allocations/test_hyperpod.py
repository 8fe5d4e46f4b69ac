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


def pulled(configured: Configured, **options: object) -> tuple[Settings, Report]:
    source = {"kind": "hyperpod", "cluster": "atlas", "location": "slurm", "region": "us-east-1"}
    settings = configured(source | options)
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


def test_a_type_newer_than_the_catalogue_is_told_and_its_jobs_count(
    configured: Configured, aws: Fake, tmp_path: Path
) -> None:
    """Two jobs of one day; that on a type which everybody knows counts as ever."""
    aws.shows(clusters={"atlas": [node(1), node(2, "ml.trn9.48xlarge")]})
    (tmp_path / "slurm").mkdir()
    jobs = [job(f"{n}", NodeList=f"ip-10-0-0-{n}", AllocTRES="gres/neuron=8") for n in (1, 2)]
    (tmp_path / "slurm" / f"sacct-{DAY}.psv").write_text(printed(*jobs, about=asked()))
    settings, report = pulled(configured)
    report.raise_failures()
    rows = told(settings, "observed_allocations")
    assert {(row["job"], row["pool"], row["accelerators"]) for row in rows} == {
        ("1", "ml.trn1.32xlarge", 8),
        ("2", "ml.trn9.48xlarge", 8),
    }
    assert report.results[0].notices == [
        "id-of-atlas: this version does not know the instance type ml.trn9.48xlarge of "
        f"ip-10-0-0-2 on {DAY}: how many accelerators it has is unknown, so jobs that share it "
        "count by their CPUs, else in equal parts; update breakeven"
    ]


def test_a_node_that_was_replaced_keeps_the_type_it_was_delivered_with(
    configured: Configured, aws: Fake, tmp_path: Path
) -> None:
    """HyperPod replaces nodes, and lists those of now alone."""
    aws.shows(clusters={"atlas": [node(1)]})
    (tmp_path / "slurm").mkdir()
    file = tmp_path / "slurm" / f"sacct-{DAY}.psv"
    held = {"NodeList": "ip-10-0-0-1", "AllocTRES": "gres/neuron=8"}
    file.write_text(printed(job(**held), about=asked()))
    pulled(configured)
    aws.shows(clusters={"atlas": [node(2)]})
    assert pulled(configured)[1].results[0].new == 0
    file.write_text(printed(job(**held), job("2", **held), about=asked()))
    settings, report = pulled(configured)
    rows = told(settings, "observed_allocations")
    assert {(row["job"], row["pool"]) for row in rows} == {
        (name, "ml.trn1.32xlarge") for name in ("17", "2")
    }
    assert report.results[0].notices == []


def of_a_node_that_is_gone(aws: Fake, folder: Path) -> None:
    """A job on node 1, which SageMaker no longer lists."""
    aws.shows(clusters={"atlas": [node(2)]})
    (folder / "slurm").mkdir()
    held = {"NodeList": "ip-10-0-0-1", "AllocTRES": "gres/neuron=8"}
    (folder / "slurm" / f"sacct-{DAY}.psv").write_text(printed(job(**held), about=asked()))


def test_a_type_that_the_config_corrects_comes_before_what_was_delivered(
    configured: Configured, aws: Fake, tmp_path: Path
) -> None:
    of_a_node_that_is_gone(aws, tmp_path)
    for kind in ("ml.trn2.48xlarge", "ml.trn1.32xlarge"):
        settings, _ = pulled(configured, instance_types={"ip-10-0-*": kind})
        (row,) = told(settings, "observed_allocations")
        assert row["pool"] == kind


def test_a_node_gone_before_the_first_pull_is_of_the_type_that_the_config_says(
    configured: Configured, aws: Fake, tmp_path: Path
) -> None:
    of_a_node_that_is_gone(aws, tmp_path)
    settings, report = pulled(configured)
    (row,) = told(settings, "observed_allocations")
    assert row["pool"] is None
    assert "or set `instance_types`" in report.results[0].notices[0]
    settings, report = pulled(configured, instance_types={"ip-10-0-*": "ml.trn1.32xlarge"})
    (row,) = told(settings, "observed_allocations")
    assert (row["pool"], report.results[0].notices) == ("ml.trn1.32xlarge", [])


def test_a_cluster_that_is_not_there_is_one_line(
    configured: Configured, aws: Fake, tmp_path: Path
) -> None:
    aws.shows()
    (error,) = pulled(configured)[1].results[0].errors
    assert "sagemaker:ListClusterNodes" in str(error)
    assert "atlas" in str(error)
