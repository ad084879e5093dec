"""Kills a worker in the middle of a replay on Dask, and compares the report with that of one process without Dask."""
import os
import pathlib
import signal
import sys

import fleet
from dask.distributed import Client


def main():
    args = fleet.arguments()
    out = pathlib.Path(args.out)
    with Client(fleet.local_cluster()) as client:
        workers = client.run(os.getpid)
        killed = []

        def kill_a_worker():
            killed.append(next(iter(workers.values())))
            os.kill(killed[0], signal.SIGKILL)

        args.out = out / "dask"
        rows = fleet.replay_all(client, args, after_first=kill_a_worker)
        survivors = set(client.run(os.getpid).values())
    alone = out / "alone"
    alone.mkdir(parents=True, exist_ok=True)
    single = [fleet.replay(args.project, alone.resolve(), file, (1, 1), args.run) for file in args.files]
    assert killed and killed[0] not in survivors, "no worker was killed"
    for form in ("text", "json"):
        if fleet.report(rows, form) != fleet.report(single, form):
            sys.exit(f"the reports differ: {rows} and {single}")
    print(f"worker {killed[0]} was killed; {len(rows)} partitions give the same report as one process without Dask")
    print(fleet.report(rows).decode())


if __name__ == "__main__":
    main()
