"""Tasks that hand each other packets, by a scheduler: attributes, methods, queues."""

from __future__ import annotations


class Packet:
    def __init__(self, sender: int, work: int) -> None:
        self.sender, self.work = sender, work
        self.link: Packet | None = None


class Task:
    def __init__(self, number: int, priority: int) -> None:
        self.number, self.priority = number, priority
        self.queue: Packet | None = None
        self.done = 0

    def give(self, packet: Packet) -> None:
        packet.link = None
        if self.queue is None:
            self.queue = packet
            return
        last = self.queue
        while last.link is not None:
            last = last.link
        last.link = packet

    def take(self) -> Packet | None:
        packet = self.queue
        if packet is not None:
            self.queue = packet.link
        return packet

    def step(self, scheduler: Scheduler) -> None:
        packet = self.take()
        if packet is not None:
            self.handle(packet, scheduler)

    def handle(self, packet: Packet, scheduler: Scheduler) -> None:
        self.done += 1


class Worker(Task):
    def handle(self, packet: Packet, scheduler: Scheduler) -> None:
        self.done += packet.work
        if packet.work > 1:
            scheduler.send(packet.sender, Packet(self.number, packet.work - 1))


class Device(Task):
    def handle(self, packet: Packet, scheduler: Scheduler) -> None:
        self.done ^= packet.work
        scheduler.send(
            (self.number + 1) % len(scheduler.tasks), Packet(self.number, packet.work - 1)
        )


class Scheduler:
    def __init__(self, tasks: list[Task]) -> None:
        self.tasks = tasks
        self.sent = 0

    def send(self, number: int, packet: Packet) -> None:
        if packet.work > 0:
            self.sent += 1
            self.tasks[number].give(packet)

    def loop(self) -> None:
        while any(task.queue is not None for task in self.tasks):
            for task in sorted(self.tasks, key=lambda task: -task.priority):
                task.step(self)


def run() -> int:
    tasks: list[Task] = [Worker(i, i) if i % 2 else Device(i, 10 - i) for i in range(6)]
    scheduler = Scheduler(tasks)
    for i in range(40):
        scheduler.send(i % 6, Packet((i + 1) % 6, 20))
    scheduler.loop()
    return scheduler.sent + sum(task.done for task in tasks)
