"""What is wrong or too large is refused in a line: no traceback, no flood of log, no memory."""

from __future__ import annotations

import json
import random
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from requests.utils import requote_uri

from tests.support.dashboard import world
from tests.support.dashboard.server import Served, Tab, served

CALLBACK = "/_dash-update-component"
LONG = "n" * 10_000
ODD = ("²", LONG, "%00", "%0a%0dERROR forged", "-1", "1e999", "../../etc/passwd", "<b>", "'--", "🂡")
WRONG: tuple[Any, ...] = (
    *(7, -1, 1.5, True, [], [1], {}, {"a": []}, [[["x"]]], "²", LONG, "\x00\n", "9999-99-99"),
    {"number": "²", "query": {}},
    {"startRow": 10**30, "endRow": 10**31},
    "0000-01",
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("site")
    world.publish(folder)
    with served(folder) as running:
        yield running


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/nowhere", 404),
        ("/wp-login.php", 404),
        ("/workload", 404),
        ("/_dash-component-suites/os/path.py", 404),
        ("/_dash-component-suites/dash/../../../etc/passwd", 404),
        ("/assets/nothing.js", 404),
        ("/sql/nothing", 404),
        ("/statement/2026-10.pdf?version=%C2%B2", 404),
        ("/statement/2026-10.pdf?version=" + "9" * 400, 404),
        ("/csv/source/nothing", 404),
        ("/docs/a%00.md", 404),
        (f"/docs/{'n' * 300}.md", 404),
        (f"/deploy/{'n' * 300}", 404),
        ("/compare", 200),
        ("/workload/atlas-7b", 200),
        ("/source/gpu-baseline", 200),
    ],
)
def test_what_is_not_there_is_404(server: Served, path: str, status: int) -> None:
    assert server.ask("GET", path).status == status


def test_a_page_that_is_not_there_is_still_a_page_for_people(server: Served) -> None:
    answer = server.ask("GET", "/nowhere")
    assert "_dash-renderer" in answer.text


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"7",
        b'"x"',
        b"{}",
        b'{"output": 7}',
        b'{"output": "nothing.children", "inputs": [], "outputs": []}',
        b'{"output": "..%s.x...", "inputs": 3}' % (b"n" * 10_000),
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_a_callback_that_there_is_not_is_400(server: Served, body: bytes) -> None:
    tab = Tab(server.url)
    sent = {"data": body, "headers": {"Content-Type": "application/json"}, "timeout": 60}
    answer = tab.post(server.url + CALLBACK, **sent)
    assert (answer.status_code, answer.text.count("\n")) == (400, 1)


def test_text_that_is_no_unicode_is_400(server: Served) -> None:
    tab = Tab(server.url)
    body = tab.body("runs-headline")
    body["inputs"][0]["value"] = "?where=\ud800"
    answer = tab.post(server.url + CALLBACK, json=body, timeout=60)
    assert (answer.status_code, answer.text) == (400, "the body is not what a page sends\n")


def test_an_origin_that_is_no_address_is_403(server: Served) -> None:
    assert server.ask("POST", CALLBACK, b"{}", Origin="http://[").status == 403


def odd_calls(tab: Tab) -> Iterator[tuple[str, str, bytes]]:
    """A few hundred: addresses, methods, and each callback with a wrong value in each place."""
    chance = random.Random(20261031)
    paths = ["/", "/compare", "/runs", "/finance", "/trust", "/clusters", "/decide", "/rates"]
    paths += ["/workload/atlas-7b"]
    paths += ["/csv/runs", "/csv/compare", "/csv/run_groups", "/csv/rates", "/csv/tie_out"]
    paths += ["/statement/2026-10.json", "/sql/runs"]
    names = ["from", "to", "where", "by", "then", "group", "sort", "month", "version", "name"]
    names += ["self"]
    for path in paths:
        for odd in ODD:
            yield "GET", f"{path}?{chance.choice(names)}={odd}&{chance.choice(names)}={odd}", b""
            yield "GET", f"{path}/{odd}", b""
        for method in ("PUT", "DELETE", "PATCH", "TRACE", "OPTIONS", "BREW"):
            yield method, path, b""
    known = tab.known()
    for entry in known:
        if entry.get("clientside_function"):
            continue
        parts = range(len(entry["inputs"]) + len(entry["state"]))
        for wrong in WRONG:
            for place in [*parts[:3], *parts[3:][-2:]]:
                body = tab.body(entry["output"], known)
                [*body["inputs"], *body["state"]][place]["value"] = wrong
                yield "POST", CALLBACK, json.dumps(body).encode()
            broken = tab.body(entry["output"], known)
            broken[chance.choice(("inputs", "outputs", "state", "changedPropIds"))] = wrong
            yield "POST", CALLBACK, json.dumps(broken).encode()


def logged_count(server: Served) -> str:
    """What is logged once the repeated lines are counted."""
    pause = threading.Event()
    for _ in range(600):
        if re.search(r"\(and \d+ more like it\)", told := server.logged()):
            return told
        pause.wait(0.05)
    pytest.fail("no repeated line was counted")


def test_hundreds_of_odd_calls_leave_no_traceback_and_a_short_log(server: Served) -> None:
    tab = Tab(server.url)
    before = len(server.logged())
    wrong, count = [], 0
    with closing(HTTPConnection("127.0.0.1", server.port, timeout=60)) as wire:
        for method, path, body in odd_calls(tab):
            wire.request(method, requote_uri(path), body, sent_by(tab))
            answer = wire.getresponse()
            text = answer.read()[:200]
            count += 1
            if answer.status >= 500:
                wrong.append((answer.status, method, path[:80], body[:300], text))
    told = logged_count(server)[before:]
    assert count > 300
    assert wrong == []
    assert "Traceback" not in told
    assert len(told) < 20_000
    assert server.ask("GET", "/").status == 200


def sent_by(tab: Tab) -> dict[str, str]:
    """The headers of a callback's request, with the tab's cookies and token."""
    cookies = "; ".join(f"{name}={value}" for name, value in tab.cookies.items())
    held = {name: str(tab.headers[name]) for name in ("Origin", "X-CSRFToken")}
    return {"Cookie": cookies, "Content-Type": "application/json", **held}


@pytest.mark.parametrize(
    "sent",
    [
        b"\x00\x01\x02\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -7\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 100_000 + b"\r\n\r\n",
        b"GET /" + b"y" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
    ],
)
def test_what_is_no_http_is_ended_without_a_traceback(server: Served, sent: bytes) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as wire:
        wire.sendall(sent)
        status = wire.recv(64)
    assert status == b"" or re.match(rb"HTTP/1\.[01] (4\d\d|505)", status)
    assert "Traceback" not in server.logged()


def memory(server: Served) -> int:
    """MiB that the server and its workers hold."""
    group = [server.process.pid]
    found = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text()
    group += [int(each) for each in found.split()]
    status = [Path(f"/proc/{each}/status").read_text() for each in group]
    return sum(int(re.findall(r"VmRSS:\s+(\d+)", each)[0]) for each in status) // 1024


@pytest.mark.parametrize("sized", [True, False], ids=["Content-Length", "chunked"])
def test_a_large_body_is_refused_before_it_is_read(server: Served, sized: bool) -> None:
    tab = Tab(server.url)
    size = 300 << 20
    headers = {
        "Host": f"127.0.0.1:{server.port}",
        **sent_by(tab),
        **({"Content-Length": str(size)} if sized else {"Transfer-Encoding": "chunked"}),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    before, sent, part = memory(server), 0, b"x" * (1 << 16)
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as wire:
        wire.sendall(f"POST {CALLBACK} HTTP/1.1\r\n{head}\r\n".encode())
        try:
            while sent < size:
                wire.sendall(part if sized else b"10000\r\n" + part + b"\r\n")
                sent += len(part)
        except OSError:
            pass  # it has hung up
        try:
            status = wire.recv(64)
        except OSError:
            status = b""  # it hung up while we were sending
    assert sent < 64 << 20
    assert status == b"" or b" 413 " in status
    assert memory(server) < before + 30


def test_a_body_that_says_it_is_large_is_told_so(server: Served) -> None:
    for path in (CALLBACK, "/", "/nowhere"):
        answer = server.ask("POST", path, Content_Length=str((1 << 20) + 1), Host="localhost")
        assert answer.status == 413


def test_a_long_name_in_an_address_is_refused(server: Served) -> None:
    assert server.ask("GET", f"/workload/{LONG}").status in (400, 404, 414)
