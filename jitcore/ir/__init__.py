"""The intermediate representation: types, the op table, graphs, and what they mean."""

from .builder import Builder
from .graph import Body, Graph, Node, captured, uses, walk
from .op import Effect, Kind, Op, Unsupported, leaf_type
from .ops import BY_CALL, OPS, row_of
from .ops_array import ATTRIBUTES, METHODS, Attribute
from .ops_operator import BY_OPERATOR, specialise
from .types import (
    UNKNOWN,
    ArrayType,
    ObjectType,
    ScalarType,
    Type,
    parse_type,
    phantom,
    type_of,
)
from .value import Value, leaves, map_tree, values

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
    "ScalarType",
    "Type",
    "Unsupported",
    "Value",
    "captured",
    "leaf_type",
    "leaves",
    "map_tree",
    "parse_type",
    "phantom",
    "row_of",
    "specialise",
    "type_of",
    "uses",
    "values",
    "walk",
]
