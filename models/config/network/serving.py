"""Defines `[serve]`: the host names of the dashboard, and where its metrics are served."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, SecretStr

from models.config.section import Section

HOST = re.compile(r"\.?[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?")
METRICS = re.compile(r"((/[a-z0-9_-]+)*/metrics)|(([A-Za-z0-9.-]+|\[[0-9a-f:]+\]):)?\d{1,5}")


def _host(name: str) -> str:
    if not HOST.fullmatch(name):
        raise ValueError("a name or an IPv4 address without scheme or port, .name for all below it")
    return name.lower()


def _metrics(place: str) -> str:
    port = place.rpartition(":")[2]
    if place and (not METRICS.fullmatch(place) or (port.isdigit() and not 1 <= int(port) <= 65535)):
        raise ValueError("a port, host:port, or a path of the dashboard that ends in /metrics")
    return place


Host = Annotated[str, AfterValidator(_host)]
Metrics = Annotated[str, BeforeValidator(str), AfterValidator(_metrics)]


class Serve(Section):
    """The table `[serve]`: host names, where metrics are read, and if it may go without sign-in.

    `insecure_no_auth` lets it listen where others reach it although nobody signs in. `metrics` is
    where Prometheus asks, a port or a path; set its token by BREAKEVEN_SERVE__METRICS_TOKEN or
    `metrics_token_file` rather than in the file.
    """

    hosts: tuple[Host, ...] = ()
    insecure_no_auth: bool = False
    metrics: Metrics = ""
    metrics_token: SecretStr = SecretStr("")
    metrics_token_file: Path | None = None
