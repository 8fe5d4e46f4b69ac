"""A signed header names somebody only if the issuer signed it, for us, and it is still valid."""

from __future__ import annotations

import base64
import hmac
import json
import time
from collections.abc import Iterator

import pytest
from joserfc.jwk import ECKey
from werkzeug.exceptions import ServiceUnavailable, Unauthorized

from dashboard.server.identity import issuer_keys
from dashboard.server.identity.identity import Identity
from dashboard.server.identity.proxy import SignedHeader
from models.config.network.auth import Auth
from tests.support.dashboard.issuer import AUDIENCE, Issuer, issuer


@pytest.fixture
def signer(monkeypatch: pytest.MonkeyPatch) -> Iterator[Issuer]:
    monkeypatch.setattr(issuer_keys, "PAUSE_SECONDS", 0)
    monkeypatch.setattr(issuer_keys, "FAULT_PAUSE_SECONDS", 0)
    with issuer() as made:
        made.new_key("one")
        yield made


def header(signer: Issuer, **other: str) -> SignedHeader:
    given = {"mode": "proxy", "issuer": signer.url, "jwt_audience": AUDIENCE}
    return SignedHeader(Auth.model_validate(given | {"jwt_header": "X-Id"} | other))


def test_name_and_groups_are_read_from_what_the_issuer_signed(signer: Issuer) -> None:
    checked = header(signer)
    several = checked.identity(signer.signed("one", groups=["finance", "all"]))
    assert several == Identity("fay@x.io", ("finance", "all"))
    assert checked.identity(signer.signed("one", groups="all")) == Identity("fay@x.io", ("all",))
    assert checked.identity(signer.signed("one")).groups == ()
    assert checked.identity(signer.signed("one", groups=True)).groups == ()
    assert signer.asked == ["/.well-known/openid-configuration", "/keys"], "asked once for all"


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://elsewhere.example"},
        {"iss": None},
        {"aud": "another program"},
        {"aud": None},
        {"exp": time.time() - 3600},
        {"exp": None},
        {"nbf": time.time() + 3600},
        {"email": None},
        {"email": 7},
        {"email": "two\nlines"},
        {"email_verified": False},
    ],
)
def test_what_was_signed_for_another_time_or_program_names_nobody(
    signer: Issuer, claims: dict[str, object]
) -> None:
    with pytest.raises(Unauthorized):
        header(signer).identity(signer.signed("one", **claims))


def test_what_somebody_else_signed_names_nobody(signer: Issuer) -> None:
    checked = header(signer)
    forged = ECKey.generate_key("P-256", {"kid": "one"})
    whole = signer.signed("one")
    head, body, _ = whole.split(".")
    by_secret = base64.urlsafe_b64encode(json.dumps({"alg": "HS256", "kid": "one"}).encode())
    secret = signer.keys["one"].as_pem(private=False)
    content = by_secret.rstrip(b"=") + b"." + body.encode()
    mac = base64.urlsafe_b64encode(hmac.digest(secret, content, "sha256")).rstrip(b"=")
    shared = (content + b"." + mac).decode()
    unsigned = base64.urlsafe_b64encode(json.dumps({"alg": "none", "kid": "one"}).encode())
    for token in (
        signer.signed("one", forged),
        signer.signed("two", forged),
        shared,
        f"{unsigned.rstrip(b'=').decode()}.{body}.",
        f"{head}.{body}.",
        whole[:-4],
        "no token",
        base64.urlsafe_b64encode(b"[" * 40_000).decode().rstrip("=") + ".e30.e30",
        "",
    ):
        with pytest.raises(Unauthorized):
            checked.identity(token)


def test_a_new_key_of_the_issuer_is_taken_and_a_withdrawn_one_is_not(signer: Issuer) -> None:
    checked = header(signer)
    first = signer.signed("one")
    checked.identity(first)
    del signer.keys["one"]
    signer.new_key("two")
    assert checked.identity(signer.signed("two")).name == "fay@x.io"
    with pytest.raises(Unauthorized):
        checked.identity(first)


def test_made_up_keys_do_not_make_us_ask_the_issuer_each_time(
    signer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(issuer_keys, "PAUSE_SECONDS", 3600)
    checked = header(signer)
    checked.identity(signer.signed("one"))
    for number in range(50):
        with pytest.raises(Unauthorized):
            checked.identity(signer.signed(f"made up {number}", signer.keys["one"]))
    assert signer.asked == ["/.well-known/openid-configuration", "/keys"]


def test_an_issuer_that_does_not_answer_is_said_to_be_so(signer: Issuer) -> None:
    signer.fails = True
    checked = header(signer)
    with pytest.raises(ServiceUnavailable, match="500 Server Error"):
        checked.identity(signer.signed("one"))
    signer.fails = False
    assert checked.identity(signer.signed("one")).name == "fay@x.io"


def test_an_issuer_of_another_name_is_refused(signer: Issuer) -> None:
    checked = header(signer, issuer=f"{signer.url}/")
    with pytest.raises(ServiceUnavailable, match=f"the issuer calls itself {signer.url}"):
        checked.identity(signer.signed("one", iss=f"{signer.url}/"))


def test_a_load_balancer_writes_audience_and_end_into_the_header_and_pads(signer: Issuer) -> None:
    """An Application Load Balancer: keys one by one, in PEM; base64 with its padding."""
    arn = "arn:aws:elasticloadbalancing:eu-west-1:999900000001:loadbalancer/app/x/1"
    checked = header(signer, jwt_keys=f"{signer.url}/pem/{{kid}}", jwt_audience=arn)

    def made(signer_arn: str, ends: float, **chosen: object) -> str:
        head = {"alg": "ES256", "kid": "one", "signer": signer_arn, "iss": signer.url, "exp": ends}
        claims = {"iss": signer.url, "email": "fay@x.io", **chosen}
        texts = [json.dumps(part).encode() for part in (head, claims)]
        parts = [base64.urlsafe_b64encode(text + b" " * (4 - len(text) % 3)) for text in texts]
        assert all(part.endswith(b"=") for part in parts)
        signed = signer.keys["one"].get_op_key("sign")
        return (b".".join(parts) + b"." + _signature(signed, b".".join(parts))).decode()

    assert checked.identity(made(arn, time.time() + 60)).name == "fay@x.io"
    later = time.time() + 60
    for token in (
        made("arn:of:another", later),
        made("arn:of:another", later, aud=arn),  # the provider behind another's load balancer
        made(arn, time.time() - 3600),
        made(arn, time.time() - 3600, exp=later),
    ):
        with pytest.raises(Unauthorized):
            checked.identity(token)
    with pytest.raises(Unauthorized):
        checked.identity(signer.signed("../../one", signer.keys["one"]))
    assert signer.asked == ["/pem/one"]


def _signature(key: object, content: bytes) -> bytes:
    from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, EllipticCurvePrivateKey
    from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
    from cryptography.hazmat.primitives.hashes import SHA256

    assert isinstance(key, EllipticCurvePrivateKey)
    r, s = decode_dss_signature(key.sign(content, ECDSA(SHA256())))
    return base64.urlsafe_b64encode(r.to_bytes(32, "big") + s.to_bytes(32, "big"))
