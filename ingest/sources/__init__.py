"""The feeds: one file each, named here; there is no folder scanning."""

from __future__ import annotations

from collections.abc import Iterable

from ingest.aws import accounts
from ingest.source import Source
from ingest.sources.capacity import Capacity
from ingest.sources.cloudwatch import CloudWatch
from ingest.sources.cost_explorer.feed import CostExplorer
from ingest.sources.data_exports.cur2 import Cur2
from ingest.sources.data_exports.focus import Focus
from ingest.sources.mlflow.feed import MLflow
from ingest.sources.neuron_monitor import NeuronMonitor
from ingest.sources.price_list import PriceList
from ingest.sources.prices import Prices
from ingest.sources.progress_file import ProgressFile
from ingest.sources.sagemaker import SageMaker
from ingest.sources.savings_plans import SavingsPlans
from ingest.sources.spot_prices import SpotPrices
from ingest.sources.utilisation import Utilisation
from models.config import metrics
from models.config.settings import Settings, SourceEntry, nearest
from models.config.source_options import accepted
from models.contract.errors import ConfigError

SOURCES: tuple[type[Source], ...] = (
    Focus,
    Cur2,
    CostExplorer,
    ProgressFile,
    CloudWatch,
    SageMaker,
    MLflow,
    Utilisation,
    NeuronMonitor,
    Prices,
    PriceList,
    SpotPrices,
    SavingsPlans,
    Capacity,
)


def configured(settings: Settings) -> list[Source]:
    """The sources of the config in its order, then the shipped prices. Raises `ConfigError`."""
    found = [source for entry in settings.sources for source in _made(entry, settings)]
    found.append(Prices.seed(settings))
    _refuse_twins(found)
    accounts.refuse_payer(found, settings)
    metrics.meaning(settings)
    return found


def named(settings: Settings, names: Iterable[str] = ()) -> list[Source]:
    """The sources of these names; all of them when none is given. The shipped prices come along.

    Raises `ConfigError` for a name that no source has, and where all are asked and none is there.
    """
    *own, seed = configured(settings)
    asked = set(names)
    if not own and not asked:
        raise ConfigError(
            "no [[sources]] are configured", remedy="`breakeven init` writes a config to fill in"
        )
    known = sorted({source.name for source in own} | {seed.name})
    for name in sorted(asked.difference(known)):
        raise ConfigError("unknown source", value=name, remedy=nearest(name, known))
    return [*(s for s in own if not asked or s.name in asked), seed]


def _made(entry: SourceEntry, settings: Settings) -> list[Source]:
    """One source, or one in each account and region that the entry names."""
    kinds = {source.kind: source for source in SOURCES}
    if entry.kind not in kinds:
        raise ConfigError(
            "[[sources]]: unknown kind", value=entry.kind, remedy=nearest(entry.kind, kinds)
        )
    source = kinds[entry.kind]
    return [
        source(entry.label, accepted(entry, source.accepts, options), settings)
        for options in accounts.options_of_each_source(entry, source, settings)
    ]


def _refuse_twins(found: list[Source]) -> None:
    for number, source in enumerate(found):
        for other in found[:number]:
            if source.location == other.location:
                raise ConfigError(
                    f"[[sources]] {other.name} and {source.name} read the same",
                    value=source.location,
                    remedy="remove one of them",
                )
            if source.name == other.name and source.kind != other.kind:
                raise ConfigError(
                    f"[[sources]] {other.kind} and {source.kind} have the same name",
                    value=source.name,
                    remedy="give one of them another `name`",
                )
