"""What holds of every answer, whatever was asked."""

from __future__ import annotations

import json
import re
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

from fuzz.application import Answer, Application

import sage_ld
from sage_ld.service.http.problems import MEDIA_TYPE

ERRORS = (501, 503, 504)
"""Statuses from 500 on that say what the client or the operator may do: another coding, again, or less."""
PACKAGE = Path(sage_ld.__file__).parent
SHOWN = 1500
"""Most characters of a problem's detail."""
_FIELD = re.compile(r"[a-z0-9-]+")
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_ADDRESS = re.compile(r"[!#$%&'()*+,/:;=?@\[\]A-Za-z0-9._~-]+")
_LINK = re.compile(r'<([^<>"\s]+)>; rel="[a-z ]+"(; type="[a-z/+-]+")?')


def check(answer: Answer, application: Application) -> None:
    """Fails where an answer breaks a promise."""
    assert answer.status < 500 or answer.status in ERRORS, answer
    assert not answer.errors, answer.errors[0]
    _check_fields(answer)
    _check_secrets(answer, application)
    is_page = answer.field("content-type").startswith("text/html")
    if is_page:
        _check_page(answer)
    if answer.sent.method == "HEAD" or answer.status in (204, 304):
        assert not answer.content
    elif answer.status >= 400 and not is_page:
        if answer.sent.path == b"/mcp" and answer.field("content-type") == "application/json":
            _check_rpc_error(answer)
        else:
            problem_in(answer)


def problem_in(answer: Answer) -> str:
    """What a problem document says, which is one line."""
    assert answer.field("content-type") == MEDIA_TYPE, answer
    problem = json.loads(answer.content)
    assert {"type", "title", "status", "detail"} <= problem.keys()
    assert problem["status"] == answer.status
    detail = str(problem["detail"])
    assert detail
    assert "\n" not in detail
    assert "\r" not in detail
    assert len(detail) <= SHOWN, answer
    return detail


def _check_rpc_error(answer: Answer) -> None:
    """What the protocol of `/mcp` refuses is said in its own words (JSON-RPC 2.0, 5.1)."""
    said = json.loads(answer.content)
    assert said["jsonrpc"] == "2.0"
    assert isinstance(said["error"]["code"], int)
    assert 0 < len(said["error"]["message"]) <= SHOWN


def _check_fields(answer: Answer) -> None:
    """Nothing that was sent ends a field, an address, or the host."""
    for name, value in answer.fields:
        assert _FIELD.fullmatch(name), (name, value)
        assert _VALUE.fullmatch(value), (name, value)
        if name in ("location", "content-location"):
            _check_address(value)
        if name == "link":
            match = _LINK.fullmatch(value)
            assert match, value
            _check_address(match[1])


def _check_address(address: str) -> None:
    """It leads to this service."""
    assert _ADDRESS.fullmatch(address), address
    parts = urlsplit(address)
    assert parts.scheme in ("", "http", "https"), address
    assert parts.scheme or address.startswith("/"), address
    assert (parts.hostname or "localhost").rstrip(".") in ("localhost", "127.0.0.1", "::1"), address


def _check_secrets(answer: Answer, application: Application) -> None:
    text = answer.content.decode("utf-8", "replace") + repr(answer.fields)
    for secret in (str(application.folder), str(PACKAGE), sys.prefix, "Traceback (most", 'File "/'):
        assert secret not in text, (secret, text)


# --- pages -------------------------------------------------------------------------------------------


def _check_page(answer: Answer) -> None:
    assert answer.field("content-security-policy").startswith("default-src 'none'")
    page = Page()
    page.feed(answer.content.decode())
    page.close()


class Page(HTMLParser):
    """A page of ours. It has the elements of the templates, and no address that is a program."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert (tag, "") in attributes(), (tag, attrs)
        for name, value in attrs:
            assert (tag, name) in attributes(), (tag, attrs)
            if name in ("href", "src", "action"):
                scheme = urlsplit((value or "").strip()).scheme
                assert scheme in ("", "http", "https"), value


@cache
def attributes() -> frozenset[tuple[str, str]]:
    """Elements of the templates with their attributes; each also with "" for none."""
    found = Template()
    for file in (PACKAGE / "service" / "views" / "templates").glob("*.html"):
        found.feed(re.sub(r"\{\{.*?\}\}|\{%.*?%\}", "", file.read_text()))
    return frozenset(found.seen)


class Template(HTMLParser):
    """The elements and attributes in a text."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[tuple[str, str]] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen |= {(tag, ""), *((tag, name) for name, _ in attrs)}
