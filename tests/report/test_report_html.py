"""The HTML report: parsed, not searched as text; nothing from a source can become markup."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser

import pytest
from sample_report import (
    BARRIER,
    buffer,
    kernel,
    launch,
    program,
    report_of,
    sample_report,
)

from migrate.report.html import ULP_LABELS, launch_state, render_html, size
from migrate.report.largest import number
from migrate.report.model import LinePair, Report

VOID = frozenset({"meta", "input", "wbr", "br", "hr", "img", "link", "path", "rect"})
EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>'\"&amp;{{ 7*7 }}"


@dataclass
class Node:
    tag: str
    attrs: dict[str, str]
    children: list[Node | str] = field(default_factory=list)

    def walk(self) -> Iterator[Node]:
        yield self
        for child in self.children:
            if isinstance(child, Node):
                yield from child.walk()

    def text(self) -> str:
        return "".join(c if isinstance(c, str) else c.text() for c in self.children)

    def find(self, tag: str, **attrs: str) -> list[Node]:
        wanted = {k.rstrip("_").replace("_", "-"): v for k, v in attrs.items()}
        return [
            n
            for n in self.walk()
            if n.tag == tag and all(v in n.attrs.get(k, "").split() for k, v in wanted.items())
        ]


class Builder(HTMLParser):
    """Builds a tree and fails on tags that do not nest."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.stack = [Node("#root", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"<{tag}> repeats an attribute"
        node = Node(tag, {name: value or "" for name, value in attrs})
        self.stack[-1].children.append(node)
        if tag not in VOID:
            self.stack.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.stack[-1].children.append(Node(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        assert self.stack[-1].tag == tag, f"</{tag}> closes <{self.stack[-1].tag}>"
        self.stack.pop()

    def handle_data(self, data: str) -> None:
        self.stack[-1].children.append(data)


def parse(report: Report) -> Node:
    builder = Builder()
    builder.feed(render_html(report))
    builder.close()
    assert len(builder.stack) == 1, f"<{builder.stack[-1].tag}> is never closed"
    return builder.stack[0]


@pytest.fixture(scope="module")
def page() -> Node:
    return parse(sample_report())


def test_every_kernel_with_its_verdict_worst_first(page: Node) -> None:
    shown = [
        (k.attrs["data-kernel"], k.attrs["data-verdict"])
        for k in page.find("details", class_="kernel")
    ]
    assert shown == [
        ("wrong", "different"),
        ("block_sum", "refused"),
        ("unused", "compiled"),
        ("saxpy", "equal"),
        ("scale<float>", "equal-captured"),
    ]


def test_figures_stand_apart_with_their_intervals(page: Node) -> None:
    figures = page.find("div", class_="figure")
    rows = [
        (f.find("p", class_="name")[0].text(), f.find("p", class_="count")[0].text())
        for f in figures
    ]
    assert rows == [
        ("emitted", "4 / 5"),
        ("compiled", "4 / 5"),
        ("equal", "2 / 5"),
        ("not compared", "1 / 5"),
        ("refused", "1 / 5"),
        ("different", "1 / 5"),
    ]
    # Wilson 95 % of 2 in 5 is 11.8 % to 76.9 %.
    assert figures[2].find("p", class_="range")[0].text() == "40.0 % (12 to 77 %)"


def test_a_kernel_that_was_not_compared_has_no_good_mark(page: Node) -> None:
    for entry in page.find("details", class_="kernel"):
        good = entry.find("span", class_="tone-good")
        if entry.attrs["data-verdict"] in ("compiled", "refused"):
            assert good == []


def test_source_text_is_kept_and_lines_are_paired(page: Node) -> None:
    entry = next(
        k for k in page.find("details", class_="kernel") if k.attrs["data-kernel"] == "saxpy"
    )
    original, generated = (p.text().lstrip("\n") for p in entry.find("pre", class_="src"))
    row = sample_report().programs[0].kernels[0]
    assert (original, generated) == (row.original, row.generated)
    assert entry.find("div", class_="panes")[0].attrs["data-pairs"] == "6:2 7:3 8:4"


def test_diagnostics_are_marked_in_the_source_and_explained(page: Node) -> None:
    entry = next(
        k for k in page.find("details", class_="kernel") if k.attrs["data-kernel"] == "block_sum"
    )
    assert entry.find("pre", class_="src")[0].attrs["data-marks"] == "4/error/CM3001"
    explained = next(
        d for d in page.find("details", class_="code") if d.attrs["id"] == "code-CM3001"
    )
    assert "What to do" in explained.text()
    assert explained.find("a", href=f"#{entry.attrs['id']}")


def test_inner_links_resolve_and_ids_are_unique(page: Node) -> None:
    ids = [n.attrs["id"] for n in page.walk() if "id" in n.attrs]
    assert len(ids) == len(set(ids))
    for link in page.find("a"):
        href = link.attrs["href"]
        assert href.startswith("https://") or href.removeprefix("#") in ids


def test_differences_and_histogram_are_shown(page: Node) -> None:
    entry = page.find("details", class_="kernel")[0]
    assert [td.text() for td in entry.find("tr", class_="first")[0].find("td") if "n" in td.attrs.get("class", "")] == [
        "996", "1.5", "0", "1000", "nan", "-inf",
    ]  # fmt: skip
    titles = [t.text() for t in entry.find("svg", class_="ulp")[0].find("title")]
    assert titles[0] == "0 ulp: 893 elements" and titles[-1] == "more ulp: 7 elements"
    assert len(titles) == len(ULP_LABELS)


def test_the_control_run_is_explained(page: Node) -> None:
    words = [
        b.text()
        for s in page.find("span", class_="control")
        for b in s.find("span", class_="badge")
    ]
    assert words == ["fails without its kernels, as it must", "not run"]
    proves_nothing = parse(
        report_of(program("p", kernel("k", "equal"), runs=("pass", "pass", "pass")))
    )
    badge = proves_nothing.find("span", class_="control")[0].find("span", class_="tone-bad")
    assert "proves nothing" in badge[0].text()


def test_self_contained_and_bound_to_its_own_script(page: Node) -> None:
    assert page.find("link") == [] and page.find("img") == []
    assert not [n for n in page.walk() if "src" in n.attrs or "style" in n.attrs]
    assert not [a for n in page.walk() for a in n.attrs if a.startswith("on")]
    policy = next(
        m for m in page.find("meta") if m.attrs.get("http-equiv") == "Content-Security-Policy"
    )
    for tag in ("script", "style"):
        (block,) = page.find(tag)
        digest = base64.b64encode(hashlib.sha256(block.text().encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy.attrs["content"]
    assert "default-src 'none'" in policy.attrs["content"]


def test_nothing_from_a_program_becomes_markup() -> None:
    plain = sample_report()
    evil_diagnostic = replace(
        BARRIER, cause=EVIL, label=EVIL, suggestion=EVIL, file=EVIL, title=EVIL, rule=EVIL, line=11
    )
    evil = kernel(
        EVIL,
        "different",
        (
            launch(
                0,
                replace(buffer(EVIL, wrong=2), elements=EVIL, first=((0, EVIL, EVIL),)),
                problem=EVIL,
            ),
        ),
        (evil_diagnostic,),
        original=EVIL,
        generated=EVIL,
        file=EVIL,
    )
    evil = replace(evil, compile_log=EVIL, confidence_parts=(EVIL,), template_args=((EVIL, EVIL),))
    bad = replace(
        program(EVIL, evil, runs=(EVIL, EVIL, EVIL)),
        detail=EVIL,
        host_calls=((EVIL, EVIL, 1),),
        diagnostics=(evil_diagnostic,),
    )
    report = replace(
        report_of(bad, command=EVIL),
        target=EVIL,
        target_title=EVIL,
        date=EVIL,
        toolchain=((EVIL, EVIL),),
        diagnostics=(evil_diagnostic,),
        tool_version=EVIL,
    )
    page = parse(report)
    assert len(page.find("script")) == 1 and page.find("img") == []
    assert not [a for n in page.walk() for a in n.attrs if a.startswith("on")]
    assert page.find("script")[0].text() == parse(plain).find("script")[0].text()
    # Every field is there, as text.
    assert EVIL in page.text() and "49" not in page.find("h1")[0].text()
    assert [p.text().lstrip("\n") for p in page.find("pre", class_="src")] == [EVIL, EVIL]


@pytest.mark.parametrize(
    "text", ["\n\nfirst lines empty", "tab\tand é 漢", "", "a &lt; b && c < d"]
)
def test_source_survives_as_it_is(text: str) -> None:
    page = parse(report_of(program("p", kernel("k", "equal", original=text), runs=("pass",) * 3)))
    shown = page.find("pre", class_="src")[0].text()
    # An HTML parser drops the first newline of a <pre>; html.parser keeps it.
    assert shown == "\n" + text


def test_no_kernel_and_no_program() -> None:
    page = parse(report_of())
    assert page.find("details", class_="kernel") == []
    assert "no kernel" in page.find("p", class_="empty")[0].text()
    assert "nothing to migrate" in page.find("p", class_="lead")[0].text()


def test_many_and_long() -> None:
    text = "\n".join(f"  y[{i}] = x[{i}];  // line {i}" for i in range(2000))
    long = kernel("long", "equal", original=text, generated=text)
    long = replace(long, line_pairs=tuple(LinePair(i, i) for i in range(1, 2001)))
    rows = [kernel(f"k{i}", "equal", (launch(0, buffer("y", ulp=1)),)) for i in range(300)]
    html = render_html(report_of(program("p", long, *rows, runs=("pass", "pass", "fail"))))
    # Source text is stored once and marked up by the browser when a kernel is opened.
    assert len(html) < 2_000_000
    assert len(re.findall(r"<details class=\"kernel ", html)) == 301


def test_a_failing_program_is_named_in_the_lead_and_comes_first() -> None:
    good = program("good", kernel("a", "equal"), runs=("pass", "pass", "fail"))
    bad = program("bad", kernel("b", "equal"), runs=("pass", "fail", "not-run"))
    page = parse(report_of(good, bad))
    assert (
        "1 migrated program does not pass its own check" in page.find("p", class_="lead")[0].text()
    )
    assert [n.text() for n in page.find("span", class_="p-name")] == ["bad", "good"]


def test_a_program_that_stops_at_a_refused_kernel_is_no_failed_check() -> None:
    row = program("p", kernel("k", "refused", (), (BARRIER,)), runs=("pass", "error", "not-run"))
    page = parse(report_of(replace(row, detail="CM3001: kernel k was not migrated: a barrier")))
    lead = page.find("p", class_="lead")[0].text()
    assert "cannot run as a whole" in lead and "own check" not in lead
    runs = [b.text() for b in page.find("summary")[1].find("span", class_="badge")]
    assert runs == ["pass", "error: a kernel is refused", "not run"]


def test_a_program_that_was_not_read_is_open_with_its_code() -> None:
    lost = replace(BARRIER, code="CM1008", title="parser could not read the file")
    good = program("good", kernel("a", "equal"), runs=("pass", "pass", "fail"))
    unread = replace(program("lost", runs=("pass", "not-run", "not-run")), diagnostics=(lost,))
    first, second = parse(report_of(good, unread)).find("details", class_="program")
    assert "open" in first.attrs and "open" not in second.attrs
    assert first.find("span", class_="p-name")[0].text() == "lost CM1008"


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        ("compiled", "No numbers were compared."),
        ("equal", "No kernel that was compared gives different numbers."),
        ("different", "1 kernel gives different numbers."),
    ],
)
def test_the_lead_claims_no_more_than_was_compared(verdict: str, words: str) -> None:
    page = parse(report_of(program("p", kernel("k", verdict), runs=("pass",) * 3)))
    assert words in page.find("p", class_="lead")[0].text()


def test_a_launch_that_could_not_run_is_no_failure() -> None:
    stuck = launch(0, problem="argument points to host memory")
    assert launch_state(stuck, "compiled") == ("not compared", "open")
    assert launch_state(stuck, "different") == ("run failed", "bad")
    crashed = parse(report_of(program("p", kernel("k", "different", (stuck,)), runs=("pass",) * 3)))
    assert crashed.find("span", class_="c-worst")[0].text() == "run failed"


def test_a_launch_that_changed_nothing_is_not_shown_as_good() -> None:
    idle = kernel("k", "compiled", (launch(0, buffer("y", written=False)),))
    page = parse(report_of(program("p", idle, runs=("pass", "not-run", "not-run"))))
    (entry,) = page.find("details", class_="kernel")
    assert entry.find("span", class_="tone-good") == []
    assert entry.find("span", class_="c-worst")[0].text() == ""
    assert "nothing changed" in entry.text()


def test_bad_launches_come_first_and_many_are_folded() -> None:
    launches = (*(launch(i, buffer("y")) for i in range(9)), launch(9, buffer("y", wrong=1)))
    page = parse(report_of(program("p", kernel("k", "different", launches), runs=("pass",) * 3)))
    (entry,) = page.find("details", class_="kernel")
    numbers = [h.find("b")[0].text() for h in entry.find("p", class_="l-head")]
    assert numbers == ["launch 9", *(f"launch {i}" for i in range(9))]
    (folded,) = entry.find("details", class_="sub")
    assert len(folded.find("div", class_="launch")) == 6
    assert folded.find("summary")[0].text() == "6 more launches"


def test_wrong_integers_are_not_called_equal() -> None:
    integers = replace(buffer("y", wrong=3), max_ulp=0, ulp_histogram=())
    page = parse(
        report_of(
            program("p", kernel("k", "different", (launch(0, integers),)), runs=("pass",) * 3)
        )
    )
    assert page.find("span", class_="c-worst")[0].text() == "3 wrong"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (1.23456e-7, "1.23e-07"), (float("inf"), "∞"), (float("nan"), "NaN"), (1234, "1\u202f234"), (2**62, "4.6e+18")],
)  # fmt: skip
def test_numbers(value: float, text: str) -> None:
    assert number(value) == text


def test_sizes() -> None:
    assert [size(n) for n in (0, 1023, 1024, 1536, 5 << 40)] == [
        "0 B",
        "1023 B",
        "1 KiB",
        "1.5 KiB",
        "5120 GiB",
    ]
