"""What is particular to CPython 3.12's instruction set."""

LAYOUT = "null-first"
LEAVE = "INTERPRETER_EXIT"
COMPARE_SHIFT = 4
COMPARE_BOOL = 0
FOR_ITER_SKIPS = 2  # END_FOR
ATTR_METHOD_BIT = True
INTRINSICS = {5: "UNARY_POSITIVE", 6: "LIST_TO_TUPLE"}
RENAMED: dict[str, str] = {}
THROW_LOOKS_BACK = False
JUMP_IF_TRUE = "POP_JUMP_IF_TRUE"
EFFECTS: dict[str, int] = {"RETURN_GENERATOR": 1}  # what the resumed generator pops; dis says 0
