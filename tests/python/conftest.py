"""Common parts of the tests. TAILBOUND_FULL=1 in the environment selects full depth."""

import os
import pathlib

import hypothesis
import matplotlib
import pytest

matplotlib.use("Agg")

ROOT = pathlib.Path(__file__).resolve().parents[2]
FULL = os.environ.get("TAILBOUND_FULL") == "1"

# Every run draws the same cases, so that tests are reproducible.
hypothesis.settings.register_profile(
    "tailbound", derandomize=True, deadline=None, database=None, print_blob=True,
    suppress_health_check=list(hypothesis.HealthCheck),
)  # fmt: skip
hypothesis.settings.load_profile("tailbound")


def cases(usual: int, full: int) -> hypothesis.settings:
    return hypothesis.settings(max_examples=full if FULL else usual)


@pytest.fixture
def at_root(monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """File names are relative to the top of the repository."""
    monkeypatch.chdir(ROOT)
    return ROOT
