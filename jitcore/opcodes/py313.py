"""What is particular to CPython 3.13's instruction set."""

LAYOUT = "null-last"
LEAVE = "INTERPRETER_EXIT"
COMPARE_SHIFT = 5
COMPARE_BOOL = 16
FOR_ITER_SKIPS = 4  # END_FOR, POP_TOP
ATTR_METHOD_BIT = True
INTRINSICS = {5: "UNARY_POSITIVE", 6: "LIST_TO_TUPLE"}
RENAMED: dict[str, str] = {}
THROW_LOOKS_BACK = True  # gen.throw() and ours find the handler of the unit before
JUMP_IF_TRUE = "POP_JUMP_IF_TRUE"
EFFECTS: dict[str, int] = {}
