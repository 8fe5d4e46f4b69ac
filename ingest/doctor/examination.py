"""What the checks of `breakeven doctor` share: config, sources, clients, earlier results.

What could not be reached is noted here, so that no later check reports the same cause again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, cast

from ingest import aws, sources
from ingest.aws import accounts, regions
from ingest.aws.metrics.datapoints import LISTING_PRICE
from ingest.files import s3
from ingest.files.location import FileOptions
from ingest.files.s3 import SCHEME
from ingest.paid_requests.ledger import RequestLedger
from ingest.paid_requests.response_cache import open_cache
from ingest.source import FetchContext, Source
from ingest.sources.bill.cost_explorer import pages
from models.config.settings import Settings
from models.contract.errors import BreakevenError
from models.engine.warehouse import relations
from models.engine.warehouse.lock import lock
from models.engine.warehouse.reader import Reader
from models.raw.zone import RawZone

PRICES = {
    **s3.PRICES,
    "ListMetrics": LISTING_PRICE,
    "ListCostAllocationTags": pages.PRICE,
}
"""Dollars per answered request. AWS does not bill requests that it refuses."""
HOME = "us-east-1"
SERVER = ("http://", "https://")
Answer = aws.Identity | BreakevenError


@dataclass
class Examination:
    """One run of `breakeven doctor` on a config, with what its checks share."""

    settings: Settings
    sources: list[Source] = field(init=False)
    unwritable: bool = False
    """Whether the data folder cannot be written, so that no paid request can be recorded."""
    denied: set[tuple[str, str]] = field(default_factory=set)
    """Location of a source and AWS action, for each action that it may not use."""
    explained_already: set[str] = field(default_factory=set)
    """Locations of sources whose problem has been reported."""
    _identities: dict[aws.Access, Answer] = field(default_factory=dict)
    _accesses: dict[aws.Access, aws.Access] = field(default_factory=dict)
    _clients: dict[tuple[str, aws.Access, str], Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.sources = sources.named_sources(self.settings)[:-1]

    def replace_settings(self, settings: Settings) -> None:
        """Replaces the examination's settings and lists its sources again."""
        self.settings = settings
        self.__post_init__()

    @property
    def aws_sources(self) -> list[Source]:
        """The sources in the config that send requests to AWS."""
        return [source for source in self.sources if asks_aws(source)]

    @property
    def reachable(self) -> list[Source]:
        """The AWS sources with accepted credentials; none if the data folder cannot be written."""
        if self.unwritable:
            return []
        return [
            s for s in self.aws_sources if isinstance(self.identity_of(access_of(s)), aws.Identity)
        ]

    @property
    def explained(self) -> set[str]:
        """The locations of sources whose failure another finding of the doctor already reports."""
        reached = [source.location for source in self.reachable]
        lost = {s.location for s in self.aws_sources if s.location not in reached}
        return lost | self.explained_already | {location for location, _ in self.denied}

    def client(self, service: str, access: aws.Access, source: Source) -> Any:  # noqa: ANN401
        """Returns a boto3 client for a source, made once; paid calls are recorded in the ledger.

        A request is recorded in the source's name, before it is sent.
        """
        key = service, access, source.name
        if key not in self._clients:
            known = self._accesses.setdefault(access, access)  # it holds the session
            client = aws.client(service, known)
            client.meta.events.register("before-send", partial(self._pay, access, source))
            self._clients[key] = client
        return self._clients[key]

    def _pay(self, access: aws.Access, source: Source, event_name: str, **_: object) -> None:
        """Records an AWS request of the doctor before it is sent, if its operation has a price."""
        operation = event_name.rpartition(".")[2]
        if operation in PRICES:
            answer = self.identity_of(access)
            account = answer.account if isinstance(answer, aws.Identity) else ""
            with self.locked_ledger() as ledger:
                ledger.pay(source.name, account, operation, PRICES[operation])

    def identity_of(self, access: aws.Access) -> Answer:
        """Returns the AWS identity for access options, or the error; asks AWS once for each."""
        if access not in self._identities:
            try:
                known = self._accesses.setdefault(access, access)
                self._identities[access] = aws.identity(known)
            except BreakevenError as error:
                self._identities[access] = error
        return self._identities[access]

    @cached_property
    def own_identity(self) -> Answer:
        """The AWS identity of the configured credentials without any role, or the error as a value.

        The region asked is one that exists, because a misspelt region is not the credentials'
        fault.
        """
        if isinstance(self.configured_region, BreakevenError):
            return self.configured_region
        named = [r for r in (self.configured_region, *map(self.region, self.aws_sources)) if r]
        known = [region for region in named if not regions.is_unknown(region)]
        return self.identity_of(aws.Access(region=next(iter(known), HOME if named else None)))

    @cached_property
    def configured_region(self) -> str | BreakevenError | None:
        """This machine's configured AWS region, None without one, or the error of reading it."""
        try:
            with aws.refusals("the AWS configuration"):
                return cast(str | None, aws.Access().session.region_name)
        except BreakevenError as error:
            return error

    def region(self, source: Source) -> str | None:
        """Returns the AWS region that a source reads: its own, else the configured one, or None."""
        configured = (
            None if isinstance(self.configured_region, BreakevenError) else self.configured_region
        )
        return access_of(source).region or configured

    def label(self, source: Source) -> str:
        """Returns a source's name in words, with its account and region if the config has them."""
        whom = accounts.account_label(source.options, self.settings)
        region = getattr(source.options, "region", None)
        return f"{source.name}{f' of {whom}' if whom else f' in {region}' if region else ''}"

    @contextmanager
    def locked_ledger(self) -> Iterator[RequestLedger]:
        """Opens the ledger of paid requests under the writer's lock. Raises `BusyError`."""
        with lock(self.settings.data, purpose="doctor"):
            yield RequestLedger(self.settings.data, self.settings.cost.api_budget_usd_per_day)

    @cached_property
    def zone(self) -> RawZone:
        """The raw zone: all files that pulls have delivered."""
        return RawZone(self.settings.data / "raw")

    @property
    def fetch_context(self) -> FetchContext:
        """The raw zone, ledger and cache with which the doctor lists a source's files, unread."""
        cap = self.settings.cost.api_budget_usd_per_day
        cache = open_cache(self.settings.data, "doctor", {})
        return FetchContext(self.zone, RequestLedger(self.settings.data, cap), cache)

    @cached_property
    def _snapshot(self) -> Reader:
        return Reader(self.settings.data / "snapshots")

    def snapshot_rows(self, sql: str) -> list[dict[str, Any]] | None:
        """Returns a SQL query's rows, as dicts, on the published snapshot; None if unreadable.

        The reason is reported by `check_snapshot`.
        """
        try:
            return self._snapshot.rows(sql)
        except BreakevenError:
            return None

    def snapshot_error(self) -> BreakevenError | None:
        """Returns the error of reading the published snapshot; None if it can be read."""
        try:
            with relations.published(self.settings.data / "snapshots"):
                return None
        except BreakevenError as error:
            return error


def asks_aws(source: Source) -> bool:
    """Whether a source sends requests to AWS; sources of files on this machine do not."""
    options = source.options
    if isinstance(options, FileOptions) and not source.regional:
        return options.location.startswith(SCHEME)
    return isinstance(options, aws.Access)


def asks_server(source: Source) -> bool:
    """Whether a source sends requests to a server of the company, such as MLflow or Prometheus."""
    if asks_aws(source):
        return False
    location = getattr(source.options, "location", "")
    return not isinstance(source.options, FileOptions) or str(location).startswith(SERVER)


def access_of(source: Source, region: str | None = None) -> aws.Access:
    """Returns a source's AWS access options; `region`, if given, replaces its own."""
    given = source.options.model_dump(include=set(aws.Access.model_fields))
    return aws.Access.model_validate(given | ({"region": region} if region else {}))
