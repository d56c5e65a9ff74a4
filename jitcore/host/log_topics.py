"""The words of JITCORE_LOGS: topics, with + or - before them. Apart from logs.py, since who reads
the environment (config.py) may do without the module logging."""

from __future__ import annotations

TOPICS = ("graph", "guards", "breaks", "recompiles", "code", "kernels", "cache")
ALL = "all"
SIGNS = ("+", "-")
WORDS = f"topics between commas, of {', '.join(TOPICS)}, {ALL}; +topic says more, -topic nothing"


def signed(text: str) -> list[tuple[str, str]]:
    """Sign, or nothing, and topic."""
    return [split(word) for part in text.split(",") if (word := part.strip())]


def split(word: str) -> tuple[str, str]:
    sign = word[0] if word[0] in SIGNS else ""
    return sign, word[len(sign) :].strip()


def is_understood(text: str) -> bool:
    return all(topic in (*TOPICS, ALL) for _, topic in signed(text))
