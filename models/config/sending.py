"""Defines `[[recipients]]`, `[alerts]`, `[digest]` and `[smtp]`: who is sent what, when and how."""

from __future__ import annotations

from decimal import Decimal
from email.utils import getaddresses
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, SecretStr, model_validator

from models.config.section import Section

NEEDED = {"folder": "location", "s3": "location", "email": "to", "chat": "url"}
Form = Literal["xlsx", "pdf", "csv", "json", "parquet"]


def _one_address(text: str) -> str:
    """Returns the text if it is empty or one plain ASCII mail address; else `ValueError`."""
    found = [address for _, address in getaddresses([text])]
    if text and not (len(found) == 1 and found[0] and found[0].isascii() and text.isprintable()):
        raise ValueError("one mail address in plain ASCII, such as ann@example.com")
    return text


Address = Annotated[str, AfterValidator(_one_address)]


class Recipient(Section):
    """One `[[recipients]]` table: who gets statements of closed months, alerts, digests, and how.

    `location` is a folder or `s3://bucket/prefix`. `to` holds the addresses for `email`. `url` is
    Apprise's, for `chat` (Slack, Teams, a webhook), which gets text without files. With `alerts`,
    the recipient also gets alerts; with `digest`, a digest of each month. Without `statements`, no
    statement is sent unless they are named.
    """

    name: str = Field(min_length=1)
    kind: Literal["folder", "s3", "email", "chat"]
    location: str = ""
    to: tuple[Annotated[Address, Field(min_length=1)], ...] = ()
    url: SecretStr = SecretStr("")
    formats: tuple[Form, ...] = Field(("xlsx", "pdf"), min_length=1)
    alerts: bool = False
    digest: bool = False
    statements: bool = True

    @model_validator(mode="after")
    def _reachable(self) -> Self:
        given = {"location": self.location, "to": self.to, "url": self.url.get_secret_value()}
        needed = NEEDED[self.kind]
        if [name for name, value in given.items() if value] != [needed]:
            raise ValueError(f"kind {self.kind!r} takes {needed}")
        if self.alerts and self.kind not in ("email", "chat"):
            raise ValueError("alerts go to email and chat")
        if self.digest and self.kind != "email":
            raise ValueError("a digest goes to email")
        if (self.kind == "s3") != self.location.startswith("s3://"):
            raise ValueError("an s3 location begins with s3://, a folder does not")
        return self


class Alerts(Section):
    """The table `[alerts]`: the limits beyond which an alert is sent, as days or fractions."""

    slip_days: int = Field(31, ge=1, le=36_500)
    cost_per_epoch_change: Decimal = Field(Decimal("0.10"), gt=0)
    untagged_share: Decimal = Field(Decimal("0.05"), gt=0, le=1)


class Digest(Section):
    """The table `[digest]`: on which day of the next month a month's digest is first sent."""

    day: int = Field(5, ge=1, le=28)


class Smtp(Section):
    """The table `[smtp]`: the mail server through which statements, alerts and digests are sent.

    Set `password` by BREAKEVEN_SMTP__PASSWORD rather than in the file.
    """

    host: str = ""
    port: int = Field(587, ge=1, le=65535)
    sender: Address = ""
    user: str = ""
    password: SecretStr = SecretStr("")
    starttls: bool = True
