"""What kube-state-metrics 2.13 exposes of pods and nodes, sample by sample, as OpenMetrics text."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

EVERY = timedelta(minutes=1)
KINDS = ("Pending", "Running", "Succeeded", "Failed", "Unknown")


def at(clock: str) -> datetime:
    """A time of day of 30 October 2026; `24:00` is the end of it."""
    hour, minute = clock.split(":")
    return datetime(2026, 10, 30, tzinfo=UTC) + timedelta(hours=int(hour), minutes=int(minute))


@dataclass
class State:
    """A cluster while it is watched, by as many kube-state-metrics: samples by family.

    `scraped_on`: the scrape calls its target's node `node`, and does not honor a series' own label.
    """

    watchers: tuple[str, ...] = ("ksm-0",)
    name: str = "prod"
    scraped_on: str = ""
    families: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def node(
        self, name: str, instance: str, since: str, until: str, kind: str = "", cores: int = 0
    ) -> None:
        """A node with an instance behind it, as long as it is there, and its NeuronCores."""
        about = f'node="{name}",kernel_version="6.1",provider_id="aws:///us-east-1a/{instance}"'
        labels = f'node="{name}",label_node_kubernetes_io_instance_type="{kind}"'
        for moment in _minutes(since, until):
            self._add("kube_node_info", about, 1, moment)
            if kind:
                self._add("kube_node_labels", labels, 1, moment)
            if cores:
                held = f'node="{name}",resource="aws_amazon_com_neuroncore",unit="integer"'
                self._add("kube_node_status_capacity", held, cores, moment)

    def pod(
        self,
        uid: str,
        node: str,
        since: str,
        until: str,
        requests: dict[str, int],
        labels: str = "",
        phases: tuple[tuple[str, str], ...] = (),
        completed: str = "",
        *,
        exported: bool = False,
    ) -> None:
        """A pod, as long as it is there; `phases` are those that it has from when on.

        `exported`: it is scraped without `honor_labels`, so that what watches it has its names.
        """
        own = f'namespace="train",pod="{uid}-pod",uid="{uid}"'
        if exported:
            own = own.replace("namespace=", "exported_namespace=").replace(
                ",pod=", ",exported_pod="
            )
            own += ',namespace="monitoring",pod="ksm-0-5f"'
        for moment in _minutes(since, until):
            now = next((p for p, start in reversed(phases) if at(start) <= moment), "Running")
            for name in KINDS:
                self._add("kube_pod_status_phase", f'{own},phase="{name}"', name == now, moment)
            for resource, count in requests.items():
                held = f'{own},container="main",node="{node}",resource="{resource}",unit="integer"'
                self._add("kube_pod_container_resource_requests", held, count, moment)
            self._add("kube_pod_labels", f"{own}{labels}", 1, moment)
            self._add("kube_pod_created", own, at(since).timestamp(), moment)
            self._add("kube_pod_start_time", own, at(since).timestamp() + 20, moment)
            if completed and moment >= at(completed):
                end = at(completed).timestamp()
                self._add("kube_pod_completion_time", own, end, moment)

    def text(self, *others: State) -> str:
        """All samples, as `promtool tsdb create-blocks-from openmetrics` reads them."""
        families = defaultdict[str, list[str]](list)
        for state in (self, *others):
            for family, samples in state.families.items():
                families[family] += samples
        lines = [
            line
            for family, samples in families.items()
            for line in (f"# TYPE {family} gauge", *samples)
        ]
        return "\n".join([*lines, "# EOF", ""])

    def _add(self, family: str, labels: str, value: float, moment: datetime) -> None:
        if self.scraped_on:
            labels = re.sub(r'\bnode="', 'exported_node="', labels) + f',node="{self.scraped_on}"'
        for watcher in self.watchers:
            about = f'cluster="{self.name}",instance="{watcher}",{labels}'
            self.families[family].append(
                f"{family}{{{about}}} {float(value)} {moment.timestamp():.0f}"
            )


def _minutes(since: str, until: str) -> Iterator[datetime]:
    moment = at(since)
    while moment < at(until):
        yield moment
        moment += EVERY
