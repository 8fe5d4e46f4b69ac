"""What a `[[sources]]` entry may say of Slurm's nodes, besides where their files are."""

from __future__ import annotations

from pydantic import Field, field_validator

from ingest.allocations.machine_types import exists
from ingest.files.location import FileOptions


class NodeOptions(FileOptions):
    """Options of a source of Slurm's jobs: types of its nodes, and names of accelerators.

    `instance_types` are instance types by pattern of node names, for nodes whose instance is not
    known. `gres` names generic resources that are accelerators, besides gpu and neuron.
    """

    instance_types: dict[str, str] = Field(default_factory=dict)
    gres: tuple[str, ...] = ()

    @field_validator("instance_types")
    @classmethod
    def _known(cls, types: dict[str, str]) -> dict[str, str]:
        for name in types.values():
            if not exists(name):
                raise ValueError(f"{name!r} is not an instance type: write it as EC2 does")
        return types
