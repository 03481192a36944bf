"""Worlds on two executors, one of which is killed at a random moment of each command: a program, because a process has
one session. ``python -m tests.spark.damaged.killing FIRST COUNT FOLDER`` prints what became of each world."""

import os
import random
import shutil
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from lakeproof.spark_checks.session import Options, session
from tests.spark.damaged import answers
from tests.spark.damaged.judging import COMMANDS, marked, run
from tests.spark.damaged.making import make, shape
from tests.spark.retention.worlds import NOW

CLUSTER = "local-cluster[2,1,1024]"
SECONDS = 8.0
"""Within which a command is met, mostly."""


def executors() -> list[int]:
    """Of this process, and of no other."""
    parents = {}
    for each in Path("/proc").iterdir():
        if each.name.isdigit():
            try:
                parents[int(each.name)] = int((each / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue  # it has ended meanwhile
    return sorted(pid for pid in parents if _descends(pid, parents) and b"CoarseGrainedExecutorBackend" in _line(pid))


def _descends(pid: int, parents: dict[int, int]) -> bool:
    while pid in parents:
        pid = parents[pid]
        if pid == os.getpid():
            return True
    return False


def _line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


class Killer(threading.Thread):
    """Kills one executor after a while, unless it is told to stop before."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__(daemon=True)
        self.chance, self.after, self.over = chance, chance.random() * SECONDS, threading.Event()
        self.killed = False

    def run(self) -> None:
        if not self.over.wait(self.after):
            there = executors()
            if there:
                os.kill(self.chance.choice(there), signal.SIGKILL)
                self.killed = True


def worlds(of: range, scratch: Path) -> Iterator[str]:
    for seed in of:
        chance, shaped = random.Random(f"kill {seed}"), shape(seed)
        folder = make(shaped, scratch / str(seed) / "dataset")
        command = chance.choice(sorted(COMMANDS))
        sound = COMMANDS[command](answers.rows(folder), NOW)
        killer = Killer(chance)
        killer.start()
        done = run(command, folder, scratch / str(seed) / "out", "run")
        killer.over.set()
        killer.join()
        told = f"{seed} {command} {'killed' if killer.killed else 'spared'} {done.exit_code}"
        if done.exit_code == 0 and marked(scratch / str(seed) / "out" / "run") == sound:
            yield f"{told} as the sound one"
        elif done.exit_code == 2 and not (scratch / str(seed) / "out" / "run").exists():
            yield f"{told} refused: {done.stderr.splitlines()[-1]}"
        else:
            yield f"{told} WRONG {done.output}"
        shutil.rmtree(scratch / str(seed))


if __name__ == "__main__":
    first, count, where = sys.argv[1:]
    with session(Options(master=CLUSTER, memory="1g", conf=(("spark.sql.shuffle.partitions", "2"),)), where):
        for line in worlds(range(int(first), int(first) + int(count)), Path(where)):
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
