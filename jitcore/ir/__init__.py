"""The intermediate representation: types, the op table, graphs, and what they mean."""

from .builder import Builder
from .graph import Body, Graph, Node, captured, uses, walk
from .interp import interpret
from .op import Effect, Kind, Op, Unsupported, leaf_type
from .ops import BY_CALL, OPS, row_named, row_of
from .ops_array import ATTRIBUTES, METHODS, Attribute
from .ops_operator import BY_OPERATOR, specialise
from .parse import ParseError, parse
from .strided import phantom
from .types import UNKNOWN, ArrayType, ObjectType, ScalarType, Type, parse_type, type_of
from .value import Value, leaves, map_tree, substitute, values
from .verify import VerifyError, verify

__all__ = [
    "ATTRIBUTES",
    "BY_CALL",
    "BY_OPERATOR",
    "METHODS",
    "OPS",
    "UNKNOWN",
    "ArrayType",
    "Attribute",
    "Body",
    "Builder",
    "Effect",
    "Graph",
    "Kind",
    "Node",
    "ObjectType",
    "Op",
    "ParseError",
    "ScalarType",
    "Type",
    "Unsupported",
    "Value",
    "VerifyError",
    "captured",
    "interpret",
    "leaf_type",
    "leaves",
    "map_tree",
    "parse",
    "parse_type",
    "phantom",
    "row_named",
    "row_of",
    "specialise",
    "substitute",
    "type_of",
    "uses",
    "values",
    "verify",
    "walk",
]
