"""A real Apache in front signs people in at a real provider, as the documentation sets it up."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.support.dashboard.server import PATIENCE_SECONDS, PLAIN, free_port, served, wait_for
from tests.support.provider.people import sign_in, somebody
from tests.support.provider.running import SECRET, provider

pytestmark = pytest.mark.systems
ACCESS = """
auth = {mode = "proxy", trusted_proxies = ["127.0.0.1"]}
access = [{group = "readers", role = "viewer"}]
"""
PAGE = Path(__file__).parents[4] / "docs" / "operations" / "sign-in.md"
MODULES = (
    *("mpm_event", "authn_core", "authz_core", "authz_user", "auth_openidc"),
    *("headers", "proxy", "proxy_http"),
)
CONFIG = """
ServerName localhost
ServerRoot {folder}
PidFile {folder}/pid
ErrorLog {folder}/error.log
Listen 127.0.0.1:{port}
{modules}
User www-data
Group www-data
OIDCProviderMetadataURL {issuer}/.well-known/openid-configuration
OIDCClientID breakeven
OIDCClientSecret {secret}
OIDCRedirectURI http://127.0.0.1:{port}/oidc/back
OIDCCryptoPassphrase of-the-test
OIDCCookieSameSite On
<Location /oidc/back>
    AuthType openid-connect
    Require valid-user
</Location>
{documented}
"""


def documented(port: int) -> str:
    """What the documentation says to write, for the dashboard on a port."""
    text = PAGE.read_text(encoding="utf-8")
    return text.split("```apache\n")[1].split("```")[0].replace(":8050/", f":{port}/")


@pytest.fixture(scope="module")
def front(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of Apache."""
    folder, port = tmp_path_factory.mktemp("front"), free_port()
    config, log = folder / "apache.conf", folder / "error.log"
    modules = [
        f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so" for name in MODULES
    ]
    with (
        provider(folder, f"http://127.0.0.1:{port}/oidc/back") as issuer,
        served(folder, ACCESS + PLAIN) as behind,
    ):
        of = {"folder": folder, "port": port, "issuer": issuer, "secret": SECRET}
        whole = CONFIG.format(**of, modules="\n".join(modules), documented=documented(behind.port))
        config.write_text(whole, encoding="utf-8")
        line = ["/usr/sbin/apache2", "-f", str(config), "-DFOREGROUND"]
        with log.open("wb") as told:
            proxy = subprocess.Popen(line, stderr=told)
        try:
            wait_for(port, proxy, log)
            yield f"http://127.0.0.1:{port}"
        finally:
            proxy.terminate()
            proxy.wait(PATIENCE_SECONDS)


def test_who_signs_in_at_apache_is_who_reads(front: str, chromium: Browser) -> None:
    with somebody(chromium) as context:
        page = context.new_page()
        page.set_extra_http_headers({"X-Forwarded-User": "boss", "X-Forwarded-Groups": "all"})
        page.goto(f"{front}/runs?from=2025-01-01")
        sign_in(page, "viv")
        expect(page).to_have_url(f"{front}/runs?from=2025-01-01")
        expect(page.locator(".reader", has_text="viv@example.com")).to_be_visible()
        assert page.request.get(f"{front}/statement/2025-06.json").status == 403
    with somebody(chromium) as context:
        page = context.new_page()
        page.set_extra_http_headers({"X-Forwarded-Groups": "readers"})
        page.goto(front)
        sign_in(page, "sam")
        expect(page.get_by_text("no entry of [[access]] names this user")).to_be_visible()
