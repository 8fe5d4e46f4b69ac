"""Reads from Prometheus one day's pods with accelerators, and the machines behind their nodes.

A pod holds its accelerators from the time that it was given to its node (`kube_pod_start_time`)
until it succeeded or failed, else until it was last seen. Prometheus may have missed a part of the
time in between: a pod that is there before and after was there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import pairwise

from ingest.allocations.kubernetes.pods import Pod, count_of, instance
from ingest.allocations.kubernetes.prometheus import Prometheus, Series
from ingest.allocations.kubernetes.resources import CORES, HOLDING
from ingest.allocations.machine_types import if_it_may_be
from ingest.allocations.moments import UnreadableMomentError, instant, is_possible
from ingest.allocations.node_machines import Stay, stays_since
from models.contract.errors import SourceError
from models.contract.safe_text import without_credentials

STEP = 60
"""Seconds between samples that are asked for; scrapes are rarely closer."""
BETWEEN = timedelta(seconds=STEP)
SILENT = timedelta(minutes=10)
"""After so long without any sample, what was there is unknown."""
LABEL = "label_"
NAMES = "namespace, pod, exported_namespace, exported_pod"
NODE = "node, exported_node"
REQUESTED = "kube_pod_container_resource_requests"
TYPES = ("label_node_kubernetes_io_instance_type", "label_beta_kubernetes_io_instance_type")


@dataclass(frozen=True)
class MetricsOfDay:
    """Asks Prometheus which pods of a cluster had accelerators in an interval, and on which nodes.

    `selector` are matchers that every metric must meet, such as `cluster="prod"`.
    """

    prometheus: Prometheus
    cluster: str
    selector: str
    start: datetime
    end: datetime

    def unseen(self) -> list[tuple[datetime, datetime]]:
        """Lists, as (start, end), the gaps in which Prometheus has no sample of any node."""
        seen = self._range(f"count(kube_node_info{self._where()})")
        times = sorted(at for series in seen for at, _ in series.samples)
        pieces = pairwise([self.start, *times, self.end])
        return [(since, until) for since, until in pieces if until - since > SILENT]

    def stays(self, seen_until: datetime) -> Iterator[Stay]:
        """Yields, per EC2 instance behind a node, from when to when; end null if it still is.

        `since` is ten minutes before the first sample that shows it, but not while another node had
        the name. Type and cores are those of its own time, because that one may be of other ones.
        """
        types, cores, left = self._types(), self._cores(), dict[str, datetime]()
        info = f"max by ({NODE}, provider_id) (kube_node_info{self._where()})"
        for series in sorted(self._range(info), key=lambda one: one.first):
            resource, node = (
                instance(series.labels.get("provider_id", "")),
                _identifier(series, "node"),
            )
            if resource:
                until = None if seen_until - series.last < SILENT else series.last + BETWEEN
                since = stays_since(series.first, left.get(node))
                left[node] = series.last + BETWEEN
                kind, count = _type(types.get(node, []), series), _most(cores.get(node, []), series)
                yield Stay(self.cluster, node, since, until, resource, kind, neuron_cores=count)

    def pods(self, seen_until: datetime) -> Iterator[Pod]:
        """Yields the pods that had accelerators, with start and end; `end` null while one runs."""
        starts, created = (self._moments(f"kube_pod_{name}") for name in ("start_time", "created"))
        ends = self._moments("kube_pod_completion_time", self._over())
        labels = {
            series.labels["uid"]: series.labels
            for series in self._instant(f"last_over_time(kube_pod_labels{self._where()}[1d])")
            if "uid" in series.labels
        }
        for uid, held in self._requests().items():
            first, last = min(s.first for s in held), max(s.last for s in held)
            alive = uid not in ends and seen_until - last < 2 * BETWEEN
            yield Pod(
                uid,
                held[0].labels["node"],
                min(starts.get(uid, first), first),
                None if alive else ends.get(uid, last + BETWEEN),
                {s.labels["resource"]: self._count(s) for s in held},
                "RUNNING" if alive else "ENDED",
                created.get(uid),
                _labels(held[0].labels, labels.get(uid, {})),
                self._origin,
            )

    def _types(self) -> dict[str, list[Series]]:
        """Maps each node name to the Prometheus series whose labels name its instance type."""
        query = f"max by ({NODE}, {', '.join(TYPES)}) (kube_node_labels{self._where()})"
        return _by_node(each for each in self._range(query) if _named_type(each))

    def _cores(self) -> dict[str, list[Series]]:
        """Maps each node name to the Prometheus series of its number of NeuronCores."""
        where = self._where(f'resource="{CORES}"')
        return _by_node(self._range(f"max by ({NODE}) (kube_node_status_capacity{where}) > 0"))

    @property
    def _origin(self) -> str:
        return f"{without_credentials(self.prometheus.location)} of {self.start:%Y-%m-%d}"

    def _count(self, series: Series) -> Decimal:
        """Returns the last value of a pod's resource request; `InputError` if it is no count."""
        last = series.samples[-1][1]
        return count_of(self._origin, _own(series.labels, "pod"), series.labels["resource"], last)

    def _requests(self) -> dict[str, list[Series]]:
        """Maps each pod's uid to series of its accelerator requests while pending or running.

        Where several kube-state-metrics or jobs of scraping tell of a container, it counts once. A
        Prometheus without `honor_labels` calls the pod's container `exported_container`, and so on.
        """
        alive = self._where('phase=~"Pending|Running"')
        query = (
            f"sum by (uid, {NAMES}, {NODE}, resource) ("
            f"max by (uid, {NAMES}, container, exported_container, {NODE}, resource) ("
            f"{self._requests_on_nodes()}) * on (uid) group_left () "
            f"max by (uid) (kube_pod_status_phase{alive} == 1))"
        )
        held: dict[str, list[Series]] = {}
        for series in self._range(query):
            held.setdefault(_identifier(series, "uid"), []).append(series)
        return held

    def _requests_on_nodes(self) -> str:
        """Returns the PromQL text for the accelerator requests of pods that are placed on nodes.

        Where pods have an `exported_node`, `node` is that of kube-state-metrics: it says nothing of
        a pod that waits for its own.
        """
        which = f'resource=~"{HOLDING}"'
        plain = self._where(which, 'exported_node=""', 'node!=""')
        exported, of_any = self._where(which, 'exported_node!=""'), self._where('exported_node!=""')
        return (
            f"{REQUESTED}{exported} or ({REQUESTED}{plain} unless on () count({REQUESTED}{of_any}))"
        )

    def _over(self) -> str:
        """Returns PromQL text that limits a query to pods that succeeded or failed.

        `kube_pod_completion_time` alone is there once a first container has ended.
        """
        phases = self._where('phase=~"Succeeded|Failed"')
        return f"and (max by (uid) (last_over_time(kube_pod_status_phase{phases}[1d])) == 1)"

    def _moments(self, metric: str, condition: str = "") -> dict[str, datetime]:
        """Maps each pod's uid to the time that a metric gives; impossible times are left out.

        kube-state-metrics gives 0 for a time that Kubernetes does not know.
        """
        query = f"max by (uid) (last_over_time({metric}{self._where()}[1d])) {condition}"
        found: dict[str, datetime] = {}
        for series in self._instant(query):
            with suppress(UnreadableMomentError):
                at = instant(series.samples[0][1])
                if "uid" in series.labels and is_possible(at):
                    found[series.labels["uid"]] = at
        return found

    def _where(self, *matchers: str) -> str:
        return "{" + ",".join(filter(None, (self.selector, *matchers))) + "}"

    def _range(self, query: str) -> list[Series]:
        """Runs a range query; label `node` is the pod's own node, not kube-state-metrics's."""
        end = self.end - timedelta(seconds=1)
        return [
            one._replace(labels=one.labels | {"node": node}) if node else one
            for one in self.prometheus.range(query, self.start, end, STEP)
            for node in [one.labels.get("exported_node")]
        ]

    def _instant(self, query: str) -> list[Series]:
        return self.prometheus.instant(query, self.end)


def _identifier(series: Series, label: str) -> str:
    """Returns the value of a series' identifying label. Raises `SourceError` if it is missing."""
    if not series.labels.get(label):
        raise SourceError(
            f"kube-state-metrics: a series has no label {label}",
            value=", ".join(f"{name}={text}" for name, text in sorted(series.labels.items())),
            remedy=f"use version 2.0 or newer, and let relabelling keep the label {label}",
        )
    return series.labels[label]


def _by_node(every: Iterable[Series]) -> dict[str, list[Series]]:
    found: dict[str, list[Series]] = {}
    for series in every:
        found.setdefault(series.labels.get("node", ""), []).append(series)
    return found


def _named_type(series: Series) -> str | None:
    return if_it_may_be(next((t for n in TYPES if (t := series.labels.get(n))), None))


def _type(told: list[Series], seen: Series) -> str | None:
    """Returns a node's instance type from the series that overlaps its time most, or null."""
    together = {min(one.last, seen.last) - max(one.first, seen.first): one for one in told}
    return _named_type(together[max(together)]) if together else None


def _most(told: list[Series], seen: Series) -> Decimal | None:
    """Returns the highest NeuronCore count of a node within its time; null where it is 0."""
    counts = (n for one in told for at, n in one.samples if seen.first <= at <= seen.last)
    return Decimal(max(counts, default=0)) or None


def _labels(pod: dict[str, str], labels: dict[str, str]) -> dict[str, str]:
    own = {k.removeprefix(LABEL): v for k, v in labels.items() if k.startswith(LABEL)}
    return {**own, "namespace": _own(pod, "namespace"), "pod": _own(pod, "pod")}


def _own(labels: dict[str, str], name: str) -> str:
    """Returns the pod's own label, `exported_…` where Prometheus renamed it, else the plain one."""
    return labels.get(f"exported_{name}") or labels.get(name, "")
