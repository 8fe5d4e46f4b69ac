"""Lists the GPU and Trainium instance types and regions on the bill, to fetch their prices.

They are read from the published snapshot, and before the first one from the live bills. The
catalogue decides what is an accelerator. SageMaker's `ml.` types have prices of their own and are
listed apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from models.config.settings import Settings
from models.contract import catalogue
from models.contract.errors import MissingDataError, StorageError
from models.engine.context import BuildContext
from models.engine.reduction import delivered_files
from models.engine.warehouse import connection
from models.engine.warehouse.reader import Reader
from models.raw.zone import RawZone

HOSTED = "ml."
"""What SageMaker writes before an instance type."""
PUBLISHED = """
SELECT DISTINCT instance_type, region FROM spend_daily
WHERE instance_type IS NOT NULL AND region IS NOT NULL"""
WORDS_OF_TYPE = "concat_ws(' ', InstanceType, SkuMeter, ChargeDescription)"
"""Where a charge says its instance type: FOCUS 1.0 has no column of its own for that."""
BILLED = f"""
SELECT DISTINCT regexp_extract({WORDS_OF_TYPE}, ?, 1), RegionId
FROM charges WHERE RegionId IS NOT NULL"""


class Machine(NamedTuple):
    """An EC2 or SageMaker instance type in a region."""

    instance_type: str
    region: str

    @property
    def hosted(self) -> bool:
        """Whether an instance type is SageMaker's (`ml.…`)."""
        return self.instance_type.startswith(HOSTED)


def fleet(settings: Settings) -> list[Machine]:
    """Lists the GPU and Trainium instance types on the bill, with region; [] before any bill."""
    known = {a.instance_type for a in catalogue.accelerators() if a.hardware in ("gpu", "trainium")}
    found = {Machine(*row) for row in _published(settings) or _billed(settings, known)}
    return sorted(m for m in found if m.instance_type.removeprefix(HOSTED) in known)


def _published(settings: Settings) -> list[tuple[str, str]]:
    reader = Reader(settings.data / "snapshots")
    try:
        return [(row["instance_type"], row["region"]) for row in reader.rows(PUBLISHED)]
    except (MissingDataError, StorageError):  # the next build publishes a good one
        return []
    finally:
        reader.close()


def _billed(settings: Settings, known: Iterable[str]) -> list[tuple[str, str]]:
    live = RawZone(settings.data / "raw").live()
    bills = [delivery for delivery in live if delivered_files.view_of(delivery) == "charges"]
    with connection.in_memory() as backend:
        delivered_files.create_view(BuildContext.reading(settings, backend), "charges", bills)
        rows = backend.con.execute(BILLED, [type_pattern(known)]).fetchall()
    return [(str(kind), str(region)) for kind, region in rows if kind]


def type_pattern(known: Iterable[str]) -> str:
    """Returns a regex whose first group is one of given instance types, with or without `ml.`."""
    named = "|".join(re.escape(name) for name in sorted(known))
    return rf"\b((?:ml\.)?(?:{named}))\b"
