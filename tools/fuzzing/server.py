"""A worker process as an object: ask it, and learn of crashes and hangs as verdicts."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent


class Server:
    def __init__(self, environment: dict[str, str], timeout: float) -> None:
        paths = os.pathsep.join([str(ROOT), str(ROOT / "tools")])
        self.environment = {**os.environ, **environment, "PYTHONPATH": paths, "PYTHONHASHSEED": "0"}
        self.timeout = timeout
        self.process: subprocess.Popen[str] | None = None
        self.errors: Any = None

    def start(self) -> subprocess.Popen[str]:
        self.errors = tempfile.TemporaryFile("w+")  # noqa: SIM115
        self.process = subprocess.Popen(
            [sys.executable, "-m", "fuzzing.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            env=self.environment,
            text=True,
        )
        return self.process

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        process = self.process or self.start()
        assert process.stdin is not None and process.stdout is not None
        try:
            print(json.dumps(request), file=process.stdin, flush=True)
            ready, _, _ = select.select([process.stdout], [], [], self.timeout)
        except BrokenPipeError:
            ready = [process.stdout]
        if not ready:
            process.send_signal(signal.SIGABRT)  # faulthandler says where it hangs
            return self.lost("hang")
        line = process.stdout.readline()
        return json.loads(line) if line else self.lost("crash")

    def lost(self, field: str) -> dict[str, Any]:
        assert self.process is not None
        self.process.wait()
        self.errors.seek(0)
        said = self.errors.read()[-3000:]
        code = self.process.returncode
        self.close()
        return {"field": field, "difference": f"the process ended with {code}\n{said}"}

    def close(self) -> None:
        if self.process is None:
            return
        self.process.kill()
        self.process.wait()
        streams: list[Any] = [self.process.stdin, self.process.stdout, self.errors]
        for stream in streams:
            with contextlib.suppress(BrokenPipeError):
                stream.close()
        self.process = None
