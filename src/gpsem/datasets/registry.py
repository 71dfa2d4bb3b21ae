"""Known data sets: what each is, where it comes from, and a model to begin with."""

from __future__ import annotations

from typing import NamedTuple


class Dataset(NamedTuple):
    """One data set. `source` is generated, bundled, fetched (from `url`), or own: a file that the user puts there."""

    name: str
    title: str
    source: str
    columns: tuple[str, ...]
    rows: int
    model: str
    file: str = ""
    url: str = ""
    sha256: str = ""
    origin: str = ""


def _items(*groups: tuple[str, int]) -> tuple[str, ...]:
    return tuple(f"{stem}{n}" for stem, count in groups for n in range(1, count + 1))


_ABALONE = ("sex", "length", "diameter", "height", "whole", "shucked", "viscera", "shell", "rings")

DATASETS: dict[str, Dataset] = {
    item.name: item
    for item in (
        Dataset(
            "synthetic",
            "the synthetic study of Silva & Gramacy (2010): X2 = 4 X1^2 + noise, three indicators each",
            "generated",
            _items(("Y", 6)),
            150,
            "X1 =~ Y1 + Y2 + Y3\nX2 =~ Y4 + Y5 + Y6\nX2 ~ X1\n",
        ),
        Dataset(
            "political_democracy",
            "industrialisation and democracy in 75 developing countries, 1960 and 1965 (Bollen 1989)",
            "bundled",
            _items(("y", 8), ("x", 3)),
            75,
            "ind60 =~ x1 + x2 + x3          # industrialisation, 1960\n"
            "dem60 =~ y1 + y2 + y3 + y4     # democracy, 1960\n"
            "dem65 =~ y5 + y6 + y7 + y8     # democracy, 1965\n"
            "dem60 ~ ind60\n"
            "dem65 ~ ind60 + dem60\n",
            file="political_democracy.csv",
        ),
        Dataset(
            "abalone",
            "size and weights of 4,177 abalones (UCI, CC BY 4.0)",
            "fetched",
            _ABALONE,
            4177,
            "Size   =~ length + diameter + height\nWeight =~ whole + shucked + viscera + shell\nWeight ~ Size\n",
            file="abalone.csv",
            url="https://archive.ics.uci.edu/ml/machine-learning-databases/abalone/abalone.data",
            sha256="de37cdcdcaaa50c309d514f248f7c2302a5f1f88c168905eba23fe2fbc78449f",
        ),
        Dataset(
            "housing",
            "census tracts of Boston with RAD < 24; INDUS, DIS, RAD and TAX in logarithms, as the paper has it",
            "own",
            ("CRIM", "ZN", "INDUS", "RM", "AGE", "DIS", "RAD", "TAX", "PTRATIO", "B", "LSTAT"),
            374,
            "Access        =~ DIS + RAD\n"
            "Structural    =~ RM + AGE\n"
            "Neighborhood2 =~ INDUS + TAX + PTRATIO + LSTAT\n"
            "Neighborhood1 =~ CRIM + ZN + B\n"
            "Structural    ~ Access\n"
            "Neighborhood2 ~ Access + Structural\n"
            "Neighborhood1 ~ Access + Structural + Neighborhood2\n",
            file="boston.csv",
            origin="Harrison & Rubinfeld's data, as in scikit-learn up to 1.1",
        ),
        Dataset(
            "holzinger_swineford1939",
            "nine mental ability tests of 301 pupils (Holzinger & Swineford 1939)",
            "own",
            _items(("x", 9)),
            301,
            "visual  =~ x1 + x2 + x3\ntextual =~ x4 + x5 + x6\nspeed   =~ x7 + x8 + x9\n",
            file="holzinger_swineford1939.csv",
            origin="HolzingerSwineford1939 of R's lavaan",
        ),
        Dataset(
            "consumer_standin_a",
            "sixteen seven-point items of phone customers, in place of the paper's Consumer data",
            "own",
            _items(("qual_", 7), ("like_", 3), ("comp_", 3), ("cusl_", 3)),
            336,
            "QUAL =~ qual_1 + qual_2 + qual_3 + qual_4 + qual_5 + qual_6 + qual_7\n"
            "LIKE =~ like_1 + like_2 + like_3\n"
            "COMP =~ comp_1 + comp_2 + comp_3\n"
            "CUSL =~ cusl_1 + cusl_2 + cusl_3\n"
            "LIKE ~ QUAL\n"
            "COMP ~ QUAL + LIKE\n"
            "CUSL ~ LIKE\n",
            file="consumer_standin_a.csv",
        ),
        Dataset(
            "pisa2009_australia",
            "attitude to reading, online reading and reading ability of 1,069 pupils (PISA 2009, Australia)",
            "own",
            ("att1", "att2", "att3", "onl1", "onl2", "onl3", "read1", "read2", "read3"),
            1069,
            "ATT  =~ att1 + att2 + att3\nONL  =~ onl1 + onl2 + onl3\nREAD =~ read1 + read2 + read3\nREAD ~ ATT + ONL\n",
            file="pisa2009_australia.csv",
        ),
        Dataset(
            "sim_oneint",
            "2,000 simulated rows with a latent interaction",
            "own",
            ("x1", "x2", "x3", "y1", "y2", "y3", "z1", "z2", "z3"),
            2000,
            "X =~ x1 + x2 + x3\nZ =~ z1 + z2 + z3\nY =~ y1 + y2 + y3\nY ~ X + Z\n",
            file="sim_oneint.csv",
            origin="oneInt of R's modsem",
        ),
        Dataset(
            "bfi",
            "25 six-point personality items of 2,800 people, with missing cells",
            "own",
            _items(("A", 5), ("C", 5), ("E", 5), ("N", 5), ("O", 5)),
            2800,
            "Agreeable     =~ A1 + A2 + A3 + A4 + A5\n"
            "Conscientious =~ C1 + C2 + C3 + C4 + C5\n"
            "Extraverted   =~ E1 + E2 + E3 + E4 + E5\n"
            "Neurotic      =~ N1 + N2 + N3 + N4 + N5\n"
            "Open          =~ O1 + O2 + O3 + O4 + O5\n",
            file="bfi.csv",
            origin="bfi of R's psych",
        ),
    )
}
