"""Breaks J5xx: objects and effects."""

from jitcore.fallback.breaks.kind import COULD, YOUR_ERROR, row

# fmt: off
ATTRIBUTE = row(
    "J501", "attribute", COULD,
    "an attribute of an object that jitcore does not model",
    runs="the access",
    hint="read it before the hot part and pass the value in",
)
CUSTOM_ATTRIBUTE = row(
    "J502", "custom-attribute", COULD,
    "a class with its own __getattr__, __getattribute__ or __setattr__",
    runs="the access; the method is compiled by itself",
    hint="use a plain attribute or a property",
)
DESCRIPTOR = row(
    "J503", "descriptor", COULD,
    "an attribute whose access runs code that jitcore does not know",
    runs="the access",
    hint="use a plain attribute, a property or a method",
)
MISSING_ATTRIBUTE = row(
    "J504", "missing-attribute", YOUR_ERROR,
    "the object has no such attribute",
    runs="the access, which raises AttributeError",
    hint="set the attribute before, or use getattr with a default",
)
CONTAINER_MUTATION = row(
    "J505", "container-mutation", COULD,
    "a container is changed in a way that jitcore does not compile",
    runs="the statement",
    hint="build a new container, or change it outside the hot part",
)
GLOBAL_WRITE = row(
    "J507", "global-write", COULD,
    "a global variable is written in a way that jitcore does not capture",
    runs="the statement",
    hint="return the value and let the caller store it",
)
UNGUARDABLE = row(
    "J508", "unguardable", COULD,
    "a value that jitcore cannot check cheaply on the next call",
    runs="the use of the value",
    hint="pass it as an array, a number, a string or a plain object",
)
FORMAT = row(
    "J509", "format", COULD,
    "a string is formatted from a value that is computed at run time",
    runs="the formatting",
    hint="a formatted number stays in the graph, if it is only printed, kept or returned; of "
    "anything else return the value, and format it in the caller",
)
OPERATOR = row(
    "J510", "operator", COULD,
    "an operator on objects that jitcore does not model",
    runs="the operation; Python methods that it calls are compiled by themselves",
    hint="do it before and pass the result in, or write it with arrays and numbers",
)
CONTAINER_TYPE = row(
    "J511", "container-type", COULD,
    "a container of a type that jitcore does not model",
    runs="the access",
    hint="use a list, tuple, dict or set",
)
PYTHON_RAISES = row(
    "J512", "python-raises", YOUR_ERROR,
    "Python raises an exception here",
    runs="the instruction, which raises",
    hint="check keys, indices, lengths and operand types",
)
ATTRIBUTE_WRITE = row(
    "J513", "attribute-write", COULD,
    "an attribute is set, which may run code or fail for this object",
    runs="the statement",
    hint="set plain attributes of plain objects",
)
TYPE_UNSUPPORTED = row(
    "J514", "type-unsupported", COULD,
    "a value of a type that jitcore does not model",
    runs="the instruction",
    hint="pass arrays, numbers, strings, tuples, lists, dicts or plain objects, or what the "
    "code reads of the value",
)
