"""Fetches what training runs logged to Weights & Biases (W&B), step by step.

Key: entity and project, and the UTC day on which its runs began. Of a day of which the list shows a
change only runs that changed are asked for, and of these only what is new; a run that is deleted
there, or listed without its metrics, stays here. Only metrics that the config maps are read (METHOD
§3.3). Cursor: none; the list of runs shows which changed, and what is delivered shows how far.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Annotated, ClassVar

from pydantic import Field

from ingest.source import Batch, FetchContext, Group, Options
from ingest.sources.progress.wandb.api_key import CLOUD
from ingest.sources.progress.wandb.graphql import GraphQL
from ingest.sources.progress.wandb.listed_run import ListedRun, listed_runs
from ingest.sources.progress.wandb.metric_names import MetricNames
from ingest.sources.progress.wandb.project_reader import ProjectReader
from ingest.trackers.tracked_runs import runs_by_day, unnamed_workloads, unreadable_numbers
from models.config.metrics.tracker_metrics import TrackerOptions, WandBMetrics
from models.config.refusals.text_form import WEB_ADDRESS
from models.config.settings import Settings
from models.contract.errors import SourceError
from models.contract.page_text import count
from models.contract.safe_text import without_credentials


class WandBOptions(Options, TrackerOptions):
    """Options of a W&B source: server, key, entity, projects, and what their metrics mean."""

    entity: str = Field(min_length=1)
    projects: tuple[str, ...] = ()
    location: Annotated[str, WEB_ADDRESS] = CLOUD
    token_file: str | None = Field(default=None, min_length=1)
    metrics: WandBMetrics = WandBMetrics()


@dataclass(frozen=True)
class WandB:
    """The W&B feed: the projects of one entity, or some of them."""

    kind: ClassVar[str] = "wandb"
    group: ClassVar[Group] = "progress"
    format: ClassVar[str] = "wandb"
    accepts: ClassVar[type[Options]] = WandBOptions
    append: ClassVar[bool] = False
    regional: ClassVar[bool] = False

    name: str
    options: WandBOptions
    settings: Settings

    @property
    def location(self) -> str:
        """The feed's location in words: the W&B server, the entity and its projects."""
        only = f" {', '.join(self.options.projects)}" if self.options.projects else ""
        where = without_credentials(self.options.location)
        return f"W&B at {where}, {self.options.entity}{only}"

    def fetch(self, context: FetchContext) -> Iterable[Batch]:
        """Yields one delivery per project and day on which runs with mapped metrics began."""
        given = self.options
        token = self.settings.resolve(given.token_file) if given.token_file else None
        server = GraphQL(given.location, given.entity, token)
        unmapped: list[str] = []
        for project in dict.fromkeys(given.projects) or self._every_project(server):
            yield from self._project(server, project, context, unmapped)
        context.notices.extend(self._unmapped(unmapped))

    def _project(
        self, server: GraphQL, project: str, context: FetchContext, unmapped: list[str]
    ) -> Iterator[Batch]:
        every, names = self._runs(server, project, context), MetricNames.of(self.options.metrics)
        runs = [run for run in every if names.series(run)]
        unmapped += [f"{project}/{run.name}" for run in every if run.counts and run not in runs]
        context.notices.extend(self._unnamed(project, runs))
        identified = ((f"{run.name} ({run.id})", run.tags) for run in runs)
        context.notices.extend(unreadable_numbers(project, identified))
        reader = ProjectReader(self.name, server, project, names)
        for day, of_day in runs_by_day(runs, lambda run: run.id, lambda run: run.began).items():
            if context.window.includes(day):
                yield Batch(reader.unit, day, partial(reader.fill, of_day), empty=True)
        context.notices.extend(reader.notices)  # each is read by now

    def _every_project(self, server: GraphQL) -> list[str]:
        """Lists the entity's projects. Raises `SourceError` where the key sees none."""
        if found := sorted(server.projects()):
            return found
        raise SourceError(
            f"{self.name}: no project of this entity",
            value=self.options.entity,
            remedy="correct `entity`, or let the user of this API key see its projects",
        )

    def _runs(self, server: GraphQL, project: str, context: FetchContext) -> list[ListedRun]:
        """Lists a project's runs. Raises `SourceError` where the key sees no such project."""
        odd: list[str] = []
        found = server.runs(project)
        if found is None:
            raise SourceError(
                f"{self.name}: no such project",
                value=f"{self.options.entity}/{project}",
                remedy="correct `entity` or `projects`, or let the user of this API key see it",
            )
        runs = listed_runs(found, odd)
        if odd:
            number = count(len(odd), "run")
            context.notices.append(
                f"left out: {number} of {project} that cannot be read, such as {odd[0]}"
            )
        return runs

    def _unmapped(self, runs: list[str]) -> Iterator[str]:
        """Yields one notice on runs without any metric that the config maps, if there are any."""
        if runs:
            yield (
                f"left out: {count(len(runs), 'run')} without any of "
                f"{', '.join(self.options.metrics.meanings)}, such as {runs[0]}; name yours in "
                "`metrics`, or `projects`"
            )

    def _unnamed(self, project: str, runs: list[ListedRun]) -> Iterator[str]:
        """Yields one notice on runs that name no workload, unless the config names one."""
        if not self.options.workload:
            named = [(run.name, run.tags) for run in runs]
            places = "a key of their config nor a tag"
            yield from unnamed_workloads(project, named, self.settings.tags.workload, places)
