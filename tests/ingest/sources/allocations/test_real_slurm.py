"""Debian's Slurm runs jobs, our script on the head node asks it, a pull brings who held what."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from ingest.pull import pull
from models.raw.zone import RawZone
from tests.support.ingest.fake_aws import Configured
from tests.support.slurm.cluster import Cluster, running, until

pytestmark = pytest.mark.systems
Rows = list[dict[str, Any]]
COMMENT = "workload=atlas-7b run=atlas-t1"
LONG, SHORT = ("--wrap", "sleep 600"), ("--wrap", "sleep 2")


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running(tmp_path_factory.mktemp("slurm")) as cluster:
        yield cluster


def held(slurm: Cluster, folder: Path) -> Rows:
    """What a pull brings of what the script writes now."""
    slurm.script(folder, "--days", "2")
    settings = Configured(folder.parent)({"kind": "slurm", "location": str(folder)})
    pull(settings, ["slurm"]).raise_failures()
    live = RawZone(settings.data / "raw").live("observed_allocations")
    return [r for d in live for path in d.paths for r in pq.read_table(path).to_pylist()]


def of_job(rows: Rows, number: str) -> Rows:
    mine = [row for row in rows if row["job"] == number]
    return sorted(mine, key=lambda row: (row["held_from"], row["node"]))


@pytest.fixture(scope="module")
def ran(slurm: Cluster, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str], Rows]:
    """Jobs by what became of them, once all of them had ended; and who held what."""
    trn = ("-p", "trn1")
    jobs = {"requeued": slurm.submit(*trn, "--gres=neuron:8", *LONG)}
    wide = ("-N2", "-c8", "--gres=gpu:8", "-J", "pre|train", "--comment", COMMENT)
    jobs["two"] = slurm.submit(*wide, *SHORT)
    jobs["array"] = slurm.submit("-a", "1-2", *trn, "--gres=neuron:4", *SHORT)
    jobs["parts"] = slurm.submit("--gres=gpu:h100:2", ":", *trn, "--gres=neuron:2", *SHORT)
    jobs["failed"] = slurm.submit(*trn, "-n4", "--wrap", "sleep 2; exit 3")
    jobs["never"] = slurm.submit("--begin=now+1day", *LONG)
    slurm.ask("scancel", jobs["never"])
    slurm.requeue(jobs["requeued"])
    slurm.ask("scancel", jobs["requeued"])
    slurm.wait_for(jobs["requeued"], "REQUEUED", "CANCELLED")
    slurm.wait_for(jobs["two"], "COMPLETED")
    slurm.wait_for(jobs["array"], "COMPLETED", "COMPLETED")
    slurm.wait_for(jobs["parts"], "COMPLETED", "COMPLETED")
    slurm.wait_for(jobs["failed"], "FAILED")
    return jobs, held(slurm, tmp_path_factory.mktemp("ran") / "out")


def test_both_attempts_of_a_requeued_job_hold_what_they_held(
    ran: tuple[dict[str, str], Rows],
) -> None:
    jobs, rows = ran
    first, second = of_job(rows, jobs["requeued"])
    assert (first["state"], second["state"]) == ("REQUEUED", "CANCELLED")
    assert first["attempt"] != second["attempt"]
    assert first["held_from"] < first["held_to"] <= second["held_from"] <= second["held_to"]
    assert {row["accelerators"] for row in (first, second)} == {8}


def test_a_job_of_two_nodes_holds_half_of_its_accelerators_on_each(
    ran: tuple[dict[str, str], Rows],
) -> None:
    jobs, rows = ran
    both = of_job(rows, jobs["two"])
    told = [(row["node"], row["accelerators"], row["cpus"]) for row in both]
    assert told == [("p5-st-1", 8, 8), ("p5-st-2", 8, 8)]
    assert both[0]["queued_at"] <= both[0]["held_from"] < both[0]["held_to"]
    labels = json.loads(both[0]["labels"])
    assert (labels["job_name"], labels["partition"]) == ("pre|train", "p5")
    assert (labels["workload"], labels["run"]) == ("atlas-7b", "atlas-t1")
    assert "user" not in labels


def test_tasks_are_jobs_and_parts_are_one_and_what_never_started_is_none(
    ran: tuple[dict[str, str], Rows],
) -> None:
    jobs, rows = ran
    tasks = [r for r in rows if json.loads(r["labels"]).get("array_job") == jobs["array"]]
    assert [row["accelerators"] for row in tasks] == [4, 4]
    assert len({row["job"] for row in tasks}) == 2
    parts = [(row["node"][:3], row["accelerators"]) for row in of_job(rows, jobs["parts"])]
    assert parts == [("p5-", 2), ("trn", 2)]
    (ended,) = of_job(rows, jobs["failed"])
    assert (ended["state"], ended["accelerators"], ended["cpus"]) == ("FAILED", None, 4)
    assert of_job(rows, jobs["never"]) == []


def test_a_suspended_job_holds_its_node_and_a_drained_node_is_nobodys(
    slurm: Cluster, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    then = int(datetime.now(UTC).timestamp()) - 3600
    stays = [f"atlas,p5-st-{n},i-{n},p5.48xlarge,192,{then},{then + 9}\n" for n in (1, 2)]
    stays += [f"atlas,p5-st-{n},i-{n}{n},p5.48xlarge,192,{then + 9},\n" for n in (1, 2)]
    head = "cluster,node,instance_id,instance_type,cpus,from,to\n"
    (folder / "nodes.csv").write_text(head + "".join(stays))
    job = slurm.submit("-w", "p5-st-1", "--gres=gpu:8", *LONG)
    slurm.wait_while(job)
    slurm.ask("scontrol", "suspend", job)
    slurm.ask("scontrol", "update", "nodename=p5-st-2", "state=drain", "reason=NHC: GPU 3 lost")
    until(lambda: "p5-st-2" in slurm.ask("sacctmgr", "-nP", "show", "event"), lambda: "no event")
    slurm.wait_for(job, "SUSPENDED")
    rows = held(slurm, folder)
    suspended = of_job(rows, job)[0]
    assert (suspended["state"], suspended["accelerators"]) == ("SUSPENDED", 8)
    assert suspended["resource"] == "i-11"
    drained = next(row for row in rows if row["reason"] != "run")
    told = (drained["node"], drained["resource"], drained["reason"])
    assert told == ("p5-st-2", "i-22", "health_check")
    slurm.ask("scancel", job)
