"""Calls methods of openstacksdk's accelerator proxy.

Reads one JSON list a line, [URL, method, positional arguments, keyword arguments], and answers with one JSON object a line:
value, which is what was returned (lists in full), or error and status.
"""

import json
import sys
import types

import openstack


def plain(value):
    if isinstance(value, types.GeneratorType):
        return [plain(v) for v in value]
    return value.to_dict() if hasattr(value, "to_dict") else value


clouds = {}
for line in sys.stdin:
    url, method, arguments, named = json.loads(line)
    if url not in clouds:
        clouds[url] = openstack.connect(auth_type="none", endpoint=url, accelerator_endpoint_override=url + "/v2").accelerator
    try:
        if method == "methods":
            own = vars(type(clouds[url]))
            answer = {"value": sorted(n for n, v in own.items() if callable(v) and not n.startswith("_"))}
        else:
            answer = {"value": plain(getattr(clouds[url], method)(*arguments, **named))}
    except Exception as error:
        answer = {"error": type(error).__name__ + ": " + str(error), "status": getattr(error, "status_code", None)}
    print(json.dumps(answer, default=str), flush=True)
