"""Builds the files that Slurm and `kubectl` would have written about the two pools."""

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

from generator.runs import Run
from generator.timeline import DAY, midnight
from generator.training import node

from story.history import pods
from story.pools import (
    DRAINED,
    FORGE,
    NODE,
    NOTEBOOK,
    Machine,
    eks_machines,
    forge_machines,
    on_machine,
)
from story.workloads import H100

SACCT = (
    *("Cluster", "JobID", "JobIDRaw", "JobName", "Account", "State", "Submit", "Start", "End"),
    *("NodeList", "NCPUS", "AllocTRES", "Comment"),
)
FIRST_JOB = 7001
Files = dict[str, str]


def epoch(moment: datetime) -> str:
    """Returns a UTC time as text of seconds since 1970."""
    return f"{int(moment.replace(tzinfo=UTC).timestamp())}"


def slurm(until: datetime) -> Files:
    """Returns file name → text, as Slurm wrote by a day: jobs of each day, nodes, events."""
    up = [machine for machine in forge_machines() if machine.start < until]
    files = {
        f"sacct-{day:%Y-%m-%d}.psv": _sacct(machine, number, day, until)
        for number, machine in enumerate(up)
        for day in _days(machine)
        if day < until.date()
    }
    nodes = ["cluster,node,instance_id,instance_type,cpus,from,to", *map(_node, up)]
    events = ["Cluster|NodeName|TimeStart|TimeEnd|State|Reason", *_events(up)]
    return {**files, "nodes.csv": _text(nodes), "events.psv": _text(events)}


def _days(machine: Machine) -> Iterator[date]:
    day = machine.start.date()
    while midnight(day) < machine.end:
        yield day
        day += DAY


def _sacct(machine: Machine, number: int, day: date, until: datetime) -> str:
    seen = min(until, midnight(day + 2 * DAY))  # the script asks for the last two days
    about = f"# cluster={FORGE} day={day} observed_at={epoch(seen)} slurm=24.11.5"
    found = [
        row
        for row in _jobs(machine, FIRST_JOB + 10 * number)
        if int(row[7]) < int(epoch(midnight(day + DAY))) and int(row[8]) > int(epoch(midnight(day)))
    ]
    return _text([about, "|".join(SACCT), *("|".join(row) for row in found)])


def _jobs(machine: Machine, first: int) -> Iterator[tuple[str, ...]]:
    runs = on_machine(machine)
    for number, run in enumerate(runs, first):
        waited = timedelta(minutes=7 + 13 * (number % 9))
        label = f"workload={run.workload.name} run={run.name}"
        yield _job(number, "train", "search", (run.start - waited, run.start, run.end), 8, label)
    last = runs[-1].end + timedelta(hours=3)
    times = (last - timedelta(minutes=4), last, last + timedelta(hours=6))
    yield _job(first + len(runs), "interactive", "interns", times, 4, "")


def _job(
    number: int, name: str, account: str, times: tuple[datetime, ...], gpus: int, comment: str
) -> tuple[str, ...]:
    held = f"cpu={12 * gpus},gres/gpu={gpus},node=1"
    return (
        *(FORGE, f"{number}", f"{number}", name, account, "COMPLETED", *map(epoch, times)),
        *(NODE, f"{12 * gpus}", held, comment),
    )


def _node(machine: Machine) -> str:
    span = f"{epoch(machine.start)},{epoch(machine.end)}"
    return f"{FORGE},{NODE},{machine.instance},{machine.instance_type},96,{span}"


def _events(up: list[Machine]) -> Iterator[str]:
    for machine in up:
        if machine.start.month in (3, 8):
            first, last = (epoch(machine.start + after) for after in DRAINED)
            yield f"{FORGE}|{NODE}|{first}|{last}|DRAIN|GPU 3 fell off the bus"


def _text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def kubectl(until: datetime) -> Files:
    """Maps file name → output of `kubectl get pods,nodes` by a day: two per node, last empty."""
    files = {}
    for run, machine in zip(pods(), eks_machines(), strict=True):
        for moment in (run.start + timedelta(hours=1), machine.end - timedelta(minutes=10)):
            if moment < until:
                items = [_machine(machine), *_pods(run, moment)]
                files[_name(moment)] = _items(items)
    return files | ({_name(until): _items([])} if files else {})


def _name(moment: datetime) -> str:
    return f"pods-{moment:%Y-%m-%dT%H%MZ}.json"


def _items(items: list[dict[str, Any]]) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, indent=1)


def _machine(machine: Machine) -> dict[str, Any]:
    about = {
        "name": f"ip-{machine.instance[-6:]}",
        "uid": f"node-{machine.instance}",
        "creationTimestamp": _stamp(machine.start + timedelta(minutes=10)),
        "labels": {"node.kubernetes.io/instance-type": H100},
    }
    spec = {"providerID": f"aws:///us-east-1a/{machine.instance}"}
    return {"kind": "Node", "metadata": about, "spec": spec}


def _pods(run: Run, moment: datetime) -> Iterator[dict[str, Any]]:
    labels = {"workload": run.workload.name, "run": run.name}
    waited = timedelta(minutes=35)
    yield _pod(run, run.name, labels, (run.start - waited, run.start, run.end), 8, moment)
    start = run.end + timedelta(hours=2)
    if start < moment:
        times = (start, start, start + NOTEBOOK)
        yield _pod(run, f"notebook-{run.name[-3:]}", {"app": "jupyter"}, times, 4, moment)


def _pod(
    run: Run,
    name: str,
    labels: dict[str, str],
    times: tuple[datetime, datetime, datetime],
    gpus: int,
    moment: datetime,
) -> dict[str, Any]:
    made, start, end = times
    about = {
        "name": name,
        "namespace": "train",
        "uid": f"pod-{name}",
        "creationTimestamp": _stamp(made),
        "labels": labels,
    }
    ended = [{"state": {"terminated": {"finishedAt": _stamp(end)}}}] if end <= moment else []
    status = {
        "phase": "Succeeded" if ended else "Running",
        "startTime": _stamp(start),
        "containerStatuses": ended,
    }
    wants = [{"name": "main", "resources": {"requests": {"nvidia.com/gpu": f"{gpus}"}}}]
    spec = {"nodeName": f"ip-{node(run, 0)[-6:]}", "containers": wants}
    return {"kind": "Pod", "metadata": about, "spec": spec, "status": status}


def _stamp(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%S}Z"
