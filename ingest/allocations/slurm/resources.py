"""What a Slurm job was given: accelerators and CPUs by `AllocTRES`, nodes by `NodeList`.

Example: `billing=16,cpu=16,gres/gpu:h100=16,gres/gpu=16,node=2` are 16 accelerators on two nodes.
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from math import prod
from typing import NamedTuple

from ClusterShell.NodeSet import RESOLVER_NOGROUP, NodeSet, NodeSetException

from ingest.allocations.mig import as_gpus, slices
from ingest.allocations.refusals import Line

GRES = "gres/"
CORES = "neuroncore"
ACCELERATORS = ("gpu", "neuron", "neurondevice", "neuron_device", "trainium", "trn")
"""Names of generic resources that are accelerators; a site may name more (`gres`)."""
NOWHERE = ("", "None assigned", "None")
"""How Slurm prints the nodes of a job that has none."""


TERM, BRACKETS = re.compile(r"(?:[^,\[\]]|\[[^\]]*\])+"), re.compile(r"\[([^\]]*)\]")
RANGE = re.compile(r"(\d{1,18})-(\d{1,18})")
MOST_NODES, MOST = 100_000, Decimal(10**9)
"""More nodes than any cluster has, and more of a resource than any job."""


class Given(NamedTuple):
    """A Slurm job's accelerators, NeuronCores and CPUs in all; null where Slurm does not say."""

    accelerators: Decimal | None
    neuron_cores: Decimal | None
    cpus: Decimal | None


def given(line: Line, tres: str, cpus: str, names: tuple[str, ...] = ACCELERATORS) -> Given:
    """Reads a Slurm job's accelerators, NeuronCores and CPUs. `InputError` for what is not a count.

    A typed count (`gres/gpu:h100=8`) repeats the plain one (`gres/gpu=8`), where both are printed.
    """
    counts = _counts(line, tres, (*names, CORES))
    return Given(
        _total(counts, names),
        _total(counts, (CORES,)),
        counts.get("cpu") or (_number(line, "NCPUS", cpus) if cpus else None),
    )


def nodes(line: Line, node_list: str) -> list[str]:
    """Expands a Slurm list of nodes, such as `p5-[1-2,7]`, to sorted names; empty if none.

    Raises `InputError` for text that is no such list, or names more nodes than any cluster has.
    """
    if node_list in NOWHERE:
        return []
    if _number_of_nodes(node_list) > MOST_NODES:
        problem = f"NodeList names more than {MOST_NODES:,} nodes"
        raise line.refuse(problem, node_list, "write the file again with the whole NodeList")
    try:
        return sorted(NodeSet(node_list, resolver=RESOLVER_NOGROUP))
    except NodeSetException:
        remedy = "write the file again with the whole NodeList"
        raise line.refuse("NodeList cannot be read", node_list, remedy) from None


def _number_of_nodes(node_list: str) -> int:
    """Returns about how many nodes a Slurm node list names, without expanding the list."""
    sizes = (
        prod(
            sum(int(last) - int(first) + 1 for first, last in RANGE.findall(ranges)) or 1
            for ranges in BRACKETS.findall(term)
        )
        for term in TERM.findall(node_list)
    )
    return sum(sizes)


def _counts(line: Line, tres: str, names: tuple[str, ...]) -> dict[str, Decimal]:
    """Maps CPUs and the given generic resources to their counts in a text of `AllocTRES`."""
    resources = {"cpu", *(f"{GRES}{name}" for name in names)}
    pairs = (part.partition("=") for part in tres.split(",") if part)
    return {
        name: _number(line, name, value)
        for name, _, value in pairs
        if name.partition(":")[0] in resources
    }


def _total(counts: dict[str, Decimal], names: tuple[str, ...]) -> Decimal | None:
    """Sums the counts of the named resources, GPU slices as parts; null if none is there.

    A slice of a GPU is its part of the GPU's processors (`gres/gpu:3g.20gb`: 3 of 7).
    """
    totals: list[Decimal] = []
    for name in names:
        typed = {k: n for k, n in counts.items() if k.startswith(f"{GRES}{name}:")}
        plain = counts.get(f"{GRES}{name}")
        sliced = {kind: number for kind, number in typed.items() if slices(kind)}
        if sliced:
            every = sum(typed.values(), Decimal(0)) if plain is None else plain
            parts = sum((n * slices(kind) for kind, n in sliced.items()), Decimal(0))
            totals += [max(every - sum(sliced.values()), Decimal(0)), as_gpus(parts)]
        else:
            totals += typed.values() if plain is None else [plain]
    return sum(totals, Decimal(0)) if totals else None


def _number(line: Line, name: str, text: str) -> Decimal:
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise line.refuse(f"{name} is not a count", text, "write the file again") from None
    if not number.is_finite() or not 0 <= number < MOST:
        raise line.refuse(f"{name} is not a count", text, "write the file again")
    return number
