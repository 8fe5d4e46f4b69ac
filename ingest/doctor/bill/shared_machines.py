"""Compares a bill with schedulers' records of machines that many jobs share (METHOD §2.10).

What the bill cannot tell is said with the remedy: no resources, days in place of hours, nodes
without an instance, jobs without a charge, charges without a job; then how much of each cluster is
known, and where a tag and an allocation disagree.
"""

from __future__ import annotations

from collections.abc import Iterator

from ingest.doctor.bill.clusters_of_one_name import indistinct_clusters
from ingest.doctor.bill.machine_evidence import PODS_TELL, Evidence, machine_evidence
from ingest.doctor.bill.readers_of_clusters import (
    Readers,
    about_days,
    about_nodes,
    readers_of_clusters,
)
from ingest.doctor.examination import Examination
from ingest.doctor.finding import Finding, State
from models.contract.page_text import count
from models.contract.shipped_data import shipped_name
from models.formats import FORMATS

NAME = "allocations"
SHOWN = 5
"""Pairs that are named; of more, how many."""
RESOURCES = (
    f"create the export with resource ids and by the hour ({shipped_name('deploy/terraform')}): "
    "in a CUR 2.0, INCLUDE_RESOURCES = TRUE and TIME_GRANULARITY = HOURLY"
)
UNBILLED = "read the bill of the account that pays for them, or correct which instance a node is"
UNTAGGED = (
    "activate the tag that names the cluster for cost allocation, or call the cluster as the bill "
    f"does (`cluster`, {shipped_name('docs/schedulers.md')})"
)
UNHELD = (
    "name their jobs: a [[sources]] entry of their scheduler "
    f"({shipped_name('docs/schedulers.md')}), a run tag, or "
    '[[tag_rules]] with match = { resource = "i-…" }'
)
LABELS = f"label jobs with their run ({shipped_name('docs/schedulers.md')})"
DISAGREE = "the tag counts: remove it from the machine, or correct the job's labels"
OTHER_TYPE = "correct instance_type, or state `of`: how many accelerators the machine has"
NAMELESS = (
    f"label these jobs with their workload and run ({shipped_name('docs/schedulers.md')}), or say "
    'whose they are by [[tag_rules]] with match = { "label.job_name" = "atlas-*" }'
)
INGEST = "`breakeven ingest`"
PODS = (
    "turn on split cost allocation in the export again, or add a [[sources]] entry of the scheduler"
)
COVERAGE = """
SELECT cluster, month, accelerator_hours, known_hours, unknown_hours, idle_hours,
       undelivered_hours, undelivered_days
FROM allocation_coverage
QUALIFY row_number() OVER (PARTITION BY cluster ORDER BY month DESC) = 1 ORDER BY cluster"""
OVER = """
SELECT coalesce(cluster, 'no cluster') AS cluster, count(*) AS periods,
       arg_max(machine, over_seconds) AS machine, arg_max(period_from, over_seconds) AS since,
       max(over_seconds) AS seconds
FROM over_allocated_periods
WHERE date > (SELECT max(date) FROM spend_daily) - INTERVAL 35 DAY
GROUP BY ALL ORDER BY 1"""
HELD_TOO_MUCH = (
    "parts were scaled to what the machine had: correct the jobs' times or counts, or name the "
    "accelerators in Slurm's AccountingStorageTRES"
)
LITTLE = 0.1
"""A larger part of a cluster's hours held by unknown jobs is a warning."""


def check_shared_machines(exam: Examination) -> Iterator[Finding]:
    """Checks the machines of the bill against schedulers' allocations, or against its own pods."""
    formats = {form.NAME for form in FORMATS if form.VIEW == "allocations"}
    asked = any(source.format in formats for source in exam.sources)
    if asked or exam.snapshot_rows(PODS_TELL):
        yield from _by_allocations(exam)
    yield from _over_allocated(exam)
    yield from _coverage(exam, INGEST if asked else PODS)


def _by_allocations(exam: Examination) -> Iterator[Finding]:
    with machine_evidence(exam) as evidence:
        if evidence is None:
            text = "no allocation, or no bill, is delivered yet"
            yield Finding(NAME, "clusters", "skipped", text, INGEST)
            return
        yield from _about_the_bill(evidence)
        yield from _about_nodes(evidence, readers_of_clusters(exam))
        yield from _about_jobs(evidence)
        yield from _contradictions(evidence)
        yield from _of_other_types(evidence)
        yield from indistinct_clusters(NAME, evidence, exam.zone.live())


def _about_the_bill(evidence: Evidence) -> Iterator[Finding]:
    """Yields warnings on a bill whose lines lack resource ids or are by day."""
    hours = evidence.hours()
    if hours.unnamed:
        text = (
            f"{hours.unnamed / hours.all:.0%} of its accelerator instance-hours name no resource: "
            "jobs share those that bear their cluster's tag, as a pool, and none is found on others"
        )
        yield Finding(NAME, "the bill", "warning", text, RESOURCES)
    if hours.daily:
        text = (
            f"{hours.daily / hours.all:.0%} of its accelerator instance-hours are by day: machines "
            "are divided by the day, not by the hour, and flagged daily_allocation"
        )
        yield Finding(NAME, "the hours of the bill", "warning", text, RESOURCES)


def _about_nodes(evidence: Evidence, readers: Readers) -> Iterator[Finding]:
    """Yields a warning per cluster with nodes of unknown instance and type, and its remedy."""
    for cluster, nodes, node in evidence.unknown_nodes():
        text = f"{count(nodes, 'node')} without a known instance or type, {node} for one"
        remedy = about_nodes(readers.get(cluster, frozenset()))
        yield Finding(NAME, f"nodes of {cluster}", "warning", text, remedy)


def _about_jobs(evidence: Evidence) -> Iterator[Finding]:
    """Yields warnings on jobs that no charge fits, and on charges that no job fits."""
    for cluster, machines, machine, job in evidence.unbilled():
        text = (
            f"jobs held {count(machines, 'machine')} that the bill does not have, {machine} for "
            f"one{f' (job {job})' if job else ''}"
        )
        yield Finding(NAME, f"jobs of {cluster}", "warning", text, UNBILLED)
    for cluster, kind, nodes, node in evidence.unbilled_pools():
        text = (
            f"jobs held {count(nodes, 'node')} of {kind}, {node} for one, and no machine of that "
            "type on the bill bears the cluster's tag: what they held is counted nowhere"
        )
        yield Finding(NAME, f"pool of {cluster}", "warning", text, UNTAGGED)
    for clusters, jobs, job in evidence.shared_job_ids():
        text = (
            f"{count(jobs, 'job')} of each have the same id, {job} for one: it is the run of the "
            "one that ran while progress was reported"
        )
        about = f"ids of jobs in {' and '.join(clusters)}"
        yield Finding(NAME, about, "warning", text, LABELS)
    unheld = evidence.unheld()
    if unheld:
        machines, hours, machine = unheld
        text = (
            f"no run tag names, and no job held, {count(machines, 'machine')} billed for "
            f"{hours:,.1f} h: {machine} for one"
        )
        yield Finding(NAME, "charges without a job", "warning", text, UNHELD)


def _contradictions(evidence: Evidence) -> Iterator[Finding]:
    """Yields warnings on machines whose run tag names another run than their jobs do."""
    pairs = evidence.contradictions()
    for tag, run, machines, machine in pairs[:SHOWN]:
        more = len(pairs) - SHOWN
        others = f"; {more} more such pairs" if more > 0 and tag == pairs[SHOWN - 1][0] else ""
        text = (
            f"the tag says {tag}, the job on it {run}, on {count(machines, 'machine')}, {machine} "
            f"for one{others}"
        )
        yield Finding(NAME, f"run {tag}", "warning", text, DISAGREE)


def _of_other_types(evidence: Evidence) -> Iterator[Finding]:
    """Yields warnings on machines whose instance type differs between job and bill."""
    for cluster, machines, machine, stated, billed in evidence.other_types():
        text = (
            f"jobs are told of {stated} on {count(machines, 'machine')} that the bill has as "
            f"{billed}, {machine} for one: their part of it is reckoned by {stated}"
        )
        yield Finding(NAME, f"types of {cluster}", "warning", text, OTHER_TYPE)


def _over_allocated(exam: Examination) -> Iterator[Finding]:
    """Yields warnings on clusters whose jobs had more of a machine than it has."""
    for row in exam.snapshot_rows(OVER) or ():
        text = (
            f"jobs held more than there was in {count(row['periods'], 'period')} of the bill: "
            f"{row['machine']} at {row['since']:%Y-%m-%d %H:%M} by {row['seconds']:,.0f} seconds "
            "for one"
        )
        yield Finding(NAME, f"jobs on {row['cluster']}", "warning", text, HELD_TOO_MUCH)


def _coverage(exam: Examination, missing: str) -> Iterator[Finding]:
    """Yields per cluster what part of its newest month is known, of unknown jobs, idle, missing.

    `missing` is the remedy for days without allocations where the kind of source has none.
    """
    readers = readers_of_clusters(exam)
    for row in exam.snapshot_rows(COVERAGE) or ():
        every = float(row["accelerator_hours"] or 0)
        if not every:
            continue
        parts = [
            f"{float(row[f'{name}_hours']) / every:.0%} {words}"
            for name, words in (
                ("known", "by known runs and workloads"),
                ("unknown", "by unknown jobs"),
                ("idle", "by nobody"),
                ("undelivered", "not known yet"),
            )
            if row[f"{name}_hours"] or name == "known"
        ]
        late = row["undelivered_days"]
        absent = f"; no allocations of {count(late, 'day')} of it" if late else ""
        text = (
            f"of {every:,.0f} accelerator-hours in {row['month']} held {', '.join(parts)}{absent}"
        )
        unknown = float(row["unknown_hours"]) / every
        state: State = "warning" if unknown > LITTLE or late else "ok"
        of_days = about_days(readers.get(row["cluster"], frozenset())) or missing
        remedy = NAMELESS if unknown > LITTLE else of_days if late else ""
        yield Finding(NAME, f"cluster {row['cluster']}", state, text, remedy)
