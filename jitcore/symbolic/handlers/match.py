"""Structural pattern matching on known structure, and the error that `assert` names."""

from __future__ import annotations

from jitcore.fallback import breaks
from jitcore.opcodes.canon import Canon
from jitcore.symbolic.describe import describe
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.objects.iterate import length
from jitcore.symbolic.objects.subscripts import getitem
from jitcore.symbolic.opcode import opcode
from jitcore.symbolic.state import Frame
from jitcore.symbolic.values import Dict, Known, List, Traced, Tuple, Var
from jitcore.symbolic.wrap import realize


@opcode("MATCH_SEQUENCE")
def match_sequence(vm: Machine, frame: Frame, canon: Canon) -> None:
    subject = realize(vm, frame.stack[-1])
    known = decided(vm, subject)
    constant = isinstance(subject, Known) and isinstance(subject.obj, (tuple, list, range))
    frame.stack.append(Known(constant or isinstance(known, (Tuple, List))))


@opcode("MATCH_MAPPING")
def match_mapping(vm: Machine, frame: Frame, canon: Canon) -> None:
    known = decided(vm, realize(vm, frame.stack[-1]))
    frame.stack.append(Known(isinstance(known, Dict)))


def decided(vm: Machine, subject: Var) -> Var:
    if not isinstance(subject, (Tuple, List, Dict, Known)) and not (
        isinstance(subject, Traced) and hasattr(subject.value.type, "dtype")
    ):
        vm.stop(breaks.PATTERN, f"a pattern over {describe(subject)}")
    return subject


@opcode("GET_LEN")
def get_len(vm: Machine, frame: Frame, canon: Canon) -> None:
    count = length(vm, realize(vm, frame.stack[-1]))
    if count is None:
        vm.stop(breaks.PATTERN, "the length of the subject")
    frame.stack.append(Known(count))


@opcode("MATCH_KEYS")
def match_keys(vm: Machine, frame: Frame, canon: Canon) -> None:
    keys, subject = realize(vm, frame.stack[-1]), realize(vm, frame.stack[-2])
    if not isinstance(keys, Known) or not isinstance(subject, Dict):
        vm.stop(breaks.PATTERN, "the keys of a mapping pattern")
    if all(key in subject.items for key in keys.obj):
        found: Var = Tuple(tuple(getitem(vm, subject, Known(key)) for key in keys.obj))
    else:
        found = Known(None)
    frame.stack.append(found)


@opcode("LOAD_ASSERTION_ERROR", "-- error")
def load_assertion_error(vm: Machine, frame: Frame, canon: Canon) -> Var:
    return Known(AssertionError)
