"""Tokens of HS256, held against a library that knows all kinds."""

import base64
import json
from typing import Any

import jwt
import pytest
from tests.loose_json import JsonObject, JsonValue

from yarrow.accounts import hs256
from yarrow.errors import Unauthenticated

SECRET = b"s" * 40
CLAIMS: JsonObject = {"sub": "u1", "exp": 9999999999, "name": "爻 é"}


def made(claims: Any, **headers: Any) -> str:
    payload = json.dumps(claims).encode()
    return jwt.PyJWS().encode(payload, SECRET, "HS256", headers=headers)


def resigned(header: bytes, payload: bytes) -> str:
    """A token of these very texts, with the right signature."""
    parts = b".".join((header, payload))
    signature = jwt.get_algorithm_by_name("HS256").sign(parts, SECRET)
    return b".".join((parts, base64.urlsafe_b64encode(signature).rstrip(b"="))).decode()


def part(value: JsonValue) -> bytes:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=")


HEADER = part({"alg": "HS256", "typ": "JWT"})


def test_others_read_what_we_sign() -> None:
    token = hs256.sign_claims(CLAIMS, SECRET)

    assert jwt.decode(token, SECRET, algorithms=["HS256"]) == CLAIMS
    assert jwt.get_unverified_header(token) == {"alg": "HS256", "typ": "JWT"}


def test_we_read_what_others_sign() -> None:
    assert hs256.verify_token(made(CLAIMS, kid="k"), SECRET, audience=None) == CLAIMS


def test_parts_may_be_padded() -> None:
    payload = base64.urlsafe_b64encode(b'{"sub":"u","exp":1}')
    assert payload.endswith(b"=")

    token = resigned(HEADER, payload)

    assert hs256.verify_token(token, SECRET, audience=None) == {"sub": "u", "exp": 1}


def test_no_part_can_be_changed() -> None:
    token = hs256.sign_claims(CLAIMS, SECRET)

    for place, character in enumerate(token):
        other = "A" if character != "A" else "B"
        with pytest.raises(Unauthenticated):
            hs256.verify_token(token[:place] + other + token[place + 1 :], SECRET, audience=None)


REFUSED = {
    "critical extension": made(CLAIMS, crit=["exp"]),
    "payload in the clear": resigned(part({"alg": "HS256", "b64": False}), part(CLAIMS)),
    "key id that is no text": resigned(part({"alg": "HS256", "kid": 1}), part(CLAIMS)),
    "another algorithm": resigned(part({"alg": "HS512"}), part(CLAIMS)),
    "no algorithm": resigned(part({"alg": "none"}), part(CLAIMS)),
    "algorithm left out": resigned(part({}), part(CLAIMS)),
    "header that is no object": resigned(part([]), part(CLAIMS)),
    "claims that are no object": made([]),
    "claims that are no JSON": resigned(HEADER, b"AAAA"),
    "foreign characters": resigned(HEADER, b"!" + part(CLAIMS)),
    "line break": resigned(HEADER, part(CLAIMS) + b"\n"),
    "wrong padding": resigned(HEADER, part(CLAIMS) + b"==="),
    "two spellings of one part": resigned(HEADER, base64.urlsafe_b64encode(b"{}")[:2] + b"1"),
    "four parts": f"{made(CLAIMS)}.{part({}).decode()}",
    "two parts": ".".join(made(CLAIMS).split(".")[:2]),
    "no signature": f"{made(CLAIMS).rpartition('.')[0]}.",
    "another alphabet": made(CLAIMS).replace("-", "+").replace("_", "/") + "é",
    "token id that is no text": made({**CLAIMS, "jti": 1}),
    "subject that is no text": made({**CLAIMS, "sub": 1}),
    "no subject": made({"exp": 1}),
    "no end": made({"sub": "u"}),
    "nul": "\0",
    "nothing": "",
}


@pytest.mark.parametrize("token", REFUSED.values(), ids=REFUSED.keys())
def test_what_is_not_sound_is_refused(token: str) -> None:
    with pytest.raises(Unauthenticated):
        hs256.verify_token(token, SECRET, audience=None)


@pytest.mark.parametrize("named", [None, "", "other", ["other"], ["app", 1], {"app": 1}, 1])
def test_token_for_nobody_or_others_is_refused(named: JsonValue) -> None:
    with pytest.raises(Unauthenticated):
        hs256.verify_token(made({**CLAIMS, "aud": named}), SECRET, audience="app")


@pytest.mark.parametrize("named", ["app", ["app"], ["other", "app"]])
def test_token_for_us_is_believed(named: JsonValue) -> None:
    assert (
        hs256.verify_token(made({**CLAIMS, "aud": named}), SECRET, audience="app")["aud"] == named
    )


@pytest.mark.parametrize("token", ["", "a", "é", "bnVsbA", f"{part([1]).decode()}.x.y"])
def test_token_without_a_header_has_no_algorithm(token: str) -> None:
    with pytest.raises(Unauthenticated):
        hs256.read_algorithm(token)
