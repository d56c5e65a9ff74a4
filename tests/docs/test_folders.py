"""Each folder's picture names what lies in it, and nothing that does not.

jitcore/*/__init__.py   its docstring: every module and folder beside it
csrc/README.md          a section for each folder: every file in it
docs/glossary.md        files that terms are to be found in
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE, CSRC = ROOT / "jitcore", ROOT / "csrc"
PACKAGES = sorted(path.parent for path in PACKAGE.glob("*/**/__init__.py"))
FOLDERS = sorted(path for path in CSRC.iterdir() if path.is_dir())
FILE = re.compile(r"[\w/.]+\.(?:py|[ch])\b|\b[\w/]+/(?=[\s,;.:)]|$)")
MOST_LINES = 36


def files_named(text: str) -> set[str]:
    return set(FILE.findall(text))


def picture(package: Path) -> str:
    tree = ast.parse((package / "__init__.py").read_text(encoding="utf-8"))
    return ast.get_docstring(tree) or ""


def sections() -> dict[str, str]:
    """Of csrc/README.md, by their folders; "": the files beside it."""
    text = (CSRC / "README.md").read_text(encoding="utf-8")
    found = re.split(r"^## (.+)$", text, flags=re.MULTILINE)[1:]
    named = dict(zip(found[::2], found[1::2], strict=True))
    return {"" if name == "Top" else name.removesuffix("/"): named[name] for name in named}


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_package_names_its_modules(package: Path) -> None:
    text = picture(package)
    modules = {path.name for path in package.glob("*.py")} - {"__init__.py"}
    folders = {f"{path.parent.name}/" for path in package.glob("*/__init__.py")}
    named = files_named(text)
    assert sorted((modules | folders) - named) == []  # they are not named
    places = (package, PACKAGE, ROOT)
    assert [name for name in named if not any((place / name).exists() for place in places)] == []
    assert len(text.splitlines()) <= MOST_LINES


def test_every_folder_of_the_extension_has_a_section() -> None:
    assert {"", *(folder.name for folder in FOLDERS)} <= sections().keys()


@pytest.mark.parametrize("folder", [CSRC, *FOLDERS], ids=lambda path: path.name)
def test_a_section_names_the_files_of_its_folder(folder: Path) -> None:
    text = sections()["" if folder == CSRC else folder.name]
    beginnings = [line[4:] for line in text.splitlines() if line.startswith("    ")]
    named = {name for line in beginnings for name in files_named(line.split("   ")[0])}
    assert named == {path.name for path in folder.glob("*.[ch]")}


def test_the_picture_of_a_call_names_files_that_exist() -> None:
    named = files_named(sections()["How a call runs"])
    assert not [name for name in named if "/" in name and not (CSRC / name).exists()]


def test_files_of_the_glossary_exist() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:jitcore|csrc|docs|tests|tools)/[^`\s]*)`", text))
    assert named
    assert not [name for name in named if not (ROOT / name).exists()]


def test_a_term_stands_once_in_the_glossary() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    terms = text.partition("## Words that changed")[0]
    rows = re.findall(r"^\| (?!Term |---)([^|]+) \|", terms, flags=re.MULTILINE)
    names = [name.strip() for row in rows for name in re.sub(r" \(\w+\)", "", row).split(",")]
    assert sorted(names) == sorted(set(names))


def test_words_that_the_code_still_has_are_in_it() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    rows = text.partition("## Words that the code still has")[2]
    gone = [
        f"{word}: no more in {', '.join(places)}"
        for row in re.findall(r"^\| `.+\|$", rows, flags=re.MULTILINE)
        for words, _, where in [row.strip("|").split("|")]
        for places in [re.findall(r"`([^`]+)`", where)]
        for word in re.findall(r"`(\w+)`", words)
        if not any(has_word(ROOT / place, word) for place in places)
    ]
    assert not gone, "\n".join(gone)


def has_word(place: Path, word: str) -> bool:
    files = [place] if place.is_file() else [p for p in place.rglob("*.*") if FILE.match(p.name)]
    pattern = rf"\b{word}" if word.endswith("_") else rf"\b{word}\b"
    return any(re.search(pattern, path.read_text(encoding="utf-8")) for path in files)
