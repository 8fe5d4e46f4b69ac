"""Collects how delivered lines are interpreted: tag keys, tag rules and metric mappings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from models.config.feeds import SourceEntry
from models.config.metrics.cloudwatch_metrics import CloudWatchMapping, MetricMapping
from models.config.metrics.tracker_metrics import (
    LightningMapping,
    TrackerMapping,
    TrackerOptions,
    TrainerStateMapping,
    WandBMapping,
)
from models.config.settings import Settings
from models.config.source_options import accepted
from models.config.tags import Labels
from models.contract.errors import ConfigError

CLOUDWATCH = "cloudwatch"
TRACKERS: dict[str, type[TrackerMapping]] = {
    "mlflow": TrackerMapping,
    "sagemaker": TrackerMapping,
    "wandb": WandBMapping,
    "tensorboard": TrackerMapping,
    "trainer_state": TrainerStateMapping,
    "lightning": LightningMapping,
}
"""Kinds of sources that know runs by name, with tags and metrics, and the options of each."""


class LineMeaning(Labels):
    """How delivered rows are interpreted: tag keys, tag rules and metric mappings.

    Where several mappings fit a line, the first one counts.
    """

    mappings: tuple[MetricMapping, ...] = (MetricMapping(),)
    trackers: tuple[TrackerMapping, ...] = (TrackerMapping(),)


def line_meaning(settings: Settings, *, shared_machines: bool = False) -> LineMeaning:
    """Collects the config's tag keys, tag rules, metric mappings; `ConfigError` if two conflict.

    `shared_machines` says that allocations were delivered, which divide machines among jobs.
    """
    mappings = tuple(dict.fromkeys(map(_mapping, _entries(settings, CLOUDWATCH))))
    seen: set[tuple[str | None, str]] = set()
    for mapping in mappings:
        if (mapping.source, mapping.namespace) in seen:
            raise ConfigError(
                f"[[sources]] {mapping.source} map {mapping.namespace} in two ways",
                value="lines are told apart by the name of their source",
                remedy="give one of them another `name`",
            )
        seen.add((mapping.source, mapping.namespace))
    labels = settings.tags.model_dump()
    trackers = tuple(dict.fromkeys(map(_tracker, _entries(settings, *TRACKERS))))
    return LineMeaning(
        **labels,
        rules=settings.tag_rules,
        clusters=settings.clusters.tags if shared_machines else (),
        shared_machines=shared_machines,
        mappings=(*mappings, MetricMapping()),
        trackers=(*trackers, TrackerMapping()),
    )


def _entries(settings: Settings, *kinds: str) -> Iterator[SourceEntry]:
    return (entry for entry in settings.sources if entry.kind in kinds)


def _mapping(entry: SourceEntry) -> MetricMapping:
    own: dict[str, Any] = {
        k: v for k, v in entry.options.items() if k in CloudWatchMapping.model_fields
    }
    return accepted(entry, MetricMapping, own | {"source": entry.label})


def _tracker(entry: SourceEntry) -> TrackerMapping:
    own: dict[str, Any] = {
        k: v for k, v in entry.options.items() if k in TrackerOptions.model_fields
    }
    return accepted(entry, TRACKERS[entry.kind], own | {"source": entry.label})
