"""Pages of sites: their text without what is around it, which is counted; plain documents lose nothing."""

from pathlib import Path

import pytest
from build.readers.reading import read
from docutils.core import publish_string

from sage_ld.build.readers import Source, read_file
from sage_ld.foundation.model import Table
from sage_ld.foundation.settings import Settings

PAGES = Path(__file__).parent / "pages"
PROSE = (
    "The ferry left the harbour at nine in the morning, with forty passengers and two cars on board, and it "
    "came back in the evening after the storm had passed over the islands and the wind had turned to the "
    "west."
)
MENU = (
    '<a href="/">Home</a> <a href="/news">News</a> <a href="/sport">Sport</a> <a href="/contact">Contact</a>'
)


def left_out(document):
    return dict(document.passed_over)


NEWS = f"""<!doctype html><html lang="en"><head><title>Ferry back - The Islander</title>
<link rel="canonical" href="https://islander.example/news/ferry"></head><body class="single-post">
<a class="skip-link" href="#content">Skip to content</a>
<div id="onetrust-banner-sdk" role="dialog"><p>We use cookies to make this site work.</p>
<button>Accept all</button></div>
<header class="site-header"><div class="logo"><a href="/">The Islander</a></div><nav>{MENU}</nav></header>
<div class="breadcrumbs"><a href="/">Home</a> › <a href="/news">News</a> › Ferry back</div>
<main><article><h1>Ferry back</h1><p class="byline">By Ann Reed, <time datetime="2024-05-01">1 May</time></p>
<p>{PROSE}</p><aside class="factbox"><p>The ferry carries 250 people.</p></aside>
<div class="share-buttons"><a href="https://x.example">Share</a> <a href="mailto:?s">Mail</a></div>
<table><caption>Delays</caption><tr><th>Day<th>Minutes<tr><td>Monday<td>12</table>
<footer><p>Corrected on 2 May: the ferry has two decks.</p></footer></article>
<div class="related-posts"><h2>Related</h2><ul><li><a href="/a">Bridge closed until June</a>
<li><a href="/b">New harbour master</a></ul></div></main>
<aside class="sidebar"><h2>Most read</h2><ol><li><a href="/c">Storm</a><li><a href="/d">Fish</a></ol></aside>
<footer><p>© 2024 The Islander</p><a href="/imprint">Imprint</a></footer></body></html>"""


def test_a_news_article(tmp_path):
    document = read(tmp_path, "a.html", NEWS)
    assert left_out(document) == {
        "cookie notice": 1,
        "menu": 2,
        "page header": 1,
        "page footer": 1,
        "promotion": 2,
        "sidebar": 1,
    }
    assert document.text == "\n\n".join(
        ["Ferry back", "By Ann Reed, 1 May", PROSE, "The ferry carries 250 people.",
         "Day: Monday; Minutes: 12",
         "Corrected on 2 May: the ferry has two decks."]
    )  # fmt: skip
    assert document.title == "Ferry back"


def test_whole_pages_are_read_where_a_setting_asks_for_them(tmp_path):
    document = read(tmp_path, "a.html", NEWS, Settings(whole_pages=True))
    assert left_out(document) == {"menu": 1}  # <nav>, as in any HTML
    assert "We use cookies" in document.text
    assert "Most read" in document.text


def test_a_page_of_mediawiki(tmp_path):
    page = f"""<html><body class="mediawiki"><div id="content" class="mw-body" role="main">
<h1 id="firstHeading">Heat<span class="mw-editsection-like"></span></h1><div id="bodyContent">
<a class="mw-jump-link" href="#mw-head">Jump to navigation</a>
<div class="mw-parser-output"><table class="infobox"><tr><th>Born<td>1943</table><p>{PROSE}</p>
<div id="toc" class="toc" role="navigation"><h2>Contents</h2>
<ul><li><a href="#History">1 History</a></ul></div>
<h2><span class="mw-headline">History</span><span class="mw-editsection">[<a href="/e">edit</a>]</span></h2>
<p>It began in 1995.</p><div class="navbox" role="navigation"><a href="/1">One</a> <a href="/2">Two</a></div>
</div></div></div><div id="mw-navigation"><div id="p-logo"><a href="/wiki">Main page</a></div>
<div class="portlet" id="p-tb"><h3>Tools</h3><ul><li><a href="/x">What links here</a><li><a href="/y">Upload a
file</a><li><a href="/z">Special pages</a></ul></div></div>
<div id="footer" role="contentinfo"><ul><li>This page was last edited in May.<li><a href="/p">Privacy</a></ul>
</div></body></html>"""
    document = read(tmp_path, "a.html", page)
    assert [section.name for section in document.sections] == ["Heat", "History"]
    assert "Born: 1943" in document.text or "1943" in document.text
    assert document.text.endswith("It began in 1995.")
    assert left_out(document) == {"menu": 5, "page footer": 1}


@pytest.mark.parametrize(
    ("name", "begins", "ends", "counts"),
    [
        (
            "sphinx.html",
            "quopri — Encode and decode MIME quoted-printable data\n\nSource code: Lib/quopri.py",
            "Module base64\nEncode and decode MIME base64 data",
            {"menu": 4, "page footer": 1},
        ),
        (
            "nodejs.html",
            "Node.js v20.20.2 documentation\n\nPunycode\n\nDeprecated since: v7.0.0",
            None,
            {"menu": 4},
        ),
        ("rustdoc.html", None, None, {"menu": 3}),
    ],
)
def test_pages_of_documentation(name, begins, ends, counts):
    [document] = read_file(Source(PAGES / name, name), Settings())
    assert document.text.startswith(begins or document.text)
    assert document.text.endswith(ends or document.text)
    assert left_out(document) == counts
    assert "¶" not in document.text
    assert "§" not in document.text


def test_a_page_of_a_shop_keeps_price_rating_and_stock(tmp_path):
    page = f"""<body><div class="topbar">Free delivery</div><div class="header"><a href="/">Shop</a>
<form class="search" role="search"><input name=q><button>Go</button></form></div>
<ul class="nav navbar-nav"><li><a href="/pumps">Pumps</a><li><a href="/valves">Valves</a></ul>
<div class="product"><h1>Pump P-31</h1><div class="rating">4.5 of 5</div><div class="price">€ 950</div>
<div class="meta">In stock: 12</div><p>{PROSE}</p><div class="tabs menu">Weight 83 kg</div></div>
<div class="newsletter"><p>Get our letters.</p><input type=email><button>Subscribe</button></div>
<div class="site-footer"><a href="/terms">Terms</a></div></body>"""
    document = read(tmp_path, "a.html", page)
    for text in ("Pump P-31", "4.5 of 5", "€ 950", "In stock: 12", PROSE, "Weight 83 kg", "Free delivery"):
        assert text in document.text
    assert left_out(document) == {"menu": 1, "page header": 1, "page footer": 1, "promotion": 1}


@pytest.mark.parametrize(
    "notice",
    [
        '<div class="cookie-banner"><p>This site sets cookies.</p><button>OK</button></div>',
        '<div id="CybotCookiebotDialog"><p>Wir verwenden Cookies.</p><a href="#">Ablehnen</a></div>',
        '<section class="gdpr popup">Cookies help us. <input type="submit" value="Accept"></section>',
        "<dialog open>Nous utilisons des cookies. <button>Accepter</button></dialog>",
        '<div role="alertdialog">Usamos cookies. <a role="button" href="#">Aceptar</a></div>',
        '<form class="notice-bar">We value your privacy and use cookies.<button>Reject</button></form>',
    ],
)
def test_a_notice_about_cookies_on_an_otherwise_plain_page(notice, tmp_path):
    document = read(tmp_path, "a.html", f"<body>{notice}<h1>Rules</h1><p>Dogs are welcome.</p></body>")
    assert document.text == "Rules\n\nDogs are welcome."
    assert left_out(document) == {"cookie notice": 1}


def test_a_page_about_cookies_is_no_notice(tmp_path):
    page = f"""<body><nav>{MENU}</nav><main><h1>Cookies</h1><section id="cookiejar-objects">
<p>Cookies are kept in a <a href="jar.html">jar</a>.</p></section><section class="cookie-recipe">
<h2>Oat cookies</h2><p>200 g of oats.</p><button>Print</button></section></main></body>"""
    document = read(tmp_path, "a.html", page)
    assert "Cookies are kept in a jar." in document.text
    assert "200 g of oats." in document.text
    assert left_out(document) == {"menu": 1}


def test_an_index_of_a_blog_keeps_its_posts(tmp_path):
    posts = "".join(
        f'<article><h2><a href="/{n}">Day {n}</a></h2><p>We saw {n} seals.</p>'
        f'<a href="/{n}">Read more</a></article>'
        for n in range(1, 4)
    )
    page = f"""<body><header><p class="site-title"><a href="/">Seals</a></p>
<ul class="menu"><li><a href="/">Home</a><li><a href="/about">About</a></ul></header>
<div class="posts">{posts}</div><div class="pagination"><a href="/2">2</a> <a href="/3">Next</a></div>
<div class="widget-area sidebar"><h3>Archive</h3><ul><li><a href="/5">May</a><li><a href="/6">June</a></ul>
<h3>About me</h3><p>{PROSE}</p></div><footer>Made with <a href="https://w.example">W</a></footer></body>"""
    document = read(tmp_path, "a.html", page)
    assert [section.name for section in document.sections][:3] == ["Day 1", "Day 2", "Day 3"]
    assert "We saw 2 seals." in document.text
    assert PROSE in document.text  # a sidebar with prose stays
    assert left_out(document) == {"menu": 1, "page header": 1, "page footer": 1}


def test_links_beside_a_main_text_are_a_menu_whatever_they_are_called(tmp_path):
    page = """<body><div class="x1"><a href="/login">Log in</a><a href="/cart">Cart</a>
<a href="/help">Help</a>
</div><div role="main"><h1>Links</h1><ul class="x2"><li><a href="/a">Atlas</a><li><a href="/b">Boats</a>
<li><a href="/c">Capes</a></ul></div><div class="x3">Call 555 1234</div></body>"""
    document = read(tmp_path, "a.html", page)
    assert document.text == "Links\n\nAtlas\nBoats\nCapes\n\nCall 555 1234"
    assert left_out(document) == {"menu": 1}


def test_the_menu_of_a_restaurant_is_no_menu_of_a_site(tmp_path):
    page = f"""<body><nav>{MENU}</nav><h1>Lunch</h1><ul class="menu"><li>Soup € 5<li>Fish € 14</ul>
<div class="menu-card"><p><a href="/soup">Soup</a> of the day with bread, € 5.50</p></div></body>"""
    document = read(tmp_path, "a.html", page)
    assert "Fish € 14" in document.text
    assert "€ 5.50" in document.text


def test_a_table_of_contents_is_a_menu_and_choices_are_none(tmp_path):
    page = f"""<body><nav>{MENU}</nav><main><h1>Boot</h1><div class="x"><a href="#a">Sizes</a>
<a href="#b">Care</a></div><h2 id=a>Sizes</h2><ul><li><a href="#">41</a><li><a href="#">42</a></ul>
<h2 id=b>Care</h2><p>Wax it.</p></main></body>"""
    document = read(tmp_path, "a.html", page)
    assert document.text == "Boot\n\nSizes\n\n41\n42\n\nCare\n\nWax it."
    assert left_out(document) == {"menu": 2}


PLAIN = [
    "<table><tr><th>Year<th>Film<tr><td>1995<td><a href='/heat'>Heat</a></table>",
    "<h1>Manual</h1><aside><p>Close the valve at 12 bar.</p></aside><p>Text.</p><footer>3 May</footer>",
    "<header><h1>Report</h1><p>Ann Reed, 2024</p></header><section><h2>One</h2><p>x</p></section>",
    "<div class='header'>Halvorsen AS</div><div class='menu'>Soup 5</div><div class=sidebar>Call 12</div>",
    "<div class='menu'><a href='#a'>A</a> <a href='#b'>B</a></div><h2 id=a>A</h2><p>x</p><h2 id=b>B</h2>",
    "<ul><li><a href='a.html'>One</a><li><a href='b.html'>Two</a><li><a href='c.html'>Three</a></ul>",
    "<p>Share of cookies: 5 %. <button>OK</button></p><div class='social'>Ten clubs</div>",
]


@pytest.mark.parametrize("page", PLAIN)
def test_a_plain_document_loses_nothing(page, tmp_path):
    document = read(tmp_path, "a.html", page)
    assert document.text == read(tmp_path, "a.html", page, Settings(whole_pages=True)).text
    assert left_out(document) == {}


def test_a_manual_that_docutils_writes_loses_nothing(tmp_path):
    source = """Manual
======

.. contents::

.. note:: Close the valve.

.. sidebar:: Tools

   A wrench.

Start
-----
Turn the key [#]_.

.. [#] Clockwise.

Stop
----
Turn it back.
"""
    page = publish_string(source, writer="html5").decode()
    document = read(tmp_path, "a.html", page)
    for text in ("Close the valve.", "A wrench.", "Turn the key", "Clockwise.", "Turn it back."):
        assert text in document.text
    assert left_out(document) == {"menu": 1}  # the table of contents, which is a <nav>


def test_a_page_that_is_nothing_but_menus_is_read(tmp_path):
    document = read(tmp_path, "a.html", f'<div class="menu">{MENU}</div>')
    assert document.text == "Home News Sport Contact"


def test_a_sidebar_with_a_table_is_read(tmp_path):
    page = f"<nav>{MENU}</nav><p>{PROSE}</p><div class=sidebar>"
    page += "<table><tr><th>Port<th>Tide<tr><td>A<td>9</table></div>"
    document = read(tmp_path, "a.html", page)
    assert [block.rows for block in document.blocks if isinstance(block, Table)] == [(("A", "9"),)]


def test_links_are_relative_to_the_base_of_the_page(tmp_path):
    page = """<head><base href="https://example.org/docs/v2/"><link rel="canonical" href="guide.html"></head>
<p>See <a href="../faq.html">the questions</a>, <a href="/help">help</a>, <a href="#x">x</a>.</p>"""
    document = read(tmp_path, "a.html", page)
    assert [link.target for link in document.links] == [
        "https://example.org/docs/faq.html",
        "https://example.org/help",
        "https://example.org/docs/v2/#x",
    ]
    assert document.url == "https://example.org/docs/v2/guide.html"


def test_an_address_that_open_graph_states(tmp_path):
    page = '<meta property="og:url" content="https://example.org/a"><p>x</p>'
    assert read(tmp_path, "a.html", page).url == "https://example.org/a"
    assert read(tmp_path, "a.html", '<link rel="canonical" href="/a"><p>x</p>').url is None


def test_dates_that_data_and_times_state(tmp_path):
    page = """<script type="application/ld+json">{"@context": "https://schema.org", "@type": "NewsArticle",
    "datePublished": "2024-05-01", "dateModified": "2024-05-02T08:00:00Z"}</script><p>x</p>"""
    document = read(tmp_path, "a.html", page)
    assert document.modified == "2024-05-02T08:00:00Z"
    page = """<article><h1>A</h1><time datetime="2020-01-01">then</time>
    <time class="entry-date published" datetime="2024-05-01T08:00:00+02:00">1 May</time></article>"""
    document = read(tmp_path, "a.html", page)
    [stated] = document.metadata
    assert (stated.key, stated.value) == ("published", "2024-05-01T08:00:00+02:00")
    page = """<head><meta property="article:published_time" content="2024-05-03"></head>
    <body><p><time pubdate datetime="2024-05-01">x</time></p></body>"""
    document = read(tmp_path, "a.html", page)
    assert [each.value for each in document.metadata] == ["2024-05-03"]


def test_icons_and_formulas_that_are_there_twice_are_hidden(tmp_path):
    page = """<p><i class="material-icons" aria-hidden="true">home</i> At home,
    <span><math><mi>x</mi><mo>=</mo><mn>2</mn></math><span aria-hidden="true">x=2</span></span></p>
    <div aria-hidden="true">Answer: 42</div>"""
    document = read(tmp_path, "a.html", page)
    assert document.text == "At home, x = 2\n\nAnswer: 42"
    assert left_out(document) == {"hidden text": 2}


def test_mails_are_read_whole(tmp_path):
    content = f"Subject: A\r\nContent-Type: text/html\r\n\r\n<div class=menu>{MENU}</div><footer>© B</footer>"
    document = read(tmp_path, "a.eml", content.encode())
    assert document.text == "Home News Sport Contact\n\n© B"
