"""Programs in processes of their own, with jitcore.pth where `site` finds it, or plainly."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parents[2]
SITE = """import os, site
for folder in ("lib", "lib64"):  # as in a virtual environment
    site.addsitedir(os.path.join(os.path.dirname(__file__), folder))
"""

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """run(program, *arguments, words=options, script=what_runs, **environment): as if jitcore were
    installed. Addresses in what it prints are left out."""
    (tmp_path / "site" / "lib").mkdir(parents=True)
    (tmp_path / "site" / "lib64").symlink_to("lib")
    (tmp_path / "site" / "sitecustomize.py").write_text(SITE)
    shutil.copy(TREE / "jitcore.pth", tmp_path / "site" / "lib")

    def run_program(
        program: str,
        *arguments: str,
        words: tuple[str, ...] = (),
        script: tuple[str, ...] = ("program.py",),
        **environment: str,
    ) -> subprocess.CompletedProcess[str]:
        (tmp_path / "program.py").write_text(textwrap.dedent(program))
        env = {k: v for k, v in os.environ.items() if not k.startswith("JITCORE_K")}
        env["PYTHONPATH"] = os.pathsep.join([str(tmp_path / "site"), str(TREE)])
        command = [sys.executable, *words, *script]
        done = subprocess.run(
            [*command, *arguments],
            capture_output=True,
            text=True,
            timeout=100,
            cwd=tmp_path,
            env=env | environment,
            check=False,
        )
        done.stdout = re.sub("0x[0-9a-f]+", "0x", done.stdout)
        return done

    return run_program
