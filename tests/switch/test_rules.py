"""Whose code is compiled under JITCORE=1: the table, and the user's words."""

from __future__ import annotations

import pytest

from jitcore.config import from_environment
from jitcore.runtime.exclusions import Rules

HERE = "/home/u/project/models/net.py"


def code_of(path: str):
    names: dict[str, object] = {}
    exec(compile("def f(): pass", path, "exec"), names)
    return names["f"].__code__


def rules(**environment: str) -> Rules:
    return Rules(from_environment({f"JITCORE_{k}": v for k, v in environment.items()}))


@pytest.mark.parametrize(
    "path",
    [
        "/usr/lib/python3/site-packages/scipy/optimize/_root.py",
        "/usr/lib/python3/site-packages/_pytest/python.py",
        "/usr/lib/python3/site-packages/IPython/core/display.py",
        "<frozen importlib._bootstrap>",
        pytest.__file__,
        __import__("json").__file__,
        __import__("numpy").__file__,
        __import__("jitcore").__file__,
    ],
)
def test_left_by_default(path):
    assert rules().leave_everywhere(code_of(path))


@pytest.mark.parametrize(
    "path", [HERE, "/x/site-packages/pkg/a.py", "<stdin>", "<ipython-input-3>"]
)
def test_compiled_by_default(path):
    assert not rules().leave_everywhere(code_of(path))
    assert not rules().leave(code_of(path))


def test_what_draws_is_left_where_compiled_code_calls_it():
    drawing = code_of("/x/site-packages/matplotlib/axis.py")
    assert rules().leave(drawing)
    assert not rules(INCLUDE="matplotlib").leave(drawing)
    assert not rules().leave(code_of("/x/site-packages/scipy/optimize/_root.py"))


@pytest.mark.parametrize("text", ["print(globals())", "global x\nx = 1"])
def test_modules_that_look_at_their_names_are_left(text):
    assert rules().leave_everywhere(compile(text, HERE, "exec"))


def test_modules():
    code = compile("class A:\n    x = 1", HERE, "exec")
    assert not rules().leave_everywhere(code)
    assert rules().leave(code)  # it is not called from compiled code
    assert rules().leave_everywhere(next(c for c in code.co_consts if hasattr(c, "co_code")))


WORDS = [
    ("models", True),
    ("models.net", True),
    ("models.ne?", True),
    ("net", True),
    ("/home/u/project", True),
    ("/home/*/net.py", True),
    ("other, models.*", True),
    ("model", False),
    ("models.network", False),
    ("/home/u/other", False),
    ("numpy", False),
]


@pytest.mark.parametrize(("words", "matches"), WORDS)
def test_words(words, matches):
    code = code_of(HERE)
    assert rules(EXCLUDE=words).leave_everywhere(code) is matches
    assert rules(EXCLUDE=words).leave(code) is matches
    assert rules(INCLUDE=words).leave_everywhere(code) is not matches
    both = rules(INCLUDE=words, EXCLUDE="models")
    assert both.leave_everywhere(code) is not matches


def test_included_libraries():
    code = code_of("/usr/lib/python3/site-packages/scipy/optimize/_root.py")
    assert not rules(INCLUDE="scipy.optimize").leave_everywhere(code)


def test_ignored_modules():
    mine = rules(INCLUDE="models")
    assert not mine.leave(code_of(HERE))
    mine.ignore("models.net")
    assert mine.leave(code_of(HERE)) and mine.leave_everywhere(code_of(HERE))


def test_modules_of_packages_run_once_and_are_left():
    text = "import numpy as np\nfor k in range(3): x = np.ones(k)"
    installed = compile(text, "/x/site-packages/pkg/a.py", "exec")
    assert rules().leave_everywhere(installed)
    assert not rules(INCLUDE="pkg").leave_everywhere(installed)
    assert not rules().leave_everywhere(compile(text, HERE, "exec"))
