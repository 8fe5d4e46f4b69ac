"""A real mail server on loopback, and what it took."""

from __future__ import annotations

import email
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from email.policy import default
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import Envelope

from tests.support.dashboard.server import free_port


class Mailbox:
    """What a mail server took; it refuses whom it is told to."""

    def __init__(self) -> None:
        self.messages: list[EmailMessage] = []
        self.refuses: dict[str, str] = {}
        self.asked = 0
        self.farewell = "221 Bye"

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's name
        self, _server: object, _session: object, envelope: Envelope, address: str, _options: object
    ) -> str:
        self.asked += 1
        if address in self.refuses:
            return self.refuses[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(  # noqa: N802 - aiosmtpd's name
        self, _server: object, _session: object, envelope: Envelope
    ) -> str:
        message = email.message_from_bytes(envelope.content, policy=default)
        assert isinstance(message, EmailMessage)
        self.messages.append(message)
        return "250 OK"

    async def handle_QUIT(  # noqa: N802 - aiosmtpd's name
        self, _server: object, _session: object, _envelope: Envelope
    ) -> str:
        return self.farewell


@contextmanager
def mail_server(**options: Any) -> Iterator[tuple[Mailbox, int]]:  # noqa: ANN401 - aiosmtpd's
    """A mailbox and the port of its server, until the block ends; `options` are aiosmtpd's."""
    mailbox = Mailbox()
    port = free_port()
    controller = Controller(mailbox, hostname="127.0.0.1", port=port, **options)
    controller.start()
    try:
        yield mailbox, port
    finally:
        controller.stop()
