"""One frozen `Settings`: `breakeven.toml` plus `BREAKEVEN_*` from the environment.

Read once at the entry point and passed down; nothing else reads the environment. Unknown keys,
in the file or in the environment, are refused with the nearest valid name.
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
from typing import Annotated, Any, Literal, Self, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from models.errors import ConfigError

PREFIX = "BREAKEVEN_"
PORTFOLIO = "(portfolio)"
"""The row that sums all workloads and what names none; no workload may be called so."""
DEFAULT_FILE = "breakeven.toml"
Money = Annotated[Decimal, Field(max_digits=18, decimal_places=9)]


def _utc(value: datetime) -> datetime:
    """A time without a zone is UTC; one with a zone is converted, as every source's is."""
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def _no_total(name: str) -> str:
    if name == PORTFOLIO:
        raise ValueError("all workloads together are called so: choose another name")
    return name


WorkloadName = Annotated[str, AfterValidator(_no_total)]
Purpose = Literal["production", "baseline", "validation", "port"]
PURPOSES: tuple[str, ...] = get_args(Purpose)
"""What a run may be for (METHOD §5, §6)."""
Instant = Annotated[datetime, AfterValidator(_utc)]


class Section(BaseModel):
    """A table of the config: frozen, and closed to names it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


class Warehouse(Section):
    """Where everything is kept; `raw/` and `snapshots/` lie beside `path`."""

    path: Path = Path("data/warehouse.duckdb")


class TagRule(Section):
    """A correction of tags in the model, effective from a date; `match` values may use `*`."""

    match: dict[str, str] = Field(min_length=1)
    workload: WorkloadName | None = None
    run: str | None = None
    since: date | None = Field(None, alias="from")

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.workload is None and self.run is None:
            raise ValueError("a rule names a workload, a run, or both")
        return self


class Tags(Section):
    """Which cost-allocation tag names the workload, the run, and what else to keep."""

    workload: str = "workload"
    run: str = "run"
    extra: tuple[str, ...] = ()

    @field_validator("extra")
    @classmethod
    def _told_apart(cls, keys: tuple[str, ...]) -> tuple[str, ...]:
        # a column `tag_<key>` each, and SQL does not tell columns apart by case
        folded = [key.casefold() for key in keys]
        for key, fold in zip(keys, folded, strict=True):
            if folded.count(fold) > 1 or not key:
                raise ValueError(f"{key!r} stands more than once" if key else "a key is empty")
        return keys


class Labels(Tags):
    """`tags` with the corrections of `[[tag_rules]]`: how a charge is resolved to its owner."""

    rules: tuple[TagRule, ...] = ()


class Cost(Section):
    """Where money comes from, on which basis it is compared, and when a day is settled."""

    source: str = "focus"
    basis: Literal["effective", "list", "contracted", "billed"] = "effective"
    settle_days: int = Field(3, ge=0, le=60)
    api_budget_usd_per_day: Money = Field(Decimal("1.00"), ge=0)


class Baseline(Section):
    """How one GPU epoch is priced (METHOD §5)."""

    method: Literal["conservative", "measured", "repriced", "fixed"] = "conservative"
    min_runs: int = Field(2, ge=1)
    window_days: int = Field(365, ge=1)


class Raw(Section):
    """How long superseded deliveries are kept."""

    keep_days: int = Field(30, ge=0)


class Schedule(Section):
    """Cron expressions in UTC, one per group of sources."""

    cost: str = "0 6 * * *"
    progress: str = "15 * * * *"
    prices: str = "30 5 * * *"

    @field_validator("*")
    @classmethod
    def _fires(cls, expression: str) -> str:
        from models import crontab  # a fifth of a second, and most configs leave the defaults

        crontab.trigger(expression)
        return expression


class SourceEntry(BaseModel):
    """One `[[sources]]` table; options beside these belong to the source of that `kind`."""

    model_config = ConfigDict(frozen=True, extra="allow")
    kind: str
    name: str = ""

    @property
    def label(self) -> str:
        """The name its deliveries are filed under: `name`, else `kind`."""
        return self.name or self.kind

    @property
    def options(self) -> dict[str, Any]:
        """What the source of this kind understands, unchecked."""
        return dict(self.model_extra or {})


class WorkloadEntry(Section):
    """What no feed can say about a workload."""

    name: WorkloadName
    target_loss: float | None = Field(None, allow_inf_nan=False)
    require_verified: bool = False
    fixed_cost_per_epoch: Money | None = Field(None, gt=0)


class Investment(Section):
    """One outlay of the migration; without `workload` it belongs to the portfolio."""

    date: date
    kind: Literal["engineering", "partner", "tooling", "dual_run", "upkeep"]
    workload: WorkloadName | None = None
    days: Money | None = Field(None, ge=0)
    day_rate: Money | None = Field(None, ge=0)
    amount: Money | None = Field(None, ge=0)
    amount_per_month: Money | None = Field(None, ge=0)

    @model_validator(mode="after")
    def _complete(self) -> Self:
        needed = {"engineering": {"days", "day_rate"}, "upkeep": {"amount_per_month"}}.get(
            self.kind, {"amount"}
        )
        given = {
            name
            for name in ("days", "day_rate", "amount", "amount_per_month")
            if getattr(self, name) is not None
        }
        if given != needed:
            raise ValueError(f"kind {self.kind!r} takes {' and '.join(sorted(needed))}")
        return self

    @property
    def one_time(self) -> Decimal:
        """Dollars spent on `date`; 0 for recurring upkeep."""
        if self.kind == "engineering":
            return (self.days or Decimal(0)) * (self.day_rate or Decimal(0))
        return self.amount or Decimal(0)


class CapacityBlock(Section):
    """The hours of a block whose fee row names none (METHOD §2.7); `fee` in dollars.

    `region`, `account` and `reservation` are needed only where two blocks of a type differ in them.
    """

    instance_type: str
    instances: int = Field(ge=1)
    start: Instant
    end: Instant
    fee: Money = Field(ge=0)
    region: str | None = None
    account: str | None = None
    reservation: str | None = None

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.end <= self.start:
            raise ValueError(f"end {self.end.isoformat()} is not after start")
        return self


class RunEntry(Section):
    """What no feed can say about a run."""

    run: str
    workload: WorkloadName | None = None
    resumed_from: str | None = None
    recipe: str | None = None
    purpose: Purpose | None = None
    start_epoch: Money | None = Field(None, ge=0)


class Invoice(Section):
    """The independent total of the tie-out: what AWS invoiced an account for a month."""

    account: str
    month: str = Field(pattern=r"^\d{4}-(0[1-9]|1[0-2])$")
    amount: Money


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
    schedule: Schedule = Schedule()
    sources: tuple[SourceEntry, ...] = ()
    workloads: tuple[WorkloadEntry, ...] = ()
    investments: tuple[Investment, ...] = ()
    capacity_blocks: tuple[CapacityBlock, ...] = ()
    runs: tuple[RunEntry, ...] = ()
    invoices: tuple[Invoice, ...] = ()
    tag_rules: tuple[TagRule, ...] = ()

    @field_validator("workloads", "invoices")
    @classmethod
    def _named_once(cls, entries: tuple[Any, ...], info: ValidationInfo) -> tuple[Any, ...]:
        keys = ("name",) if info.field_name == "workloads" else ("account", "month")
        names = [" of ".join(getattr(entry, key) for key in keys) for entry in entries]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"{name!r} stands more than once")
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
        target[leaf] = value.split(",") if leaf == "extra" else value
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
    value = "" if fault["type"] == "missing" else f" = {_shown(fault['input'])}"
    return ConfigError(f"{path}{value}", value=fault["msg"].removeprefix("Value error, "))


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
