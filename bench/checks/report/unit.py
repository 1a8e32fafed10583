"""python -m unittest with a result that writes one JSON line for each test."""
import json
import os
import sys
import unittest


def ident(test):
    kind = type(test)
    if kind.__name__ == "_FailedTest":  # a module that cannot be imported
        return getattr(test, "_testMethodName").replace(".", "/") + ".py"
    if kind.__name__ == "_ErrorHolder":  # "setUpClass (package.module.Class)"
        name = test.description.split("(", 1)[-1].rstrip(")")
        module, _, cls = name.rpartition(".")
        if name in sys.modules:
            return os.path.relpath(sys.modules[name].__file__)
        return os.path.relpath(sys.modules[module].__file__) + "::" + cls
    module = sys.modules[kind.__module__]
    return "::".join([os.path.relpath(module.__file__), kind.__qualname__, test._testMethodName])


class Result(unittest.TextTestResult):
    def write(self, test, status):
        with open(os.environ["CHECKS_OUT"], "a", encoding="utf-8") as f:
            f.write(json.dumps({"id": ident(test), "status": status}) + "\n")

    def addSuccess(self, test):
        super().addSuccess(test)
        self.write(test, "passed")

    def addError(self, test, err):
        super().addError(test, err)
        self.write(test, "failed")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.write(test, "failed")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.write(test, "failed")

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.write(test, "failed")


class Runner(unittest.TextTestRunner):
    resultclass = Result


sys.path[0] = os.getcwd()
unittest.main(module=None, argv=["python3 -m unittest"] + sys.argv[1:], testRunner=Runner)
