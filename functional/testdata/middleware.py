"""Guards nothing with Keystone's own middleware, which the argument's Keystone helps, and reads tokens from its input.

A line is a user's token and, behind a blank, a service token; the answer is the status and what the application saw."""

import logging
import sys

import webob
from keystonemiddleware import auth_token

logging.disable(logging.CRITICAL)


def application(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    seen = [environ.get(name, "-") for name in ("HTTP_X_PROJECT_NAME", "HTTP_X_USER_NAME", "HTTP_X_ROLES", "HTTP_X_SERVICE_ROLES")]
    return [" ".join(seen).encode()]


guarded = auth_token.AuthProtocol(application, {
    "auth_type": "password", "auth_url": sys.argv[1], "username": "nova", "password": "secret", "project_name": "service",
    "user_domain_name": "Default", "project_domain_name": "Default", "www_authenticate_uri": sys.argv[1],
    "service_token_roles_required": True,
})
for line in sys.stdin:
    tokens = line.split()
    request = webob.Request.blank("/v2/devices")
    request.headers["X-Auth-Token"] = tokens[0]
    if len(tokens) > 1:
        request.headers["X-Service-Token"] = tokens[1]
    answer = request.get_response(guarded)
    print(answer.status_int, answer.text.strip() if answer.status_int == 200 else answer.headers.get("WWW-Authenticate"), flush=True)
