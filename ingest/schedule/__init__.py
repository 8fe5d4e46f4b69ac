"""Runs the scheduler, which pulls each source on its cron (UTC) and then builds.

In: the settings and a function that builds. Out: pulls, builds, and a log that names every stale
feed. It also catches up on missed runs and copes with clocks that are set. Serves the `schedule`
verb, docs/architecture.md.
"""

from ingest.schedule.jobs import Build
from ingest.schedule.service import run

__all__ = ["Build", "run"]
