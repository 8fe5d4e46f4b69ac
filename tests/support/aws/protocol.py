"""Requests and answers in AWS's protocols, both ways by botocore's models (moto's own codecs)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import parse_qs, urlsplit

import botocore.session
from botocore.model import Shape
from botocore.utils import parse_timestamp
from botocore.validate import ParamValidator
from moto.core.model import OperationModel
from moto.core.parse import PROTOCOL_PARSERS
from moto.core.serialize import get_serializer_class
from moto.core.utils import get_service_model
from werkzeug.datastructures import Headers, MultiDict

from tests.support.aws import s3
from tests.support.aws.refusal import Refusal as Refusal

SIGNED = re.compile(r"Credential=([^/]+)/\d+/([\w-]*)/([\w-]+)/aws4_request")
MODELS = {"monitoring": "cloudwatch", "tagging": "resourcegroupstaggingapi"}
PREFIXES = {"tagging": "tag"}
"""botocore's names of services that sign with another."""
DENIALS = {"ec2": "UnauthorizedOperation"} | dict.fromkeys(
    ("s3", "sts", "monitoring"), "AccessDenied"
)
REFUSED = {"query": "<ErrorResponse>{}</ErrorResponse>", "ec2": "<Response>{}</Response>"}


@dataclass(frozen=True)
class Call:
    """One request: who asks (`access_key`), where, what. `asked` has instants as datetimes, UTC."""

    service: str
    region: str
    access_key: str
    operation: str
    protocol: str
    asked: dict[str, Any]

    @classmethod
    def of(cls, method: str, path: str, headers: dict[str, str], body: bytes) -> Call:
        """Reads the request; what it is about stands in its signature and target."""
        given = Headers(list(headers.items()))
        signed = SIGNED.search(given.get("Authorization", ""))
        key, region, service = signed.groups() if signed else ("", "us-east-1", "sts")
        if service == "s3":
            return cls(service, region, key, *s3.read(path, given.get("Range", "")))
        values = MultiDict({k: v[0] for k, v in parse_qs(body.decode(), True).items()})
        protocol, operation = _meant(service, path, given, values)
        model = _model(service, operation)
        parser = PROTOCOL_PARSERS[protocol](model, timestamp_parser=parse_timestamp)
        asked = parser.parse(
            {
                "method": method,
                "values": values,
                "headers": given,
                "body": body,
                "url_params": {},
                "url_path": urlsplit(path).path,
            }
        )
        return cls(service, region, key, operation, protocol, asked)

    def refuse(self, denied: list[str], because: str = "") -> None:
        """Raises `Refusal` in the service's own words for an action that nobody may do."""
        actions = s3.ACTIONS[self.operation] if self.service == "s3" else [self._action]
        for action in actions:
            if action in denied:
                code = DENIALS.get(self.service, "AccessDeniedException")
                who = f"arn:aws:iam::{self.access_key[4:16] or '1'}:user/u"
                said = f"User: {who} is not authorized to perform: {action} {because}"
                raise Refusal(code, said.strip())

    @property
    def _action(self) -> str:
        return f"{PREFIXES.get(self.service, _named(self.service))}:{self.operation}"

    def check(self) -> None:
        """Raises `Refusal` unless what was asked is what the service's model describes."""
        shape = _shape(self.service, self.operation)
        report = ParamValidator().validate(self.asked, shape) if shape else None
        if report and report.has_errors():
            raise Refusal("ValidationException", report.generate_report())

    def encoded(self, answer: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body."""
        if self.service == "s3":
            return s3.encoded(self.operation, answer)
        codec = get_serializer_class(_named(self.service), self.protocol)
        response = codec(_model(self.service, self.operation)).serialize(answer)
        headers = {"x-amzn-RequestId": "id-1", **response["headers"]}
        return response["status_code"], headers, _bytes(response["body"])

    def refused(self, refusal: Refusal) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of an error."""
        said = str(refusal)
        if self.service == "s3":
            return s3.refused(refusal.code, said)
        if self.protocol in REFUSED:
            error = f"<Error><Code>{refusal.code}</Code><Message>{said}</Message></Error>"
            whole = f"<Errors>{error}</Errors>" if self.protocol == "ec2" else error
            status = 403 if refusal.code.startswith(("AccessDenied", "Unauthorized")) else 400
            return (
                status,
                {"Content-Type": "text/xml"},
                REFUSED[self.protocol].format(whole).encode(),
            )
        body = json.dumps({"__type": refusal.code, "message": said}).encode()
        kind = {"Content-Type": "application/x-amz-json-1.1", "x-amzn-ErrorType": refusal.code}
        return 400, kind, body


def _named(service: str) -> str:
    return MODELS.get(service, service)


@cache
def _shape(service: str, operation: str) -> Shape | None:
    model = botocore.session.get_session().get_service_model(_named(service))
    return model.operation_model(operation).input_shape


@cache
def _model(service: str, operation: str) -> OperationModel:
    return get_service_model(_named(service)).operation_model(operation)


def _meant(
    service: str, path: str, headers: Headers, values: MultiDict[str, str]
) -> tuple[str, str]:
    """Protocol and operation."""
    if "X-Amz-Target" in headers:
        return "json", headers["X-Amz-Target"].rpartition(".")[2]
    if "Action" in values:
        return str(get_service_model(_named(service)).protocol), values["Action"]
    return "rest-json", _operations(_named(service))[urlsplit(path).path]


@cache
def _operations(service: str) -> dict[str, str]:
    """Operations by the path that they are asked at."""
    model = botocore.session.get_session().get_service_model(service)
    operations = map(model.operation_model, model.operation_names)
    return {one.http["requestUri"]: one.name for one in operations}


def _bytes(body: str | bytes) -> bytes:
    return body.encode() if isinstance(body, str) else body
