"""`+ - * / // % ** & | ^ << >>` of numbers in C: checked ints, floats, complex numbers."""

from __future__ import annotations

import operator

import numpy as np

from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Node
from jitcore.loops.c_types import c_type, is_int, number, result, world
from jitcore.loops.emitter import LoopEmitter
from jitcore.loops.forms.scalars import FORMS, Form, both, form, target, within
from jitcore.loops.fp_flags import called, watched

CHECKED = {"+": "add", "-": "sub", "*": "mul"}


def arithmetic(sign: str) -> Form:
    def made(w: LoopEmitter, node: Node) -> str:
        kind, _ = world(node)
        a, b = both(w, node)
        if kind in "iu":
            out = w.scratch(c_type(result(node)))
            w.leave_if(node, f"__builtin_{CHECKED[sign]}_overflow({a}, {b}, &{out})")
            return out
        if kind == "f":
            return watched(w, node, f"{a} {sign} {b}")
        if kind == "c":
            return complex_arithmetic(w, node, sign, a, b)
        raise CannotLower(f"{sign} with result {result(node)}")

    return made


def complex_arithmetic(w: LoopEmitter, node: Node, sign: str, a: str, b: str) -> str:
    name = c_type(result(node))
    a, b = w.kept(name, a), w.kept(name, b)
    if sign == "*":
        re, im = f"{a}.re * {b}.re - {a}.im * {b}.im", f"{a}.re * {b}.im + {a}.im * {b}.re"
    else:
        re, im = f"{a}.re {sign} {b}.re", f"{a}.im {sign} {b}.im"
    return watched(w, node, f"({name}){{{re}, {im}}}")


for _name, _sign in (("add", "+"), ("sub", "-"), ("mul", "*")):
    FORMS[f"op.{_name}"] = arithmetic(_sign)


@form("op.truediv")
def divide(w: LoopEmitter, node: Node) -> str:
    kind, python = world(node)
    if kind != "f":
        raise CannotLower("/ of complex numbers")
    if python:
        for arg in node.args:
            if number(arg).dtype.kind == "i" and all(is_int(number(one)) for one in node.args):
                within(w, node, arg)
    a, b = both(w, node)
    if python:
        b = w.kept("f64", b)
        w.leave_if(node, f"{b} == 0")
    return watched(w, node, f"{a} / {b}")


@form("op.floordiv", "op.mod")
def floor_divide(w: LoopEmitter, node: Node) -> str:
    kind, _ = world(node)
    name = c_type(result(node))
    if kind not in "iuf":
        raise CannotLower(f"// of {result(node)}")
    a, b = (w.kept(name, one) for one in both(w, node))
    w.leave_if(node, f"{b} == 0")
    which = "div" if node.op.name == "op.floordiv" else "mod"
    if kind == "u":
        return f"({name})({a} {'/' if which == 'div' else '%'} {b})"
    if kind == "i":
        least = np.iinfo(result(node).dtype).min
        if node.args[1] == -1 or type(node.args[1]) is not int:
            w.leave_if(node, f"{b} == -1 && {a} == ({name}){least + 1}LL - 1")
        return f"({name})rt_whole_{which}({a}, {b})"
    if name != "f64":
        raise CannotLower("// of float32")
    w.leave_if(node, f"!__builtin_isfinite({a}) || !__builtin_isfinite({b})")
    return watched(w, node, f"rt_real_{which}({a}, {b})")


@form("op.pow")
@target(operator.pow)
def power(w: LoopEmitter, node: Node) -> str:
    kind, python = world(node)
    base, exponent = node.args
    if kind == "i" and python:
        if type(exponent) is int and 0 <= exponent <= 64:
            return whole_power(w, node, w.text(base), exponent)
        out = w.scratch("i64")
        w.leave_if(node, f"rt_whole_power({w.text(base)}, {w.text(exponent)}, &{out})")
        return out
    if kind != "f" or c_type(result(node)) != "f64":
        raise CannotLower(f"** with result {result(node)}")
    chars = [number(arg).dtype.char for arg in node.args if not number(arg).python]
    if not python and ("d" not in chars or "?" in chars):
        raise CannotLower("** by np.power")
    a, b = (w.kept("f64", one) for one in both(w, node))
    if python:
        odd = f"{a} < 0 && {b} != __builtin_floor({b})"
        w.leave_if(node, f"!__builtin_isfinite({a}) || !__builtin_isfinite({b}) || ({odd})")
        out = w.kept("f64", f"rt_pow({a}, {b})")
        w.leave_if(node, f"!__builtin_isfinite({out})")
        return out
    return called(w, node, f"rt_pow({a}, {b})")


def whole_power(w: LoopEmitter, node: Node, base: str, exponent: int) -> str:
    out = "1LL"
    for bit in bin(exponent)[2:] if exponent else "":
        for factor in (None, base) if bit == "1" else (None,):
            if factor is None and out == "1LL":
                continue
            made = w.scratch("i64")
            w.leave_if(node, f"__builtin_mul_overflow({out}, {factor or out}, &{made})")
            out = made
    return out


@form("op.and_", "op.or_", "op.xor")
def bits(w: LoopEmitter, node: Node) -> str:
    sign = {"op.and_": "&", "op.or_": "|", "op.xor": "^"}[node.op.name]
    kind, _ = world(node)
    if kind == "b":
        a, b = (f"({w.text(arg)} != 0)" for arg in node.args)
        return f"{a} {sign} {b}"
    if kind not in "iu":
        raise CannotLower(f"{sign} of {result(node)}")
    a, b = both(w, node)
    return f"({c_type(result(node))})({a} {sign} {b})"


@form("op.lshift", "op.rshift")
def shift(w: LoopEmitter, node: Node) -> str:
    kind, python = world(node)
    if kind not in "iu":
        raise CannotLower(f"a shift of {result(node)}")
    name, left = c_type(result(node)), node.op.name == "op.lshift"
    a, b = (w.kept(name, one) for one in both(w, node))
    if python:
        w.leave_if(node, f"(u64){b} > 62")
        if not left:
            return f"{a} >> {b}"
        out = w.kept("i64", f"(i64)((u64){a} << {b})")
        w.leave_if(node, f"({out} >> {b}) != {a}")
        return out
    unsigned, bits = name.replace("i", "u"), 8 * result(node).dtype.itemsize
    w.leave_if(node, f"({unsigned}){b} >= {bits}")
    return f"({name})({f'({unsigned}){a} << {b}' if left else f'{a} >> {b}'})"
