"""Lists the kinds of sources that the config can name in `[[sources]]`, and creates them.

In: the entries of the config. Out: sources, one per account and region an entry names, that yield
batches of files (`ingest.source`). No folder is scanned: a new kind is one file or folder, in the
chapter of its format, and one line in `SOURCES`. Serves docs/architecture.md.
"""

from __future__ import annotations

from collections.abc import Iterable

from ingest.aws import accounts
from ingest.source import Source
from ingest.sources.allocations.batch import AwsBatch
from ingest.sources.allocations.hyperpod import HyperPod
from ingest.sources.allocations.kubernetes import Kubernetes
from ingest.sources.allocations.sagemaker_jobs import SageMakerJobs
from ingest.sources.allocations.slurm import Slurm
from ingest.sources.allocations.stated import Allocations
from ingest.sources.bill.cost_explorer.feed import CostExplorer
from ingest.sources.bill.data_exports.cur2 import Cur2
from ingest.sources.bill.data_exports.focus import Focus
from ingest.sources.machines.neuron_monitor import NeuronMonitor
from ingest.sources.machines.utilisation import Utilisation
from ingest.sources.market.capacity import Capacity
from ingest.sources.market.price_list import PriceList
from ingest.sources.market.prices import Prices
from ingest.sources.market.savings_plans import SavingsPlans
from ingest.sources.market.spot_prices import SpotPrices
from ingest.sources.progress.cloudwatch import CloudWatch
from ingest.sources.progress.mlflow.feed import MLflow
from ingest.sources.progress.progress_file import ProgressFile
from ingest.sources.progress.sagemaker import SageMaker
from ingest.sources.progress.tensorboard import TensorBoard
from ingest.sources.progress.training_logs import Lightning, TrainerState
from ingest.sources.progress.wandb.feed import WandB
from models.config.feeds import SourceEntry
from models.config.metrics.line_meaning import line_meaning
from models.config.refusals.unknown_keys import nearest
from models.config.settings import Settings
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
    WandB,
    TrainerState,
    Lightning,
    TensorBoard,
    Utilisation,
    NeuronMonitor,
    Allocations,
    Slurm,
    Kubernetes,
    HyperPod,
    AwsBatch,
    SageMakerJobs,
    Prices,
    PriceList,
    SpotPrices,
    SavingsPlans,
    Capacity,
)


def configured(settings: Settings) -> list[Source]:
    """Returns the sources that the config names, in its order, then the shipped prices.

    Raises `ConfigError` for unknown kinds, wrong options and entries that contradict each other.
    """
    found = [source for entry in settings.sources for source in _sources_of(entry, settings)]
    found.append(Prices.seed(settings))
    _refuse_duplicates(found)
    accounts.refuse_payer(found, settings)
    line_meaning(settings)
    return found


def named_sources(settings: Settings, names: Iterable[str] = ()) -> list[Source]:
    """Returns the sources of the given names, or all; the shipped prices always.

    Raises `ConfigError` for a name that no source has, and where all are asked for and none is
    configured.
    """
    *own, seed = configured(settings)
    chosen = set(names)
    if not own and not chosen:
        raise ConfigError(
            "no [[sources]] are configured", remedy="`breakeven init` writes a config to fill in"
        )
    known = sorted({source.name for source in own} | {seed.name})
    for name in sorted(chosen.difference(known)):
        raise ConfigError("unknown source", value=name, remedy=nearest(name, known))
    return [*(s for s in own if not chosen or s.name in chosen), seed]


def _sources_of(entry: SourceEntry, settings: Settings) -> list[Source]:
    """Returns the sources of one `[[sources]]` entry: one per account and region it names."""
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


def _refuse_duplicates(found: list[Source]) -> None:
    """Raises `ConfigError` where two sources read the same place, or two kinds share a name."""
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
