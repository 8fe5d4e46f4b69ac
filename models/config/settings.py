"""One frozen `Settings`: `breakeven.toml` plus `BREAKEVEN_*` from the environment.

Read once at the entry point and passed down; nothing else reads the environment. Unknown keys,
in the file or in the environment, are refused with the nearest valid name. The tables themselves
are in `models.sections`, and all of their names are here too.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any, get_args, get_origin

from pydantic import BaseModel, Field, ValidationError, ValidationInfo, field_validator

from models.config.accounts import PLACE, AccountEntry, Organization, told_apart
from models.config.bill import CapacityBlock, Cost, Invoice
from models.config.feeds import Raw, Schedule, SourceEntry, Warehouse
from models.config.fiscal import Fiscal
from models.config.migration import Baseline, Investment, RunEntry, WorkloadEntry
from models.config.section import (
    PURPOSES,
    Instant,
    Money,
    Purpose,
    Section,
    WorkloadName,
)
from models.config.sending import Alerts, Recipient, Smtp
from models.config.tags import Labels, TagRule, Tags
from models.contract.errors import ConfigError
from models.contract.portfolio import PORTFOLIO

__all__ = [
    "DEFAULT_FILE",
    "PORTFOLIO",
    "PREFIX",
    "PURPOSES",
    "AccountEntry",
    "Alerts",
    "Baseline",
    "CapacityBlock",
    "Cost",
    "Fiscal",
    "Instant",
    "Investment",
    "Invoice",
    "Labels",
    "Money",
    "Organization",
    "Purpose",
    "Raw",
    "Recipient",
    "RunEntry",
    "Schedule",
    "Section",
    "Settings",
    "Smtp",
    "SourceEntry",
    "TagRule",
    "Tags",
    "Warehouse",
    "WorkloadEntry",
    "WorkloadName",
    "load",
    "names_beside",
    "nearest",
    "parse",
]

PREFIX = "BREAKEVEN_"
DEFAULT_FILE = "breakeven.toml"


class Settings(Section):
    """The whole configuration. `home` is the folder that relative locations start from."""

    home: Path = Field(default=Path(), exclude=True)
    as_of: date | None = None
    notice: str = ""
    warehouse: Warehouse = Warehouse()
    tags: Tags = Tags()
    cost: Cost = Cost()
    baseline: Baseline = Baseline()
    raw: Raw = Raw()
    fiscal: Fiscal = Fiscal()
    smtp: Smtp = Smtp()
    alerts: Alerts = Alerts()
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
    def _entered(
        cls, entries: tuple[AccountEntry, ...], info: ValidationInfo
    ) -> tuple[AccountEntry, ...]:
        """Each with how it is entered; what stands wrong in `organization` is said first."""
        told_apart(entries)
        common = info.data.get("organization", Organization())
        return tuple(entry.entered(common) for entry in entries)

    @field_validator("workloads", "invoices", "recipients")
    @classmethod
    def _named_once(cls, entries: tuple[Any, ...], info: ValidationInfo) -> tuple[Any, ...]:
        keys = ("account", "month") if info.field_name == "invoices" else ("name",)
        names = [" of ".join(getattr(entry, key) for key in keys) for entry in entries]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"{name!r} stands more than once")
        return entries

    @field_validator("sources")
    @classmethod
    def _one_schedule_a_name(cls, entries: tuple[SourceEntry, ...]) -> tuple[SourceEntry, ...]:
        """Sources are pulled by name."""
        crons: dict[str, str | None] = {}
        for entry in entries:
            if crons.setdefault(entry.label, entry.schedule) != entry.schedule:
                raise ValueError(f"two of the name {entry.label!r} have different schedules")
        return entries

    @field_validator("runs")
    @classmethod
    def _told_once(cls, entries: tuple[RunEntry, ...]) -> tuple[RunEntry, ...]:
        """Workloads may use the same name for a run, if each entry says whose it is."""
        for place, entry in enumerate(entries):
            others = [other.workload for other in entries[:place] if other.run == entry.run]
            if others and (None in (entry.workload, *others) or entry.workload in others):
                raise ValueError(f"{entry.run!r} stands more than once")
        return entries

    @property
    def today(self) -> date:
        """`as_of` where it is pinned, else the current UTC date."""
        return self.as_of or datetime.now(UTC).date()

    @property
    def last_settled(self) -> date:
        """The newest day old enough to be settled; deliveries can only make it earlier."""
        return self.today - timedelta(days=self.cost.settle_days)

    @property
    def labels(self) -> Labels:
        """How a charge's tags name its workload, its run, and the extra tags."""
        return Labels(**self.tags.model_dump(), rules=self.tag_rules)

    @property
    def warehouse_file(self) -> Path:
        """Absolute path of `warehouse.duckdb`."""
        return self.resolve(self.warehouse.path)

    @property
    def data(self) -> Path:
        """The folder that holds the warehouse, `raw/` and `snapshots/`."""
        return self.warehouse_file.parent

    def resolve(self, path: Path | str) -> Path:
        """`path` as the config means it: relative to the config file's folder."""
        return (self.home / Path(path).expanduser()).resolve()


def load(config: Path | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """Settings from `config`, else `$BREAKEVEN_CONFIG`, else `./breakeven.toml` where it exists.

    Environment values win over the file. Raises `ConfigError` with one line.
    """
    environ = os.environ if environ is None else environ
    named = config or (Path(value) if (value := environ.get(f"{PREFIX}CONFIG")) else None)
    path = named or Path(DEFAULT_FILE)
    if named and not path.is_file():
        raise ConfigError("config not found", value=path, remedy="`breakeven init` writes one")
    table = _read(path) if path.is_file() else {}
    home = path.resolve().parent if path.is_file() else Path.cwd()
    settings = parse(table, home=home, where=str(path))
    over = _from_environment(environ)
    if not over:
        return settings
    given = {path: name for name, path in _variables() if environ.get(name)}
    return parse(_merged(table, over), home=home, where=f"{PREFIX}*", variables=given)


def parse(
    table: Mapping[str, Any],
    *,
    home: Path,
    where: str = DEFAULT_FILE,
    variables: Mapping[tuple[str, ...], str] = MappingProxyType({}),
) -> Settings:
    """Settings from an already read table; `where` names it in messages.

    `variables` are the names of the environment's, by path, where it said something.
    """
    if "home" in table:
        raise ConfigError(f"{where}: unknown key", value="home", remedy="remove it")
    try:
        return Settings.model_validate({**table, "home": home})
    except ValidationError as error:
        raise _first_fault(error, where, variables) from None


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{path} is not valid TOML", value=error, remedy="`breakeven init` shows a valid one"
        ) from None
    except OSError as error:
        raise ConfigError(f"cannot read {path}", value=error.strerror) from None


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    valid = dict(_variables())
    for name, value in sorted(environ.items()):
        if not name.startswith(PREFIX) or name == f"{PREFIX}CONFIG":
            continue
        if name not in valid:
            remedy = nearest(name, [*valid, f"{PREFIX}CONFIG"])
            raise ConfigError("unknown environment variable", value=name, remedy=remedy)
        if not value.strip():
            continue  # a compose file passes what nobody set as nothing
        target = found
        *parents, leaf = valid[name]
        for parent in parents:
            target = target.setdefault(parent, {})
        target[leaf] = value.split(",") if leaf in ("extra", "regions") else value
    return found


def _variables() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each scalar setting: its environment name and its path."""
    for name, field in Settings.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, Section):
            for leaf in field.annotation.model_fields:
                yield f"{PREFIX}{name}__{leaf}".upper(), (name, leaf)
        elif name != "home" and get_origin(field.annotation) is not tuple:
            yield f"{PREFIX}{name}".upper(), (name,)


def _merged(table: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(table)
    for key, value in over.items():
        inner = merged.get(key)
        if isinstance(inner, dict) and isinstance(value, dict):
            merged[key] = _merged(inner, value)
        else:
            merged[key] = value
    return merged


def _first_fault(
    error: ValidationError, where: str, variables: Mapping[tuple[str, ...], str]
) -> ConfigError:
    fault = error.errors()[0]
    loc = fault["loc"]
    path = f"{where}: " + ".".join(str(part) for part in loc)
    path = next((name for key, name in variables.items() if key == loc[: len(key)]), path)
    if fault["type"] == "extra_forbidden":
        remedy = nearest(str(fault["loc"][-1]), names_beside(fault["loc"]))
        return ConfigError(f"{where}: unknown key", value=".".join(map(str, loc)), remedy=remedy)
    known = fault["type"] == "missing" or _tables(fault["input"])
    value = "" if known else f" = {_shown(fault['input'])}"
    return ConfigError(f"{path}{value}", value=fault["msg"].removeprefix("Value error, "))


def _tables(value: object) -> bool:
    """Whether it is many tables, or one of many keys: more than a line, and in the file."""
    return isinstance(value, list) and any(isinstance(one, dict) for one in value)


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_shown(inner)}" for key, inner in value.items()) + "}"
    return str(value) if isinstance(value, Decimal | date) else repr(value)


def names_beside(loc: tuple[int | str, ...], root: type[BaseModel] | None = None) -> Iterable[str]:
    """The names that are valid where `loc` ends, from `root` (else `Settings`) down."""
    model: type[BaseModel] = root or Settings
    for part in loc[:-1]:
        if isinstance(part, str) and part in model.model_fields:
            annotation = model.model_fields[part].annotation
            inner = [annotation, *get_args(annotation)]
            model = next(t for t in inner if isinstance(t, type) and issubclass(t, BaseModel))
    return [field.alias or name for name, field in model.model_fields.items() if name != "home"]


def nearest(name: str, valid: Iterable[str]) -> str:
    """What a mistaken name may have meant, or all that it could be."""
    names = list(valid)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.4)
    return f"did you mean {close[0]}?" if close else f"known: {', '.join(names)}"
