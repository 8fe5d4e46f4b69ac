"""Converts delivered CSV and JSON files to Parquet once, with every value as text.

Formats give the values their types later; the text stays as it was delivered.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from models.contract.errors import InputError
from models.engine.warehouse.scratch import scratch
from models.intake import malformed_files
from models.intake.line_ends import with_one_line_end
from models.intake.malformed_files import Malformed
from models.intake.reader_errors import reader_errors, unreadable
from models.intake.size_limits import refuse_packed_bomb
from models.raw import atomic_files

NULL_TEXTS = "['', 'NULL']"


def csv_to_parquet(source: Path, target: Path, *, origin: str = "") -> None:
    """Converts a CSV file (plain or gzip) to Parquet, all text; empty and `NULL` become null."""
    refuse_packed_bomb(source, origin or str(source))
    wrong = malformed_files.emptiness(source) or malformed_files.bad_header(source)
    if wrong:
        raise unreadable(origin or str(source), wrong)
    try:
        _convert_csv(source, target, origin or str(source))
    except InputError:
        if malformed_files.first_bad_csv_line(source):
            raise
        with TemporaryDirectory(prefix="breakeven-") as folder:
            uniform = Path(folder, "alike.csv")
            if not with_one_line_end(source, uniform):
                raise
            _convert_csv(uniform, target, origin or str(source))


def _convert_csv(source: Path, target: Path, origin: str) -> None:
    _convert(
        "read_csv(?, all_varchar = true, header = true, auto_detect = true, delim = ',', "
        f"""quote = '"', escape = '"', nullstr = {NULL_TEXTS}, strict_mode = true, """
        f"skip = 0, comment = '', max_line_size = {malformed_files.LONGEST_LINE}, "
        "hive_partitioning = false)",
        "*",
        source,
        target,
        origin,
        malformed_files.first_bad_csv_line,
    )


def jsonl_to_parquet(source: Path, target: Path, *, origin: str = "") -> None:
    """Converts a JSON Lines file (plain or gzip) to Parquet, with every value as text.

    A JSON number is a double: `1.50` becomes `1.5`.
    """
    refuse_packed_bomb(source, origin or str(source))
    _convert(
        "read_json(?, format = 'newline_delimited', records = 'true', maximum_depth = 1, "
        f"sample_size = -1, maximum_object_size = {malformed_files.LONGEST_LINE}, "
        "hive_partitioning = false)",
        "json_extract_string(COLUMNS(*), '$')",
        source,
        target,
        origin or str(source),
        malformed_files.first_bad_json_line,
    )


def _convert(
    reader: str,
    columns: str,
    source: Path,
    target: Path,
    origin: str,
    diagnose: Callable[[Path], Malformed | None],
) -> None:
    quoted = str(target).replace("'", "''")
    with (
        # the same bytes in must be the same bytes out, or every pull would be a new delivery
        scratch(ordered=True) as backend,
        atomic_files.write_errors(target),
        reader_errors(origin, lambda _: diagnose(source)),
    ):
        backend.con.execute(
            f"COPY (SELECT {columns} FROM {reader}) TO '{quoted}' "
            "(FORMAT parquet, COMPRESSION zstd)",
            [str(source)],
        )
