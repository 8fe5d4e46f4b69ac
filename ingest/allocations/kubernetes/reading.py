"""Reads which pods had accelerators: by day from Prometheus, or from files of `kubectl`.

A day that was over when it was asked for is not asked for again, unless it is named: Prometheus
forgets (15 days by default), and then says nothing of a day. What it did not see is unknown, not
idle. Files are read again when one of them changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta

from ingest.allocations.allocation import DAY, Allocation, by_cluster_and_day
from ingest.allocations.deliveries import ClusterDay, batches, refusal
from ingest.allocations.kubernetes.metrics import MetricsOfDay
from ingest.allocations.kubernetes.pods import HeldByPods, Pod
from ingest.allocations.kubernetes.prometheus import Prometheus
from ingest.allocations.kubernetes.snapshots import NAMED, Snapshots
from ingest.allocations.live_days import LiveDays
from ingest.allocations.node_machines import NodeMachines
from ingest.billing_months import midnight
from ingest.files.store import Store, file_key
from ingest.source import Batch, FetchContext, Source
from models.config.settings import Settings
from models.contract.errors import InputError

SEEN_DAYS = 14
SERVER = ("http://", "https://")
READER, FILE_READER = "7", "7"
"""Raised where the same answers of Prometheus, or the same files, are read as other rows."""
UNKNOWN = (
    "expose the label node.kubernetes.io/instance-type by kube_node_labels, and let the node's "
    "providerID name its instance while the pod runs"
)
FORGOTTEN = "Prometheus may have forgotten them, or files were removed"


@dataclass(frozen=True)
class KubernetesReading:
    """Reads when one cluster's pods had accelerators, from Prometheus or files of `kubectl`.

    `placed` puts an allocation where the bill has its machine.
    """

    source: Source
    settings: Settings
    cluster: str
    selector: str = ""
    placed: Callable[[Allocation], Allocation] = lambda allocation: allocation

    def batches(self, place: Prometheus | Store, context: FetchContext) -> Iterator[Batch]:
        """Yields a delivery of pod allocations per UTC day that is new or may have changed.

        A day that lacks a job delivered before is left out, with a notice. A refused file is a
        delivery that fails.
        """
        live, refused = LiveDays(context, self.source), list[Batch]()
        if isinstance(place, Prometheus):
            days = self._days_by_metrics(place, context, live, refused)
        else:
            snapshots = Snapshots.of(place, self.source.name, self.cluster)
            for entry, error in snapshots.refused:
                yield refusal(file_key(entry, self.settings), error)
            days = self._days_by_files(snapshots, context, live)
        for day in live.without_emptier(days, context.notices, FORGOTTEN):
            context.notices.extend(day.silences)
            context.notices.extend(day.unknown_nodes("pods", UNKNOWN))
            context.notices.extend(day.newer_types())
            yield from batches([day])
        yield from refused

    def _days_by_metrics(
        self, prometheus: Prometheus, context: FetchContext, live: LiveDays, refused: list[Batch]
    ) -> Iterator[ClusterDay]:
        """Yields a cluster's days as read from Prometheus; `refused` gets those with errors.

        A notice names the days of which it saw nothing, but those before it was first there.
        """
        now, first, unseen = datetime.now(UTC), live.first_day(self.cluster), list[date]()
        for day in self._days(context):
            if not context.window.given and live.has(self.source.location, _whole(day)):
                first = min(first or day, day)
                context.unchanged.append(f"{day}")
                continue
            end = min(midnight(day + DAY), now)
            try:
                one = self._day_by_metrics(prometheus, day, end)
            except InputError as error:
                refused.append(refusal(f"{day}", error))
                continue
            if one:
                first = min(first or day, day)
                yield replace(one, anew=context.window.given)
            elif first and first < day and not live.of(self.cluster, day):
                unseen.append(day)
        if unseen:
            context.notices.append(_silence(self.cluster, f"on {', '.join(map(str, unseen))}"))

    def _day_by_metrics(
        self, prometheus: Prometheus, day: date, end: datetime
    ) -> ClusterDay | None:
        """Returns one day's pod allocations, from Prometheus; null where it has no sample."""
        cluster, start = self.cluster, midnight(day)
        metrics = MetricsOfDay(prometheus, cluster, self.selector, start, end)
        unseen = metrics.unseen()
        if unseen == [(start, end)]:
            return None
        seen_until = next((since for since, until in unseen if until == end), end)
        silences = [_silence(cluster, _hours(since, until, end)) for since, until in unseen]
        machines = NodeMachines(metrics.stays(seen_until))
        held = self._held(machines, metrics.pods(seen_until), seen_until).get(day, [])
        known_until = unseen[0][0] if unseen else end
        if known_until < seen_until:
            held = _seen_in_part(held, known_until)
        version = _whole(day) if known_until == midnight(day + DAY) else ""
        one = ClusterDay(cluster, day, known_until, self.source.location, held, version)
        return replace(one, silences=silences)

    def _days_by_files(
        self, snapshots: Snapshots, context: FetchContext, live: LiveDays
    ) -> Iterator[ClusterDay]:
        """Yields a cluster's days as read from files of `kubectl`; nothing if no file changed."""
        version = f"{FILE_READER} {snapshots.version}"
        if live.has(self.source.location, version):
            context.unchanged.append(self.source.location)
            return
        machines = NodeMachines(snapshots.stays())
        held = self._held(machines, snapshots.pods(), snapshots.last)
        days = list(snapshots.days)
        context.notices.extend(self._before(days, held))
        for day in days:
            unseen = snapshots.unseen(day)
            silences = [_pause(self.cluster, *hours) for hours in unseen]
            observed_at = min(snapshots.last, midnight(day + DAY))
            rows = [replace(row, observed_at=observed_at) for row in held.get(day, [])]
            seen = snapshots.last
            if unseen:
                seen, _ = unseen[0]
                rows = _seen_in_part(held.get(day, []), seen)
            one = ClusterDay(self.cluster, day, seen, self.source.location, rows, version)
            yield replace(one, silences=silences)

    def _before(self, days: list[date], held: dict[date, list[Allocation]]) -> Iterator[str]:
        """Yields at most one notice: on which days pods ran before the first file was written."""
        earlier = sorted(day for day in held if not days or day < days[0])
        if earlier:
            yield (
                f"{self.cluster}: pods ran from {earlier[0]} on, before the first file was "
                f"written: {earlier[0]} to {earlier[-1]} are unknown, not idle; where a copy lost "
                f"the files' times, write them into their names ({NAMED})"
            )

    def _held(
        self, machines: NodeMachines, pods: Iterable[Pod], observed_at: datetime
    ) -> dict[date, list[Allocation]]:
        """Maps each UTC day to the allocations of pods on it."""
        held = HeldByPods(self.cluster, machines, self.settings)
        rows = (self.placed(row) for pod in pods for row in held.of(pod, observed_at))
        return {day: held_rows for (_, day), held_rows in by_cluster_and_day(rows).items()}

    def _days(self, context: FetchContext) -> Iterator[date]:
        today = datetime.now(UTC).date()
        day = context.window.first or today - timedelta(days=SEEN_DAYS)
        while day <= min(context.window.last or today, today):
            yield day
            day += DAY


def _silence(cluster: str, when: str) -> str:
    """Returns a notice's text: Prometheus has no sample in a time, so its pods are unknown."""
    return (
        f"{cluster}: Prometheus has no sample of a node {when}: what "
        'pods held then is unknown, not idle ([[sources]] kind = "allocations" can tell it)'
    )


def _hours(since: datetime, until: datetime, end: datetime) -> str:
    to = "on" if until == end else f"to {until:%H:%M}"
    return f"from {since:%Y-%m-%d %H:%M} {to}"


def _seen_in_part(rows: Iterable[Allocation], known_until: datetime) -> list[Allocation]:
    """Returns pod allocations, each with an end, marked as observed only up to a given time."""
    return [replace(row, held_to=row.until, observed_at=known_until) for row in rows]


def _pause(cluster: str, since: datetime, until: datetime) -> str:
    """Returns a notice's text: no file of `kubectl` covers a time, so its pods are unknown."""
    return (
        f"{cluster}: no file of {since:%Y-%m-%d} from {since:%H:%M} to {until:%H:%M}: what pods "
        'held then is unknown, not idle ([[sources]] kind = "allocations" can tell it)'
    )


def _whole(day: date) -> str:
    """Returns the version text of a day that Prometheus showed to its end: reader, day, `whole`."""
    return f"{READER} {day} whole"
