"""How many small mistakes in what a number means would a test notice?

    .venv/bin/python -m benchmarks.mutation --sample 600

A sample of the `mutants` of `models/marts`, the rules of the contract and `PLAIN`, drawn by a seed.
Tests written for the survivors of one seed flatter its score: another seed's is honest. First the
tests run as they are, and the `worlds` they build are kept. A mutant's marts are then made over
those tables: where they publish the same rows, the test that built them cannot tell, and is not
run. Of the others the likeliest run in a child of this process, over the tables just made, until
one fails. What is computed before the marts, in Python or in a bill's own format, kept tables do
not show: for such mutants the tests beside them pull and build anew, and a kill of theirs counts if
they pass without the mutant. A trial that fails by itself is said and not scored. One line a mutant
is added to `mutants.jsonl`; one that stands there is not tried again. The folder is only good for
the tests and the models that it was made from; a run that was cut off goes on where it was.

With `--beside` nothing is kept first: tests beside each mutant build as ever (`beside`). That
begins at once, and counts what only other tests kill as survived.

A mutant that survives is either listed in `survivors.toml`, with the reason why no test can or need
tell, or a gap. What is listed but was killed, or stands in no file any more, is said and ends in 1.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from benchmarks.mutation.beside import Beside
from benchmarks.mutation.sample import ROOT, SEED, TESTS, every
from benchmarks.mutation.score import listed, report
from benchmarks.mutation.trials import Mutation
from models.engine.sql import sql_cache


def main() -> int:
    """Tries the sample and prints the score."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sample", type=int, default=600)
    parser.add_argument("--seed", type=int, default=SEED, help="of the sample's order")
    parser.add_argument("--again", action="store_true", help="try survivors of the sample again")
    parser.add_argument("--beside", action="store_true", help="record nothing: tests beside only")
    parser.add_argument("--folder", type=Path, default=ROOT / ".mutation")
    parser.add_argument("tests", nargs="*", default=TESTS)
    given = parser.parse_args()
    sql_cache.MOST = 10**6
    found = every(given.seed)
    wanted = found[: given.sample]
    plugin = (Beside if given.beside else Mutation)(given.folder, wanted)
    if given.again:
        kept = [line for line in plugin.lines() if line["status"] != "survived"]
        plugin.told.write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="utf-8")
    # a folder of its own: other sessions of pytest sweep the usual one
    scratch = given.folder / f"scratch-{os.getpid()}"
    options = ["-q", "--timeout=0", f"--basetemp={scratch}"]
    options += [] if given.beside else ["-p", "no:cacheprovider"]
    pytest.main([*options, "-m", "not spark", *given.tests], [plugin])
    shutil.rmtree(scratch, ignore_errors=True)
    names = {mutant.name for mutant in wanted}
    lines = [line for line in plugin.lines() if line["name"] in names]
    known = listed()
    report(lines, known, len(found))
    stale = known.keys() - {mutant.name for mutant in found}
    stale |= {line["name"] for line in lines if line["status"] != "survived"} & known.keys()
    for name in sorted(stale):
        print(f"listed but killed, or no mutant: {name}")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
