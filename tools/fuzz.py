"""Random NumPy programs, eager and compiled, compared bit for bit. What differs is shrunk and
printed as a program; the exit status says whether there was any.

    python tools/fuzz.py --seed 1 --count 1000 --jobs 2
    python tools/fuzz.py --seconds 600 --backend c --out finds/
    python tools/fuzz.py --seed 4711 --count 1 --show
    python tools/fuzz.py --grammar loops --backend c --seconds 600
    python tools/fuzz.py --grammar mutations --count 200 --seconds 6000    (50,000 changes)
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import threading
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from fuzzing.profiles import PROFILES, program
from fuzzing.server import Server
from fuzzing.shrink import shrink

# A generator tries statements out with sys.stdout and the warning filters replaced: one at once.
GENERATING = threading.Lock()


@dataclasses.dataclass
class Tally:
    """What the workers have done so far; `lock` guards it, and the output."""

    seed: int
    programs: int = 0
    raised: int = 0
    useless: int = 0
    finds: int = 0
    steps: int = 0
    hits: int = 0
    compiles: int = 0
    lock: threading.Lock = dataclasses.field(default_factory=threading.Lock)

    def next(self) -> int:
        with self.lock:
            self.seed += 1
            return self.seed - 1

    def count(self, answer: dict[str, Any]) -> None:
        with self.lock:
            self.programs += 1
            self.raised += bool(answer.get("raised"))
            self.useless += "failed" in answer
            self.finds += answer["field"] is not None
            self.steps += answer.get("steps", 0)
            self.hits += answer.get("hits", 0)
            self.compiles += answer.get("compiles", 0)


def main() -> int:
    options = arguments()
    if options.show:
        print(program(options.grammar, options.seed))
    tally = Tally(options.seed)
    started = time.monotonic()
    threads = [
        threading.Thread(target=work, args=(options, tally, started)) for _ in range(options.jobs)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.monotonic() - started
    print(
        f"{tally.programs} programs in {took:.0f} s, backend {options.backend}: "
        f"{tally.finds} differ, {tally.raised} raised, {tally.useless} did not start"
    )
    if tally.steps:
        print(
            f"{tally.steps} changes, each with a call; {tally.hits} times a region ran, of "
            f"{tally.compiles} that were compiled"
        )
    return 1 if tally.finds else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=1_000_000_000)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--backend", choices=("numpy", "c"), default="numpy")
    parser.add_argument("--grammar", choices=tuple(PROFILES), default="arrays")
    parser.add_argument("--paying", action="store_true", help="only regions that pay, as users do")
    parser.add_argument("--timeout", type=float, default=30.0, help="seconds before a hang")
    parser.add_argument("--shrink", type=float, default=30.0, help="seconds for each find")
    parser.add_argument("--finds", type=int, default=20, help="stop after this many")
    parser.add_argument("--out", type=Path, help="a folder for the programs that differ")
    parser.add_argument("--show", action="store_true", help="print the first program")
    return parser.parse_args()


def work(options: argparse.Namespace, tally: Tally, started: float) -> None:
    environment = {
        "JITCORE_BACKEND": options.backend,
        "JITCORE_KEEP_ALL": "" if options.paying else "1",
    }
    server = Server(environment, options.timeout)
    while tally.finds < options.finds and time.monotonic() - started < options.seconds:
        seed = tally.next()
        if seed >= options.seed + options.count:
            break
        with GENERATING:
            text = program(options.grammar, seed)
        answer = server.ask({"text": text})
        tally.count(answer)
        if answer["field"] is not None:
            report(seed, answer, smallest(text, answer, server, options), tally, options)
    server.close()


def smallest(
    text: str, answer: dict[str, Any], server: Server, options: argparse.Namespace
) -> str | None:
    """None where the program alone does not differ: earlier ones matter."""

    def same(candidate: str) -> bool:
        found = server.ask({"text": candidate})
        if answer.get("raised") is False and found.get("raised"):
            return False  # a program that ends well stays one
        return bool(found["field"] == answer["field"])

    return shrink(text, same, options.shrink) if same(text) else None


def report(
    seed: int,
    answer: dict[str, Any],
    text: str | None,
    tally: Tally,
    options: argparse.Namespace,
) -> None:
    head = f"# seed {seed}: {answer['difference']}".replace("\n", "\n# ")
    found = text if text is not None else "# only after other programs"
    with tally.lock:
        print(f"{head}\n{found}\n", flush=True)
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / f"{answer['field'].replace(' ', '_')}_{seed}.py").write_text(
            f"{head}\n{found}\n"
        )


if __name__ == "__main__":
    sys.exit(main())
