"""Which instance types a feed of prices or capacity asks about: the bill's, or the ones named."""

from __future__ import annotations

from pydantic import field_validator

from ingest import aws
from models.config.settings import Settings, nearest
from models.contract import catalogue
from models.contract.errors import MissingDataError
from models.engine.fleet import HOSTED, Machine, fleet


class Wanted(aws.Access):
    """Options: whose eyes, and `instance_types` where the bill's own are not the ones."""

    instance_types: tuple[str, ...] = ()

    @field_validator("instance_types")
    @classmethod
    def _known(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        known = [accelerator.instance_type for accelerator in catalogue.accelerators()]
        for name in names:
            if name.removeprefix(HOSTED) not in known:
                raise ValueError(f"{name!r} is not in the catalogue ({nearest(name, known)})")
        return names


def machines(
    name: str, wanted: Wanted, settings: Settings, region: str | None = None
) -> list[Machine]:
    """What the source `name` asks about, in order; of one region, or of all on the bill.

    Raises `MissingDataError` where neither the bill nor the config says anything.
    """
    billed = fleet(settings)
    regions = {region} if region else {machine.region for machine in billed}
    if not regions or not (wanted.instance_types or billed):
        raise MissingDataError(
            f"{name}: no accelerator is on the bill yet",
            remedy="ingest the bill first, or set `instance_types` and `region`",
        )
    named = {Machine(kind, place) for kind in wanted.instance_types for place in regions}
    return sorted(named or {machine for machine in billed if machine.region in regions})
