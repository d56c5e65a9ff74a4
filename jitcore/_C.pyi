from typing import Any

def __getattr__(name: str) -> Any: ...  # the parts that are not typed here

class Kernel:
    """A compiled loop with the signature of its operands, see csrc/launcher.h."""

    name: str
    source: str
    launches: int
    refusals: int
    ninputs: int
    noutputs: int

    def __init__(
        self,
        address: int,
        name: str,
        inputs: tuple[tuple[str, int, tuple[int, ...], tuple[int, ...]], ...],
        outputs: tuple[tuple[str, int, tuple[int, ...], tuple[int, ...]], ...],
        dim: tuple[int, ...],
        step: tuple[int, ...],
        loops: tuple[object, ...],
        flag_mask: int,
        source: str,
        library: object,
    ) -> None: ...
    def __call__(self, *operands: Any) -> tuple[Any, ...] | None: ...
