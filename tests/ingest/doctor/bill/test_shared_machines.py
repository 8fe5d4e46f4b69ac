"""What doctor says of machines that many jobs share, and of what a bill cannot tell of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest import pull
from ingest.doctor import examine
from ingest.doctor.bill.cost_allocation_tags import check_cost_allocation_tags
from ingest.doctor.bill.shared_machines import check_shared_machines
from ingest.doctor.finding import Finding
from models.config.settings import Settings
from tests.support.delivered_allocations import deliver
from tests.support.delivered_allocations import held as observed
from tests.support.slurm.printed import DAY as PRINTED
from tests.support.slurm.printed import asked, at, job, printed
from tests.support.some_marts import published
from tests.support.world import World

HEAD = "cluster,resource,node,instance_type,held_from,held_to,accelerators,workload,run,job\n"
SOURCES = [
    {"kind": "focus", "location": "bill.csv"},
    {"kind": "allocations", "location": "held.csv"},
]
MARTS = ("allocation_coverage", "over_allocated_periods", "spend_daily")
TRN, DAY = "trn1.32xlarge", "2025-10-0"
HPC, LAB = ({"aws:eks:cluster-name": name} for name in ("hpc", "lab"))


def held(resource: str, run: str = "t1", cluster: str = "hpc", node: str = "n1") -> str:
    """A job that held all of a machine from 10:00 to 12:00 on 3 October."""
    kind = TRN if resource else ""
    times = "2025-10-03T10:00:00Z,2025-10-03T12:00:00Z"
    return f"{cluster},{resource},{node},{kind},{times},16,atlas-7b,{run},job-{run}\n"


def hour(world: World, resource: str, **other: object) -> None:
    tags = other.pop("tags", {})
    tags |= {"run": other.pop("run"), "workload": "atlas-7b"} if "run" in other else {}
    for day in (1, 3, 5):
        world.hours(f"{DAY}{day}T10:00:00", 1, TRN, 16, tags, ResourceId=resource, **other)


def about_machines(settings: Settings) -> dict[str, Finding]:
    return {one.about: one for one in examine(settings, [check_shared_machines])}


def examined(world: World, lines: str) -> dict[str, Finding]:
    """What bill and jobs tell as they were delivered, without any mart."""
    (world.folder / "held.csv").write_text(HEAD + lines)
    return about_machines(world.pulled(sources=SOURCES))


def examined_tags(world: World, lines: str) -> list[Finding]:
    (world.folder / "held.csv").write_text(HEAD + lines)
    marts = published(world.pulled(sources=SOURCES), "spend_daily", "runs")
    return list(examine(marts.settings, [check_cost_allocation_tags]))


def examined_marts(world: World, lines: str) -> dict[str, Finding]:
    """What the marts tell, too: how much of a cluster is known, and where jobs held too much."""
    (world.folder / "held.csv").write_text(HEAD + lines)
    return about_machines(published(world.pulled(sources=SOURCES), *MARTS).settings)


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Finding]:
    """A machine of every kind: held, contradicted, unheld, unbilled, unnamed, unknown."""
    world = World(tmp_path_factory.mktemp("shared"))
    hour(world, "i-held")
    hour(world, "i-tagged", run="other")
    hour(world, "i-idle")
    hour(world, "")
    lines = (
        held("i-held") + held("i-tagged", "t2") + held("i-gone", "t3") + held("", "t4", node="n9")
    )
    return examined_marts(world, lines)


def test_ids_that_jobs_of_several_clusters_have_are_said(tmp_path: Path) -> None:
    world = World(tmp_path)
    hour(world, "i-held")
    lines = "".join(
        held("i-held", "", cluster).replace(",job-", f",{number}")
        for number in (171, 172)
        for cluster in ("hpc", "lab")
    )
    one = examined(world, lines + held("i-held"))["ids of jobs in hpc and lab"]
    assert (one.state, one.found) == (
        "warning",
        "2 jobs of each have the same id, 171 for one: it is the run of the one that ran while "
        "progress was reported",
    )
    assert one.remedy.startswith("label jobs with their run")


def test_a_bill_without_resources_is_said(findings: dict[str, Finding]) -> None:
    one = findings["the bill"]
    assert one.found == (
        "25% of its accelerator instance-hours name no resource: jobs share those that bear their "
        "cluster's tag, as a pool, and none is found on others"
    )
    assert "INCLUDE_RESOURCES = TRUE" in one.remedy


def test_what_jobs_and_charges_have_no_other_side_is_named(findings: dict[str, Finding]) -> None:
    texts = {about: one.found for about, one in findings.items()}
    assert texts["nodes of hpc"] == "1 node without a known instance or type, n9 for one"
    assert texts["jobs of hpc"] == (
        "jobs held 1 machine that the bill does not have, i-gone for one (job job-t3)"
    )
    assert texts["charges without a job"] == (
        "no run tag names, and no job held, 1 machine billed for 1.0 h: i-idle for one"
    )
    assert {one.state for about, one in findings.items() if "cluster" not in about} == {"warning"}


def test_a_tag_and_an_allocation_that_disagree_are_both_named(
    findings: dict[str, Finding],
) -> None:
    assert findings["run other"].found == (
        "the tag says other, the job on it t2, on 1 machine, i-tagged for one"
    )
    assert findings["run other"].remedy.startswith("the tag counts")


def test_each_cluster_says_how_much_of_it_is_known(findings: dict[str, Finding]) -> None:
    one = findings["cluster hpc"]
    assert one.found.startswith("of 48 accelerator-hours in 2025-10 held ")
    assert "by known runs and workloads" in one.found


def test_where_allocations_tell_the_runs_no_tag_is_missed(tmp_path: Path) -> None:
    """The bill goes on for weeks after the last job, and no tag was ever on it."""
    world = World(tmp_path)
    hour(world, "i-held")
    world.hours("2025-10-28T10:00:00", 1, TRN, 16, {}, ResourceId="i-held")
    found = examined_tags(world, held("i-held"))
    said = "not needed: allocations tell the run of the bill, last 2025-10-03"
    assert [(one.state, one.found) for one in found] == [("ok", said)] * 2


def test_where_tags_and_allocations_tell_runs_it_says_of_how_many_each(tmp_path: Path) -> None:
    world = World(tmp_path)
    hour(world, "i-held")
    for run in ("a", "b"):
        world.hours("2025-10-04T10:00:00", 1, TRN, 16, {"workload": "atlas-7b", "run": run})
    found = examined_tags(world, held("i-held"))
    said = "on spend since 2025-10-03, last 2025-10-04, by tag or allocation: allocations tell "
    assert [(one.state, one.found) for one in found] == [("ok", f"{said}1 of 3 runs")] * 2


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Finding]:
    """Two jobs of `hpc` that each held all of a machine, and an unknown one of `lab`."""
    world = World(tmp_path_factory.mktemp("crowded"))
    hour(world, "i-held")
    hour(world, "i-lab", tags=dict(LAB))
    nobodys = held("i-lab", cluster="lab").replace("atlas-7b,t1", ",")
    return examined_marts(world, held("i-held") + held("i-held", "t2") + nobodys)


def test_jobs_that_held_more_than_there_was_are_said(crowded: dict[str, Finding]) -> None:
    one = crowded["jobs on hpc"]
    assert (one.state, one.found) == (
        "warning",
        "jobs held more than there was in 1 period of the bill: i-held at 2025-10-03 10:00 by "
        "3,600 seconds for one",
    )
    assert "more than" not in crowded["cluster hpc"].found


def test_jobs_of_nobody_known_are_named_by_labels_or_by_a_rule_on_the_jobs_name(
    crowded: dict[str, Finding],
) -> None:
    one = crowded["cluster lab"]
    assert "by unknown jobs" in one.found
    assert one.remedy == (
        "label these jobs with their workload and run (docs/schedulers.md), or say whose they are "
        'by [[tag_rules]] with match = { "label.job_name" = "atlas-*" }'
    )


def test_clusters_of_one_name_that_no_account_tells_apart_are_said(tmp_path: Path) -> None:
    world = World(tmp_path)
    hour(world, "i-held", tags={"aws:eks:cluster-name": "hpc"})
    assert "accounts of hpc" not in examined(world, held("i-held"))
    other = {"SubAccountId": "999900000002", "tags": {"aws:eks:cluster-name": "hpc"}}
    hour(world, "i-other", **other)
    one = examined(world, held("i-held"))["accounts of hpc"]
    assert (one.state, one.found) == (
        "warning",
        "accounts 999900000001 and 999900000002 have machines of this name, but its jobs are told "
        "without an account",
    )
    assert 'accounts = ["…"]' in one.remedy
    known = held("i-held") + held("i-other", "t2")
    assert "accounts of hpc" not in examined(world, known)
    assert "accounts of hpc" in examined(world, known + held("", "t3"))


def test_jobs_that_name_their_account_or_pool_need_no_remedy(tmp_path: Path) -> None:
    """A pool's job is on each machine of its type that bears the cluster's tag."""
    world, tags = World(tmp_path), {"aws:eks:cluster-name": "hpc"}
    for machine, account in (("i-1", "999900000001"), ("i-2", "999900000002")):
        hour(world, machine, tags=tags, SubAccountId=account)
    kind = {"p4d.24xlarge": 8, TRN: 16}
    for held_by, unheld in (
        (TRN, None),
        ("p4d.24xlarge", "no run tag names, and no job held, 2 machines billed for 2.0 h"),
    ):
        rows = "".join(
            f"hpc,{account},,n1,{held_by},2025-10-03T10:00:00Z,2025-10-03T12:00:00Z,"
            f"{kind[held_by]},atlas-7b,{run},job-{run}\n"
            for account, run in (("999900000001", "t1"), ("999900000002", "t2"))
        )
        head = HEAD.replace("cluster,", "cluster,account,")
        (tmp_path / "held.csv").write_text(head + rows)
        found = about_machines(world.pulled(sources=SOURCES))
        assert "accounts of hpc" not in found
        said = found.get("charges without a job")
        assert (said and said.found.startswith(unheld or "none")) or (said, unheld) == (None, None)


def test_a_machine_whose_pods_the_bill_tells_has_jobs(tmp_path: Path) -> None:
    """A pod of none of its accelerators is on every node, and no job of any.

    That of another account's `prod` holds what AWS split to it: that cluster has no such rows.
    """
    world = World(tmp_path)
    first, other = "999900000001", "999900000002"
    for machine, used, account in (
        ("i-held", 0, first), ("i-pods", 12, first), ("i-sidecar", 0, first), ("i-other", 0, other),
    ):  # fmt: skip
        hour(world, machine, SubAccountId=account)
        for kind, hours in (("vCPU", 8), ("Neuron", used)):
            if hours:
                world.charge(
                    f"{DAY}3T10:00:00", 0, x_UsageType=f"USE1-EKS-EC2-{kind}-Hours",
                    ResourceId=f"arn:aws:eks:us-east-1:{account}:pod/prod/ml/{machine}/1",
                    ConsumedQuantity=hours, x_ParentResourceId=machine, x_SplitCost=1,
                    tags={"workload": "atlas-7b", "run": machine}, SubAccountId=account,
                )  # fmt: skip
    found = examined(world, held("i-held"))["charges without a job"]
    assert found.found == (
        "no run tag names, and no job held, 1 machine billed for 1.0 h: i-sidecar for one"
    )


def test_a_bill_whose_pods_alone_tell_is_examined_without_any_source(tmp_path: Path) -> None:
    """It is by day; `own` is the tag of a machine on which a pod of `other` ran."""
    world = World(tmp_path)
    day = {"ChargePeriodEnd": f"{DAY}4T00:00:00"}
    for machine, tags in (("i-pods", {}), ("i-tagged", {"run": "own"}), ("i-idle", {})):
        world.hours(f"{DAY}3T00:00:00", 24, TRN, 16, tags, ResourceId=machine, **day)
    for machine, run in (("i-pods", "t1"), ("i-tagged", "other")):
        world.charge(
            f"{DAY}3T00:00:00", 0, x_UsageType="USE1-EKS-EC2-Neuron-Hours", ConsumedQuantity=384,
            ResourceId=f"arn:aws:eks:us-east-1:999900000001:pod/prod/ml/{machine}/1",
            x_ParentResourceId=machine, x_SplitCost=1, tags={"workload": "w", "run": run}, **day,
        )  # fmt: skip
    found = about_machines(published(world.pulled(), *MARTS).settings)
    assert found["the hours of the bill"].found.startswith("100% of its accelerator instance-hours")
    assert found["run own"].found == "the tag says own, the job on it other, on 1 machine, " + (
        "i-tagged for one"
    )
    assert found["charges without a job"].found == (
        "no run tag names, and no job held, 1 machine billed for 24.0 h: i-idle for one"
    )
    assert found["cluster prod"].state == "ok"


def test_a_daily_line_of_a_sagemaker_job_is_divided_by_no_day(tmp_path: Path) -> None:
    world = World(tmp_path)
    hour(world, "i-held")
    for resource, expected in (
        ("arn:aws:sagemaker:us-east-1:999900000001:training-job/j1", None),
        ("i-daily", "89% of its accelerator instance-hours are by day"),
    ):
        day = {"ResourceId": resource, "ChargePeriodEnd": "2025-10-04T00:00:00"}
        world.hours(f"{DAY}3T00:00:00", 24, TRN, 16, {}, **day)
        found = examined(world, held("i-held")).get("the hours of the bill")
        assert (found and found.found.split(":")[0]) == expected
        world.charges.pop()


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Finding]:
    """A cluster of each kind of job: on another type, on machines that the bill lacks.

    Of these `many` names a job on each, `nameless` none on one; `last` ends with the bill, `later`
    half an hour after it.
    """
    world = World(tmp_path_factory.mktemp("beside"))
    hour(world, "i-1")
    hour(world, "i-2")
    last = held("i-gone", cluster="last").replace("10-03", "10-05").replace("12:00", "11:00")
    lines = [
        held("i-1", cluster="other").replace(TRN, "p4d.24xlarge").replace(",16,", ",8,"),
        held("i-2", cluster="same"),
        *(held(machine, run, "many") for machine, run in (("i-b", "t1"), ("i-a", "t3"))),
        held("i-a", "t2", "many"),
        held("i-b", "t1", "nameless"),
        held("i-a", "", "nameless").replace(",job-\n", ",\n"),
        *(
            held(f"i-{kind[0]}", cluster="cpus").replace(TRN, kind).replace(",16,", ",,")
            for kind in ("c6i.8xlarge", "inf2.48xlarge")
        ),
        held("i-none", cluster="cpus").replace(",16,", ",0,"),
        last,
        last.replace("last", "later").replace("11:00", "11:30"),
    ]
    return examined(world, "".join(lines))


def test_a_job_told_on_another_type_than_the_bills_is_said(beside: dict[str, Finding]) -> None:
    one = beside["types of other"]
    assert (one.state, one.found) == (
        "warning",
        "jobs are told of p4d.24xlarge on 1 machine that the bill has as trn1.32xlarge, i-1 for "
        "one: their part of it is reckoned by p4d.24xlarge",
    )
    assert "types of same" not in beside


def test_machines_without_accelerators_are_looked_for_on_no_bill(
    beside: dict[str, Finding],
) -> None:
    assert "jobs of cpus" not in beside


def test_two_sources_of_one_cluster_are_said(tmp_path: Path) -> None:
    world = World(tmp_path)
    hour(world, "i-held")
    (tmp_path / "held.csv").write_text(HEAD + held("i-held"))
    settings = world.pulled(sources=SOURCES)
    for source in ("first", "second"):
        deliver(settings.data, [observed("2025-10-03T10:00:00", None)], source=source)
    assert about_machines(settings)["sources of hpc"].found == (
        "first and second both tell of it: of a day the last pulled counts"
    )


@pytest.mark.parametrize(("cluster", "said"), [("many", " (job job-t2)"), ("nameless", "")])
def test_a_machine_that_the_bill_lacks_is_named_with_a_job_that_held_it(
    beside: dict[str, Finding], cluster: str, said: str
) -> None:
    assert beside[f"jobs of {cluster}"].found == (
        f"jobs held 2 machines that the bill does not have, i-a for one{said}"
    )


def test_a_machine_that_the_bill_lacks_is_named_on_its_last_day_too(
    beside: dict[str, Finding],
) -> None:
    assert beside["jobs of last"].found == (
        "jobs held 1 machine that the bill does not have, i-gone for one (job job-t1)"
    )
    assert "jobs of later" not in beside


@pytest.mark.parametrize(
    ("charges", "missed"),
    [
        ([("", HPC), ("", {})], None),
        ([("", {})], None),
        ([("", HPC), ("i-other", LAB)], None),
        ([("", HPC), ("i-other", HPC)], "i-gone"),
        ([("", LAB), ("i-other", HPC)], "i-gone"),
    ],
)
def test_where_the_bill_names_no_machine_of_a_cluster_none_is_missed(
    tmp_path: Path, charges: list[tuple[str, dict[str, str]]], missed: str | None
) -> None:
    world = World(tmp_path)
    for resource, tags in charges:
        hour(world, resource, tags=dict(tags))
    found = examined(world, held("i-gone")).get("jobs of hpc")
    said = "jobs held 1 machine that the bill does not have, i-gone for one (job job-t1)"
    assert (found and found.found) == (missed and said)


def test_jobs_known_by_a_pool_of_which_the_bill_has_no_machine_are_said(tmp_path: Path) -> None:
    """The machine bears another cluster's tag; nodes without accelerators are none of these."""
    world = World(tmp_path)
    hour(world, "i-1", tags=dict(LAB))
    pool = held("").replace(",,n1,,", f",,n1,{TRN},")
    others = pool.replace("hpc", "lab") + pool.replace(TRN, "c5.large").replace(",16,", ",,")
    found = examined(world, pool + others)
    assert found["pool of hpc"].found == (
        "jobs held 1 node of trn1.32xlarge, n1 for one, and no machine of that type on the bill "
        "bears the cluster's tag: what they held is counted nowhere"
    )
    assert found["pool of hpc"].remedy.startswith("activate the tag that names the cluster")
    assert "pool of lab" not in found


def test_a_machine_of_another_type_than_the_unnamed_ones_is_missed(tmp_path: Path) -> None:
    world = World(tmp_path)
    hour(world, "", tags=dict(HPC))
    other = held("i-gone").replace(TRN, "p4d.24xlarge").replace(",16,", ",8,")
    assert "jobs of hpc" in examined(world, other)
    assert "jobs of hpc" not in examined(world, held("i-gone"))


@pytest.mark.parametrize(
    ("kind", "remedy"),
    [
        ("slurm", "let deploy/slurm/breakeven_slurm.py keep nodes.csv (--ec2 where Slurm does not "
         "know), or set `instance_types` in the [[sources]] entry"),
        ("kubernetes", "the node's providerID must name its instance while the pod runs"),
        ("hyperpod", "set `instance_types` in the [[sources]] entry"),
    ],
)  # fmt: skip
def test_what_makes_a_node_known_is_said_for_the_source_that_told_of_it_alone(
    tmp_path: Path, kind: str, remedy: str
) -> None:
    world = World(tmp_path)
    hour(world, "i-held")
    (tmp_path / "held.csv").write_text(HEAD + held("", cluster="lab", node="n9"))
    settings = world.pulled(sources=SOURCES)
    times = ("2025-10-03T10:00:00", "2025-10-03T12:00:00")
    deliver(
        settings.data,
        [observed(*times, resource=None, node="n1", instance_type=None)],
        source=kind,
    )
    found = about_machines(settings)
    assert found["nodes of hpc"].remedy == remedy
    said = "write resource, or instance_type, on the lines of these nodes"
    assert found["nodes of lab"].remedy == said


def test_a_day_that_only_files_tell_of_needs_a_line_also_if_nobody_held_anything(
    tmp_path: Path,
) -> None:
    world = World(tmp_path)
    hour(world, "i-held", tags=dict(HPC))
    hour(world, "i-lab", tags=dict(LAB))
    (tmp_path / "held.csv").write_text(HEAD + held("i-held"))
    settings = world.pulled(sources=SOURCES)
    times = ("2025-10-03T10:00:00", "2025-10-03T12:00:00")
    row = observed(*times, cluster="lab", resource="i-lab", workload="atlas-7b", run="t2", job="9")
    deliver(settings.data, [row], source="slurm")
    found = about_machines(published(settings, *MARTS).settings)
    for cluster in ("hpc", "lab"):
        assert "; no allocations of 2 days of it" in found[f"cluster {cluster}"].found
    assert found["cluster hpc"].remedy == (
        "state who held its machines on each of them; a day on which nobody did needs a line, too, "
        "with accelerators 0 (docs/schedulers.md)"
    )
    assert found["cluster lab"].remedy == (
        "`breakeven ingest`; where the head node had stopped, first let "
        "deploy/slurm/breakeven_slurm.py write these days (--since DAY)"
    )


def test_a_bill_by_day_is_said(tmp_path: Path) -> None:
    world = World(tmp_path)
    for day in (1, 3, 5):
        end = {"ChargePeriodEnd": f"{DAY}{day + 1}T00:00:00"}
        world.hours(f"{DAY}{day}T00:00:00", 24, TRN, 16, {}, ResourceId="i-held", **end)
    one = examined(world, held("i-held"))["the hours of the bill"]
    assert one.found.startswith("100% of its accelerator instance-hours are by day")
    assert "TIME_GRANULARITY = HOURLY" in one.remedy


def test_without_allocations_there_is_nothing_to_look_at(tmp_path: Path) -> None:
    world = World(tmp_path)
    hour(world, "i-1")
    settings = world.pulled(sources=SOURCES[:1])
    assert about_machines(settings) == {}
    both = settings.model_copy(update={"sources": world.settings(sources=SOURCES).sources})
    assert about_machines(both)["clusters"].state == "skipped"


def test_a_file_that_would_be_refused_is_no_delivery(tmp_path: Path) -> None:
    world = World(tmp_path)
    hour(world, "i-held")
    (tmp_path / "held.csv").write_text(HEAD + held("i-held"))
    settings = world.settings(sources=SOURCES)

    def about_the_files() -> Finding:
        return next(one for one in examine(settings) if one.about == "allocations")

    assert about_the_files().found == f"{tmp_path}/held.csv is there, deliveries: 1"
    pull.pull(settings, ["allocations"]).raise_failures()
    said = f"{tmp_path}/held.csv is there, deliveries: 0, unchanged: 1"
    assert about_the_files().found == said
    (tmp_path / "held.csv").write_text(HEAD + held("i-held").replace(",16,", ",17,"))
    assert about_the_files() == Finding(
        "config",
        "allocations",
        "blocks",
        f"{tmp_path}/held.csv: line 2: accelerators is more than the machine has: 17 of 16",
        "correct one of the two",
    )


def test_files_of_a_head_node_and_of_kubectl_are_looked_at_as_files(tmp_path: Path) -> None:
    world = World(tmp_path)
    hour(world, "i-held")
    for name in ("slurm", "pods"):
        (tmp_path / name).mkdir()
    (tmp_path / "slurm" / f"sacct-{PRINTED}.psv").write_text(printed(job(), about=asked()))
    (tmp_path / "pods" / "pods-2026-10-30T0130Z.json").write_text('{"items": []}')
    sources = [
        SOURCES[0],
        {"kind": "slurm", "location": "slurm", "cluster": "atlas", "gres": ["npu"]},
        {"kind": "kubernetes", "location": "pods", "cluster": "prod"},
    ]
    settings = world.settings(sources=sources)
    said = {one.about: one for one in examine(settings) if one.check == "config"}
    assert said["slurm"].found == f"{tmp_path}/slurm is there, deliveries: 1"
    assert said["kubernetes"].found == f"prod in {tmp_path}/pods is there, deliveries: 0"
    assert {said[name].state for name in ("slurm", "kubernetes")} == {"ok"}
    (tmp_path / "slurm" / f"sacct-{PRINTED}.psv").write_text(
        printed(job(AllocTRES="gres/gpu=8"), job("18", End=at("09:00")), about=asked())
    )
    found = {one.about: one for one in examine(settings) if one.check == "config"}
    wrong = found["slurm"]
    assert wrong.state == "blocks"
    assert "line 4: an interval ends before it starts: job 18" in wrong.found
