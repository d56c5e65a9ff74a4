"""Patterns compiled by the standard library's Python, and matched by its C."""

import re

TEXT = " ".join(f"{i}-{i * 7 % 31:02x} user{i % 13}@example.org" for i in range(300))
PATTERNS = (
    r"(\d+)-([0-9a-f]{2})",
    r"\b\w+@(\w+)\.org\b",
    r"(?:user)(?P<n>\d+)(?=@)",
    r"(a|e|i|o|u)+[^aeiou]",
)


def run() -> int:
    found = 0
    for pattern in PATTERNS:
        re.purge()
        found += len(re.compile(pattern).findall(TEXT))
        found += len(re.sub(pattern, lambda match: match.group().upper(), TEXT))
    return found
