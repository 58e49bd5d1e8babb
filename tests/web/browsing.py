"""A person's visit to the pages of a service, in a tab of a browser."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from playwright.sync_api import ConsoleMessage, Page, Request, expect
from service.serving import Server

PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1280, "height": 900}


@dataclass
class Visit:
    """A tab, and what must stay empty: errors of scripts and requests that leave the host."""

    server: Server
    page: Page
    faults: list[str] = field(default_factory=list)

    def open(self, path: str) -> Page:
        """Opens an address of the service, and returns the page."""
        self.page.goto(f"http://127.0.0.1:{self.server.port}{path}")
        return self.page

    def watch(self) -> None:
        """Notes faults from now on."""
        self.page.on("pageerror", lambda error: self.faults.append(f"script: {error}"))
        self.page.on("console", self._note_message)
        self.page.on("request", self._note_request)

    def _note_message(self, message: ConsoleMessage) -> None:
        # that a resource failed to load is a status, which a test may expect
        if message.type == "error" and not message.text.startswith("Failed to load resource"):
            self.faults.append(f"console: {message.text}")

    def _note_request(self, request: Request) -> None:
        if not request.url.startswith((f"http://127.0.0.1:{self.server.port}/", "data:", "blob:")):
            self.faults.append(f"request: {request.url}")


def sign_in(page: Page, server: Server, role: str) -> Page:
    """Signs in with the token of a role, on a page that shows the form."""
    page.get_by_label("Token", exact=True).fill(server.tokens[role])
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text(f"Signed in with the role {role}")).to_be_attached()
    return page


Visitor = Callable[..., Visit]
"""Opens a tab: `visit(server)`, or with options of a browser context such as `viewport=PHONE`."""
