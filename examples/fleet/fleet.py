"""Replays telemetry on Dask: each partition is one file, or one shard of it, and becomes one file of rows.

A partition that a worker loses runs again on another. Its rows appear under their name only when they are complete, so the
report does not depend on the workers. OUT must be a directory that all workers share.
"""
import argparse
import os
import pathlib
import subprocess
import uuid

import duckdb
from dask.distributed import Client, LocalCluster, as_completed

HOOKBENCH = os.environ.get("HOOKBENCH", "hookbench")


def replay(project, out, file, shard, run):
    """Writes the rows of a partition. Returns their path."""
    number, of = shard
    rows = pathlib.Path(out) / f"{pathlib.Path(file).name}.{number}-of-{of}.jsonl"
    unfinished = rows.with_name(f".{rows.name}.{uuid.uuid4().hex}")
    command = [HOOKBENCH, "replay", str(file), "--project", str(project), "--as-trusted", "--format", "jsonl"]
    command += ["--shard", f"{number}/{of}"] if of > 1 else []
    command += ["--run", "--yes"] if run else []
    with open(unfinished, "wb") as output:
        subprocess.run(command, stdout=output, stderr=subprocess.PIPE, check=True)
    os.replace(unfinished, rows)
    return str(rows)


def replay_all(client, args, after_first=lambda: None):
    """Replays all partitions on the workers of a client. Returns the paths of the rows."""
    out = pathlib.Path(args.out).resolve()
    out.mkdir(parents=True, exist_ok=True)
    partitions = [(pathlib.Path(file).resolve(), (n, args.shards)) for file in args.files for n in range(1, args.shards + 1)]
    project = pathlib.Path(args.project).resolve()
    futures = [client.submit(replay, project, out, file, shard, args.run, pure=False, retries=3) for file, shard in partitions]
    rows = []
    for future in as_completed(futures):
        rows.append(future.result())
        if len(rows) == 1:
            after_first()
    return sorted(rows)


def report(rows, form="text"):
    """The report of hookbench on rows."""
    return subprocess.run([HOOKBENCH, "report", "merge", "--format", form, *rows], stdout=subprocess.PIPE, check=True).stdout


def answers(rows):
    """Prints the answers to the questions of questions.sql."""
    duckdb.read_json(rows, format="newline_delimited").create_view("rows")
    for question in (pathlib.Path(__file__).parent / "questions.sql").read_text().split(";"):
        if question.strip():
            title, query = question.strip().split("\n", 1)
            print(title.removeprefix("-- "))
            print(duckdb.sql(query))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scheduler", help="address of a scheduler; without it, two workers start on this machine")
    parser.add_argument("--shards", type=int, default=1, help="partitions of each file")
    parser.add_argument("--run", action="store_true", help="run the hooks, which you have read")
    parser.add_argument("project")
    parser.add_argument("out")
    parser.add_argument("files", nargs="+")
    return parser.parse_args()


def local_cluster():
    return LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)


def main():
    args = arguments()
    with Client(args.scheduler or local_cluster()) as client:
        rows = replay_all(client, args)
    print(report(rows).decode())
    answers(rows)


if __name__ == "__main__":
    main()
