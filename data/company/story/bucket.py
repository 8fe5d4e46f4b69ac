"""Serves a simulated S3 from memory on loopback: ListObjectsV2 and GetObject, nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape


class Bucket:
    """The objects of the simulated S3: `bucket/key` → bytes, all with one time of writing."""

    def __init__(self) -> None:
        self.held: dict[str, bytes] = {}
        self.modified = ""

    def shows(self, held: dict[str, bytes], written: datetime) -> None:
        """Replaces all objects of the simulated S3 and sets their time of writing."""
        self.held, self.modified = held, f"{written:%Y-%m-%dT%H:%M:%S}.000Z"

    def listing(self, bucket: str, prefix: str) -> bytes:
        """Returns ListObjectsV2's answer in XML for a bucket and prefix."""
        rows = "".join(
            f"<Contents><Key>{escape(key)}</Key><LastModified>{self.modified}</LastModified>"
            f"<ETag>&quot;{_etag(content)}&quot;</ETag><Size>{len(content)}</Size></Contents>"
            for name, content in sorted(self.held.items())
            for key in [name.partition("/")[2]]
            if name.startswith(f"{bucket}/") and key.startswith(prefix)
        )
        shown = f"<ListBucketResult><IsTruncated>false</IsTruncated>{rows}</ListBucketResult>"
        return shown.encode()


@contextmanager
def serving() -> Iterator[tuple[str, Bucket]]:
    """Serves the simulated S3 by HTTP until the `with` block ends; yields its URL and objects."""
    bucket = Bucket()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            query = parse_qs(parts.query)
            name, _, key = unquote(parts.path).strip("/").partition("/")
            if "list-type" in query:
                self._answer(bucket.listing(name, query.get("prefix", [""])[0]), "")
            else:
                content = bucket.held[f"{name}/{key}"]
                self._answer(content, _etag(content))

        def _answer(self, content: bytes, etag: str) -> None:
            self.send_response(200)
            self.send_header("Content-Length", f"{len(content)}")
            if etag:
                self.send_header("ETag", f'"{etag}"')
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Does nothing: requests are not logged."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", bucket
    server.shutdown()


def _etag(content: bytes) -> str:
    return md5(content, usedforsecurity=False).hexdigest()
