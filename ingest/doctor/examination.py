"""What is examined: the config and its sources, and what earlier checks found that later ones need.

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
from ingest.sources.cost_explorer import pages
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
"""Dollars for what is answered. What is asked so that AWS must refuse it is not billed."""
HOME = "us-east-1"
Answer = aws.Identity | BreakevenError


@dataclass
class Examination:
    """One run of the doctor on a config. Raises `ConfigError` for a mistaken config."""

    settings: Settings
    sources: list[Source] = field(init=False)
    unwritable: bool = False
    """Whether its folder is none: then nothing is asked of it."""
    denied: set[tuple[str, str]] = field(default_factory=set)
    """Sources by location, and what they may not do."""
    explained_already: set[str] = field(default_factory=set)
    """Locations of sources of which it was said already what is wrong."""
    _identities: dict[aws.Access, Answer] = field(default_factory=dict)
    _accesses: dict[aws.Access, aws.Access] = field(default_factory=dict)
    _clients: dict[tuple[str, aws.Access, str], Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.sources = sources.named_sources(self.settings)[:-1]

    def replace_settings(self, settings: Settings) -> None:
        """Continues with the settings that name all accounts of the organisation."""
        self.settings = settings
        self.__post_init__()

    @property
    def aws_sources(self) -> list[Source]:
        """The sources that ask AWS."""
        return [source for source in self.sources if asks_aws(source)]

    @property
    def reachable(self) -> list[Source]:
        """The AWS sources whose credentials AWS accepts; none where no ledger can be written."""
        if self.unwritable:
            return []
        return [
            s for s in self.aws_sources if isinstance(self.identity_of(access_of(s)), aws.Identity)
        ]

    @property
    def explained(self) -> set[str]:
        """Locations of sources for which a finding already says why nothing comes of them."""
        reached = [source.location for source in self.reachable]
        lost = {s.location for s in self.aws_sources if s.location not in reached}
        return lost | self.explained_already | {location for location, _ in self.denied}

    def client(self, service: str, access: aws.Access, source: Source) -> Any:  # noqa: ANN401
        """Returns a boto3 client, made once: each takes a tenth of a second. Raises `SourceError`.

        What AWS bills is recorded in the ledger, in the source's name, before it is sent.
        """
        key = service, access, source.name
        if key not in self._clients:
            known = self._accesses.setdefault(access, access)  # it holds the session
            client = aws.client(service, known)
            client.meta.events.register("before-send", partial(self._pay, access, source))
            self._clients[key] = client
        return self._clients[key]

    def _pay(self, access: aws.Access, source: Source, event_name: str, **_: object) -> None:
        """Records a billed request; botocore calls it before each."""
        operation = event_name.rpartition(".")[2]
        if operation in PRICES:
            answer = self.identity_of(access)
            account = answer.account if isinstance(answer, aws.Identity) else ""
            with self.locked_ledger() as ledger:
                ledger.pay(source.name, account, operation, PRICES[operation])

    def identity_of(self, access: aws.Access) -> Answer:
        """Returns who AWS says the caller is, or why it does not; asked once per caller."""
        if access not in self._identities:
            try:
                known = self._accesses.setdefault(access, access)
                self._identities[access] = aws.identity(known)
            except BreakevenError as error:
                self._identities[access] = error
        return self._identities[access]

    @cached_property
    def own_identity(self) -> Answer:
        """The identity of the configured credentials themselves, without any role.

        Asked in a region that exists: a misspelt region is not the credentials' fault.
        """
        if isinstance(self.configured_region, BreakevenError):
            return self.configured_region
        named = [r for r in (self.configured_region, *map(self.region, self.aws_sources)) if r]
        known = [region for region in named if not regions.is_unknown(region)]
        return self.identity_of(aws.Access(region=next(iter(known), HOME if named else None)))

    @cached_property
    def configured_region(self) -> str | BreakevenError | None:
        """The region of AWS's own configuration, or why that cannot be read."""
        try:
            with aws.refusals("the AWS configuration"):
                return cast(str | None, aws.Access().session.region_name)
        except BreakevenError as error:
            return error

    def region(self, source: Source) -> str | None:
        """Returns the region a source reads: its own, else the configured one."""
        configured = (
            None if isinstance(self.configured_region, BreakevenError) else self.configured_region
        )
        return access_of(source).region or configured

    def label(self, source: Source) -> str:
        """Names a source: its name, with its account if the config has one, and its region."""
        whom = accounts.account_label(source.options, self.settings)
        region = getattr(source.options, "region", None)
        return f"{source.name}{f' of {whom}' if whom else f' in {region}' if region else ''}"

    @contextmanager
    def locked_ledger(self) -> Iterator[RequestLedger]:
        """Opens the ledger while nobody else writes. Raises `BusyError` where somebody does."""
        with lock(self.settings.data, purpose="doctor"):
            yield RequestLedger(self.settings.data, self.settings.cost.api_budget_usd_per_day)

    @cached_property
    def zone(self) -> RawZone:
        """The raw zone with what was delivered."""
        return RawZone(self.settings.data / "raw")

    @property
    def fetch_context(self) -> FetchContext:
        """What a source is given when it is asked what it has; nothing is delivered."""
        cap = self.settings.cost.api_budget_usd_per_day
        cache = open_cache(self.settings.data, "doctor", {})
        return FetchContext(self.zone, RequestLedger(self.settings.data, cap), cache)

    def snapshot_rows(self, sql: str) -> list[dict[str, Any]] | None:
        """Returns rows of the published snapshot; None where it cannot be read.

        `check_snapshot` reports why.
        """
        reader = Reader(self.settings.data / "snapshots")
        try:
            return reader.rows(sql)
        except BreakevenError:
            return None
        finally:
            reader.close()

    def snapshot_error(self) -> BreakevenError | None:
        """Returns why no snapshot can be read; None where one can."""
        try:
            with relations.published(self.settings.data / "snapshots"):
                return None
        except BreakevenError as error:
            return error


def asks_aws(source: Source) -> bool:
    """Whether a source asks AWS; files on this machine do not."""
    options = source.options
    if isinstance(options, FileOptions):
        return options.location.startswith(SCHEME)
    return isinstance(options, aws.Access)


def access_of(source: Source, region: str | None = None) -> aws.Access:
    """Returns a source's AWS access, in its own region or in another."""
    given = source.options.model_dump(include=set(aws.Access.model_fields))
    return aws.Access.model_validate(given | ({"region": region} if region else {}))
