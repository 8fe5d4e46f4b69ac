"""Defines `Settings`, the whole configuration as one frozen object.

`models.config.loading` reads it once, from `breakeven.toml` and the environment; it is passed down
from the entry point. The tables are defined in the other files of this package.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationInfo, field_validator

from models.config.accounts import PLACE, AccountEntry, Organization, refuse_ambiguous
from models.config.bill import CapacityBlock, Cost, Invoice
from models.config.clusters import Allocations, Clusters
from models.config.feeds import Files, Raw, Schedule, SourceEntry, Warehouse
from models.config.fiscal import Fiscal
from models.config.migration import (
    Baseline,
    Investment,
    Quality,
    RunEntry,
    WorkloadEntry,
    refuse_upkeep_after_the_end,
)
from models.config.network.access import AccessEntry, refuse_unknown_tags
from models.config.network.auth import Auth
from models.config.network.secret_file import secret_in
from models.config.network.serving import Serve
from models.config.section import Section
from models.config.sending import Alerts, Digest, Recipient, Smtp
from models.config.tags import Labels, TagRule, Tags
from models.contract.errors import ConfigError


class Settings(Section):
    """The whole configuration: every table of `breakeven.toml`, checked and frozen.

    `home` is the folder from which relative paths start.
    """

    home: Path = Field(default=Path(), exclude=True)
    as_of: date | None = Field(default=None, ge=date(2006, 1, 1), le=date(2100, 12, 31))
    notice: str = ""
    warehouse: Warehouse = Warehouse()
    tags: Tags = Tags()
    cost: Cost = Cost()
    baseline: Baseline = Baseline()
    quality: Quality = Quality()
    clusters: Clusters = Clusters()
    allocations: Allocations = Allocations()
    files: Files = Files()
    raw: Raw = Raw()
    fiscal: Fiscal = Fiscal()
    serve: Serve = Serve()
    auth: Auth = Auth()
    smtp: Smtp = Smtp()
    alerts: Alerts = Alerts()
    digest: Digest = Digest()
    schedule: Schedule = Schedule()
    organization: Organization = Organization()
    accounts: tuple[AccountEntry, ...] = ()
    sources: tuple[SourceEntry, ...] = ()
    workloads: tuple[WorkloadEntry, ...] = ()
    investments: tuple[Investment, ...] = ()
    capacity_blocks: tuple[CapacityBlock, ...] = ()
    runs: tuple[RunEntry, ...] = ()
    invoices: tuple[Invoice, ...] = ()
    recipients: tuple[Recipient, ...] = ()
    tag_rules: tuple[TagRule, ...] = ()
    access: tuple[AccessEntry, ...] = ()

    @field_validator("organization")
    @classmethod
    def _has_role(cls, given: Organization) -> Organization:
        if given.external_id and not given.role_arn:
            raise ValueError("external_id needs role_arn")
        if given.role_arn and PLACE not in given.role_arn:
            raise ValueError(f"role_arn names one account: write {PLACE} for its id")
        return given

    @field_validator("accounts")
    @classmethod
    def _with_organization(
        cls, entries: tuple[AccountEntry, ...], info: ValidationInfo
    ) -> tuple[AccountEntry, ...]:
        """Fills accounts' missing settings from `[organization]`; refuses shared ids and names.

        The errors of `[organization]` itself are reported first.
        """
        refuse_ambiguous(entries)
        common = info.data.get("organization", Organization())
        return tuple(entry.completed(common) for entry in entries)

    @field_validator("workloads", "invoices", "recipients")
    @classmethod
    def _named_once(cls, entries: tuple[Any, ...], info: ValidationInfo) -> tuple[Any, ...]:
        keys = ("account", "month") if info.field_name == "invoices" else ("name",)
        names = [" of ".join(getattr(entry, key) for key in keys) for entry in entries]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"{name!r} is given more than once")
        return entries

    @field_validator("access")
    @classmethod
    def _by_known_tags(
        cls, entries: tuple[AccessEntry, ...], info: ValidationInfo
    ) -> tuple[AccessEntry, ...]:
        refuse_unknown_tags(entries, info.data.get("tags", Tags()).extra)
        return entries

    @field_validator("sources")
    @classmethod
    def _one_schedule_per_name(cls, entries: tuple[SourceEntry, ...]) -> tuple[SourceEntry, ...]:
        """Refuses a config in which two `[[sources]]` of one name have different schedules.

        Sources are pulled by name, so those of one name are pulled at the same times.
        """
        crons: dict[str, str | None] = {}
        for entry in entries:
            if crons.setdefault(entry.label, entry.schedule) != entry.schedule:
                raise ValueError(f"two of the name {entry.label!r} have different schedules")
        return entries

    @field_validator("runs")
    @classmethod
    def _each_run_once(cls, entries: tuple[RunEntry, ...]) -> tuple[RunEntry, ...]:
        """Refuses two `[[runs]]` entries of one run, unless each names a different workload."""
        for place, entry in enumerate(entries):
            others = [other.workload for other in entries[:place] if other.run == entry.run]
            if others and (None in (entry.workload, *others) or entry.workload in others):
                raise ValueError(f"{entry.run!r} is given more than once")
        return entries

    @field_validator("investments")
    @classmethod
    def _while_training_lasts(
        cls, entries: tuple[Investment, ...], info: ValidationInfo
    ) -> tuple[Investment, ...]:
        refuse_upkeep_after_the_end(entries, info.data.get("workloads", ()))
        return entries

    @property
    def today(self) -> date:
        """The date that counts as today: `as_of` where it is set, else the current UTC date."""
        return self.as_of or datetime.now(UTC).date()

    @property
    def last_settled(self) -> date:
        """Returns the newest day that can be settled: `settle_days` before today.

        Missing deliveries can only make an account's last settled day earlier. See METHOD §1.
        """
        return self.today - timedelta(days=self.cost.settle_days)

    @property
    def is_protected(self) -> bool:
        """Whether the dashboard may listen beyond loopback: by sign-in or `insecure_no_auth`."""
        return self.auth.is_on or self.serve.insecure_no_auth

    @property
    def client_secret(self) -> str:
        """The sign-in client's secret, as set or from its own file; "" if neither is configured."""
        secret, file = self.auth.client_secret.get_secret_value(), self.auth.client_secret_file
        if secret or file is None:
            return secret
        return secret_in(self.resolve(file), "auth.client_secret_file")

    @property
    def labels(self) -> Labels:
        """Returns the tag keys for workload, run and extra tags, with the `[[tag_rules]]`."""
        return Labels(**self.tags.model_dump(), rules=self.tag_rules)

    @property
    def warehouse_file(self) -> Path:
        """Returns the absolute path of the warehouse database file, by `[warehouse]`."""
        return self.resolve(self.warehouse.path)

    @property
    def data(self) -> Path:
        """The folder that contains the warehouse, `raw/` and `snapshots/`."""
        return self.warehouse_file.parent

    def resolve(self, path: Path | str) -> Path:
        """Makes a path absolute; a relative one starts at the folder of the config file.

        `ConfigError` for one that begins with `~` and the name of no user, or links to itself.
        """
        try:
            return (self.home / Path(path).expanduser()).resolve()
        except RuntimeError:
            what = "a path begins with ~ and no user, or links to itself"
            raise ConfigError(what, value=path, remedy="write its whole path") from None
