# Gives the value of an expression in the namespace of a module of the
# repository, and prints what comes of it. What it says guides a model; it is never
# evidence.
import ast
import importlib
import importlib.util
import json
import os
import sys
import traceback

req = json.load(sys.stdin)
sys.path[:0] = [p for p in (os.getcwd(), os.path.join(os.getcwd(), "src"), os.path.join(os.getcwd(), "lib")) if os.path.isdir(p)]


def module(file):
    """Imports a file by the longest dotted name under which it can be found."""
    for root in sys.path[:3]:
        rel = os.path.relpath(os.path.abspath(file), root)
        if not rel.startswith(".."):
            name = rel[:-3].replace(os.sep, ".")
            name = name[: -len(".__init__")] if name.endswith(".__init__") else name
            try:
                return importlib.import_module(name)
            except ModuleNotFoundError as e:
                if e.name and not name.startswith(e.name):
                    raise
    spec = importlib.util.spec_from_file_location("tried", file)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


try:
    space = dict(vars(module(req["file"])))
    tree = ast.parse(req["expression"])
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "tried", "exec"), space)
    if last is not None:
        print(repr(eval(compile(ast.Expression(last.value), "tried", "eval"), space))[:4000])
except SystemExit as e:
    print("SystemExit:", e.code)
except BaseException as e:
    frames = [f for f in traceback.extract_tb(e.__traceback__) if f.filename != "<string>" and "importlib" not in f.filename]
    for f in frames[-6:]:
        print("  %s:%s in %s: %s" % (os.path.relpath(f.filename) if os.path.isabs(f.filename) else f.filename, f.lineno, f.name, f.line))
    print("%s: %s" % (type(e).__name__, str(e)[:1000]))
