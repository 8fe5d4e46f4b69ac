"""Converts DuckDB's errors about unreadable files to one line that names the file and reason."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from textwrap import shorten

import duckdb

from models.contract.errors import InputError, StorageError
from models.intake import malformed_files
from models.intake.malformed_files import Malformed

LONGEST_MESSAGE = 160
"""Characters of DuckDB's own words that are passed on where we have none."""
OWN_QUERY = re.compile(
    r" (?:LINE \d+:|Original Line:|Possible|Try |The search space|Candidate functions).*"
)
"""Where DuckDB goes on about its own query and options, or quotes a whole line of the file."""
QUOTED = re.compile(r"""([\"'])((?:(?!\1).){79})(?:(?!\1).){2,}""")
"""A quoted value of more than 80 characters."""
ERROR_KIND = re.compile(r"^(?:[A-Z][A-Za-z ]* Error: )+")
INTERRUPTED = "Query interrupted"
"""What DuckDB says, in a `RuntimeError`, of a Ctrl-C that came during its query."""
NO_UTF8 = "is not valid UTF8"
DISK_FULL = ("No space left", "File too large", "Disk quota")
Diagnose = Callable[[duckdb.Error], Malformed | None]


def _damaged(error: duckdb.Error) -> Malformed | None:
    """Describes a damaged Parquet file from DuckDB's error; None for any other error.

    For a damaged page DuckDB raises the bare class or one of `kinds`; for a bad value it raises
    others.
    """
    if NO_UTF8 in str(error):
        return Malformed("a text in this Parquet file is not UTF-8", malformed_files.UTF_8)
    kinds = (duckdb.OperationalError, duckdb.InvalidInputException, duckdb.InternalError)
    if type(error) is duckdb.Error or isinstance(error, kinds):
        return Malformed("a part of this Parquet file is damaged", malformed_files.WHOLE)
    return None


@contextmanager
def reader_errors(origin: str, diagnose: Diagnose = _damaged) -> Iterator[None]:
    """Converts DuckDB errors in a block to `InputError`, of full disk or memory `StorageError`.

    A Ctrl-C is a `KeyboardInterrupt` again, which ends the whole pull and not one source.
    """
    try:
        yield
    except duckdb.Error as error:  # the bare class too: a damaged page raises nothing narrower
        raise _stated(origin, error, diagnose) from None
    except RuntimeError as error:
        if f"{error}" == INTERRUPTED:
            raise KeyboardInterrupt from None
        raise


def _stated(origin: str, error: duckdb.Error, diagnose: Diagnose) -> StorageError | InputError:
    message = ERROR_KIND.sub("", OWN_QUERY.sub("", " ".join(str(error).split())))
    message = QUOTED.sub(r"\1\2…", message)
    if any(word in message for word in DISK_FULL) or isinstance(error, duckdb.OutOfMemoryException):
        return StorageError(
            f"cannot keep {origin}",
            value=shorten(message, LONGEST_MESSAGE, placeholder=" …"),
            remedy="free some space and run again",
        )
    in_its_words = Malformed(
        shorten(message, LONGEST_MESSAGE, placeholder=" …"), malformed_files.CORRECT
    )
    return unreadable(origin, diagnose(error) or in_its_words)


def unreadable(origin: str, wrong: Malformed) -> InputError:
    return InputError(f"cannot read {origin}", value=wrong.problem, remedy=wrong.remedy)
