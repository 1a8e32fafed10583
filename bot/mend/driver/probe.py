# Shows how changed code behaves on inputs near those of the tests. Each call of
# a probed function is done again, on copies of its arguments as they are and on
# changed copies; what comes of it is said as text that can be compared between
# candidates. Calls that a test file makes of the tree's functions are probed too.
import copy
import datetime
import decimal
import enum
import hashlib
import itertools

CALLS, VARIANTS, PROBES = 14, 40, 900  # of a function, of a call, in all
SECONDS, CALL = 4.0, 0.15
PLAIN = (bool, int, float, complex, str, bytes, type(None))
KNOWN = (datetime.date, datetime.time, datetime.timedelta, datetime.tzinfo, decimal.Decimal, enum.Enum)
CRASHES = (TypeError, AttributeError, NameError, RecursionError, NotImplementedError, MemoryError)
ASLEEP = 0x20 | 0x80 | 0x200  # generator, coroutine, asynchronous generator


def show(value, depth=0, above=()):
    """Text of a value by its parts, without addresses."""
    if isinstance(value, PLAIN) or isinstance(value, KNOWN):
        return repr(value)[:300]
    if depth > 6:
        return "…"
    if id(value) in above:
        return "<cycle>"
    above += (id(value),)
    kind = type(value).__name__
    if isinstance(value, dict):
        return kind + "{" + ", ".join(show(k, depth + 1, above) + ": " + show(v, depth + 1, above) for k, v in itertools.islice(value.items(), 60)) + "}"
    if isinstance(value, (set, frozenset)):
        return kind + "{" + ", ".join(sorted(show(v, depth + 1, above) for v in value)[:60]) + "}"
    if isinstance(value, (list, tuple)) or kind == "deque":
        return kind + "[" + ", ".join(show(v, depth + 1, above) for v in itertools.islice(value, 60)) + "]"
    if isinstance(value, BaseException):
        return kind
    if callable(value):
        return getattr(value, "__qualname__", kind)
    fields = parts(value)
    if fields:
        return kind + "(" + ", ".join(k + "=" + show(v, depth + 1, above) for k, v in fields) + ")"
    return kind


def parts(value):
    """The attributes of an object, by name."""
    found = dict(getattr(value, "__dict__", None) or {})
    for cls in type(value).__mro__:
        for name in getattr(cls, "__slots__", None) or ():
            if isinstance(name, str) and hasattr(value, name):
                found[name] = getattr(value, name)
    return sorted((k, v) for k, v in found.items() if not k.startswith("__"))


def mutable(value, path, out, depth=0):
    """Notes the paths of the containers and objects that can be changed."""
    if depth > 5 or isinstance(value, PLAIN) or isinstance(value, KNOWN) or callable(value) or id(value) in out and depth:
        return
    if isinstance(value, dict):
        below = [(repr(k)[:40], v) for k, v in itertools.islice(value.items(), 40)]
    elif isinstance(value, (list, tuple)):
        below = [(str(i), v) for i, v in enumerate(value[:20])]
    else:
        below = parts(value)
    if not isinstance(value, (tuple, frozenset)):
        out.setdefault(id(value), path)
    for name, v in below:
        mutable(v, path + "." + name, out, depth + 1)


def variants(v, deep=True):
    """Values near a value, each with words that say what was done."""
    if isinstance(v, bool):
        yield "not", not v
    elif isinstance(v, enum.Enum):
        for m in itertools.islice((m for m in type(v) if m is not v), 2):
            yield m.name, m
    elif isinstance(v, int):
        for n in dict.fromkeys((v + 1, v - 1, 0, 1, -v, v * 10 + 3, 2)):
            if n != v:
                yield str(n), n
    elif isinstance(v, float):
        for n in dict.fromkeys((v + 1, v - 1, 0.0, -v, v / 2, v + 0.5)):
            if n != v:
                yield str(n), n
    elif isinstance(v, decimal.Decimal):
        for n in (v + 1, -v, decimal.Decimal(0), v / 2):
            yield str(n), n
    elif isinstance(v, str):
        number = "".join(str((int(c) + 1) % 10) if c in "0123456789" else c for c in v)
        for n in dict.fromkeys(("", v.upper(), v.lower(), v[:-1], v[1:], v + v[-1:], " " + v + " ", v[::-1], v + "x", number, v.replace(" ", ""), v + " " + v)):
            if n != v:
                yield repr(n)[:60], n
    elif isinstance(v, bytes):
        for n in (b"", v[:-1], v + v[-1:]):
            yield repr(n)[:60], n
    elif isinstance(v, datetime.timedelta):
        for n in (datetime.timedelta(0), -v, v * 2, v + datetime.timedelta(seconds=1)):
            yield str(n), n
    elif isinstance(v, datetime.date):
        for days in (1, -1, 7, 31, 366):
            try:
                yield "%+d days" % days, v + datetime.timedelta(days=days)
            except OverflowError:
                pass
    elif isinstance(v, (list, tuple)) and type(v) in (list, tuple):
        made = type(v)
        for what, n in (("empty", v[:0]), ("first", v[:1]), ("rest", v[1:]), ("but last", v[:-1]), ("reversed", v[::-1]), ("again", v + v[:1]), ("twice", v + v)):
            if n != v:
                yield what, n
        for i in sorted({0, len(v) - 1} if v and deep else ()):
            for what, n in itertools.islice(variants(v[i], False), 4):
                yield "%d: %s" % (i, what), made(list(v[:i]) + [n] + list(v[i + 1:]))
    elif isinstance(v, dict):
        if v:
            yield "empty", type(v)() if type(v) is dict else {}
        for k in list(v)[:4]:
            yield "without %r" % (k,), {a: b for a, b in v.items() if a != k}
            for what, n in itertools.islice(variants(v[k], False), 4 if deep else 1):
                yield "%r: %s" % (k, what), {**v, k: n}
        if len(v) > 1:
            yield "reversed", dict(reversed(list(v.items())))
    elif isinstance(v, (set, frozenset)):
        for what, n in (("empty", type(v)()), ("fewer", type(v)(sorted(v, key=repr)[1:]))):
            if n != v:
                yield what, n
    elif v is not None and not callable(v) and deep and type(v).__module__ != "builtins":
        for name, field in parts(v)[:8]:
            for what, n in itertools.islice(variants(field, False), 4):
                try:
                    other = copy.deepcopy(v)
                    object.__setattr__(other, name, n)
                except Exception:
                    break
                yield "%s: %s" % (name, what), other


def changed(args):
    """Lists of arguments near a list of arguments, the same ones first."""
    yield "as it is", args
    for i, (name, value) in enumerate(args):
        others = list(itertools.islice(variants(value), 16))
        if value is not None and not isinstance(value, bool) and name != "self":
            others.append(("None", None))
        for what, n in others:
            yield name + " " + what, args[:i] + [(name, n)] + args[i + 1:]
    for i in range(len(args) - 1):
        (a, x), (b, y) = args[i], args[i + 1]
        if type(x) is type(y) and x is not None and a != "self" and show(x) != show(y):
            yield a + " and " + b + " swapped", args[:i] + [(a, y), (b, x)] + args[i + 2:]
            yield a + " and " + b + " the same", args[:i] + [(a, y), (b, y)] + args[i + 2:]


class Prober:
    """Follows the calls of a test and does them again."""

    def __init__(self, say, spots, tests):
        self.say, self.spots, self.tests = say, spots, tests
        self.seen, self.count, self.spent = set(), {}, {}
        self.share = max(60, PROBES // (len(spots) + 3))  # of one function
        self.until = time.monotonic() + SECONDS
        self.test = ""

    def on(self, test):
        self.test = test
        sys.setprofile(self.follow)

    def off(self):
        sys.setprofile(None)

    def follow(self, frame, event, arg):
        code = frame.f_code
        if event != "call" or not ours(code.co_filename) or not code.co_flags & 0x1 or code.co_name.startswith("<"):
            return
        name = code.co_filename[len(ROOT):] + ":" + code.co_name
        spot, up = name in self.spots, frame.f_back
        entry = up is not None and up.f_code.co_filename[len(ROOT):] in self.tests and name.partition(":")[0] not in self.tests
        if not spot and not entry:
            return
        if code.co_flags & ASLEEP and frame.f_lasti > 8:
            return  # a generator goes on
        sys.setprofile(None)
        try:
            if spot and (name, self.test) not in self.seen:
                self.seen.add((name, self.test))
                self.say({"called": name, "test": self.test})
            self.repeat(frame, code, name, entry)
        except Exception:
            pass
        finally:
            sys.setprofile(self.follow)

    def repeat(self, frame, code, name, entry):
        if self.done(name) or self.count.get(name, 0) >= CALLS:
            return
        n = code.co_argcount + code.co_kwonlyargcount
        names = list(code.co_varnames[:n])
        args = [(k, frame.f_locals[k]) for k in names]
        more = code.co_varnames[n] if code.co_flags & 0x4 else None
        rest = code.co_varnames[n + bool(more)] if code.co_flags & 0x8 else None
        extra = (frame.f_locals[more] if more else (), frame.f_locals[rest] if rest else {})
        key = name + "(" + ", ".join(k + "=" + show(v) for k, v in args) + (", *%s, **%s" % tuple(map(show, extra)) if any(extra) else "") + ")"
        if key in self.seen:
            return
        self.seen.add(key)
        self.count[name] = self.count.get(name, 0) + 1
        function = types.FunctionType(code, frame.f_globals, code.co_name, None, closure(frame, code))
        for what, some in itertools.islice(changed(args), VARIANTS):
            if self.done(name):
                return
            self.spent[name] = self.spent.get(name, 0) + 1
            self.once(function, code, some, extra, key, what, entry)

    def done(self, name):
        return self.spent.get(name, 0) >= self.share or sum(self.spent.values()) >= PROBES or time.monotonic() > self.until

    def once(self, function, code, some, extra, key, what, entry):
        some, extra = copy.deepcopy((some, extra))
        before = {}
        positional = [v for _, v in some[:code.co_argcount]]
        keywords = {**dict(some[code.co_argcount:]), **extra[1]}
        signal.setitimer(signal.ITIMER_REAL, CALL, 0.05)
        shared = ""
        try:
            result = function(*positional, *extra[0], **keywords)
            outcome = show(settled(result))
            given = {}
            for k, v in some:
                mutable(v, k, given)
            mutable(result, "result", before)
            shared = "; ".join(sorted(p + " in " + given[i] for i, p in before.items() if i in given))
        except Late:
            outcome = "late"
        except CRASHES:
            outcome = "crash"
        except Exception as e:
            outcome = "raises " + type(e).__name__
        except BaseException as e:
            outcome = "exit " + type(e).__name__
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        after = "; ".join(k + "=" + show(v) for k, v in some if not isinstance(v, PLAIN))
        self.say({"probe": short(key + " / " + what), "input": (key[:150] + " / " + what)[:200], "entry": entry, "outcome": short(outcome),
                  "after": short(after), "shared": short(shared)})


def short(text):
    """The text, or its beginning and a sum of the whole."""
    return text if len(text) <= 120 else text[:100] + "…" + hashlib.sha1(text.encode("utf-8", "replace")).hexdigest()[:16]


def settled(result):
    """What an iterator gives, or a coroutine that waits for nothing."""
    kind = type(result).__name__
    if kind in ("generator", "map", "filter", "zip", "enumerate", "reversed", "chain", "islice"):
        return ["each of", *itertools.islice(result, 60)]
    if kind == "coroutine":
        try:
            result.send(None)
        except StopIteration as e:
            return e.value
        finally:
            result.close()
        return "waits"
    return result


def closure(frame, code):
    if not code.co_freevars:
        return None
    return tuple(types.CellType(frame.f_locals[k]) for k in code.co_freevars)
