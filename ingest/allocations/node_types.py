"""Finds the instance type of a node of unknown machine: by a service, the config or deliveries.

Names of nodes are used again, by other types, too: so what is told of now comes first, then what
the config says, and last what was delivered, of the nearest day.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from fnmatch import fnmatchcase

TypesByDay = dict[str, dict[date, str]]
"""Instance types by node and UTC day."""


@dataclass(frozen=True)
class NodeTypes:
    """The instance types of a cluster's nodes, as a service says, the config or deliveries.

    `configured` are by pattern of node names (`trn1-*`), the first that fits.
    """

    configured: Mapping[str, str] = field(default_factory=dict)
    told: Mapping[str, str] = field(default_factory=dict)
    delivered: Mapping[str, Mapping[date, str]] = field(default_factory=dict)

    def of(self, node: str, day: date) -> str | None:
        """Returns the instance type of a node on a UTC day; null where no record has it."""
        if node in self.told:
            return self.told[node]
        for pattern, kind in self.configured.items():
            if fnmatchcase(node, pattern):
                return kind
        days = self.delivered.get(node, {})
        nearest = min(days, key=lambda each: (abs(each - day), each), default=None)
        return days[nearest] if nearest else None
