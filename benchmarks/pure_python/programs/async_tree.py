"""Coroutines that gather coroutines, some of which sleep."""

import asyncio


async def leaf(depth: int) -> int:
    if depth % 2:
        await asyncio.sleep(0)
    return 1


async def branch(depth: int) -> int:
    if depth == 0:
        return await leaf(depth)
    return 1 + sum(await asyncio.gather(*(branch(depth - 1) for _ in range(4))))


def run() -> int:
    return asyncio.run(branch(4))
