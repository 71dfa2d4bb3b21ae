"""Fits: reproducible to the bit, in the user's units, constraints held in every draw, files that give them back."""

from __future__ import annotations

import json
import threading
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import gpsem
from gpsem import GpsemError, Model, datasets
from gpsem.cli import main

CURVED = "X =~ Y1 + Y2 + Y3\nZ =~ Y4 + Y5 + Y6\nZ ~ X\n"
STRAIGHT = "ind60 =~ x1 + x2 + x3; dem60 =~ y1 + y2 + y3 + y4; dem60 ~ ind60"
SHORT: dict[str, Any] = {"chains": 2, "draws": 30, "warmup": 20, "seed": 3}


def curved_data(rows: int = 40) -> pd.DataFrame:
    data = datasets.synthetic(seed=2, rows=rows)
    data.index = [f"unit {n % 30}" for n in range(rows)]
    data.iloc[3, 1] = np.nan
    return data


@cache
def curved() -> gpsem.Fit:
    return gpsem.fit(Model(CURVED, inducing=6), curved_data(), **SHORT)


def straight(text: str = "", draws: int = 400, **options: Any) -> gpsem.Fit:
    model = Model(f"{STRAIGHT}; {text}", structural="linear", mixture=1, **options)
    return gpsem.fit(model, datasets.load("political_democracy"), chains=2, draws=draws, warmup=200, seed=1)


def test_the_same_seed_gives_the_same_draws_however_many_chains_run() -> None:
    model = Model(CURVED, inducing=6)
    alone = gpsem.fit(model, curved_data(), chains=1, draws=30, warmup=20, seed=3, cores=1)
    np.testing.assert_array_equal(alone.kept.x[0], curved().kept.x[0])
    np.testing.assert_array_equal(alone.kept.hyper[0], curved().kept.hyper[0])
    longer = gpsem.fit(model, curved_data(), chains=1, draws=40, warmup=20, seed=3)
    np.testing.assert_array_equal(longer.kept.x[0, :30], curved().kept.x[0])
    other = gpsem.fit(model, curved_data(), chains=1, draws=30, warmup=20, seed=4)
    assert not np.array_equal(other.kept.x[0], curved().kept.x[0])


def test_another_unit_by_a_power_of_two_is_the_same_fit_to_the_bit() -> None:
    scaled = gpsem.fit(Model(CURVED, inducing=6), 1024 * curved_data(), **SHORT)
    np.testing.assert_array_equal(scaled.latents, 1024 * curved().latents)
    ours, theirs = curved().parameters(), scaled.parameters()
    factor = {"=~": 1, "~1": 1024, "~~": 1024**2, "~gp.sd": 1024, "~gp.scale": 1024, "r2": 1}
    np.testing.assert_array_equal(theirs.est, ours.est * ours.op.map(factor))


def test_parameters_have_the_columns_of_the_contract() -> None:
    table = curved().parameters()
    assert list(table.columns) == [
        *["lhs", "op", "rhs", "label", "group", "est", "sd", "ci.lower", "ci.upper"],
        *["rhat", "ess_bulk", "ess_tail", "prior"],
    ]
    marker = table[(table.op == "=~") & (table.rhs == "Y1")].iloc[0]
    assert marker.est == 1
    assert np.isnan(marker.sd)
    assert np.isnan(marker.rhat)
    assert {"~gp.sd", "~gp.scale", "r2"} <= set(table.op)
    free = table[table.sd.notna()]
    assert (free["ci.lower"] <= free.est).all()
    assert (free.est <= free["ci.upper"]).all()
    narrow = curved().parameters(level=0.5)
    assert ((narrow["ci.upper"] - narrow["ci.lower"]) < (table["ci.upper"] - table["ci.lower"]))[table.sd.notna()].all()


def test_scores_keep_rows_and_labels() -> None:
    scores = curved().scores()
    assert list(scores.columns) == ["row", "latent", "mean", "sd", "lower", "upper"]
    assert list(scores.row[::2]) == list(curved_data().index)
    assert list(scores.latent[:2]) == ["X", "Z"]
    assert (scores.lower < scores.upper).all()


def test_curves() -> None:
    line = curved().curve("Z ~ X")
    assert list(line.columns) == [
        *["X", "mean", "sd", "lower", "upper", "slope", "slope_lower", "slope_upper", "support"]
    ]
    again = curved().curve("Z~X", at=np.array([0.0, 1.0]), level=0.5)
    assert len(again) == 2
    assert (again.upper - again.lower < line.upper.max() - line.lower.min()).all()
    by_frame = curved().curve("Z", at=pd.DataFrame({"X": [0.0, 1.0]}), level=0.5)
    pd.testing.assert_frame_equal(again, by_frame)
    far = curved().curve("Z ~ X", at=[1e3])
    assert far.support.iloc[0] == 0
    assert far.sd.iloc[0] > line.sd.min()
    for wrong in ({"equation": "X ~ Z"}, {"equation": "Z ~ X", "at": [np.nan]}, {"equation": "Z ~ X", "level": 2}):
        with pytest.raises(GpsemError):
            curved().curve(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("options", [{"structural": "basis", "inducing": 8}, {"structural": "full-gp"}])
def test_other_families_fit_and_have_curves(options: dict[str, Any]) -> None:
    found = gpsem.fit(Model(CURVED, **options), curved_data(), chains=1, draws=10, warmup=5)
    line = found.curve("Z ~ X")
    assert np.isfinite(line.to_numpy(float)).all()
    step = found.curve("Z ~ X", at=[0.5 - 1e-4, 0.5, 0.5 + 1e-4])
    if options["structural"] == "basis":
        slope = (step["mean"][2] - step["mean"][0]) / 2e-4
        assert slope == pytest.approx(step["slope"][1], rel=1e-4, abs=1e-6)


def test_a_run_comes_back_as_it_was(tmp_path: Path) -> None:
    fit = curved()
    fit.save(str(tmp_path / "run"))
    again = gpsem.load(str(tmp_path / "run"))
    pd.testing.assert_frame_equal(again.parameters(), fit.parameters(), check_exact=True)
    pd.testing.assert_frame_equal(again.scores(), fit.scores(), check_exact=True)
    pd.testing.assert_frame_equal(again.curve("Z ~ X"), fit.curve("Z ~ X"), check_exact=True)
    assert again.summary().to_json() == fit.summary().to_json()
    assert sorted(p.name for p in (tmp_path / "run").iterdir()) == ["model.txt", "posterior.zarr", "run.toml"]
    with pytest.raises(GpsemError, match="exists"):
        fit.save(str(tmp_path / "run"))
    fit.save(str(tmp_path / "run"), force=True)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(GpsemError, match="not a run"):
        fit.save(str(tmp_path / "mine"), force=True)
    assert (tmp_path / "mine" / "thesis.txt").exists()
    with pytest.raises(GpsemError, match="not a run"):
        gpsem.load(str(tmp_path / "mine"))


def test_the_tree_is_in_arvizs_layout() -> None:
    tree = curved().posterior
    assert {"posterior", "sample_stats", "observed_data", "constant_data"} <= set(tree.children)
    assert tree["posterior"]["latent_value"].dims == ("chain", "draw", "row", "latent")
    assert tree["posterior"].attrs["seed"] == 3
    assert tree["posterior"].attrs["model"] == CURVED


def test_stopping_keeps_what_was_drawn() -> None:
    stop = threading.Event()

    def report(step: Any, kept: Any) -> None:
        if step.done >= 70:
            stop.set()

    found = gpsem.fit(
        Model(CURVED, inducing=6), curved_data(), chains=2, draws=1000, warmup=20, report=report, stop=stop
    )
    assert found.run.interrupted
    assert 25 <= found.run.draws < 1000
    assert not found.converged
    assert "stopped" in str(found.summary())


@pytest.mark.parametrize(
    "wrong",
    [
        {"chains": 0},
        {"chains": 1001},
        {"draws": 0},
        {"warmup": -1},
        {"seed": -1},
        {"seed": 1.5},
        {"cores": 0},
        {"sampler": "nuts"},
    ],
)
def test_arguments_that_cannot_be_used(wrong: dict[str, Any]) -> None:
    with pytest.raises(GpsemError, match=next(iter(wrong))):
        gpsem.fit(Model(CURVED), curved_data(), **wrong)


def test_any_positive_lengths_run_and_are_judged() -> None:
    found = gpsem.fit(Model(CURVED, inducing=6), curved_data(), chains=1, draws=1, warmup=0)
    assert not found.converged
    assert "too short" in str(found.summary())
    assert np.isfinite(found.parameters().est).all()


def test_the_paper_epsr() -> None:
    found = curved().epsr()
    assert found["latents"].shape == (40, 2)
    assert (found["parameters"] > 0.9).all()


class TestConstraints:
    """Every constraint of the language holds in every draw, in the user's units."""

    def draws(self, fit: gpsem.Fit, lhs: str, op: str, rhs: str = "") -> Any:
        row = next(r for r in fit.built.layout.rows if (r.lhs, r.op, r.rhs) == (lhs, op, rhs))
        return fit.draws[row.id]

    def test_fixed_equal_and_defined(self) -> None:
        fit = straight("dem60 =~ y5; y2 ~ 1.5*1; y3 ~~ 2*y3; y1 ~~ e*y1; y4 ~~ e*y4; k := sqrt(e) + 1", draws=50)
        assert np.ptp(self.draws(fit, "y2", "~1")) < 1e-9
        np.testing.assert_allclose(self.draws(fit, "y2", "~1"), 1.5)
        np.testing.assert_allclose(self.draws(fit, "y3", "~~", "y3"), 2.0)
        np.testing.assert_allclose(self.draws(fit, "y1", "~~", "y1"), self.draws(fit, "y4", "~~", "y4"))
        np.testing.assert_allclose(
            self.draws(fit, "k", ":=", "sqrt(e) + 1"), np.sqrt(self.draws(fit, "y1", "~~", "y1")) + 1
        )
        assert np.ptp(self.draws(fit, "dem60", "=~", "y2")) > 0

    def test_equal_loadings_in_the_users_units(self) -> None:
        model = Model("ind60 =~ x1 + a*x2 + a*x3; dem60 =~ y1 + 1.3*y2 + y3 + y4; dem60 ~ b*ind60; b == 1.4",
                      structural="linear", mixture=1)  # fmt: skip
        fit = gpsem.fit(model, datasets.load("political_democracy"), chains=1, draws=50, warmup=50)
        np.testing.assert_allclose(self.draws(fit, "ind60", "=~", "x2"), self.draws(fit, "ind60", "=~", "x3"))
        np.testing.assert_allclose(self.draws(fit, "dem60", "=~", "y2"), 1.3)
        np.testing.assert_allclose(self.draws(fit, "dem60", "~", "ind60"), 1.4)

    def test_latents_in_their_own_unit_and_origin(self) -> None:
        fit = straight("ind60 ~ 0*1", std_lv=True, draws=50)
        np.testing.assert_allclose(self.draws(fit, "ind60", "~~", "ind60"), 1.0)
        np.testing.assert_allclose(self.draws(fit, "ind60", "~1"), 0.0, atol=1e-12)
        np.testing.assert_allclose(self.draws(fit, "dem60", "~~", "dem60"), 1.0)
        marker = straight("", draws=50)
        sd = np.sqrt(self.draws(marker, "ind60", "~~", "ind60"))
        np.testing.assert_allclose(self.draws(fit, "ind60", "=~", "x2"), self.draws(marker, "ind60", "=~", "x2") * sd)
        slope = self.draws(marker, "dem60", "~", "ind60") * sd / np.sqrt(self.draws(marker, "dem60", "~~", "dem60"))
        np.testing.assert_allclose(self.draws(fit, "dem60", "~", "ind60"), slope)
        at_zero = self.draws(marker, "x1", "~1") + self.draws(marker, "ind60", "~1")
        np.testing.assert_allclose(self.draws(fit, "x1", "~1"), at_zero)

    def test_an_indicator_without_error_is_its_latent(self) -> None:
        fit = straight("x1 ~~ 0*x1", draws=20)
        data = datasets.load("political_democracy")
        np.testing.assert_allclose(fit.latents[..., 0], np.broadcast_to(data["x1"], fit.latents.shape[:3]), rtol=1e-12)

    def test_a_firm_prior_holds(self) -> None:
        model = Model(STRAIGHT.replace("x2", 'prior("normal(0.3, 0.001)")*x2'), structural="linear", mixture=1)
        fit = gpsem.fit(model, datasets.load("political_democracy"), chains=1, draws=50, warmup=50)
        assert abs(self.draws(fit, "ind60", "=~", "x2").mean() - 0.3) < 0.01


def test_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("m.txt").write_text(STRAIGHT)
    datasets.load("political_democracy").to_csv("d.csv", index=False)
    words = ["fit", "m.txt", "d.csv", "--structural", "linear", "--mixture", "1", "--chains", "2", "--draws", "20"]
    assert main([*words, "--warmup", "20", "--out", "run"]) == 1
    printed = capsys.readouterr()
    assert "Latent Variables" in printed.out
    assert main([*words, "--out", "run"]) == 2
    assert "exists" in capsys.readouterr().err
    assert main(["summary", "run"]) == 1
    assert capsys.readouterr().out == printed.out
    assert main(["summary", "run", "--format", "json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert set(told) == {"parameters", "verdicts", "settings"}
    assert told["parameters"][0]["sd"] is None
    assert main(["summary", "run", "--format", "csv"]) == 1
    assert capsys.readouterr().out.startswith("lhs,op,rhs,label")
    for wrong in (["summary", "nowhere"], ["summary", "run", "--format", "xml"], ["summary", "run", "--level", "7"]):
        assert main(wrong) == 2
    assert main([*words, "--warmup", "20", "--out", "run", "--force"]) == 1


def test_rows_from_the_prior(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from gpsem.pipeline import simulate

    model = Model(CURVED, inducing=6)
    rows = simulate(model, 200, seed=4)
    assert list(rows.columns) == ["X", "Z", *(f"Y{n}" for n in range(1, 7))]
    pd.testing.assert_frame_equal(rows, simulate(model, 200, seed=4))
    assert not rows.equals(simulate(model, 200, seed=5))
    spread = np.median([simulate(model, 100, seed=s)["Y1"].std() for s in range(30)])
    assert 0.5 < spread < 2.5
    data = datasets.load("political_democracy")
    like = simulate(Model(STRAIGHT, structural="linear"), 300, seed=1, like=data)
    near = [simulate(Model(STRAIGHT, structural="linear"), 50, seed=s, like=data)["x1"].mean() for s in range(40)]
    assert abs(np.median(near) - data["x1"].mean()) < data["x1"].std()
    assert len(like) == 300
    firm = Model('F =~ y1 + prior("lognormal(1, 0.01)")*y2 + y3; y1 ~~ prior("gamma(400, 400)[sd]")*y1', mixture=1)
    many = simulate(firm, 4000, seed=2)
    assert (many["y1"] - many["F"]).std() == pytest.approx(1, abs=0.1)
    slope = np.polyfit(many["F"], many["y2"], 1)[0]
    assert slope == pytest.approx(np.e, abs=0.3)
    (tmp_path / "m.txt").write_text(CURVED)
    out = tmp_path / "rows.csv"
    assert main(["simulate", str(tmp_path / "m.txt"), "-n", "7", "--out", str(out)]) == 0
    assert len(pd.read_csv(out)) == 7
    assert main(["simulate", str(tmp_path / "m.txt"), "-n", "0"]) == 2
    capsys.readouterr()
