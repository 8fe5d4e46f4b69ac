"""Maps clusters to the kinds of source that deliver their jobs; has remedies for each kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from ingest.doctor.examination import Examination
from models.contract.shipped_data import shipped_name
from models.engine.allocations.counted_deliveries import cluster_of, counted_deliveries

NODES = {
    "slurm": f"let {shipped_name('deploy/slurm/breakeven_slurm.py')} keep nodes.csv (--ec2 where "
    "Slurm does not know), or set `instance_types` in the [[sources]] entry",
    "kubernetes": "the node's providerID must name its instance while the pod runs",
    "batch": "pull it every half hour (`schedule` in its [[sources]] entry): ECS forgets an "
    "instance an hour after its end",
    "hyperpod": "set `instance_types` in the [[sources]] entry",
    "allocations": "write resource, or instance_type, on the lines of these nodes",
}
"""What makes a node's machine or type known, by kind of source."""

DAYS = {
    "slurm": "`breakeven ingest`; where the head node had stopped, first let "
    f"{shipped_name('deploy/slurm/breakeven_slurm.py')} write these days (--since DAY)",
    "kubernetes": "`breakeven ingest`; of days that Prometheus or the files no longer have, state "
    'who held its machines by [[sources]] kind = "allocations"',
    "allocations": "state who held its machines on each of them; a day on which nobody did needs a "
    f"line, too, with accelerators 0 ({shipped_name('docs/schedulers.md')})",
}
"""What brings the allocations of a day that has none, by kind of source."""

Readers = Mapping[str, frozenset[str]]


def readers_of_clusters(exam: Examination) -> Readers:
    """Maps each cluster to the kinds of source whose deliveries of its jobs count."""
    kinds = {source.name: source.kind for source in exam.sources}
    found: defaultdict[str, set[str]] = defaultdict(set)
    for each in counted_deliveries(exam.zone.live()):
        found[cluster_of(each)].add(kinds.get(each.key.source, each.key.source))
    return {cluster: frozenset(names) for cluster, names in found.items()}


def about_nodes(kinds: frozenset[str]) -> str:
    """Returns remedies for unknown nodes, for these kinds of source, or all if none fits."""
    own = [NODES[kind] for kind in sorted(kinds) if kind in NODES]
    return "; ".join(own or (f"of {kind}: {remedy}" for kind, remedy in NODES.items()))


def about_days(kinds: frozenset[str]) -> str:
    """Returns remedies for missing days, for these kinds of source; empty for other kinds."""
    return "; ".join(DAYS[kind] for kind in sorted(kinds) if kind in DAYS)
