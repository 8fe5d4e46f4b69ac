"""What `sacct` prints of jobs: which nodes an attempt held, and what of them."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from ingest.allocations.slurm.jobs import Attempt, attempts
from ingest.allocations.slurm.printed import read_printed
from models.contract.errors import InputError
from tests.support.slurm.printed import at, job, printed

ASKED = datetime(2026, 10, 30, 13, 0, tzinfo=UTC)


def read(text: str, *, keep_user: bool = False, gres: tuple[str, ...] = ()) -> list[Attempt]:
    table = read_printed("sacct-2026-10-30.psv", text.encode())
    return list(attempts(table, ASKED, keep_user=keep_user, gres=gres))


def one(**other: str) -> Attempt:
    (attempt,) = read(printed(job(**other)))
    return attempt


def refused(text: str) -> str:
    with pytest.raises(InputError) as caught:
        read(text)
    return str(caught.value)


def test_an_attempt_holds_its_nodes_from_start_to_end() -> None:
    attempt = one(NodeList="p5-[1-2,7],trn-01", Comment="workload=atlas-7b run=t1")
    assert attempt.nodes == ("p5-1", "p5-2", "p5-7", "trn-01")
    assert (attempt.start.hour, attempt.end and attempt.end.hour) == (10, 12)
    assert (attempt.job, attempt.queued_at.hour, attempt.state) == ("17", 9, "COMPLETED")
    assert attempt.labels == {
        "job_name": "train",
        "account": "nlp",
        "workload": "atlas-7b",
        "run": "t1",
    }


def test_accelerators_are_spread_evenly_over_nodes_and_a_typed_count_repeats_the_plain_one() -> (
    None
):
    both = one(NodeList="p5-[1-2]", AllocTRES="cpu=8,gres/gpu:h100=16,gres/gpu=16,node=2")
    assert both.per_node(both.given.accelerators) == 8
    typed = one(AllocTRES="gres/gpu:h100=4,gres/gpu:a100=2")
    assert typed.given.accelerators == 6
    assert one(AllocTRES="gres/neuron=16").given.accelerators == 16
    assert one(AllocTRES="gres/neuroncore=8").given == (None, Decimal(8), Decimal(96))
    (own,) = read(printed(job(AllocTRES="gres/habana=2")), gres=("habana",))
    assert own.given.accelerators == 2


def test_bytes_of_a_disk_that_a_job_asked_for_refuse_no_file() -> None:
    disk = one(AllocTRES="cpu=8,gres/gpu=4,gres/tmpdisk=107374182400,gres/scratch:ssd=100G")
    assert (disk.given.accelerators, disk.given.cpus) == (4, 8)


def test_a_slice_of_a_gpu_is_its_part_of_it() -> None:
    """The plain count has slices in it."""
    seven = one(AllocTRES="cpu=12,gres/gpu:1g.5gb=7,gres/gpu=7")
    assert seven.given.accelerators == 1
    assert one(AllocTRES="gres/gpu:a100_3g.20gb=2").given.accelerators == Decimal("0.857142857")
    mixed = one(AllocTRES="gres/gpu:a100=2,gres/gpu:1c.7g.40gb=7,gres/gpu=9")
    assert mixed.given.accelerators == 3


def test_without_any_gres_only_cpus_are_known_as_on_aws_pcs() -> None:
    assert one(AllocTRES="cpu=48,mem=10G,node=1").given == (None, None, Decimal(48))
    assert one(AllocTRES="").given == (None, None, Decimal(96))


def test_a_requeued_job_is_several_attempts_and_each_counts() -> None:
    rows = [
        job(State="REQUEUED", End=at("11:00")),
        job(State="NODE_FAIL", Submit=at("11:01"), Start=at("11:10"), End=at("11:30")),
        job(State="COMPLETED", Submit=at("11:31"), Start=at("11:40")),
    ]
    first, second, third = read(printed(*rows))
    assert len({first.number, second.number, third.number}) == 3
    assert [each.state for each in (first, second, third)] == ["REQUEUED", "NODE_FAIL", "COMPLETED"]
    restarted = [job() | {"Restarts": number} for number in ("0", "3")]
    assert [each.number for each in read(printed(*restarted))] == [0, 3]


def test_tasks_of_an_array_are_jobs_and_components_of_a_heterogeneous_job_are_one() -> None:
    tasks = [job(JobID="20_1", JobIDRaw="21"), job(JobID="20_2", JobIDRaw="20")]
    parts = [job(JobID="30+0", JobIDRaw="30"), job(JobID="30+1", JobIDRaw="31", NodeList="trn-1")]
    found = read(printed(*tasks, *parts))
    assert [each.job for each in found] == ["21", "20", "30", "30"]
    assert found[0].labels["array_job"] == "20"
    assert [each.nodes for each in found[2:]] == [("p5-1",), ("trn-1",)]


def test_a_component_has_the_labels_of_its_leader_but_for_its_own() -> None:
    parts = [
        job(JobID="30+1", JobIDRaw="31", Comment="run=own"),
        job(JobID="30+0", JobIDRaw="30", Comment="workload=atlas-7b run=t1"),
        job(JobID="40+1", JobIDRaw="41"),
    ]
    found = [one.labels for one in read(printed(*parts))]
    assert [(one.get("workload"), one.get("run")) for one in found] == [
        ("atlas-7b", "own"),
        ("atlas-7b", "t1"),
        (None, None),
    ]


def test_long_lists_of_nodes_are_read_and_impossible_ones_are_refused_at_once() -> None:
    assert len(one(NodeList="a[1-1000]-[1-3],b[1-500,7]").nodes) == 3_500
    for text in ("n[1-999999999]", "a[1-1000]b[1-1000]", "c[1-60000],d[1-60000]"):
        assert "line 2: NodeList names more than 100,000 nodes: " in refused(
            printed(job(NodeList=text))
        )


def test_what_never_started_and_steps_hold_nothing() -> None:
    never = job(State="CANCELLED by 1000", NodeList="None assigned", Start=at("10:00"))
    waiting = job(State="PENDING", NodeList="", Start="Unknown", End="Unknown")
    assert read(printed(never, waiting, job("17.batch"))) == []


def test_who_runs_or_is_suspended_still_holds() -> None:
    assert one(State="RUNNING", End="Unknown").end is None
    assert one(State="SUSPENDED", End=at("13:00")).end is None
    assert one(State="RUNNING", End=at("12:00")).end == datetime(2026, 10, 30, 12, tzinfo=UTC)
    assert one(State="CANCELLED by 1000").state == "CANCELLED"


def test_people_are_dropped_unless_they_are_to_stay() -> None:
    text = printed(job(Comment='{"owner": "ada", "team": "nlp"}'))
    (attempt,) = read(text)
    assert not {"user", "owner"} & attempt.labels.keys()
    (attempt,) = read(text, keep_user=True)
    assert (attempt.labels["user"], attempt.labels["owner"]) == ("ada", "ada")


def test_a_job_may_be_named_with_a_separator_where_the_file_has_another() -> None:
    assert one(JobName="pre|train").labels["job_name"] == "pre|train"
    piped = printed(job(JobName="pre|train"), separator="|")
    assert refused(piped) == (
        "sacct-2026-10-30.psv: line 2: the line does not fit its header: 15 of 14 columns, atlas "
        "17 (print with --delimiter=$'\\x1f', as our script does)"
    )


def test_a_comment_may_have_several_lines_where_the_file_has_our_separator() -> None:
    """In the middle of a row, at its end, with lines that are empty or look like a comment."""
    pretty = '{\n\n  "workload": "atlas-7b",\n  "run": "t1"\n}'
    first = job(Comment="# observed_at=1\nrun=t0") | {"Extra": pretty}
    last = job("18", Comment=pretty) | {"Extra": "one\ntwo"}
    table = read_printed("sacct.psv", printed(first, last, job("19") | {"Extra": ""}).encode())
    assert table.about == {}
    found = list(attempts(table, ASKED, keep_user=False))
    assert [(each.job, each.labels.get("run"), each.line.number) for each in found] == [
        ("17", "t0", 2),
        ("18", "t1", 8),
        ("19", None, 14),
    ]
    assert found[1].labels["workload"] == "atlas-7b"
    piped = printed(job(Comment="a\nb"), separator="|")
    assert "line 3: the line does not fit its header: 1 of 14 columns" in refused(piped)


@pytest.mark.parametrize(
    ("wrong", "line"),
    [
        (
            {"End": at("09:59")},
            "an interval ends before it starts: job 17, "
            "2026-10-30T10:00:00Z to 2026-10-30T09:59:00Z",
        ),
        ({"Start": "2026-10-30T10:00:00"}, "Start has no time zone: 2026-10-30T10:00:00"),
        ({"Submit": "yesterday"}, "Submit is not a time: yesterday"),
        (
            {"End": "9999-12-31T00:00:00Z"},
            "End is before 2006 or more than 400 days ahead: 9999-12-31T00:00:00Z",
        ),
        ({"NodeList": "p5-[1-"}, "NodeList cannot be read: p5-[1-"),
        ({"AllocTRES": "gres/gpu=many"}, "gres/gpu is not a count: many"),
        ({"AllocTRES": "gres/neuron=1e400"}, "gres/neuron is not a count: 1e400"),
        ({"AllocTRES": "", "NCPUS": "9" * 20}, "NCPUS is not a count: 99999999999999999999"),
    ],
)
def test_a_line_that_cannot_be_is_refused_with_its_number_and_value(
    wrong: dict[str, str], line: str
) -> None:
    said = refused(printed(job(), job(**wrong)))
    assert said.startswith(f"sacct-2026-10-30.psv: line 3: {line} (")


def test_restarts_that_cannot_be_are_refused() -> None:
    said = refused(printed(job(Restarts="0"), job(Restarts="9" * 30)))
    assert said.startswith(f"sacct-2026-10-30.psv: line 3: Restarts is not a count: {'9' * 30} (")


def test_other_bytes_than_slurm_prints_are_refused() -> None:
    latin = printed(job(), job(Comment="caf\u00e9")).encode("latin-1")
    for content, said in (
        (latin, "sacct.psv: line 3: it is not UTF-8: byte 0xe9 (write it with LC_ALL=C.UTF-8)"),
        (gzip.compress(b"Cluster"), "sacct.psv is packed: gzip (unpack it)"),
    ):
        with pytest.raises(InputError) as caught:
            read_printed("sacct.psv", content)
        assert str(caught.value) == said


def test_a_column_that_appears_twice_is_refused() -> None:
    head, line, _ = printed(job()).split("\n")
    twice = f"{head}\x1fStart\n{line}\x1f{at('11:00')}\n"
    said = "sacct-2026-10-30.psv: a column appears twice: Start (print it once)"
    assert refused(twice) == said


def test_a_file_that_is_cut_off_is_refused() -> None:
    whole = printed(job(), job("18"))
    assert "line 3: the line does not fit its header: 6 of 14 columns, atlas 18" in refused(
        whole[: whole.index("ada", whole.index("18"))] + "\n"
    )
    assert "line 3: the line is cut off: atlas" in refused(whole[:-30])
    assert "has other columns: JobID, State" in refused("JobID|State\n1|COMPLETED\n")
    assert "has no header: it is empty" in refused("")
