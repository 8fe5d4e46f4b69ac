"""Makes the demo company: `python data/company/generate.py [FOLDER]`, which takes two minutes.

It lives through the story with breakeven itself, against a small AWS on loopback, and writes what
is there in the end: `company.tar.zst`, a backup, and `MANIFEST.json`. The same versions of
breakeven, pyarrow and DuckDB write the same bytes. README.md tells what is hidden in it.
`--delivered` only prints the SHA-256 of all that the bucket holds at the end.
"""

import hashlib
import json
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT), str(HERE), str(ROOT / "data" / "sample")]

import duckdb  # noqa: E402 - the paths come first
import pyarrow as pa  # noqa: E402
from story import bill, replay  # noqa: E402

ARCHIVE, MANIFEST = "company.tar.zst", "MANIFEST.json"
STATEMENT = "Simulated usage, real list prices. No real company, account or training run."


def generate(folder: Path) -> None:
    """Simulates the demo company day by day; writes its backup and a manifest into a folder."""
    os.chdir(folder)  # the audit log names the backup, and no folder of this machine
    replay.replay(Path(ARCHIVE))
    content = Path(ARCHIVE).read_bytes()
    about = {
        "statement": STATEMENT,
        "pyarrow": pa.__version__,
        "duckdb": duckdb.__version__,
        "sha256": hashlib.sha256(content).hexdigest(),
        "delivered": replay.delivered(replay.DAYS[-1].at),
        "billed": bill.totals(bill.bill(replay.DAYS[-1].at)),
    }
    Path(MANIFEST).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    bill.widen()
    if sys.argv[1:] == ["--delivered"]:
        print(replay.delivered(replay.DAYS[-1].at))
    else:
        generate(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
