"""Lists the known Capacity Blocks: those in the config and those that EC2 reports.

An entry in the config is needed only for blocks that EC2 no longer reported when it was asked.
Where both describe a block they must agree, because a wrong hour would silently move dollars
between runs. The config's fee identifies the block's line on the bill; EC2 reports no fee, only the
day of purchase.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from models.config.bill import CapacityBlock
from models.contract.errors import ConfigError

RESERVATIONS = """
SELECT reservation, coalesce(block, (SELECT max(b.block) FROM capacity AS b
    WHERE b.kind = 'block' AND contains(b.reservations, latest.reservation))) AS purchase,
    owner, coalesce(nullif(regexp_extract(zone, '^(.+-[0-9]+)[a-z]$', 1), ''), region) AS region,
    instance_type, most AS instances, "start", "end", created, first_end
FROM (SELECT *, max(instances) OVER each AS most, min("end") OVER each AS first_end
    FROM capacity WHERE kind = 'reservation' WINDOW each AS (PARTITION BY reservation)
    QUALIFY row_number() OVER (PARTITION BY reservation ORDER BY said_at DESC) = 1) AS latest
WHERE reservation_type = 'capacity-block' AND "end" IS NOT NULL AND most > 0
    AND state NOT IN ('payment-failed', 'failed', 'unsupported')
ORDER BY "start", reservation"""
"""The reservation of each block in EC2's newest response, unless it was never paid for. Of a Local
Zone the region is the zone's, as on the bill: `us-east-1-atl-2`."""
EXTENSIONS = """
SELECT reservation, "start", "end", max(fee), max(created) FROM capacity
WHERE kind = 'extension' AND state <> 'payment-failed' AND fee IS NOT NULL
GROUP BY ALL ORDER BY ALL"""
"""The hours and the fee of each extension of a block."""
COMPARED = ("instance_type", "instances", "start", "end", "account", "region")


@dataclass(frozen=True)
class Block:
    """A Capacity Block: instance type and count, start and end (UTC), place, fee and ids.

    `fee` is the one of the config, or that of an extension as EC2 reports it (then `exact`).
    """

    name: str
    instance_type: str
    instances: int
    start: datetime
    end: datetime
    fee: Decimal | None = None
    region: str | None = None
    account: str | None = None
    reservation: str | None = None
    purchase: str | None = None
    bought: date | None = None
    exact: bool = False

    @property
    def hours(self) -> Decimal:
        """Instance-hours of the whole Capacity Block."""
        return self.instances * Decimal((self.end - self.start).total_seconds()) / 3600

    def row(self) -> dict[str, Any]:
        """Returns the Capacity Block as a row of the table `known_blocks`."""
        fields = asdict(self)
        return fields | {"block": fields.pop("name")}


def blocks_from_ec2(
    rows: Iterable[Sequence[Any]], extensions: Sequence[Sequence[Any]]
) -> list[Block]:
    """Builds Capacity Blocks from EC2's reservations; each extension becomes a block of its own.

    `rows` are those of `RESERVATIONS`, `extensions` those of `EXTENSIONS`. A block that was
    extended at an unknown fee is left out, because its cost is unknown.
    """
    return [part for row in rows for part in _parts(row, [e for e in extensions if e[0] == row[0]])]


def _parts(row: Sequence[Any], extensions: Sequence[Sequence[Any]]) -> list[Block]:
    """Splits an EC2 reservation into its block and its extensions; [] if a fee is unknown."""
    reservation, purchase, account, region, kind, instances, start, end, created, first_end = row
    bought = created.date() if created else None
    whole = Block(
        reservation, kind, instances, start, end, None, region, account, reservation, purchase,
        bought,
    )  # fmt: skip
    if not extensions:
        return [whole] if end == first_end else []
    parts = [replace(whole, end=extensions[0][1])]
    for number, (_, begin, until, fee, at) in enumerate(extensions, 1):
        name = f"{reservation} +{number}"
        part = replace(whole, start=begin, end=until)
        parts.append(replace(part, name=name, fee=fee, bought=at.date(), exact=True))
    return parts


def known_blocks(entries: Iterable[CapacityBlock], ec2: Sequence[Block]) -> list[Block]:
    """Merges Capacity Blocks of the config and of EC2; `ConfigError` where they disagree."""
    left = list(ec2)
    found: list[Block] = []
    for block in _configured(entries):
        twin = _twin(block, left)
        if twin:
            left.remove(twin)
            found.append(replace(twin, name=block.name, fee=block.fee))
        else:
            found.append(block)
    return found + left


def _configured(entries: Iterable[CapacityBlock]) -> Iterator[Block]:
    """Yields the config's Capacity Blocks, named by reservation, else by type and start."""
    names: list[str] = []
    for entry in entries:
        plain = entry.reservation or f"{entry.instance_type} {entry.start:%Y-%m-%dT%H:%MZ}"
        same = sum(name.split(" #")[0] == plain for name in names)
        names.append(f"{plain} #{same + 1}" if same else plain)
        utc = {"start": entry.start.replace(tzinfo=None), "end": entry.end.replace(tzinfo=None)}
        yield Block(names[-1], **(entry.model_dump() | utc))


def _twin(block: Block, others: Iterable[Block]) -> Block | None:
    """Returns EC2's record of a configured Capacity Block, or None; `ConfigError` if different."""
    close = [other for other in others if _may_be(block, other)]
    agreed = [other for other in close if not _differs(block, other)]
    if close and not agreed:
        name = _differs(block, close[0])
        raise ConfigError(
            f"[[capacity_blocks]] {block.name} differs from what EC2 says about {close[0].name}",
            value=f"{name} = {_shown(block, name)}, EC2: {_shown(close[0], name)}",
            remedy="remove the entry, EC2 knows the block; or give it the `reservation` of another",
        )
    return agreed[0] if agreed else None


def _may_be(block: Block, other: Block) -> bool:
    """Whether two records may mean one Capacity Block, by reservation, or type, place and time."""
    if block.reservation:
        return block.reservation in (other.reservation, other.purchase)
    return (
        block.instance_type == other.instance_type
        and is_there(other.region, block.region)
        and block.account in (None, other.account)
        and block.start < other.end
        and other.start < block.end
    )


def _differs(block: Block, other: Block) -> str:
    """Returns the first field in which two records of a Capacity Block disagree, or ""."""
    pairs = [(name, getattr(block, name), getattr(other, name)) for name in COMPARED]
    if is_there(other.region, block.region):
        pairs = [pair for pair in pairs if pair[0] != "region"]
    return next((name for name, own, theirs in pairs if own not in (None, theirs)), "")


def is_there(place: str | None, given: str | None) -> bool:
    """Whether a Capacity Block's place may be a given region: equal, its Local Zone, or unknown."""
    return None in (place, given) or place == given or f"{place}".startswith(f"{given}-")


def _shown(block: Block, name: str) -> str:
    value = getattr(block, name)
    return f"{value:%Y-%m-%dT%H:%MZ}" if isinstance(value, datetime) else str(value)
