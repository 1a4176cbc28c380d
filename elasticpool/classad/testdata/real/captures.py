"""Writes what a real HTCondor makes of the expressions in recorded ads, each job matched with each slot.

    python3 captures.py ../captures/condor_q.json ../captures/condor_q_full_job.json ../captures/condor_q_groupby.json \
        ../captures/condor_status_full.json > captures.txt

Needs HTCondor's Python bindings. The last file has the slots. A line is the place of the job in its file, the place of
the slot, whose attribute it is (job or slot), its name and its value, with tabs between them.
"""
import json
import sys

import classad
import htcondor  # noqa: F401  registers the functions that are not in the classad library itself


def text(value):
    if isinstance(value, str):
        if value.startswith("/Expr(") and value.endswith(")/"):
            return value[len("/Expr("):-len(")/")]
        return classad.quote(value)
    if isinstance(value, list):
        return "{" + ",".join(text(v) for v in value) + "}"
    if isinstance(value, dict):
        return "[" + ";".join("'" + k + "'=" + text(v) for k, v in value.items()) + "]"
    return json.dumps(value)


def expressions(ad):
    return sorted(k for k, v in ad.items() if isinstance(v, str) and v.startswith("/Expr("))


def main():
    slots = [(ad, classad.ClassAd(text(ad))) for ad in json.load(open(sys.argv[-1]))]
    for file in sys.argv[1:-1]:
        for i, job in enumerate(json.load(open(file))):
            jobad = classad.ClassAd(text(job))
            for j, (slot, slotad) in enumerate(slots):
                for side, raw, my, target in (("job", job, jobad, slotad), ("slot", slot, slotad, jobad)):
                    for name in expressions(raw):
                        value = my.lookup(name).simplify(my, target)
                        print(file.split("/")[-1], i, j, side, name, value, sep="\t")


main()
