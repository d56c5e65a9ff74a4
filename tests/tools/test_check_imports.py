"""The import order: the tree keeps to it, and a line that does not is found."""

from pathlib import Path

import check_imports
import pytest


def complaints(folder: Path, name: str, text: str) -> list[str]:
    path = folder / "jitcore" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    found = list(check_imports.complaints(folder / "jitcore"))
    return [line.removeprefix(f"{path}:") for line in found]


@pytest.mark.by_turns
def test_the_tree_keeps_to_the_order() -> None:
    package = check_imports.ROOT / "jitcore"
    assert [*check_imports.complaints(package), *check_imports.circles(package)] == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ir/graph.py", "import numpy as np\nfrom jitcore.ir import types\n"),
        ("fallback/exit.py", "from jitcore.guards.source import Source\nimport enum\n"),
        ("guards/program.py", "from jitcore import _C\nfrom jitcore.ir.types import Type\n"),
        ("pipeline.py", "from jitcore.symbolic import vm\nfrom jitcore import kernels\n"),
        ("__init__.py", "from jitcore.api import compile\n"),
        ("config.py", 's = LazyModule("jitcore.user.config_scope")\nsub = LazyModule("re")\n'),
    ],
)
def test_lines_that_point_down_pass(tmp_path: Path, name: str, text: str) -> None:
    assert complaints(tmp_path, name, text) == []


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("ir/graph.py", "from jitcore.symbolic import vm\n", "1: ir may not import symbolic.vm"),
        ("ir/graph.py", "from .. import pipeline\n", "1: a relative import"),
        ("ir/graph.py", "from jitcore.guards import guard\n", "1: ir may not import guards.guard"),
        ("fallback/exit.py", "import jitcore.guards\n", "1: fallback may not import guards"),
        ("errors.py", "import numpy\n", "1: errors may not import numpy"),
        ("kernels/emit.py", "import jitcore\n", "1: kernels may not import jitcore"),
        ("kernels/lower.py", "from jitcore import passes\n", "1: kernels may not import passes"),
        (
            "symbolic/vm.py",
            "def f():\n    import re\n",
            "2: import of re inside a function",
        ),
        ("config.py", 'x = LazyModule("jitcore.api")\n', "1: config may not import api"),
        ("config.py", "from jitcore import user\n", "1: config may not import user"),
        ("odd.py", "import re\n", "1: odd has no place in the order of the layers"),
    ],
)
def test_a_line_that_points_up_is_found(tmp_path: Path, name: str, text: str, found: str) -> None:
    assert complaints(tmp_path, name, text) == [found]


TYPED = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from jitcore.ir.a import A\n"


def test_a_circle_is_found_where_it_is_of_types_only(tmp_path: Path) -> None:
    package = tmp_path / "jitcore"
    (package / "ir").mkdir(parents=True)
    (package / "ir" / "a.py").write_text("from jitcore.ir.b import B\n")
    (package / "ir" / "b.py").write_text(TYPED)
    (package / "ir" / "c.py").write_text("from jitcore.ir.a import A\n")
    assert [*check_imports.circles(package)] == [
        f"{package}/ir/a.py: in a circle, by jitcore.ir.b",
        f"{package}/ir/b.py: in a circle, by jitcore.ir.a",
    ]


def test_two_test_modules_of_one_name_are_found(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "test_it.py").touch()
    first, second = (tmp_path / folder / "test_it.py" for folder in ("one", "two"))
    assert list(check_imports.namesakes(tmp_path)) == [f"{second}: has the name of {first}"]
