"""The pages of docs/diagnostics/ as reports embed them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from migrate.core.resources import data_dir

_CODE = re.compile(r"CM[0-9]{4}")
_PAGE_LINK = re.compile(r"(?:\./)?(CM[0-9]{4})\.md(?:#.*)?")


def page_markdown(code: str) -> str | None:
    """The page of ``code`` as Markdown, or None when there is none."""
    if not _CODE.fullmatch(code):
        return None
    try:
        return (data_dir("docs/diagnostics") / f"{code}.md").read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


def page_html(code: str, codes_shown: frozenset[str]) -> str | None:
    """The page of ``code`` as HTML without its title, or None when there is no page.

    Raw HTML in a page is shown as text. A link to another code's page goes to ``#code-CMxxxx``
    when that code is in ``codes_shown``; other relative links, which lead nowhere from a report,
    become plain text.
    """
    page = page_markdown(code)
    if page is None:
        return None
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = _without_title(parser.parse(page))
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = "h4"
        # Column alignment comes as a style attribute, which the report's content policy forbids.
        token.attrs.pop("style", None)
        if token.children:
            _relink(token.children, codes_shown)
    html = parser.renderer.render(tokens, parser.options, {})
    assert isinstance(html, str)
    return html


def _without_title(tokens: Sequence[Token]) -> list[Token]:
    if tokens and tokens[0].type == "heading_open" and tokens[0].tag == "h1":
        return list(tokens[3:])
    return list(tokens)


def _relink(children: list[Token], codes_shown: frozenset[str]) -> None:
    """Makes links good inside a report; a dropped link leaves its text."""
    dropping = False
    for token in children:
        if token.type == "link_open":
            href = str(token.attrs.get("href", ""))
            page = _PAGE_LINK.fullmatch(href)
            if page and page.group(1) in codes_shown:
                token.attrs["href"] = f"#code-{page.group(1)}"
            elif not href.startswith(("https://", "http://")):
                dropping = True
                token.type = "text"
        elif token.type == "link_close" and dropping:
            dropping = False
            token.type = "text"
