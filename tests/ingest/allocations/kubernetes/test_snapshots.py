"""Pods and nodes as `kubectl get pods,nodes -A -o json` wrote them, one file after another."""

from __future__ import annotations

import gzip
import json
import os
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from ingest.allocations.deliveries import FORMAT
from ingest.pull import Report, pull
from models.config.settings import Settings
from models.contract.errors import ConfigError, InputError
from models.raw.zone import RawZone
from tests.support.ingest.fake_aws import Configured
from tests.support.ingest.price_answers import told

Item = dict[str, Any]


def node(name: str = "n1", instance: str = "i-0a", **other: object) -> Item:
    return {
        "kind": "Node",
        "metadata": {
            "name": name,
            "uid": f"{name}-{instance}",
            "creationTimestamp": "2026-10-30T00:00:00Z",
            "labels": {"node.kubernetes.io/instance-type": "trn1.32xlarge"},
        },
        "spec": {"providerID": f"aws:///us-east-1a/{instance}"},
        **other,
    }


def pod(uid: str = "u1", requests: Item | None = None, **status: object) -> Item:
    held = {"requests": requests or {"aws.amazon.com/neuron": "8", "cpu": "4"}}
    return {
        "kind": "Pod",
        "metadata": {
            "name": f"{uid}-pod",
            "namespace": "train",
            "uid": uid,
            "creationTimestamp": "2026-10-30T09:50:00Z",
            "labels": {"workload": "atlas-7b", "cost-center": "7", "example.com/owner": "ada"},
        },
        "spec": {"nodeName": "n1", "containers": [{"resources": held}, {}]},
        "status": {"phase": "Running", "startTime": "2026-10-30T10:00:00Z", **status},
    }


def ended(at: str, phase: str = "Failed") -> Item:
    return {"phase": phase, "containerStatuses": [{"state": {"terminated": {"finishedAt": at}}}]}


class Folder:
    """A folder of such files, each written at a time of its own."""

    def __init__(self, path: Path, configured: Configured) -> None:
        self.path, self._configured = path, configured
        path.mkdir()

    def put(self, when: str, *items: Item, text: str = "") -> None:
        file = self.path / f"{when.replace(':', '')}.json"
        file.write_text(text or json.dumps({"kind": "List", "items": items}))
        if "99" not in when:
            stamp = datetime.fromisoformat(when).replace(tzinfo=UTC).timestamp()
            os.utime(file, (stamp, stamp))

    def copied(self) -> None:
        """Gives every file the time of copying, as `cp` and a first upload do."""
        for file in self.path.iterdir():
            os.utime(file)

    def pull(self, **other: object) -> tuple[Settings, Report]:
        source = {"kind": "kubernetes", "cluster": "prod", "location": str(self.path)}
        settings = self._configured(source, **other)
        return settings, pull(settings, ["kubernetes"])


@pytest.fixture
def folder(tmp_path: Path, configured: Configured) -> Folder:
    return Folder(tmp_path / "pods", configured)


def rows(settings: Settings) -> list[Item]:
    return sorted(told(settings, "observed_allocations"), key=lambda row: row["job"])


def test_a_pod_holds_until_its_containers_ended_or_until_it_was_last_seen(folder: Folder) -> None:
    cores = {"aws.amazon.com/neuroncore": "4"}
    folder.put("2026-10-30T11:00", node(), pod(), pod("u2"), pod("u3", cores))
    folder.put("2026-10-30T12:00", node(), pod(**ended("2026-10-30T11:30:00Z")), pod("u3", cores))
    settings, report = folder.pull(tags={"extra": ["cost-center"]})
    report.raise_failures()
    found = rows(settings)
    assert [(row["job"], row["held_to"] and f"{row['held_to']:%H:%M}") for row in found] == [
        ("u1", "11:30"),
        ("u2", "11:00"),
        ("u3", "12:00"),  # held on, on a day that is seen in part
    ]
    assert [row["accelerators"] for row in found] == [Decimal(8), Decimal(8), Decimal(2)]
    assert {(row["resource"], row["instance_type"]) for row in found} == {("i-0a", "trn1.32xlarge")}
    labels = json.loads(found[0]["labels"])
    assert (labels["cost-center"], labels["namespace"]) == ("7", "train")
    assert "ada" not in labels.values()
    assert (found[0]["workload"], found[0]["state"]) == ("atlas-7b", "FAILED")
    for key in ("cost-center", "user:cost-center"):
        assert folder.pull(tags={"extra": [key]})[1].results[0].new == 0


def test_a_label_names_the_run_though_the_config_has_its_key_of_the_bill(folder: Folder) -> None:
    named = pod()
    own = {"ml/run": "t7", "job-name": "launcher"}
    named["metadata"]["labels"] |= own
    folder.put("2026-10-30T11:00", node(), named)
    settings, _ = folder.pull(tags={"run": "user:ml/run"})
    assert [row["run"] for row in rows(settings)] == ["t7"]


def test_other_tags_rename_the_runs_of_delivered_days(folder: Folder) -> None:
    """What a controller calls the run counts where no label names it, then as now."""
    named, other = pod(), pod("u2")
    named["metadata"]["labels"] |= {"experiment": "exp-7", "job-name": "js-1"}
    other["metadata"]["labels"] |= {"job-name": "js-2"}
    folder.put("2026-10-30T11:00", node(), named, other)
    for key, runs in (("run", ["js-1", "js-2"]), ("experiment", ["exp-7", "js-2"])):
        settings, _ = folder.pull(tags={"run": key})
        assert [row["run"] for row in rows(settings)] == runs


def test_pods_of_an_aws_batch_job_are_one_run_by_the_id_that_its_container_reports(
    folder: Folder,
) -> None:
    """Batch makes bare pods: a further attempt is a further pod."""
    pods = [pod("u1", **ended("2026-10-30T10:40:00Z")), pod("u2")]
    for one in pods:
        one["metadata"]["labels"] |= {"batch.amazonaws.com/job-id": "f980f2cf-1a2b"}
    folder.put("2026-10-30T11:00", node(), *pods)
    settings, _ = folder.pull()
    assert [row["run"] for row in rows(settings)] == ["f980f2cf-1a2b"] * 2


def cores_told(count: object, **other: object) -> Item:
    """A node of 16 Trainium2 chips that tells its NeuronCores."""
    told = {"aws.amazon.com/neuroncore": count}
    made = node(status={"capacity": told, "allocatable": told} | other)
    made["metadata"]["labels"] = {"node.kubernetes.io/instance-type": "trn2.48xlarge"}
    return made


@pytest.mark.parametrize(
    ("nodes", "held"),
    [
        ([cores_told("64"), cores_told("64")], "16"),
        ([cores_told("128"), cores_told("128")], "8"),
        ([cores_told("128"), cores_told("0")], "8"),  # its plugin restarts
        ([cores_told("128", allocatable={"aws.amazon.com/neuroncore": "120"})] * 2, "8"),
        ([cores_told("128", capacity=None)] * 2, "8"),
        ([cores_told("many")] * 2, "16"),
        ([cores_told("64") | {"status": None}] * 2, "16"),
    ],
)
def test_neuron_cores_are_a_part_of_those_that_the_node_says_it_has(
    folder: Folder, nodes: list[Item], held: str
) -> None:
    """Its driver shows one core for two unless it is told otherwise."""
    cores = {"aws.amazon.com/neuroncore": "64"}
    for hour, each in zip((11, 12), nodes, strict=True):
        folder.put(f"2026-10-30T{hour}:00", each, pod(requests=cores))
    settings, report = folder.pull()
    report.raise_failures()
    assert [row["accelerators"] for row in rows(settings)] == [Decimal(held)]


def test_pods_on_a_node_without_an_instance_are_said(folder: Folder) -> None:
    """What they held is counted nowhere."""
    bare = node(spec={"providerID": "kind://docker/n1"})
    bare["metadata"]["labels"] = {}
    folder.put("2026-10-30T11:00", bare, pod())
    settings, report = folder.pull()
    report.raise_failures()
    assert [row["resource"] for row in rows(settings)] == [None]
    _, said = report.results[0].notices
    assert said.startswith(
        "prod: of nodes of pods on 2026-10-30, 1 of unknown instance and type, n1 for one: expose "
    )


@pytest.mark.parametrize(
    ("kind", "read", "notices"), [("p9.48xlarge", "p9.48xlarge", 1), ("k3s", None, 0)]
)
def test_a_day_is_taken_whatever_type_a_node_is_of(
    folder: Folder, kind: str, read: str | None, notices: int
) -> None:
    """AWS has newer types than the catalogue, and who runs the cluster may label nodes at will."""
    odd = node()
    odd["metadata"]["labels"] = {"node.kubernetes.io/instance-type": kind}
    other = pod("u2") | {"spec": {**pod()["spec"], "nodeName": "n2"}}
    folder.put("2026-10-30T11:00", odd, node("n2", "i-0b"), pod(), other)
    settings, report = folder.pull()
    report.raise_failures()
    found = [(row["resource"], row["instance_type"], row["accelerators"]) for row in rows(settings)]
    assert found == [("i-0a", read, 8), ("i-0b", "trn1.32xlarge", 8)]
    said = [line for line in report.results[0].notices if "instance" in line]
    assert [kind in line for line in said] == [True] * notices


def test_a_slice_of_a_gpu_is_its_part_of_it(folder: Folder) -> None:
    """And seven of them are no more than one."""
    kind = {"node.kubernetes.io/instance-type": "p4d.24xlarge"}
    gpus = node()
    gpus["metadata"]["labels"] = kind
    slices = {"nvidia.com/mig-3g.20gb": "2", "nvidia.com/gpu": "1"}
    every = {"nvidia.com/mig-1g.5gb": "49", "nvidia.com/mig-1c.7g.40gb": "7"}
    items = [gpus, pod("u1", slices), pod("u2", every), pod("u3", {"nvidia.com/mig-1g.5gb": "1"})]
    folder.put("2026-10-30T11:00", *items)
    settings, report = folder.pull()
    report.raise_failures()
    assert [row["accelerators"] for row in rows(settings)] == [
        Decimal("1.857142857"),
        Decimal(8),
        Decimal("0.142857142"),
    ]


def test_a_pod_that_was_evicted_held_nothing_after_the_first_file_that_says_so(
    folder: Folder,
) -> None:
    evicted = pod(phase="Failed", reason="Evicted")
    folder.put("2026-10-30T11:00", node(), pod())
    folder.put("2026-10-30T12:00", node(), evicted)
    folder.put("2026-11-01T12:00", node(), evicted)
    settings, report = folder.pull()
    report.raise_failures()
    assert [f"{row['held_to']:%d %H:%M}" for row in rows(settings)] == ["30 12:00"]


def test_what_is_null_is_what_is_not_there(folder: Folder) -> None:
    bare = node(spec={"providerID": None}) | {"metadata": node("n2")["metadata"]}
    folder.put("2026-10-30T11:00", node(), bare, pod(phase=None))
    settings, report = folder.pull()
    report.raise_failures()
    assert [(row["resource"], row["node"]) for row in rows(settings)] == [("i-0a", "n1")]


def test_a_packed_file_is_refused_and_what_was_there_stays(folder: Folder) -> None:
    """Passed by, it would say that its pods ended at the file before it."""
    folder.put("2026-10-30T11:00", node(), pod())
    settings, report = folder.pull()
    report.raise_failures()
    before = rows(settings)
    (folder.path / "2026-10-30T1200.json.gz").write_bytes(gzip.compress(b"{}"))
    said = rf"cannot read this kind of file: {folder.path}/.*T1200.json.gz \(deliver one of .json\)"
    with pytest.raises(InputError, match=said):
        folder.pull()[1].raise_failures()
    assert rows(settings) == before != []


def test_pods_without_accelerators_or_without_a_node_hold_nothing(folder: Folder) -> None:
    waiting = pod("u2")
    del waiting["spec"]["nodeName"]
    folder.put("2026-10-30T11:00", node(), pod("u1", {"cpu": "4"}), waiting)
    settings, report = folder.pull()
    report.raise_failures()
    assert RawZone(settings.data / "raw").live("observed_allocations") == []


@pytest.mark.parametrize(
    ("before", "held"),
    [
        ([{"count": "16"}], 16),
        ([{"count": "4"}], 8),
        ([{"count": "2", "restartPolicy": "Always"}], 10),
        ([{"count": "2", "restartPolicy": "Always"}, {"count": "14"}], 16),
        ([{"count": "9"}, {"count": "2", "restartPolicy": "Always"}], 10),
    ],
)
def test_a_pod_holds_what_kubernetes_reserves_for_its_init_containers_and_sidecars(
    folder: Folder, before: list[Item], held: int
) -> None:
    one = pod()
    one["spec"]["initContainers"] = [
        {"resources": {"limits": {"aws.amazon.com/neuron": each.pop("count")}}, **each}
        for each in before
    ]
    folder.put("2026-10-30T11:00", node(), one)
    settings, report = folder.pull()
    report.raise_failures()
    (row,) = rows(settings)
    assert row["accelerators"] == held


def test_an_idle_day_of_which_files_tell_is_idle(folder: Folder) -> None:
    folder.put("2026-10-30T02:00", node(), pod(startTime="2026-10-30T00:30:00Z"))
    for hours in range(4, 52, 2):
        at = datetime(2026, 10, 30) + timedelta(hours=hours)  # noqa: DTZ001 - UTC
        folder.put(f"{at:%Y-%m-%dT%H:%M}", node())
    settings, report = folder.pull()
    live = RawZone(settings.data / "raw").live("observed_allocations")
    assert {d.key.period: d.rows for d in live} == {"2026-10-30": 1, "2026-10-31": 0}
    assert report.results[0].notices == []


def test_hours_without_a_file_are_unknown_not_idle(folder: Folder) -> None:
    """A pod may have come and gone. One that later files still have has held all the time."""
    for hour in ("02", "04", "06", "08", "10"):
        folder.put(f"2026-10-30T{hour}:00", node())
    folder.put("2026-10-30T11:00", node(), pod(), pod("u2"))
    folder.put("2026-10-30T13:00", node(), pod(), pod("u2"))
    folder.put("2026-11-01T12:00", node(), pod("u2"))
    settings, report = folder.pull()
    live = RawZone(settings.data / "raw").live("observed_allocations")
    assert {d.key.period: d.rows for d in live}["2026-10-30"] == 2
    told = {(row["job"], f"{row['observed_at']:%d %H:%M}") for row in rows(settings)}
    assert ("u1", "30 13:00") in told
    assert report.results[0].notices[0] == (
        "prod: no file of 2026-10-30 from 13:00 to 00:00: what pods held then is unknown, not idle "
        '([[sources]] kind = "allocations" can tell it)'
    )


def test_a_day_that_was_seen_whole_stays_so_when_its_first_files_are_deleted(
    folder: Folder,
) -> None:
    """One pod all the time, and a day without any pod: `find -mtime +7 -delete` at noon."""
    for day, held in ((29, ()), (30, (pod(startTime="2026-10-30T00:10:00Z"),))):
        for hour in range(0, 24, 2):
            folder.put(f"2026-10-{day}T{hour:02}:00", node(), *held)
    folder.put("2026-10-31T00:00", node(), pod(startTime="2026-10-30T00:10:00Z"))
    folder.pull()
    for until in (29, 30):
        for file in sorted(folder.path.glob(f"2026-10-{until}T*"))[:6]:
            file.unlink()
        settings, report = folder.pull()
        (told,) = report.results[0].notices
        assert told.startswith(
            f"prod: prod in {folder.path} no longer tells all of 2026-10-{until}, which it told to "
        )
        for file in folder.path.glob(f"2026-10-{until}T*"):
            file.unlink()
    (row,) = rows(settings)
    assert f"{row['observed_at']}" == "2026-10-31 00:00:00"
    zone = RawZone(settings.data / "raw")
    assert [d for d in zone.deliveries() if d.key.unit == "prod"] == zone.live(FORMAT)


@pytest.mark.parametrize(("first", "known_until"), [("02:00", 24), ("02:01", 0), ("11:30", 0)])
def test_hours_before_the_first_file_are_unknown_not_idle(
    folder: Folder, first: str, known_until: int
) -> None:
    """Files are as of two hours: the first day is known whole if it began no longer before."""
    began = datetime.fromisoformat(f"2026-10-30T{first}")
    running = pod(startTime="2026-10-30T00:30:00Z")
    for hours in range(0, 26, 2):
        folder.put(f"{began + timedelta(hours=hours):%Y-%m-%dT%H:%M}", node(), running)
    settings, report = folder.pull()
    unknown = (
        f"prod: no file of 2026-10-30 from 00:00 to {first}: what pods held then is unknown, not "
        'idle ([[sources]] kind = "allocations" can tell it)'
    )
    assert report.results[0].notices == ([] if known_until else [unknown])
    row = min(rows(settings), key=lambda one: one["observed_at"])
    known = datetime(2026, 10, 30) + timedelta(hours=known_until)  # noqa: DTZ001 - UTC
    assert (row["observed_at"], f"{row['held_from']:%H:%M}") == (known, "00:30")


def test_a_copy_of_the_files_tells_what_they_told_if_their_names_have_the_time(
    folder: Folder,
) -> None:
    folder.put("2026-10-30T11:00Z", node(), pod(), pod("u2"))
    folder.put("2026-11-01T12:00Z", node(), pod(**ended("2026-10-30T11:30:00Z")))
    folder.copied()
    settings, report = folder.pull()
    report.raise_failures()
    assert [f"{row['held_to']:%d %H:%M}" for row in rows(settings)] == ["30 11:30", "30 11:00"]
    live = RawZone(settings.data / "raw").live("observed_allocations")
    assert {d.key.period: d.rows for d in live} == {"2026-10-30": 2}


def test_a_newer_file_delivers_only_the_days_of_which_it_tells_something_new(
    folder: Folder,
) -> None:
    folder.put("2026-10-30T11:00Z", node(), pod())
    folder.put("2026-11-01T12:00Z", node(), pod(**ended("2026-10-30T11:30:00Z")))
    assert folder.pull()[1].results[0].new == 1
    folder.put("2026-11-01T13:00Z", node(), pod("u2", startTime="2026-11-01T12:30:00Z"))
    told = [folder.pull()[1].results[0] for _ in range(2)]
    assert [(one.new, one.unchanged) for one in told] == [(1, 1), (0, 1)]


def test_days_before_the_first_file_are_said_to_be_unknown(folder: Folder) -> None:
    folder.put("2026-10-30T11:00", node(), pod(**ended("2026-10-30T11:30:00Z")))
    for no_time in ("2026-99-30T11:00Z", "9999-10-30T11:00Z"):
        folder.put(no_time, node())
    folder.copied()
    settings, report = folder.pull()
    assert RawZone(settings.data / "raw").live("observed_allocations") == []
    assert report.results[0].notices[:1] == [
        "prod: pods ran from 2026-10-30 on, before the first file was written: 2026-10-30 to "
        "2026-10-30 are unknown, not idle; where a copy lost the files' times, write them into "
        "their names (pods-2026-09-01T1200Z.json)"
    ]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            pod(**ended("2026-10-30T09:59:59Z")),
            "a pod ends before it starts: u1-pod, 2026-10-30T10:00:00Z to 2026-10-30T09:59:59Z",
        ),
        (pod(startTime="2026-10-30T10:00:00"), "a time has no time zone: 2026-10-30T10:00:00"),
        (
            pod(startTime="1970-01-01T00:00:00Z"),
            "a time is before 2006 or more than 400 days ahead: 1970-01-01T00:00:00Z",
        ),
        (
            pod(requests={"nvidia.com/gpu": "all"}),
            "u1-pod's request of nvidia.com/gpu is not a count: all",
        ),
    ],
)
def test_a_pod_that_cannot_be_refuses_the_file(folder: Folder, wrong: Item, said: str) -> None:
    folder.put("2026-10-30T11:00", node(), wrong)
    (error,) = folder.pull()[1].results[0].errors
    assert f"2026-10-30T1100.json: {said} (" in str(error)


def test_a_pod_may_begin_while_kubectl_lists_after_the_minute_that_the_file_has(
    folder: Folder,
) -> None:
    """It held seconds, and stops none of the others; hours later, the file's time is wrong."""
    late = {"startTime": "2026-10-30T12:00:03Z"}
    evicted = pod("u3", **late, phase="Failed", reason="Evicted")
    folder.put("2026-10-30T12:00", node(), pod(), pod("u2", **late), evicted)
    folder.put("2026-10-30T12:05", node(), pod())
    settings, report = folder.pull()
    report.raise_failures()
    assert [(row["job"], f"{row['held_to']:%H:%M:%S}") for row in rows(settings)] == [
        ("u1", "12:05:00")
    ]
    folder.put("2026-10-30T12:00", node(), pod(startTime="2026-10-30T13:11:00Z"))
    (error,) = folder.pull()[1].results[0].errors
    assert "1200.json: a pod ends before it starts: u1-pod, 2026-10-30T13:11:00Z to" in str(error)


def test_files_whose_time_cannot_be_are_refused_with_the_remedy(folder: Folder) -> None:
    """Of archives without times, all files are of 1970."""
    for when in ("1970-01-01T00:00", "2100-01-01T00:00"):
        folder.put(when, node(), pod())
        (folder.path / f"{when.replace(':', '')}.json").rename(folder.path / "pods.json")
        (error,) = folder.pull()[1].results[0].errors
        assert f"pods.json cannot be of that day: {when[:10]} (write the time of asking" in str(
            error
        )


def test_an_end_that_cannot_be_is_unknown(folder: Folder) -> None:
    for n, end in enumerate(("1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z")):
        folder.put(f"2026-10-30T1{n + 1}:00", node(), pod(f"u{n}", **ended(end)))
    settings, report = folder.pull()
    report.raise_failures()
    assert [f"{row['held_to']:%H:%M}" for row in rows(settings)] == ["11:00", "12:00"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "it is not what kubectl writes"),
        ('{"items": [{"kind": ', "it is not JSON: "),
        ('{"items": [{"kind": "Pod"}]}', "no 'metadata'"),
        (json.dumps({"items": [{**pod(), "status": None}]}), "it is not what kubectl writes"),
        (
            json.dumps({"items": [{**pod(), "metadata": {**pod()["metadata"], "labels": ["a"]}}]}),
            "it is not what kubectl writes",
        ),
        (
            json.dumps({"items": [pod(requests={"nvidia.com/gpu": "9" * 50})]}),
            "u1-pod's request of nvidia.com/gpu is not a count: 999",
        ),
    ],
)
def test_what_kubectl_did_not_write_is_refused_in_plain_words(
    folder: Folder, text: str, said: str
) -> None:
    folder.put("2026-10-30T11:00", text=text)
    (error,) = folder.pull()[1].results[0].errors
    assert said in str(error)


@pytest.mark.parametrize(
    "wrong",
    [
        '{"items": [{"ki',
        json.dumps({"items": [node(), pod(requests={"nvidia.com/gpu": "many"})]}),
        json.dumps({"items": [node(), pod(startTime="0001-01-01T00:00:00Z")]}),
        json.dumps({"items": [node(), pod(**ended("2026-10-30T09:59:59Z"))]}),
    ],
    ids=["cut off", "no count", "no time", "ends before it starts"],
)
def test_a_file_that_is_wrong_is_refused_and_the_others_are_read(
    folder: Folder, wrong: str
) -> None:
    folder.put("2026-10-30T11:00", node(), pod())
    folder.put("2026-10-30T12:00", text=wrong)
    for new in (1, 0):
        settings, report = folder.pull()
        result = report.results[0]
        assert ["2026-10-30T1200.json" in str(error) for error in result.errors] == [True]
        assert result.new == new
    assert [row["held_to"].hour for row in rows(settings)] == [11]
    folder.put("2026-10-30T12:00", node(), pod(**ended("2026-10-30T11:30:00Z")))
    settings, report = folder.pull()
    report.raise_failures()
    assert [f"{row['held_to']:%H:%M}" for row in rows(settings)] == ["11:30"]


def test_more_than_the_machine_has_and_what_kubectl_did_not_write_are_refused(
    folder: Folder,
) -> None:
    folder.put("2026-10-30T11:00", node(), pod(requests={"aws.amazon.com/neuron": "17"}))
    (error,) = folder.pull()[1].results[0].errors
    assert (
        "2026-10-30T1100.json: pod u1-pod holds more accelerators than its trn1.32xlarge has: 17 "
        "of 16 (correct the request"
    ) in str(error)
    folder.put("2026-10-30T11:00", text='{"items": [{"kind": "Pod"}]}')
    (error,) = folder.pull()[1].results[0].errors
    assert "cannot read" in str(error)
    assert "no 'metadata'" in str(error)


def test_the_cluster_must_be_named(configured: Configured) -> None:
    with pytest.raises(ConfigError, match="option missing: cluster"):
        pull(configured({"kind": "kubernetes", "location": "pods"}), ["kubernetes"])


def test_a_pod_holds_none_of_the_machine_that_takes_its_nodes_name_minutes_later(
    folder: Folder,
) -> None:
    """Eight GPUs are more than a g5.xlarge has, and no minute of its boot is theirs."""
    first, later = node(instance="i-0a"), node(instance="i-0b")
    for one, kind in ((first, "p4d.24xlarge"), (later, "g5.xlarge")):
        one["metadata"]["labels"] = {"node.kubernetes.io/instance-type": kind}
    later["metadata"]["creationTimestamp"] = "2026-10-30T12:04:00Z"
    next_pod = pod("u2", {"nvidia.com/gpu": "1"}, startTime="2026-10-30T12:06:00Z")
    folder.put("2026-10-30T12:00", first, pod(requests={"nvidia.com/gpu": "8"}))
    folder.put("2026-10-30T12:10", later, next_pod)
    settings, report = folder.pull()
    report.raise_failures()
    held = [(r["resource"], r["accelerators"], f"{r['held_to']:%H:%M}") for r in rows(settings)]
    assert held == [("i-0a", Decimal(8), "12:00"), ("i-0b", Decimal(1), "12:10")]
