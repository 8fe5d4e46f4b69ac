"""Sends a letter by folder, S3, mail or chat; in a folder or on S3 its manifest comes last."""

from __future__ import annotations

import json
import smtplib
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from hashlib import sha256
from typing import TYPE_CHECKING

from models.config.sending import Recipient, Smtp
from models.config.settings import Settings
from models.raw import atomic_files, private_files

if TYPE_CHECKING:
    import apprise

PATIENCE = 30
"""Seconds that a server may take to answer."""
TAKEN = (250, 251)
FINAL = 500
"""From here on a mail server says no for good, and S3 no longer that we are wrong."""
CLIENT = 400
NO_SMTP = "smtp.host and smtp.sender are not set"
UNKNOWN_CHAT = "Apprise does not know this kind of url"


class Refused(Exception):  # noqa: N818 - why a channel said no; who sends makes an error of it
    """A channel (mail, S3, …) refused a letter for good: retrying would not help."""


@dataclass(frozen=True)
class Letter:
    """A letter to a recipient: its subject, body as text and HTML, images, and files by name.

    `mark` identifies the letter. `name` is the name of the manifest of its files, `sha256` the hash
    of the statement. `html` is the body for mail programs that show it; its `images` are PNG, and
    it names them by `cid:`.
    """

    mark: str
    subject: str
    words: str
    files: Mapping[str, bytes] = field(default_factory=dict)
    name: str = ""
    sha256: str = ""
    html: str = ""
    images: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def manifest(self) -> bytes:
        """Returns a JSON document that lists each file of a letter with its size and SHA-256.

        It is written last, so that whoever sees it finds every file that it names complete.
        """
        files = [
            {"name": name, "bytes": len(content), "sha256": sha256(content).hexdigest()}
            for name, content in self.files.items()
        ]
        answer = {"statement_sha256": self.sha256, "files": files}
        return (json.dumps(answer, indent=1) + "\n").encode()


Channel = Callable[[Settings, Recipient, Letter], None]


def to_folder(settings: Settings, recipient: Recipient, letter: Letter) -> None:
    """Writes a letter's files to a folder, all of them or none, the manifest that lists them last.

    All files are written under other names before the first gets its own.
    """
    folder = settings.resolve(recipient.location)
    with ExitStack() as whole:  # leaves in reverse
        for name, content in {letter.name: letter.manifest, **letter.files}.items():
            draft = whole.enter_context(atomic_files.replace_file(folder / name))
            draft.write_bytes(content)
            private_files.give_to_group(draft, settings)


def to_s3(_: Settings, recipient: Recipient, letter: Letter) -> None:
    """Uploads each file of a letter to S3 with the statement's SHA-256, the manifest last."""
    import boto3
    from botocore.config import Config
    from botocore.exceptions import BotoCoreError, ClientError

    bucket, _slash, prefix = recipient.location.removeprefix("s3://").partition("/")
    marks = {"statement-sha256": letter.sha256}
    try:
        client = boto3.client("s3", config=Config(retries={"mode": "standard"}))
        for name, content in {**letter.files, letter.name: letter.manifest}.items():
            key = f"{prefix.rstrip('/')}/{name}".lstrip("/")
            client.put_object(Bucket=bucket, Key=key, Body=content, Metadata=marks)
    except (BotoCoreError, ClientError) as error:
        answer = f"S3: {' '.join(str(error).split())}"
        status = getattr(error, "response", {}).get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        if CLIENT <= status < FINAL:
            raise Refused(answer) from None
        raise OSError(answer) from None


def to_email(settings: Settings, recipient: Recipient, letter: Letter) -> None:
    """Mails a letter to all addresses of a recipient or to none.

    The mail goes out only if the server accepts every address.
    """
    smtp = settings.smtp
    if not smtp.host or not smtp.sender:
        raise Refused(NO_SMTP)
    with _connected(smtp) as server:
        try:
            if smtp.starttls:
                server.starttls(context=ssl.create_default_context())
            if smtp.user:
                server.login(smtp.user, smtp.password.get_secret_value())
        except UnicodeError:
            raise Refused("smtp.user and smtp.password must be plain ASCII") from None
        except (smtplib.SMTPNotSupportedError, smtplib.SMTPAuthenticationError) as error:
            raise Refused(f"the mail server: {error}") from None
        _hand_over(server, smtp, recipient, _message(smtp, recipient, letter))


@contextmanager
def _connected(smtp: Smtp) -> Iterator[smtplib.SMTP]:
    """Yields a connection to the mail server, then closes it and ignores errors of that."""
    try:
        server = smtplib.SMTP(smtp.host, smtp.port, timeout=PATIENCE)
    except UnicodeError:  # an empty or too long part of a name
        raise Refused(f"smtp.host is not a host name: {smtp.host}") from None
    except OSError as error:
        raise OSError(f"the mail server {smtp.host}:{smtp.port}: {error}") from None
    try:
        yield server
    finally:
        with suppress(OSError):
            server.quit()
        server.close()


def _hand_over(
    server: smtplib.SMTP, smtp: Smtp, recipient: Recipient, message: EmailMessage
) -> None:
    server.ehlo_or_helo_if_needed()
    _taken(smtp.sender, *server.mail(smtp.sender))
    for address in recipient.to:
        _taken(address, *server.rcpt(address))
    _taken("the message", *server.data(message.as_bytes(policy=SMTP)))


def _taken(what: str, code: int, answer: bytes) -> None:
    if code not in TAKEN:
        text = f"the mail server refused {what}: {code} {answer.decode(errors='replace')}"
        raise Refused(text) if code >= FINAL else OSError(text)


def _message(smtp: Smtp, recipient: Recipient, letter: Letter) -> EmailMessage:
    """Returns the mail of a letter, with a Message-ID of the letter's mark and recipient."""
    message = EmailMessage()
    message["From"], message["To"] = smtp.sender, ", ".join(recipient.to)
    message["Subject"] = letter.subject
    message["Date"] = format_datetime(datetime.now(UTC))
    message["Message-ID"] = f"<{letter.mark}.{recipient.name.encode().hex()}@breakeven>"
    message.set_content(letter.words)
    if letter.html:
        message.add_alternative(letter.html, subtype="html")
        _, shown = message.iter_parts()
        for name, content in letter.images.items():
            shown.add_related(content, "image", "png", cid=f"<{name}>", disposition="inline")
    for name, content in letter.files.items():
        message.add_attachment(
            content, maintype="application", subtype="octet-stream", filename=name
        )
    return message


def to_chat(_: Settings, recipient: Recipient, letter: Letter) -> None:
    """Posts a letter's subject and text, no files, through Apprise (Slack, Teams, a webhook).

    A redirect is not followed: whoever follows it asks for a page, without the message, and takes
    its 200 (of a page of signing in, say) for the channel's.
    """
    channel = _chat(recipient)
    if not channel:
        raise Refused(UNKNOWN_CHAT)
    if not channel.notify(title=letter.subject, body=letter.words):
        raise OSError("the channel did not take the message, or led it elsewhere")


def unprepared(smtp: Smtp, recipient: Recipient) -> str:
    """Returns why mail or chat cannot be tried, such as no mail server set; "" if it can."""
    if recipient.kind == "email" and not (smtp.host and smtp.sender):
        return NO_SMTP
    return UNKNOWN_CHAT if recipient.kind == "chat" and not _chat(recipient) else ""


def _chat(recipient: Recipient) -> apprise.Apprise | None:
    """Returns the chat channel of a recipient's `url`; None if Apprise does not know the URL."""
    import apprise

    channel = apprise.Apprise(asset=apprise.AppriseAsset(http_redirects=False))
    return channel if channel.add(recipient.url.get_secret_value()) else None


CHANNELS: Mapping[str, Channel] = {
    "folder": to_folder,
    "s3": to_s3,
    "email": to_email,
    "chat": to_chat,
}
