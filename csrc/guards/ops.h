/* The table of guard instructions: name, operands. Exported to Python as _C.GUARD_OPS: name → (number, operands).
 *
 * `d` a register that is written, `r` one that is read, `c` a constant, `i` a plain number, `h` one that the program
 * itself remembers: where it found a name last. After its operands each
 * instruction has the index of its reason. Constants that are objects of the user's are each a WeakIdentity.
 */
#ifndef JITCORE_GUARDS_OPS_H
#define JITCORE_GUARDS_OPS_H

/* loads: a miss where there is nothing */
#define GUARD_LOADS(X)          \
    X(LOAD_LOCAL, "di")         \
    X(LOAD_CELL_SLOT, "di")     \
    X(LOAD_STACK, "di")         \
    X(LOAD_FRAME_GLOBALS, "d")  \
    X(LOAD_FRAME_BUILTINS, "d") \
    X(LOAD_GLOBAL, "dc")        \
    X(LOAD_BUILTIN, "dc")       \
    X(LOAD_CONST, "dc")         \
    X(LOAD_KEPT, "dc")          \
    X(LOAD_ATTR, "drc")         \
    X(LOAD_OWN, "drch")         \
    X(LOAD_SLOT, "drci")        \
    X(LOAD_MODULE_ATTR, "drc")  \
    X(LOAD_FUNCTION, "dri")     \
    X(LOAD_CLOSURE, "dri")      \
    X(LOAD_METHOD_FUNC, "dr")   \
    X(LOAD_METHOD_SELF, "dr")   \
    X(LOAD_MEMBER, "drc")       \
    X(LOAD_ITERATOR, "dri")     \
    X(LOAD_EXTENT, "dri")       \
    X(LOAD_ITEM, "dri")         \
    X(LOAD_NAME, "drc")         \
    X(LOAD_KEY, "drch")

#define GUARD_CHECKS(X)     \
    X(HAS_TYPE, "rc")       \
    X(IS_OBJECT, "rc")      \
    X(EQUALS, "rc")         \
    X(LENGTH, "ri")         \
    X(KEYS, "rc")           \
    X(IS_ARRAY, "rc")       \
    X(NO_LOCAL, "i")        \
    X(NO_STACK, "i")        \
    X(NO_GLOBAL, "c")       \
    X(NO_ATTR, "rc")        \
    X(NO_NAME, "rc")        \
    X(NO_KEY, "rc")         \
    X(SAME_OBJECT, "rri")   \
    X(APART, "rr")          \
    X(SAME_EXTENT, "rriiii") \
    X(REMAINDER, "riii")    \
    X(TYPE_VERSION, "cc")   \
    X(ERRSTATE, "ii")

#define GUARD_OPS(X) GUARD_LOADS(X) GUARD_CHECKS(X)

#endif
