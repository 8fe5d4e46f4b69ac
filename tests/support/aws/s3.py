"""S3 over `objects`: {"bucket/key": text}. A bucket that no object is in does not exist.

Only listing and reading; `tests.ingest` reads bills from moto's S3. Bytes and XML, by hand.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

from tests.support.aws.refusal import Refusal

ACTIONS = {"ListObjectsV2": ["s3:ListBucket"], "GetObject": ["s3:GetObject", "kms:Decrypt"]}
MODIFIED = "2026-10-31T06:00:00Z"
STATUS = {"AccessDenied": 403, "NoSuchKey": 404, "NoSuchBucket": 404, "InvalidRange": 416}


def read(path: str, span: str) -> tuple[str, str, dict[str, Any]]:
    """Operation, protocol, and what was asked."""
    parts = urlsplit(path)
    bucket, _, key = unquote(parts.path).strip("/").partition("/")
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    if "list-type" in query:
        return "ListObjectsV2", "rest-xml", {"Bucket": bucket, "Prefix": query.get("prefix", "")}
    asked = {"Bucket": bucket, "Key": key} | ({"Range": span} if span else {})
    return "GetObject", "rest-xml", asked


def list_objects_v2(asked: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
    held = world.get("objects", {})
    inside = {name.partition("/")[2]: text for name, text in held.items() if _in(name, asked)}
    if not inside:
        raise Refusal("NoSuchBucket", "The specified bucket does not exist")
    return {"found": {k: t for k, t in sorted(inside.items()) if k.startswith(asked["Prefix"])}}


def get_object(asked: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
    name = f"{asked['Bucket']}/{asked['Key']}"
    if name not in world.get("objects", {}):
        raise Refusal("NoSuchKey", "The specified key does not exist.")
    text = world["objects"][name]
    if "Range" in asked and not text:
        raise Refusal("InvalidRange", "The requested range is not satisfiable")
    return {"text": text[:1] if "Range" in asked else text}


def encoded(operation: str, answer: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
    if operation == "GetObject":
        return 200, {"ETag": '"e"'}, answer["text"].encode()
    rows = "".join(
        f"<Contents><Key>{escape(key)}</Key><LastModified>{MODIFIED}</LastModified>"
        f"<ETag>&quot;e&quot;</ETag><Size>{len(text)}</Size></Contents>"
        for key, text in answer["found"].items()
    )
    body = f"<ListBucketResult><IsTruncated>false</IsTruncated>{rows}</ListBucketResult>"
    return 200, {"Content-Type": "application/xml"}, body.encode()


def refused(code: str, said: str) -> tuple[int, dict[str, str], bytes]:
    body = f"<Error><Code>{code}</Code><Message>{escape(said)}</Message></Error>"
    return STATUS.get(code, 400), {"Content-Type": "application/xml"}, body.encode()


def _in(name: str, asked: dict[str, Any]) -> bool:
    return name.startswith(f"{asked['Bucket']}/")
