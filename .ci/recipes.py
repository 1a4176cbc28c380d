"""Prints the commands of one recipe in docs/ci.md as a shell script: recipes.py github|gitlab|zuul|compose PAGE."""

import re
import shlex
import sys

import yaml


def github(document):
    print('export GITHUB_ENV=$PWD/github.env; touch "$GITHUB_ENV"')
    for step in document["jobs"]["test"]["steps"]:
        if "run" in step:
            print(step["run"])
            print('set -a; . "$GITHUB_ENV"; set +a')


def gitlab(document):
    for name, value in document["test"]["variables"].items():
        print(f"export {name}={shlex.quote(value)}")
    print("\n".join(document["test"]["script"]))


def zuul(document):
    for task in document[0]["tasks"]:
        print(task["ansible.builtin.shell"])


def compose(document):
    """What the container does, on a free port and without a container."""
    for name, value in document["services"]["fakecyborg"]["environment"].items():
        print(f"export {name}={shlex.quote(value)}")
    print("./fakecyborg -listen 127.0.0.1:0 -address-file fake.address >fake.out 2>fake.log &")
    print("timeout 60 sh -c 'until [ -s fake.address ]; do sleep 0.1; done'")
    print('env -i ./fakecyborg -check "$(cat fake.address)"')
    print("""curl -fsS "$(cat fake.address)/_fake/health" | grep '"release": "2025.1"'""")


RECIPES = {
    "github": lambda d: isinstance(d, dict) and "jobs" in d,
    "gitlab": lambda d: isinstance(d, dict) and "test" in d,
    "zuul": lambda d: isinstance(d, list),
    "compose": lambda d: isinstance(d, dict) and "services" in d,
}

if __name__ == "__main__":
    recipe, page = sys.argv[1:]
    with open(page, encoding="utf-8") as text:
        blocks = re.findall(r"(?ms)^```yaml\n(.*?)^```$", text.read())
    [found] = [d for d in map(yaml.safe_load, blocks) if RECIPES[recipe](d)]
    globals()[recipe](found)
