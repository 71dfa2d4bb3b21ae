"""Laws of the language: nothing but our own error, whatever the text; the table reads back; order means nothing."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpsem.errors import GpsemError
from gpsem.model import table as tables
from gpsem.model.rewrite import from_table
from gpsem.model.settings import STRUCTURAL, Settings
from gpsem.model.specification import specify
from gpsem.syntax import parse
from gpsem.syntax.source import Source

_PIECES = [
    *["F", "G", "H", "y1", "y2", "y3", "y4", "a", "b", "NA", "c", "`two words`", "é", "ß.x", "x_", ".z"],
    *[
        "=~",
        "~",
        "~~",
        "|",
        ":=",
        "==",
        "<",
        ">",
        "<~",
        "~*~",
        ":~",
        "|~",
        "+",
        "-",
        "*",
        "/",
        "^",
        "**",
        "?",
        ":",
        ",",
    ],
    *["(", ")", "[", "]", "{", "}", "=", "%", "@", "$", "&", "<-", "->", "\\", "`", '"', "'", "“", "”", "~ ~"],
    *[
        "0",
        "1",
        "2",
        "0.5",
        "1e3",
        "1e999",
        ".5",
        "1_0",
        "1x",
        "٣",
        "group: 1",
        "level:",
        "start(",
        "prior(",
        "gp(",
        "lin(",
    ],
    *[
        '"normal(0,1)"',
        '"dnorm(0,1)"',
        'prior("gamma(1,1)[sd]")*',
        "equal(",
        'equal("F=~y2")*',
        "rv(",
        "efa(",
        "c(1,NA)*",
    ],
    *[
        "\n",
        ";",
        "# note\n",
        "! note\n",
        "\t",
        "\r\n",
        "\u00a0",
        "\u2028",
        "\ufeff",
        "\x00",
        "˜",
        "😀",
        "\u202e",
        "F =~ y1 + y2 + y3\n",
    ],
]
_soup = st.lists(st.sampled_from(_PIECES), max_size=40).flatmap(
    lambda pieces: st.sampled_from([" ".join(pieces), "".join(pieces)])
)


def _only_our_error(text: str, structural: str) -> None:
    try:
        specify(Source(text), Settings(structural=structural))
    except GpsemError as error:
        assert error.code == 2
        assert str(error)
        for problem in error.problems:
            assert problem.what


@given(st.text(max_size=200), st.sampled_from(STRUCTURAL))
def test_any_text_gives_our_error_or_a_model(text: str, structural: str) -> None:
    _only_our_error(text, structural)


@given(_soup, st.sampled_from(STRUCTURAL))
def test_any_words_give_our_error_or_a_model(text: str, structural: str) -> None:
    _only_our_error(text, structural)


@given(st.sampled_from(_PIECES), st.integers(1, 3000))
def test_a_sign_repeated_is_no_trap(piece: str, times: int) -> None:
    _only_our_error(piece * times, "gp")
    _only_our_error("F =~ y1 + y2 + y3; G =~ y4 + y5 + y6; F ~ " + piece * times, "gp")


_LATENTS = ["F", "G", "H", "my latent", "K.1"]


@st.composite
def models(draw: st.DrawFn) -> list[str]:
    """Statements of an identified model: three pure indicators a latent, arrows to later latents only."""

    def name(text: str) -> str:
        return f"`{text}`" if " " in text else text

    latents = _LATENTS[: draw(st.integers(1, 5))]
    statements = []
    for n, latent in enumerate(latents):
        items = [f"y{n}{i}" for i in range(draw(st.integers(3, 5)))]
        shapes = [
            "{}",
            "a{n}*{}",
            "0.5*{}",
            "start(0.7)*{}",
            'prior("normal(0, 2)")*{}',
            "NA*{}",
            "start(1)*{} + b{n}*{}",
        ]
        terms = [items[0], *(draw(st.sampled_from(shapes)).replace("{n}", str(n)).replace("{}", i) for i in items[1:])]
        statements.append(f"{name(latent)} =~ {' + '.join(terms)}")
        if draw(st.booleans()):
            statements.append(f"{items[1]} ~~ {draw(st.sampled_from(['0.3*', 'v*', '', '0*']))}{items[1]}")
        if draw(st.booleans()):
            statements.append(f"{items[2]} ~ {draw(st.sampled_from(['1', '0.5*1', 'm*1']))}")
    for n, latent in enumerate(latents[1:], start=1):
        parents = draw(st.lists(st.sampled_from(latents[:n]), unique=True, max_size=n))
        if not parents:
            continue
        quoted = [name(parent) for parent in parents]
        form = draw(st.sampled_from(["plain", "gp", "lin", "product", "sum"]))
        right = {
            "plain": " + ".join(quoted),
            "gp": f"gp({', '.join(quoted)})",
            "lin": " + ".join(f"s{n}*lin({q})" if i == 0 else q for i, q in enumerate(quoted)),
            "product": " + ".join([*quoted, f"{quoted[0]}:{quoted[-1]}"]),
            "sum": f"gp({quoted[0]})" + "".join(f" + lin({q})" for q in quoted[1:]),
        }[form]
        statements.append(f"{name(latent)} ~ {right}")
        if form == "lin":
            statements.append(f"d{n} := s{n}^2")
    return statements


_families = st.sampled_from(STRUCTURAL)


@given(models(), _families)
def test_the_printed_table_reads_back(statements: list[str], structural: str) -> None:
    spec = specify(Source("\n".join(statements)), Settings(structural=structural))
    assert tables.read(str(spec.table)) == spec.table
    again = from_table(tables.read(str(spec.table)), Settings(structural=structural))
    assert again.table == spec.table
    assert again.key == spec.key


@given(models(), _families, st.integers(0, 2**32))
def test_order_blanks_and_comments_mean_nothing(statements: list[str], structural: str, seed: int) -> None:
    chance = random.Random(seed)
    first = specify(Source("\n".join(statements)), Settings(structural=structural))
    shuffled = chance.sample(statements, len(statements))
    ends = ["\n", ";", " # a comment\n", "\n\n! another\n", " ;\n"]
    text = "".join(
        s.replace(" + ", chance.choice([" + ", "+", " +\n  ", "\n + "])).replace(" =~ ", chance.choice([" =~ ", "=~"]))
        + chance.choice(ends)
        for s in shuffled
    )
    assert specify(Source(text), Settings(structural=structural)).key == first.key


def test_another_model_has_another_key() -> None:
    """The law above can fail: keys tell models apart."""
    base = "F =~ y1 + y2 + y3; G =~ z1 + z2 + z3; G ~ F"
    changed = ["G ~ lin(F)", "G ~ F; y2 ~~ 0.1*y2", "G ~ F; y2 ~ 0*1", "G ~ F + F:F", "F ~ G"]
    keys = {specify(Source(base), Settings()).key}
    keys |= {specify(Source(base.replace("G ~ F", other)), Settings()).key for other in changed}
    assert len(keys) == 1 + len(changed)


@pytest.mark.parametrize("unit", ["F{n} =~ a{n} + b{n} + c{n}\n", "\n", "# comment\n", "x{n} := 1 + 2\n"])
def test_work_grows_in_line_with_the_text(unit: str) -> None:
    """Counted in calls, not in seconds: ten times the lines make at most about ten times the calls."""
    import sys

    def calls(lines: int) -> int:
        text = "F =~ y1 + y2 + y3\n" + "".join(unit.replace("{n}", str(n)) for n in range(lines))
        count = 0

        def tick(*_: object) -> None:
            nonlocal count
            count += 1

        sys.setprofile(tick)
        try:
            parse(Source(text))
        finally:
            sys.setprofile(None)
        return count

    assert calls(3000) < 12 * calls(300) + 2000


@given(
    models(), st.lists(st.tuples(st.floats(0, 1), st.sampled_from(_PIECES), st.integers(0, 6)), max_size=4), _families
)
def test_a_damaged_model_gives_our_error_or_a_model(
    statements: list[str], damage: list[tuple[float, str, int]], structural: str
) -> None:
    text = "\n".join(statements)
    for where, piece, cut in damage:
        at = int(where * len(text))
        text = text[:at] + piece + text[at + cut :]
    _only_our_error(text, structural)


_cells = st.one_of(
    st.sampled_from(
        ["", ".", "F", "y01", "~", "=~", "~1", "~gp.sd", "-1", "0", "1", "2.5", "nan", "inf", "a:b", "`", '"']
    )
)


@given(
    models(), st.lists(st.tuples(st.integers(0, 60), st.sampled_from(tables.COLUMNS), _cells), max_size=3), _families
)
def test_a_damaged_table_gives_our_error_or_a_model(
    statements: list[str], edits: list[tuple[int, str, str]], structural: str
) -> None:
    spec = specify(Source("\n".join(statements)), Settings(structural=structural))
    records = [dict(zip(tables.COLUMNS, row, strict=True)) for row in spec.table.rows]
    for row, column, cell in edits:
        records[row % len(records)][column] = cell
    try:
        from_table(tables.from_records(records), Settings(structural=structural))
    except GpsemError as error:
        assert error.code == 2


def test_a_deleted_row_is_not_added_in_silence() -> None:
    spec = specify(Source("F =~ y1 + y2 + y3; G =~ z1 + z2 + z3"), Settings())
    for row in spec.table.rows:
        rest = tables.Table(tuple(r for r in spec.table.rows if r is not row))
        with pytest.raises(GpsemError):
            from_table(rest, Settings())


def test_an_edited_table_is_the_edited_model() -> None:
    spec = specify(Source("F =~ y1 + y2 + y3; G =~ z1 + z2 + z3; G ~ F"), Settings())
    edited = tuple(
        row._replace(free=0, value=0.5)
        if row.name == "F =~ y2"
        else row._replace(free=0, value=0.0, user=1)
        if row.name == "z2 ~1"
        else row
        for row in spec.table.rows
    )
    again = from_table(tables.Table(edited), Settings())
    assert (
        again.key
        == specify(Source("F =~ y1 + 0.5*y2 + y3; G =~ z1 + z2 + z3; G ~ F; z1 ~ 0*1; z2 ~ 0*1"), Settings()).key
    )


def test_the_whole_check_grows_in_line_with_the_text() -> None:
    """As above, for everything that `check` does: counted in calls and in steps of comprehensions."""
    import sys

    from gpsem.results.checks import Check

    def lines_run(latents: int) -> int:
        text = "".join(f"F{n} =~ y{n}a + y{n}b + y{n}c\n" for n in range(latents))
        text += "".join(f"F{n} ~ F{n - 1}\n" for n in range(1, latents))
        count = 0

        def tick(frame: object, event: str, _: object) -> object:
            nonlocal count
            count += event == "line"
            return tick

        sys.settrace(tick)  # type: ignore[arg-type]
        try:
            str(Check(specify(Source(text), Settings())))
        finally:
            sys.settrace(None)
        return count

    assert lines_run(400) < 11 * lines_run(40)
