"""What a chat's server answers decides whether its recipient has the letter."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from models.config.loading import validated_settings
from models.config.sending import Recipient
from models.sending.channels import Letter, to_chat
from tests.support.loopback import serving


class Webhook(ThreadingHTTPServer):
    """Answers a message with `status`, and whoever is led to the page of signing in with 200."""

    def __init__(self) -> None:
        self.status, self.asked = 200, list[str]()
        super().__init__(("127.0.0.1", 0), Answers)


class Answers(BaseHTTPRequestHandler):
    server: Webhook

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(self.server.status if self.path == "/hook" else 200)

    def do_GET(self) -> None:
        self._answer(200)

    def _answer(self, status: int) -> None:
        self.server.asked.append(f"{self.command} {self.path}")
        self.send_response(status)
        self.send_header("Location", "/sign-in")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is to be read of it."""


@pytest.fixture
def webhook() -> Iterator[Webhook]:
    with serving(Webhook()) as made:
        yield made


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308, 404, 500])
def test_a_message_that_is_led_elsewhere_is_not_sent(
    webhook: Webhook, tmp_path: Path, status: int
) -> None:
    webhook.status = status
    url = f"json://127.0.0.1:{webhook.server_port}/hook"
    team = Recipient.model_validate({"name": "team", "kind": "chat", "url": url})
    config = validated_settings({}, home=tmp_path)
    with pytest.raises(OSError, match="the channel did not take the message"):
        to_chat(config, team, Letter("mark", "subject", "words\n"))
    assert webhook.asked == ["POST /hook"]
