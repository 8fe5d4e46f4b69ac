"""What is known of an instance type: whether it exists, and how many accelerators it has."""

from __future__ import annotations

import csv
import re
from decimal import Decimal
from functools import cache
from typing import NamedTuple

from models.contract import catalogue
from models.formats.allocations.faults import ACCELERATED, INSTANCE_TYPE

HOSTED = "ml."
"""Begins SageMaker's names of EC2's instance types."""
PROCESSORS = r"^(ml\.)?(a|c|d|h|hpc|i|im|is|m|r|t|u|x|z)-?\d"
"""Families of EC2 without accelerators: `c5`, `m7i`; not `dl1`, `inf2` or `trn1`."""
PLACES = 9
"""Decimal places of a part of a machine: a delivery holds no more."""
JOINED = {"Trainium2": 2}
"""Physical NeuronCores that Neuron's driver joins to a logical one unless it is told otherwise."""


class Machine(NamedTuple):
    """How many accelerators and NeuronCores (0 where it has none) an instance type has.

    `logical_cores` are what schedulers count, as Neuron's driver joins physical ones by default.
    """

    accelerators: int
    neuron_cores: int
    logical_cores: int


def machine(instance_type: str | None) -> Machine | None:
    """Returns how many accelerators and NeuronCores an instance type has; null if unknown."""
    return _machines().get((instance_type or "").removeprefix(HOSTED))


def accelerators_of(instance_type: str | None) -> Decimal | None:
    """Returns how many accelerators an instance type has; 0 in families without, else null."""
    known = machine(instance_type)
    if known is None and re.search(PROCESSORS, instance_type or ""):
        return Decimal(0)
    return Decimal(known.accelerators) if known else None


def exists(instance_type: str) -> bool:
    """Whether a text is an EC2 instance type: well-formed and, if accelerated, in the catalogue."""
    if not re.search(INSTANCE_TYPE, instance_type):
        return False
    return not re.search(ACCELERATED, instance_type) or machine(instance_type) is not None


def if_it_may_be(instance_type: str | None) -> str | None:
    """Returns the text if it has the form of an EC2 instance type, else null.

    One that the catalogue does not have is newer than that.
    """
    return instance_type if re.search(INSTANCE_TYPE, instance_type or "") else None


def more_than_all(
    held: Decimal | None, of: Decimal | None, instance_type: str | None
) -> str | None:
    """Returns `17 of 16` where a job has more accelerators than the machine, else null.

    A machine has `of`, else what its type has; one of an unknown type may have any number.
    """
    known = machine(instance_type)
    every = Decimal(known.accelerators) if of is None and known else of
    if held is None or every is None or held <= every:
        return None
    return f"{held.normalize():f} of {every.normalize():f}"


def as_accelerators(
    neuron_cores: Decimal, instance_type: str | None, of: Decimal | None = None
) -> Decimal | None:
    """Converts NeuronCores to accelerators, to 9 places; null for a type not known to have any.

    The machine has `of` cores where it tells, else its type's logical ones; who holds more than
    these holds physical ones. Example: 8 of the 64 of a trn2.48xlarge are 2 of its 16 accelerators.
    """
    known = machine(instance_type)
    if known is None or not known.neuron_cores:
        return None
    fits = neuron_cores <= known.logical_cores
    every = of or (known.logical_cores if fits else known.neuron_cores)
    return round(neuron_cores * known.accelerators / every, PLACES)


@cache
def _machines() -> dict[str, Machine]:
    with catalogue.SEED.open(encoding="utf-8", newline="") as file:
        return {row["instance_type"]: _machine(row) for row in csv.DictReader(file)}


def _machine(row: dict[str, str]) -> Machine:
    cores = int(row["neuron_cores"] or 0)
    return Machine(int(row["accelerators"]), cores, cores // JOINED.get(row["accelerator"], 1))
