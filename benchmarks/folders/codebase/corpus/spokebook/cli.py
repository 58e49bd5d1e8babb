"""spokebook on the command line (operators, cron)."""

import argparse
import sys

from . import __version__, clock, config, customers, db, inventory, ledger_export, scheduler
from .errors import JobStillRunning, SpokeError


def _parser():
    top = argparse.ArgumentParser(prog="spokebook")
    top.add_argument("--version", action="version", version=__version__)
    sub = top.add_subparsers(dest="command", required=True)

    job = sub.add_parser("job", help="run one job now")
    job.add_argument("name", choices=sorted(scheduler.JOBS))

    export = sub.add_parser("export", help="ledger file of a month")
    export.add_argument("month", help="2025-07")
    export.add_argument("--force", action="store_true", help="although the period is closed")
    export.add_argument("-o", "--output", required=True)

    show = sub.add_parser("setting", help="print the value in force")
    show.add_argument("key")

    move = sub.add_parser("move", help="transfer a bike to another shop")
    move.add_argument("tag")
    move.add_argument("branch")

    erase = sub.add_parser("erase", help="blank the personal data of a customer")
    erase.add_argument("customer", type=int)

    sub.add_parser("check", help="settings, schema, time zone")
    return top


def main(argv=None):
    args = _parser().parse_args(argv)
    try:
        return _run(args)
    except JobStillRunning as problem:
        print(problem, file=sys.stderr)
        return 75
    except SpokeError as problem:
        print(f"{problem.code} {problem}", file=sys.stderr)
        return 1


def _run(args):
    if args.command == "job":
        print(scheduler.run(args.name))
    elif args.command == "export":
        year, month = map(int, args.month.split("-"))
        with open(args.output, "wb") as out:
            out.write(ledger_export.export(year, month, force=args.force))
    elif args.command == "setting":
        print(config.get(args.key))
    elif args.command == "move":
        inventory.transfer(args.tag, args.branch.upper(), by="cli")
    elif args.command == "erase":
        customers.erase(args.customer)
    elif args.command == "check":
        db.check_schema()
        print("schema ok, local time", clock.now().astimezone(clock.zone()).isoformat())
    return 0


if __name__ == "__main__":
    sys.exit(main())
