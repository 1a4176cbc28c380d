"""Runs commands of the openstack client in this process, which saves the time that loading it takes.

Reads one JSON list of arguments a line, and answers with one JSON object a line: code, stdout, stderr. An empty list asks for the
names of the accelerator plugin's commands.
"""

import contextlib
import importlib.metadata
import io
import json
import sys

from openstackclient import shell


def run(arguments):
    out, problems = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(problems):
        try:
            code = shell.main(arguments)
        except SystemExit as end:
            code = end.code
    return {"code": code, "stdout": out.getvalue(), "stderr": problems.getvalue()}


def commands():
    points = importlib.metadata.distribution("python-cyborgclient").entry_points
    names = [point.name for point in points if point.group == "openstack.accelerator.v2"]
    return sorted(name.removeprefix("accelerator_").replace("_", " ") for name in names)


for line in sys.stdin:
    arguments = json.loads(line)
    print(json.dumps(run(arguments) if arguments else commands()), flush=True)
