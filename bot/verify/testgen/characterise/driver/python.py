# Looks at functions from outside: which arguments they are called with while
# tests run ("record"), and what given calls come to ("observe"). One request is
# read from standard input; each line that it writes to the error stream begins
# with a mark. What it says makes tests, which are then judged by being run.
import base64
import collections
import importlib
import inspect
import json
import math
import os
import signal
import sys
import time

req = json.load(sys.stdin)
OUT = os.dup(2)
NOWHERE = os.open(os.devnull, os.O_RDWR)
for fd in (0, 1, 2):
    os.dup2(NOWHERE, fd)
PARTS, DEEP, TEXT, WHOLE = 20, 4, 200, 300
ASLEEP = 0x80 | 0x200  # coroutine, asynchronous generator


class NoLiteral(Exception):
    pass


FOLLOWED = 20000  # calls


def say(line):
    os.write(OUT, (req["mark"] + json.dumps(line) + "\n").encode())


def plain(text):
    return len(text) <= TEXT and all(c in "\n\t\r" or c.isprintable() and ord(c) < 0x10000 for c in text)


def literal(value, depth=0):
    """A value as it would stand in a source file, by its parts."""
    kind = type(value)
    if depth > DEEP:
        raise NoLiteral
    if value is None:
        return {"k": "nil", "t": "None"}
    if kind is bool:
        return {"k": "bool", "t": repr(value)}
    if kind is int and abs(value) < 10**15:
        return {"k": "int", "t": repr(value)}
    if kind is float and math.isfinite(value):
        return {"k": "float", "t": repr(value)}
    if kind is str and plain(value):
        return {"k": "str", "s": value, "t": json.dumps(value, ensure_ascii=False)}
    if kind is bytes and len(value) <= TEXT:
        return {"k": "raw", "t": repr(value)}
    if kind in (list, tuple, set, frozenset, dict) and len(value) <= PARTS:
        if kind is dict:
            parts = [dict(literal(v, depth + 1), p=text(literal(k, depth + 1)) + ": ") for k, v in value.items()]
        else:
            parts = [literal(v, depth + 1) for v in value]
        if kind in (set, frozenset):
            parts.sort(key=text)
        name, begin, end = {list: ("list", "[", "]"), tuple: ("tuple", "(", ")"), set: ("set", "{", "}"), dict: ("map", "{", "}"), frozenset: ("set", "frozenset({", "})")}[kind]
        return {"k": name, "o": begin, "c": end, "e": parts}
    raise NoLiteral


def text(value):
    if "o" not in value:
        return value.get("p", "") + value["t"]
    parts = [text(v) for v in value["e"]]
    if value["k"] == "tuple" and len(parts) == 1:
        parts[0] += ","
    if value["k"] == "set" and not parts:
        return value.get("p", "") + ("set()" if value["o"] == "{" else "frozenset()")
    return value.get("p", "") + value["o"] + ", ".join(parts) + value["c"]


def arguments(frame, fn, skip):
    """The arguments of a call that begins, as they would be written."""
    code, given = frame.f_code, frame.f_locals
    names = code.co_varnames[: code.co_argcount]
    defaults = dict(zip(reversed(names), reversed(getattr(fn, "__defaults__", None) or ())))
    values = [(n, given[n]) for n in names[skip:]]
    at = code.co_argcount + code.co_kwonlyargcount
    rest = ()
    if code.co_flags & 4:
        rest = given[code.co_varnames[at]]
        at += 1
    while not rest and values and values[-1][0] in defaults and values[-1][1] is defaults[values[-1][0]]:
        values.pop()
    out = [literal(v) for _, v in values] + [literal(v) for v in rest]
    only = getattr(fn, "__kwdefaults__", None) or {}
    for n in code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]:
        if n not in only or given[n] is not only[n]:
            out.append(dict(literal(given[n]), p=n + "="))
    if code.co_flags & 8:
        out += [dict(literal(v), p=n + "=") for n, v in given[code.co_varnames[at]].items()]
    return out


def calls_itself(frame, me):
    """The caller is a method of the same object: that call is a part of its own."""
    code = frame.f_code if frame is not None else None
    return bool(code and code.co_argcount and frame.f_locals.get(code.co_varnames[0]) is me)


MOST, TRIES = 12, 300  # calls of a function that are told, and others that are looked at
PAST = 8  # calls of an object before the one that is told
DULL = 20  # calls after which code that was no method of the classes is taken for none


def done():
    sys.settrace(None)
    say({"path": [p for p in sys.path if p]})
    os._exit(0)


class Recorder:
    """Tells of the calls of some functions, each with other arguments once."""

    def __init__(self):
        self.spots = {}
        for i, t in enumerate(req["targets"]):
            self.spots.setdefault((os.path.realpath(t["path"]), t["name"]), []).append((i, t))
        self.files = {f for f, _ in self.spots}
        self.classes = {t["class"] for t in req["targets"] if t["class"]}
        self.real, self.told, self.count, self.objects = {}, set(), {}, {}
        self.left = {i: TRIES for i in range(len(req["targets"]))}  # of calls that told nothing new
        self.dull, self.kin = {}, {}  # how often code was no method of the classes; whether a class is one of them

    def file(self, code):
        name = code.co_filename
        if name not in self.real:
            self.real[name] = os.path.realpath(name)
        return self.real[name]

    def __call__(self, frame, event, _):
        code = frame.f_code
        if self.dull.get(code, 0) >= DULL:
            return
        file = self.file(code)
        try:
            own = file in self.files
            if not (self.classes and code.co_argcount and self.follow(frame, code, file) or own):
                self.dull[code] = self.dull.get(code, 0) + 1
            if own:
                for i, t in self.spots.get((file, code.co_name), ()):
                    self.look(i, t, frame, code)
        except Exception:  # what cannot be written down is not told
            pass
        if not self.left:
            done()

    def look(self, i, t, frame, code):
        """Asks one call, as long as its function has something new to tell."""
        if i not in self.left:
            return
        had = self.count.get(i, 0)
        try:
            self.seen(i, t, frame, code)
        finally:
            if self.count.get(i, 0) == had:
                self.left[i] -= 1
            if self.count.get(i, 0) >= MOST or self.left[i] <= 0:
                del self.left[i]

    def follow(self, frame, code, file):
        """Notes how objects of the classes came to be as they are."""
        me = frame.f_locals.get(code.co_varnames[0])
        cls = type(me)
        if cls not in self.kin:
            self.kin[cls] = any(c.__name__ in self.classes for c in cls.__mro__)
        if not self.kin[cls]:
            return False
        self.note(me, cls, frame, code, file)
        return True

    def note(self, me, cls, frame, code, file):
        one = self.objects.get(id(me))
        if code.co_name != "__init__" and (not one or len(one["calls"]) > PAST):
            return  # how it came to be cannot be written down, or would be too long
        method = getattr(cls, code.co_name, None)
        if getattr(inspect.unwrap(method) if callable(method) else method, "__code__", None) is not code:
            return
        if code.co_name == "__init__":
            self.objects[id(me)] = None
            self.objects[id(me)] = {"class": cls.__name__, "module": cls.__module__, "args": arguments(frame, method, 1), "calls": []}
            return
        if not code.co_name.startswith("__") and file in self.files and not calls_itself(frame.f_back, me):
            one["now"] = len(one["calls"])
            one["calls"].append(None)
            one["calls"][-1] = {"name": code.co_name, "args": arguments(frame, method, 1)}

    def seen(self, i, t, frame, code):
        if code.co_flags & ASLEEP:
            return
        line = {"spot": i, "module": frame.f_globals["__name__"], "generator": bool(code.co_flags & 0x20)}
        fn, skip = frame.f_globals.get(code.co_name), 0
        if t["class"]:
            me = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
            if isinstance(me, type) and code.co_varnames[0] == "cls":
                line["recv"], skip = {"class": me.__name__, "static": True}, 1
            elif any(c.__name__ == t["class"] for c in type(me).__mro__):
                one = self.objects.get(id(me), 0)
                if one == 0 and type(me).__init__ is object.__init__:
                    one = {"class": type(me).__name__, "module": type(me).__module__, "args": [], "calls": []}
                if not one or one["module"] != line["module"]:
                    return
                line["recv"], skip = {"class": one["class"], "args": one["args"]}, 1
                past = one["calls"][: one["now"]] if one.get("now") == len(one["calls"]) - 1 and one["calls"][-1] and one["calls"][-1]["name"] == code.co_name else one["calls"]
                if None in past or len(past) > PAST:
                    return
                line["before"] = past
                line["property"] = not callable(inspect.getattr_static(type(me), code.co_name)) and hasattr(inspect.getattr_static(type(me), code.co_name), "__get__")
            else:
                line["recv"] = {"class": t["class"], "static": True}
            fn = getattr(getattr(me, "__class__", None), code.co_name, None)
        elif frame.f_back is not None and getattr(frame.f_globals.get(code.co_name), "__module__", None) != line["module"]:
            return
        line["args"] = arguments(frame, inspect.unwrap(fn) if callable(fn) else None, skip)
        key = json.dumps(line, sort_keys=True)
        if key not in self.told and len(key) < 4000:
            self.told.add(key)
            self.count[i] = self.count.get(i, 0) + 1
            say(line)


def brief(value, most=80):
    """A value in a few characters, whatever it is."""
    try:
        out = text(literal(value))
    except Exception:
        try:
            out = repr(value)
        except BaseException:
            out = "<%s>" % type(value).__name__
    return out if len(out) <= most else out[: most - 1] + "…"


class Tracer:
    """Tells the calls of some functions, and what came of each: the first at once, of
    the others at the end those that ended last, which the calls around them are among."""

    def __init__(self):
        self.first = req["most"] // 3
        self.late, self.open = collections.deque(maxlen=req["most"] - self.first), {}
        self.spots, self.real, self.calls, self.depth, self.raised = {}, {}, 0, 0, {}
        for i, t in enumerate(req["targets"]):
            self.spots.setdefault((os.path.realpath(t["path"]), t["name"]), []).append((i, t))

    def __call__(self, frame, event, _):
        code = frame.f_code
        name = code.co_filename
        if name not in self.real:
            self.real[name] = os.path.realpath(name)
        for i, t in self.spots.get((self.real[name], code.co_name), ()):
            if t["from"] <= code.co_firstlineno <= t["to"] and self.calls < FOLLOWED and not code.co_flags & 0x2A0:
                return self.follow(i, frame, code)
        return None

    def follow(self, spot, frame, code):
        self.calls += 1
        call, state = self.calls, {}
        at = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
        names = [n for n in code.co_varnames[:at] if n not in ("self", "cls")]
        self.begin(call, {"call": call, "spot": spot, "depth": self.depth, "args": ", ".join("%s=%s" % (n, brief(frame.f_locals[n])) for n in names if n in frame.f_locals)})
        self.depth += 1
        frame.f_trace_lines = False

        def local(inner, event, arg):
            if event == "exception":
                state["raised"] = arg[1]
            elif event == "return":
                self.depth -= 1
                error = state.get("raised")
                if arg is None and error is not None:
                    began = id(error) not in self.raised
                    self.raised[id(error)] = error
                    self.end(call, {"call": call, "raised": "%s: %s" % (type(error).__name__, str(error)[:120]), "began": began})
                else:
                    self.end(call, {"call": call, "gave": brief(arg, 160)})
            return local

        return local

    def begin(self, call, line):
        if call <= self.first:
            say(line)
        else:
            self.open[call] = line

    def end(self, call, line):
        if call <= self.first:
            say(line)
        else:
            self.late.append((self.open.pop(call), line))

    def rest(self):
        sys.settrace(None)
        for line in [*list(self.open.values())[: self.late.maxlen], *(part for both in self.late for part in both)]:
            say(line)
        say({"calls": self.calls})

    def over(self, *_):
        self.rest()
        os._exit(0)


def record():
    tracing = req["mode"] == "trace"
    watch = Tracer() if tracing else Recorder()  # of frames that it gives nothing for, it is told the beginning alone
    if tracing:
        signal.signal(signal.SIGALRM, watch.over)
    signal.alarm(int(req["wall"]))
    sys.path.insert(0, os.getcwd())
    try:
        import pytest
    except ImportError:
        pytest = None
    try:
        if pytest and req["runner"] == "pytest":
            args = ["-q", "-p", "no:cacheprovider", "-o", "addopts=", *req["files"]]
            sys.settrace(watch)
            pytest.main(args)
        else:
            import unittest

            sys.settrace(watch)
            unittest.main(module=None, argv=["unittest", *req["files"]], exit=False)
    except BaseException:  # whatever it was, what was told counts
        pass
    if tracing:
        watch.rest()
    done()


class Late(BaseException):
    pass


CLOCK = {"time": None, "time_ns": None, "monotonic": None, "perf_counter": None, "localtime": None, "gmtime": None, "urandom": None, "getrandbits": None, "random": None, "now": None, "utcnow": None, "today": None, "sleep": None, "getenv": None}
active, impure = False, False


def importing():
    """What is opened now is a module that the code imports late."""
    frame = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def audit(event, args):
    global impure
    if not active:
        return
    if event == "open":
        impure = impure or not importing()
    elif event.split(".")[0] in ("socket", "subprocess", "shutil", "tempfile", "urllib", "ctypes", "http", "ftplib", "smtplib") or event in ("os.system", "os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.exec", "os.fork", "os.posix_spawn", "os.chdir", "os.chmod", "time.sleep"):
        impure = True


def tick(frame, event, arg):
    global impure
    if event == "c_call" and arg.__name__ in CLOCK:
        owner = getattr(arg, "__self__", None)
        home = str(getattr(arg, "__module__", None) or getattr(owner, "__module__", None) or getattr(type(owner), "__module__", ""))
        if home in ("time", "datetime", "random", "_random", "posix", "secrets"):
            impure = True


def late(*_):
    raise Late


def shown(value):
    try:
        out = text(literal(value))
    except Exception:
        return None
    return out if len(out) <= WHOLE else None


def one(names, call):
    global active, impure
    space, out, impure = dict(names), {"id": call["id"]}, False
    signal.setitimer(signal.ITIMER_REAL, 0.4)
    try:
        for line in call["setup"]:
            exec(line, space)
        active = True
        sys.setprofile(tick)
        value = eval(call["text"], space)
        sys.setprofile(None)
        active = False
        out["value"] = shown(value)
        out["opaque"] = out["value"] is None
        out["after"] = [shown(space.get(n)) or "" for n in call["about"]]
    except Late:
        out["late"] = True
    except Exception as e:
        out["raises"] = type(e).__name__
        out["home"] = type(e).__module__
    except BaseException:
        out["opaque"] = True
    finally:
        sys.setprofile(None)
        active = False
        signal.setitimer(signal.ITIMER_REAL, 0)
    out["impure"] = impure
    return out


def observe():
    """Looks at one text of the source file after another, each in a process of
    its own."""
    end = time.monotonic() + req["wall"]
    for i, content in enumerate(req["texts"]):
        left = min(req["each"], end - time.monotonic())
        if left <= 0:
            break
        if os.path.exists(req["file"]):
            os.remove(req["file"])  # it may be read-only, or a link
        with open(req["file"], "wb") as f:
            f.write(base64.b64decode(content))
        say({"begins": i})
        child = os.fork()
        if child == 0:
            os.setpgid(0, 0)
            look()
        signal.signal(signal.SIGALRM, late)
        signal.setitimer(signal.ITIMER_REAL, left)
        try:
            os.waitpid(child, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
        except Late:  # what was told counts
            pass
        try:
            os.killpg(child, signal.SIGKILL)
        except OSError:  # it is gone, as it should be
            pass
    os._exit(0)


def look():
    sys.path[:0] = req["path"] or [os.getcwd()]
    try:
        module = importlib.import_module(req["module"])
    except BaseException as e:
        say({"broken": type(e).__name__ + ": " + str(e)[:200]})
        os._exit(0)
    sys.addaudithook(audit)
    signal.signal(signal.SIGALRM, late)
    names = vars(module)
    for call in req["calls"]:
        try:
            say(one(names, call))
        except Late:
            say({"id": call["id"], "late": True})
    say({"done": True})
    os._exit(0)


(observe if req["mode"] == "observe" else record)()
