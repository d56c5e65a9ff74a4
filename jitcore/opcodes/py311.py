"""What is particular to CPython 3.11's instruction set."""

LAYOUT = "null-first"
LEAVE = "RETURN_VALUE"
COMPARE_SHIFT = 0
COMPARE_BOOL = 0
FOR_ITER_SKIPS = 0
ATTR_METHOD_BIT = False
INTRINSICS: dict[int, str] = {}
RENAMED = {
    f"POP_JUMP_{way}_IF_{what}": f"POP_JUMP_IF_{what}"
    for way in ("FORWARD", "BACKWARD")
    for what in ("TRUE", "FALSE", "NONE", "NOT_NONE")
}
THROW_LOOKS_BACK = False
JUMP_IF_TRUE = "POP_JUMP_FORWARD_IF_TRUE"
EFFECTS: dict[str, int] = {"RETURN_GENERATOR": 1}  # what the resumed generator pops; dis says 0
