"""What Slurm prints, in small: a header and lines, as our script on the head node writes them."""

from __future__ import annotations

from datetime import UTC, date, datetime

COLUMNS = (
    *("Cluster", "JobID", "JobIDRaw", "JobName", "Account", "User", "State", "Submit", "Start"),
    *("End", "NodeList", "NCPUS", "AllocTRES", "Comment"),
)
DAY = date(2026, 10, 30)


def at(clock: str, day: date = DAY) -> str:
    """Epoch seconds of a time of day."""
    return str(int(datetime.fromisoformat(f"{day}T{clock}").replace(tzinfo=UTC).timestamp()))


def job(number: str = "17", **other: str) -> dict[str, str]:
    """A job that held all of p5-1 from 10:00 to 12:00."""
    return {
        "Cluster": "atlas",
        "JobID": number,
        "JobIDRaw": number,
        "JobName": "train",
        "Account": "nlp",
        "User": "ada",
        "State": "COMPLETED",
        "Submit": at("09:00"),
        "Start": at("10:00"),
        "End": at("12:00"),
        "NodeList": "p5-1",
        "NCPUS": "96",
        "AllocTRES": "cpu=96,gres/gpu:h100=8,gres/gpu=8,node=1",
        "Comment": "",
        **other,
    }


def printed(*rows: dict[str, str], about: str = "", separator: str = "\x1f") -> str:
    """The file of these rows, under the header of the first."""
    columns = list(rows[0]) if rows else list(COLUMNS)
    lines = [separator.join(columns), *(separator.join(row.values()) for row in rows)]
    return about + "\n".join(lines) + "\n"


def asked(day: date = DAY, clock: str = "23:00", after: date = date(2026, 11, 2)) -> str:
    """The comment of a file of a day that was written on another."""
    return f"# cluster=atlas day={day} observed_at={at(clock, after)} slurm=24.11.5\n"
