"""Which mutants are tried, in an order of chance, and which tests may kill them."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from benchmarks.mutation.mutants import Mutant, mutants

ROOT = Path(__file__).parents[2]
SEED = 3
TESTS = (
    "tests/docs/test_method.py",
    "tests/docs/test_worked_examples.py",
    "tests/ingest/sources/market/test_capacity.py",
    "tests/models/contract/rules",
    "tests/models/engine/allocations",
    "tests/models/engine/reduction",
    "tests/models/engine/source_lines",
    "tests/models/formats/bill",
    "tests/models/marts",
    "tests/models/forecast/test_bootstrap.py",
    "tests/models/forecast/test_enough_data.py",
    "tests/models/forecast/test_interval.py",
    "tests/simulator",
)
PLAIN = tuple(
    f"models/forecast/{name}.py"
    for name in ("bootstrap", "draws", "enough_data", "interval", "training_weeks")
)


def every(seed: int = SEED) -> list[Mutant]:
    """All mutants in an order of chance; an edit of one file moves no other's mutants in it."""
    folders = (ROOT / "models" / "marts", ROOT / "models" / "contract" / "rules")
    marts = sorted(file for folder in folders for file in folder.rglob("[a-z]*.py"))
    files = [*(str(file.relative_to(ROOT)) for file in marts), *PLAIN]
    found = [mutant for file in files for mutant in mutants(ROOT, file)]
    return sorted(found, key=lambda mutant: sha256(f"{seed} {mutant.name}".encode()).digest())
