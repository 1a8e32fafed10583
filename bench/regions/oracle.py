"""Lists what Python itself sees in files.

Each line of the input is a path; each line of the output is a JSON object:
file, error (of the compiler, or null), defs: [kind, name, start, end] with
1-based lines, decorators included.
"""
import ast
import json
import sys
import warnings

warnings.simplefilter("ignore")
sys.setrecursionlimit(20000)
KINDS = {ast.FunctionDef: "function", ast.AsyncFunctionDef: "function", ast.ClassDef: "class"}


def look(path):
    with open(path, "rb") as f:
        source = f.read()
    try:
        tree = ast.parse(source)
        compile(source, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as e:
        return {"file": path, "error": "%s at line %s" % (e, getattr(e, "lineno", 0)), "defs": []}
    defs = []
    for node in ast.walk(tree):
        kind = KINDS.get(type(node))
        if kind:
            start = min([node.lineno] + [d.lineno for d in node.decorator_list])
            defs.append([kind, node.name, start, node.end_lineno])
    return {"file": path, "error": None, "defs": defs}


for line in sys.stdin:
    print(json.dumps(look(line.rstrip("\n"))), flush=True)
