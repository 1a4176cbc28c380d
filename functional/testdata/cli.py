"""Runs commands of the openstack client in this process, which saves the time that loading it takes.

Reads one JSON list of arguments a line, and answers with one JSON object a line: code, stdout, stderr.
"""

import contextlib
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


for line in sys.stdin:
    print(json.dumps(run(json.loads(line))), flush=True)
