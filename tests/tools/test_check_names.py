"""Names and sizes: the tree keeps to them, and what does not is found."""

from pathlib import Path

import check_names
import pytest


@pytest.mark.by_turns
def test_the_tree_keeps_to_them() -> None:
    package, extension = check_names.ROOT / "jitcore", check_names.ROOT / "csrc"
    found = [*check_names.twice(package), *check_names.sizes(package, extension)]
    assert found == []


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_two_classes_and_two_modules_of_one_name_are_found(tmp_path: Path) -> None:
    written(
        tmp_path,
        {
            "ir/plan.py": "class Step: ...\n",
            "loops/plan.py": "class Step: ...\n",
            "ir/arrays.py": "",
            "loops/arrays.py": "",
        },
    )
    one, two = tmp_path / "ir/plan.py", tmp_path / "loops/plan.py"
    assert [*check_names.twice(tmp_path)] == [
        f"{two}:1: {one} has a class Step, too",
        f"{two}: has the name of {one}",
    ]


def test_long_files_and_full_folders_are_found(tmp_path: Path) -> None:
    package = written(
        tmp_path / "jitcore",
        {f"m{k}.py": "" for k in range(11)} | {"ir/long.py": "x = 1\n" * 351},
    )
    extension = written(
        tmp_path / "csrc", {f"frame/f{k}.c": "" for k in range(21)} | {"a.c": "\n" * 401}
    )
    assert [*check_names.sizes(package, extension)] == [
        f"{package}: 11 modules, at most 10 are wanted",
        f"{extension / 'frame'}: 21 files, at most 20 are wanted",
        f"{package / 'ir/long.py'}: 351 lines, at most 350 are wanted",
        f"{extension / 'a.c'}: 401 lines, at most 400 are wanted",
    ]
