"""Runs Placement's own test suite, which is written for gabbi, over HTTP.

    run.py SUITE COMMAND ARGUMENTS...

SUITE is the folder with the suite's YAML files. COMMAND starts a Placement: it prints its URL as its first line and ends
when its standard input does. It is started anew for every file. Files whose fixtures need another configuration of the
service are left out. The last line is "N passed, N failed, N skipped"; the exit code is 0 only when there were tests, every
one passed, and there are as many as --expect says.
"""

import argparse
import contextlib
import pathlib
import subprocess
import sys
import types
import unittest
import urllib.parse
import warnings

import yaml
from gabbi import fixture, handlers, suitemaker

import fixtures


@contextlib.contextmanager
def placement(command):
    """A Placement of our own, as its URL."""
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        url = server.stdout.readline().strip()
        if not url.startswith("http://127.0.0.1:"):
            raise RuntimeError(f"{command[0]} printed {url!r} instead of a loopback URL")
        yield url
    finally:
        server.stdin.close()
        server.wait(30)


def fixture_module(url):
    """The fixtures by name, as gabbi wants them: classes in a module."""

    def as_class(name, make):
        body = {"start_fixture": lambda self: make(fixtures.Api(url))}
        return type(name, (fixture.GabbiFixture,), body)

    return types.SimpleNamespace(**{name: as_class(name, make) for name, make in fixtures.BY_NAME.items()})


def run_file(path, content, command):
    """Runs one file against a new Placement."""
    with placement(command) as url:
        target = urllib.parse.urlsplit(url)
        suite = suitemaker.test_suite_from_dict(
            unittest.TestLoader(),
            path.stem,
            content,
            str(path.parent),
            target.hostname,
            target.port,
            fixture_module(url),
            None,
            handlers=[handler() for handler in handlers.RESPONSE_HANDLERS],
            test_loader_name="gabbi",
        )
        return unittest.TextTestRunner(stream=sys.stdout, verbosity=0).run(suite)


def read(suite, only):
    """The suite's files that can be run, and the names of those that cannot."""
    runnable, left_out = {}, []
    for path in sorted(suite.glob("*.yaml")):
        if only and path.stem not in only:
            continue
        content = yaml.safe_load(path.read_text())
        if all(name in fixtures.BY_NAME for name in content.get("fixtures", ())):
            runnable[path] = content
        else:
            left_out.append(path.stem)
    return runnable, left_out


def count(results):
    """The numbers of all files together: passed, failed, skipped."""
    failed = sum(len(r.failures) + len(r.errors) + len(r.unexpectedSuccesses) for r in results)
    skipped = sum(len(r.skipped) for r in results)
    passed = sum(r.testsRun - len(r.failures) - len(r.errors) - len(r.unexpectedSuccesses) - len(r.skipped) for r in results)
    return passed, failed, skipped


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", help="run only these, by name without .yaml, with commas between")
    parser.add_argument("--expect", help="FILES,TESTS: how many there must be")
    parser.add_argument("suite", type=pathlib.Path)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # of gabbi's libraries

    runnable, left_out = read(arguments.suite, arguments.files and arguments.files.split(","))
    results = []
    for path, content in runnable.items():
        print(f"== {path.stem}", flush=True)
        results.append(run_file(path, content, arguments.command))
    passed, failed, skipped = count(results)
    if left_out:
        print("left out, since they need another configuration:", *left_out)
    print(f"{len(runnable)} files")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")

    found = f"{len(runnable)},{passed + failed + skipped}"
    if arguments.expect and found != arguments.expect:
        print(f"want {arguments.expect} files and tests, found {found}", file=sys.stderr)
        return 1
    return 0 if passed and not failed and not skipped else 1


if __name__ == "__main__":
    sys.exit(main())
