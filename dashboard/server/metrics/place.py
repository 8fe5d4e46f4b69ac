"""Reads from the config where metrics are served, and with which token."""

from __future__ import annotations

from dataclasses import dataclass

from models.config.network.secret_file import secret_in
from models.config.settings import Settings
from models.contract.errors import ConfigError

SHORTEST_TOKEN = 16
TOKEN_REMEDY = (
    "set BREAKEVEN_SERVE__METRICS_TOKEN or serve.metrics_token_file, to at least 16 characters"
)


@dataclass(frozen=True)
class MetricsPlace:
    """The token of metrics, and their place: a path of the dashboard, or a port of their own."""

    token: str
    path: str = ""
    host: str = ""
    port: int = 0


def metrics_place(settings: Settings) -> MetricsPlace | None:
    """Returns where metrics are served, and their token; None if `serve.metrics` is not set.

    `ConfigError` without a token, or with one that can be guessed.
    """
    given = settings.serve.metrics
    if not given:
        return None
    token = _token(settings)
    if given.startswith("/"):
        return MetricsPlace(token, path=given)
    host, _, port = given.rpartition(":")
    return MetricsPlace(token, host=host.strip("[]") or "127.0.0.1", port=int(port))


def _token(settings: Settings) -> str:
    token, file = settings.serve.metrics_token.get_secret_value(), settings.serve.metrics_token_file
    if not token and file is not None:
        token = secret_in(settings.resolve(file), "serve.metrics_token_file")
    if len(token) < SHORTEST_TOKEN:
        what = "its token can be guessed" if token else "it has no token"
        raise ConfigError(f"serve.metrics: {what}", remedy=TOKEN_REMEDY)
    return token
