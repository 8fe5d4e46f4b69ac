"""Chooses instance types and regions to ask AWS about: a source's options, else those billed."""

from __future__ import annotations

from pydantic import field_validator

from ingest import aws
from models.config.refusals.unknown_keys import nearest
from models.config.settings import Settings
from models.contract import catalogue
from models.contract.errors import MissingDataError
from models.engine.fleet import HOSTED, Machine, fleet


class InstanceTypeOptions(aws.Access):
    """Options of a source that asks AWS for prices or capacity of instance types: access, types."""

    instance_types: tuple[str, ...] = ()

    @field_validator("instance_types")
    @classmethod
    def _known(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        known = [accelerator.instance_type for accelerator in catalogue.accelerators()]
        for name in names:
            if name.removeprefix(HOSTED) not in known:
                raise ValueError(f"{name!r} is not in the catalogue ({nearest(name, known)})")
        return names


def machines_to_ask_about(
    name: str, options: InstanceTypeOptions, settings: Settings, region: str | None = None
) -> list[Machine]:
    """Returns the sorted (instance type, region) pairs that a source asks AWS about.

    These are the instance types that the options name, else the accelerators on the bill; in
    `region`, else in all regions of the bill. Raises `MissingDataError` where neither the bill nor
    the config names any.
    """
    billed = fleet(settings)
    regions = {region} if region else {machine.region for machine in billed}
    if not regions or not (options.instance_types or billed):
        raise MissingDataError(
            f"{name}: no accelerator is on the bill yet",
            remedy="ingest the bill first, or set `instance_types` and `region`",
        )
    named = {Machine(kind, place) for kind in options.instance_types for place in regions}
    return sorted(named or {machine for machine in billed if machine.region in regions})
