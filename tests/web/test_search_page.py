"""The search page in a browser."""

from __future__ import annotations

from service.serving import Server
from web.browsing import Visitor


def test_a_question_is_answered(films: Server, visit: Visitor) -> None:
    page = visit(films).open("/")
    page.get_by_label("Question").fill("Which instrument did the composer of The Ninth Ferry play?")
    page.get_by_role("button", name="Search").click()
    assert page.get_by_role("link", name="Tobias Wren").count() > 0
