"""Writes what a real HTCondor makes of the expressions in the first column of a table.

    python3 evaluate.py my.ad target.ad match.txt > match.new
    python3 evaluate.py my.ad - alone.txt > alone.new

Needs HTCondor's Python bindings; the tables were made with version 23.9.6. A line is an expression, a tab and its value;
"(syntax)" stands for an expression that is refused, "(fails)" for one whose evaluation fails as a whole.
"""
import sys

import classad
import htcondor  # noqa: F401  registers the functions that are not in the classad library itself


def value(text, my, target):
    try:
        tree = classad.ExprTree(text)
    except SyntaxError:
        return "(syntax)"
    try:
        return str(tree.simplify(my, target) if target is not None else tree.simplify(my))
    except RuntimeError:
        return "(fails)"


def main():
    my = classad.ClassAd(open(sys.argv[1]).read())
    target = classad.ClassAd(open(sys.argv[2]).read()) if sys.argv[2] != "-" else None
    for line in open(sys.argv[3]):
        text = line.rstrip("\n").split("\t")[0]
        print(text + "\t" + value(text, my, target))


main()
