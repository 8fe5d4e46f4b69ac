"""Makes `InputError`s on one line of an allocation file: file, line, value and remedy."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from ingest.allocations.machine_types import if_it_may_be, more_than_all
from ingest.allocations.moments import UnreadableMomentError, moment
from models.contract.errors import InputError
from models.intake.malformed_files import shown

DIGITS = 10
"""A count of anything here has fewer."""


class Line:
    """Reads times and counts on one line of a scheduler's file; its errors name file and line."""

    def __init__(self, origin: str, number: int) -> None:
        self.origin, self.number = origin, number

    def refuse(self, problem: str, value: object, remedy: str) -> InputError:
        """Returns, to be raised, an `InputError` with file, line, problem, value and remedy."""
        text = f"{self.origin}: line {self.number}: {problem}"
        return InputError(text, value=shown(f"{value}"), remedy=remedy)

    def moment(self, name: str, text: str, remedy: str, *, anywhen: bool = False) -> datetime:
        """Reads a time on a line of a file as UTC; raises `InputError` where it is unreadable.

        With `anywhen` it may be in any year.
        """
        try:
            return moment(text, anywhen=anywhen)
        except UnreadableMomentError as error:
            raise self.refuse(f"{name} {error}", text, remedy) from None

    def count(self, name: str, text: str) -> int:
        """Reads a whole number below a billion; raises `InputError` for any other text."""
        if text.isascii() and text.isdecimal() and len(text) < DIGITS:
            return int(text)
        raise self.refuse(f"{name} is not a count", text, "write the file again")

    def refuse_reversed(self, start: datetime, end: datetime | None, whose: str) -> None:
        """Raises `InputError` for an interval of a job or node that ends before it starts."""
        if end is not None and end < start:
            value = f"{whose}, {start:%Y-%m-%dT%H:%M:%SZ} to {end:%Y-%m-%dT%H:%M:%SZ}"
            remedy = "correct the clock or the record, and write the file again"
            raise self.refuse("an interval ends before it starts", value, remedy)

    def refuse_unknown_type(self, instance_type: str | None) -> None:
        """Raises `InputError` for a text that is no instance type by its form; null passes.

        One that the catalogue does not have is newer than that: Slurm or EC2 told it.
        """
        if instance_type and not if_it_may_be(instance_type):
            remedy = "write it as EC2 does: trn1.32xlarge"
            raise self.refuse("an unknown instance type", instance_type, remedy)

    def refuse_more_than_all(
        self, held: Decimal | None, of: Decimal | None, instance_type: str | None
    ) -> None:
        """Raises `InputError` where a job has more accelerators than the machine."""
        value = more_than_all(held, of, instance_type)
        if value:
            remedy = "correct the count, or the instance type of the machine"
            raise self.refuse("more accelerators are held than the machine has", value, remedy)
