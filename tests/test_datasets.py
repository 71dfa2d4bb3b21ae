"""Data sets by name: generated, bundled, fetched with a checksum, or put there by the user."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import numpy as np
import pytest

from gpsem import Model, datasets
from gpsem.datasets import registry
from gpsem.datasets.files import cache, locate
from gpsem.errors import GpsemError

BODY = b"M,0.455,0.365,0.095,0.514,0.2245,0.101,0.15,15\nF,0.53,0.42,0.135,0.677,0.2565,0.1415,0.21,9\n"


@pytest.fixture
def archive(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """An archive on the loopback that serves BODY; the list holds the paths that were asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200 if self.path == "/abalone.data" else 404)
            self.end_headers()
            self.wfile.write(BODY)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    real = registry.DATASETS["abalone"]
    local = real._replace(
        url=f"http://127.0.0.1:{server.server_port}/abalone.data", sha256=hashlib.sha256(BODY).hexdigest()
    )
    monkeypatch.setitem(registry.DATASETS, "abalone", local)
    monkeypatch.delenv("GPSEM_DATA", raising=False)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    yield asked
    server.shutdown()
    thread.join()
    server.server_close()


def test_fetched_once_checked_and_cached(archive: list[str]) -> None:
    frame = datasets.load("abalone")
    assert list(frame.columns) == list(registry.DATASETS["abalone"].columns)
    assert frame.shape == (2, 9)
    assert frame["length"].tolist() == [0.455, 0.53]
    datasets.load("abalone")
    assert archive == ["/abalone.data"]
    assert [file.name for file in cache().iterdir()] == ["abalone.csv"]


def test_another_file_is_not_kept(archive: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = registry.DATASETS["abalone"]._replace(sha256="0" * 64)
    monkeypatch.setitem(registry.DATASETS, "abalone", wrong)
    with pytest.raises(GpsemError, match="sha256") as caught:
        datasets.load("abalone")
    assert caught.value.code == 3
    assert not cache().exists() or not list(cache().iterdir())


@pytest.mark.parametrize("path", ["gone", "refused"])
def test_offline_says_where_to_put_the_file(archive: list[str], monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    url = registry.DATASETS["abalone"].url.replace("abalone.data", path)
    if path == "refused":
        url = "http://127.0.0.1:9/abalone.data"
    monkeypatch.setitem(registry.DATASETS, "abalone", registry.DATASETS["abalone"]._replace(url=url))
    with pytest.raises(GpsemError, match="could not be fetched") as caught:
        datasets.load("abalone")
    assert caught.value.code == 3
    assert str(cache() / "abalone.csv") in caught.value.remedy
    assert "GPSEM_DATA" in caught.value.remedy


def test_a_full_disk_is_the_machines_fault(archive: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GPSEM_CACHE", str(tmp_path / "file" / "below"))
    with pytest.raises(GpsemError, match="cannot be written") as caught:
        datasets.load("abalone")
    assert caught.value.code == 3


def test_ones_own_copy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("GPSEM_DATA", raising=False)
    with pytest.raises(GpsemError, match="not handed out") as caught:
        datasets.load("pisa2009_australia")
    assert caught.value.code == 3
    monkeypatch.setenv("GPSEM_DATA", str(tmp_path))
    (tmp_path / "pisa2009_australia.csv").write_text("att1,att2\n1,2\n")
    with pytest.raises(GpsemError, match="lacks the columns att3"):
        datasets.load("pisa2009_australia")


def test_the_synthetic_study_by_seed() -> None:
    first, again, other = (datasets.load("synthetic", seed=s) for s in (1, 1, 2))
    assert first.equals(again)
    assert not first.equals(other)
    assert first.shape == (150, 6)
    large = datasets.synthetic(seed=3, rows=200_000, truth=True)
    x1, x2 = large["X1_true"], large["X2_true"]
    assert abs(x1.mean()) < 0.01
    assert abs(x1.var() - 1) < 0.02
    assert abs((x2 - 4 * x1**2).var() - 1) < 0.02
    for n in range(1, 7):
        error = large[f"Y{n}"] - (x1 if n <= 3 else x2)
        assert abs(error.mean()) < 0.01
        assert abs(error.var() - 1) < 0.02
    assert large[["Y1", "Y2"]].sub(x1, axis=0).corr().iloc[0, 1] < 0.02


@pytest.mark.parametrize("name", registry.DATASETS)
def test_every_model_is_understood(name: str) -> None:
    model = Model(datasets.model(name))
    assert set(model.specification.roles.indicators) <= set(registry.DATASETS[name].columns)


@pytest.mark.parametrize("name", ["synthetic", "political_democracy"])
def test_what_is_handed_out_fits_its_model(name: str) -> None:
    frame = datasets.load(name)
    assert frame.shape == (registry.DATASETS[name].rows, len(registry.DATASETS[name].columns))
    assert Model(datasets.model(name)).check(frame).data is not None


@pytest.mark.parametrize("name", [n for n, d in registry.DATASETS.items() if d.source in ("own", "fetched")])
def test_real_data_fit_their_models(name: str, shared_data: Path) -> None:
    assert locate(registry.DATASETS[name]) is not None
    frame = datasets.load(name)
    assert len(frame) == registry.DATASETS[name].rows
    account = Model(datasets.model(name)).check(frame).data
    assert account is not None
    if name == "bfi":
        assert account.missing == 508
        assert "ordinal" in account.notes[-1]
    if name == "housing":
        np.testing.assert_allclose(np.exp(frame["RAD"]).max(), 8)


def test_a_copy_of_abalone_is_the_archives(shared_data: Path) -> None:
    body = (shared_data / "abalone.csv").read_bytes().split(b"\n", 1)[1]
    assert hashlib.sha256(body).hexdigest() == registry.DATASETS["abalone"].sha256


@pytest.mark.parametrize(
    "call",
    [
        lambda: datasets.load("abalon"),
        lambda: datasets.load("political_democracy", seed=1),
        lambda: datasets.synthetic(seed=-1),
        lambda: datasets.synthetic(rows=0),
        lambda: datasets.model("nothing"),
    ],
)
def test_wrong_calls_are_answered(call: object) -> None:
    with pytest.raises(GpsemError) as caught:
        call()  # type: ignore[operator]
    assert caught.value.code == 2


def test_a_near_miss_is_suggested() -> None:
    with pytest.raises(GpsemError, match="no data set") as caught:
        datasets.load("abalon")
    assert "Did you mean 'abalone'?" in caught.value.remedy
