# Looks for small expressions that could stand in the place of another one. The
# place is written as _fettle_site(lambda: <expression>); when a test comes by,
# the names in scope are read, expressions are made of them, and it is noted what
# each comes to in failing and in passing executions. All that is evaluated is
# evaluated in a child of the test's process, so that it leaves nothing behind.
import ast
import builtins

MADE, JUDGED = 2000, 6000  # expressions that are told, and that are made
REDS, GREENS, ENOUGH = 6, 12, 400  # executions that are looked into, and that are counted
TERMS, CLOSE = 44, 14
NUMBERS = (int, float, decimal.Decimal)
MOMENTS = (datetime.date, datetime.time, datetime.timedelta)
ATOM, SIGN, TIMES, PLUS, COMPARED, NOT, AND, OR, CHOICE = 10, 8, 7, 6, 4, 3, 2, 1, 0
OWN = "_fettle_own"  # the place's own value, in code that is evaluated
LEVELS = {ast.Name: ATOM, ast.Attribute: ATOM, ast.Call: ATOM, ast.Subscript: ATOM, ast.Constant: ATOM, ast.List: ATOM, ast.Dict: ATOM, ast.Set: ATOM,
          ast.ListComp: ATOM, ast.DictComp: ATOM, ast.SetComp: ATOM, ast.GeneratorExp: ATOM, ast.JoinedStr: ATOM, ast.Tuple: CHOICE - 1,
          ast.UnaryOp: SIGN, ast.Compare: COMPARED, ast.IfExp: CHOICE}
BINARY = {ast.Mult: TIMES, ast.Div: TIMES, ast.FloorDiv: TIMES, ast.Mod: TIMES, ast.Add: PLUS, ast.Sub: PLUS, ast.Pow: SIGN}


class Piece:
    """An expression: its text, the code that gives its value, what it is now, how
    unlikely it is, and how tightly it holds together."""

    __slots__ = ("text", "code", "value", "cost", "level")

    def __init__(self, text, code, value, cost, level):
        self.text, self.code, self.value, self.cost, self.level = text, code, value, cost, level

    def at(self, level):
        return self if self.level >= level else Piece("(" + self.text + ")", "(" + self.code + ")", self.value, self.cost + 0.4, ATOM)


def level_of(text):
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return CHOICE - 1
    if isinstance(node, ast.BinOp):
        return BINARY.get(type(node.op), COMPARED + 0.5)
    if isinstance(node, ast.BoolOp):
        return AND if isinstance(node.op, ast.And) else OR
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return NOT
    return LEVELS.get(type(node), CHOICE - 1)


def is_number(v):
    return isinstance(v, NUMBERS) and not isinstance(v, bool)


def sized(v):
    return isinstance(v, (str, bytes, list, tuple, dict, set, frozenset)) or type(v).__name__ in ("deque", "OrderedDict", "defaultdict", "Counter")


def kind(v):
    """The rough type of a value: what may stand in for one another."""
    if isinstance(v, bool):
        return "bool"
    if is_number(v):
        return "number"
    for types_, name in ((str, "str"), (bytes, "bytes"), (dict, "dict"), ((list, tuple), "list"), ((set, frozenset), "set"),
                         (datetime.timedelta, "span"), (datetime.date, "date"), (datetime.time, "time")):
        if isinstance(v, types_):
            return name
    return "none" if v is None else type(v).__name__


class Maker:
    """Makes expressions of the values in scope of one execution."""

    def __init__(self, ask, scope, own):
        self.ask, self.scope, self.own = ask, scope, own
        self.out, self.count = {}, 0

    def put(self, p):
        """Notes an expression that could stand at the place."""
        self.count += 1
        known = self.out.get(p.text)
        if (known is None or p.cost < known[1]) and p.text != self.ask["text"]:
            self.out[p.text] = (p.code, p.cost)

    def made(self):
        best = sorted(((cost, len(text), text, code) for text, (code, cost) in self.out.items()))[:MADE]
        return [[text, code, round(cost, 3)] for cost, _, text, code in best]

    def terms(self):
        """What can be read: names, their fields, constants, the parts of the expression."""
        near, chains, out = set(self.ask["near"]), set(self.ask["chains"]), {}

        def add(text, value, cost):
            if isinstance(value, (types.ModuleType, type)) or callable(value) and not parts(value):
                return
            if text not in out or cost < out[text].cost:
                out[text] = Piece(text, text, value, cost, level_of(text) if "." not in text else ATOM)

        for name, value in self.scope.items():
            cost = 0.3 if name in near else 0.7
            if name.startswith("_fettle") or name.startswith("__"):
                continue
            if name not in ("self", "cls"):
                add(name, value, cost)
            for field, below in parts(value)[:16] if not isinstance(value, PLAIN + KNOWN) and not sized(value) and not callable(value) else ():
                text = name + "." + field
                if field.startswith("_" + type(value).__name__) or "__" in field:
                    continue
                add(text, below, cost + (0.2 if text in chains else 0.6))
                if name == "self" and not isinstance(below, PLAIN + KNOWN) and not sized(below) and not callable(below):
                    for inner, last in parts(below)[:8]:
                        add(text + "." + inner, last, cost + (0.2 if text + "." + inner in chains else 1.2))
            for field in properties(value):
                try:
                    add(name + "." + field, getattr(value, field), cost + 0.5)
                except Exception:
                    pass
        for text in self.ask["parts"]:
            try:
                p = Piece(text, text, eval(text, dict(self.scope_all)), 0.4, level_of(text))
            except Exception:
                continue
            if text not in out and not callable(p.value):
                out[text] = p
        return sorted(out.values(), key=lambda p: (p.cost, len(p.text), p.text))[:TERMS]

    def constants(self):
        out = []
        for i, text in enumerate(self.ask["literals"]):
            try:
                out.append(Piece(text, text, ast.literal_eval(text), 0.8 + 0.02 * i, ATOM if not text.startswith("-") else SIGN))
            except (ValueError, SyntaxError):
                pass
        for text, cost in (("0", 0.8), ("1", 0.9), ("None", 1.1), ('""', 1.1), ("True", 1.2), ("False", 1.2), ("[]", 1.4), ("{}", 1.6)):
            if all(p.text != text for p in out):
                out.append(Piece(text, text, ast.literal_eval(text), cost, ATOM))
        return out

    def alone(self, p):
        """What can be made of one value."""
        v, a = p.value, p.at(ATOM)

        def call(name, f, cost):
            try:
                return [Piece(name + "(" + p.text + ")", name + "(" + p.code + ")", f(v), p.cost + cost, ATOM)]
            except Exception:
                return []

        def method(form, f, cost):
            try:
                return [Piece(a.text + form, a.code + form, f(v), p.cost + cost, ATOM)]
            except Exception:
                return []

        out = []
        if isinstance(v, str):
            for name, cost in (("strip", 0.6), ("lower", 0.6), ("upper", 0.8), ("rstrip", 1), ("lstrip", 1), ("title", 1.3), ("capitalize", 1.2),
                               ("casefold", 1.1), ("split", 1), ("splitlines", 1.3), ("isdigit", 1), ("isalpha", 1.2), ("isspace", 1.2), ("isupper", 1.3),
                               ("islower", 1.3), ("isalnum", 1.3), ("isidentifier", 1.5)):
                out += method("." + name + "()", lambda s, n=name: getattr(s, n)(), cost)
            if v.strip() != v or v.lower() != v:
                out += method(".strip().lower()", lambda s: s.strip().lower(), 1.2)
            out += call("int", int, 0.9) + call("float", float, 1.1)
        if is_number(v):
            out += call("abs", abs, 0.8) + call("int", int, 1.0) + call("str", str, 0.9) + call("float", float, 1.2)
            if not isinstance(v, int):
                out += call("round", round, 0.9)
            for text, n, level, cost in ((" + 1", v + 1, PLUS, 0.6), (" - 1", v - 1, PLUS, 0.6)):
                q = p.at(PLUS)
                out.append(Piece(q.text + text, q.code + text, n, p.cost + cost, PLUS))
            q = p.at(SIGN)
            out.append(Piece("-" + q.text, "-" + q.code, -v, p.cost + 0.8, SIGN))
        if sized(v):
            out += call("len", len, 0.4)
            if not isinstance(v, (str, bytes)):
                out += call("sorted", sorted, 0.9) + call("list", list, 0.9) + call("set", set, 1.0) + call("tuple", tuple, 1.1)
            if isinstance(v, dict):
                for name in ("keys", "values", "items"):
                    out += method("." + name + "()", lambda d, n=name: getattr(d, n)(), 0.9)
                out += method(".copy()", lambda d: d.copy(), 1.1)
            elif isinstance(v, (list, tuple)):
                out += call("sum", sum, 0.9) + call("max", max, 0.9) + call("min", min, 0.9)
                out += call("any", any, 1.1) + call("all", all, 1.1)
            if isinstance(v, (list, tuple, str)):
                for form, f in (("[0]", lambda s: s[0]), ("[-1]", lambda s: s[-1]), ("[1:]", lambda s: s[1:]), ("[:-1]", lambda s: s[:-1]), ("[::-1]", lambda s: s[::-1])):
                    out += method(form, f, 0.9)
        if isinstance(v, datetime.datetime):
            out += method(".date()", lambda d: d.date(), 0.8)
        for f in self.ask["functions"]:
            known = self.scope_all.get(f)
            if isinstance(known, types.FunctionType) and one_argument(known):
                out += call(f, known, 0.9)
        if not isinstance(v, PLAIN + KNOWN) and not sized(v):
            for name in methods(v):
                out += method("." + name + "()", lambda o, n=name: getattr(o, n)(), 0.9)
        return out

    def pairs(self, a, b):
        """What can be made of two values that is no condition."""
        x, y, cost = a.value, b.value, a.cost + b.cost
        out = []

        def infix(op, f, level, more, tight=True):
            try:
                l, r = a.at(level), b.at(level + tight)
                out.append(Piece(l.text + op + r.text, l.code + op + r.code, f(x, y), cost + more, level))
            except Exception:
                pass

        def call(form, f, more):
            try:
                l, r = (a.at(ATOM) if form[0] == "%" else a), b
                out.append(Piece(form.replace("%", l.text, 1).replace("%", r.text, 1), form.replace("%", l.code, 1).replace("%", r.code, 1), f(x, y), cost + more, ATOM))
            except Exception:
                pass

        if is_number(x) and is_number(y):
            infix(" + ", lambda p, q: p + q, PLUS, 0.5)
            infix(" - ", lambda p, q: p - q, PLUS, 0.5)
            infix(" * ", lambda p, q: p * q, TIMES, 0.6)
            if y:
                infix(" / ", lambda p, q: p / q, TIMES, 0.8)
                infix(" // ", lambda p, q: p // q, TIMES, 0.8)
                infix(" % ", lambda p, q: p % q, TIMES, 0.9)
            call("max(%, %)", max, 0.7)
            call("min(%, %)", min, 0.7)
        elif isinstance(x, str) and isinstance(y, str) and y:
            infix(" + ", lambda p, q: p + q, PLUS, 0.8)
            call("%.split(%)", lambda p, q: p.split(q), 1.1)
            call("%.strip(%)", lambda p, q: p.strip(q), 1.2)
            call("%.removeprefix(%)", lambda p, q: p.removeprefix(q), 1.2)
            call("%.removesuffix(%)", lambda p, q: p.removesuffix(q), 1.2)
            call("%.count(%)", lambda p, q: p.count(q), 1.3)
            call("%.find(%)", lambda p, q: p.find(q), 1.3)
        elif isinstance(x, str) and isinstance(y, (list, tuple)) and y and all(isinstance(i, str) for i in y):
            call("%.join(%)", lambda p, q: p.join(q), 1.0)
        elif isinstance(x, list) and isinstance(y, list) or isinstance(x, tuple) and isinstance(y, tuple):
            infix(" + ", lambda p, q: p + q, PLUS, 0.9)
        elif isinstance(x, (set, frozenset)) and isinstance(y, (set, frozenset)):
            infix(" - ", lambda p, q: p - q, PLUS, 0.7)
            infix(" | ", lambda p, q: p | q, PLUS - 1, 0.7)
            infix(" & ", lambda p, q: p & q, PLUS - 0.5, 0.7)
        elif isinstance(x, MOMENTS) and isinstance(y, MOMENTS):
            infix(" - ", lambda p, q: p - q, PLUS, 0.6)
            infix(" + ", lambda p, q: p + q, PLUS, 0.6)
            call("max(%, %)", max, 0.7)
            call("min(%, %)", min, 0.7)
        if isinstance(x, dict) and (is_number(y) or isinstance(y, (str, tuple, bool))):
            if y in x:
                call("%[%]", lambda p, q: dict.__getitem__(p, q), 0.8)
            call("%.get(%)", lambda p, q: p.get(q), 0.9)
        if isinstance(x, (list, tuple, str)) and isinstance(y, int) and not isinstance(y, bool):
            call("%[%]", lambda p, q: p[q], 0.8)
            if y > 0:
                call("%[%:]", lambda p, q: p[q:], 0.9)
                call("%[:%]", lambda p, q: p[:q], 0.9)
        return out

    def compared(self, a, b):
        """Conditions on two values."""
        x, y, cost = a.value, b.value, a.cost + b.cost
        out = []

        def infix(op, f, more):
            try:
                l, r = a.at(COMPARED + 0.5), b.at(COMPARED + 0.5)
                out.append(Piece(l.text + op + r.text, l.code + op + r.code, f(x, y), cost + more, COMPARED))
            except Exception:
                pass

        alike = kind(x) == kind(y)
        if alike and (is_number(x) or isinstance(x, MOMENTS)):
            infix(" < ", lambda p, q: p < q, 0.4)
            infix(" <= ", lambda p, q: p <= q, 0.45)
            infix(" > ", lambda p, q: p > q, 0.4)
            infix(" >= ", lambda p, q: p >= q, 0.45)
        if alike and x is not None and not isinstance(y, bool) and kind(x) not in ("list", "dict", "set"):
            infix(" == ", lambda p, q: p == q, 0.4)
            infix(" != ", lambda p, q: p != q, 0.4)
        if sized(y) and y and (isinstance(x, str) if isinstance(y, str) else not sized(x) or isinstance(x, (str, tuple))) and x is not None and not isinstance(x, bool):
            infix(" in ", lambda p, q: p in q, 0.5)
            infix(" not in ", lambda p, q: p not in q, 0.5)
        if isinstance(x, str) and isinstance(y, str) and y:
            for name in ("startswith", "endswith"):
                l = a.at(ATOM)
                out.append(Piece(l.text + "." + name + "(" + b.text + ")", l.code + "." + name + "(" + b.code + ")", getattr(x, name)(y), cost + 0.8, ATOM))
        return out

    def asked(self, p):
        """Conditions on one value."""
        v, out = p.value, []
        l = p.at(NOT)
        out.append(Piece(p.text, p.code, v, p.cost + 0.2, p.level))
        out.append(Piece("not " + l.text, "not " + l.code, not v, p.cost + 0.4, NOT))
        if not isinstance(v, bool):
            l = p.at(COMPARED + 0.5)
            out.append(Piece(l.text + " is None", l.code + " is None", v is None, p.cost + 0.6, COMPARED))
            out.append(Piece(l.text + " is not None", l.code + " is not None", v is not None, p.cost + 0.6, COMPARED))
        return out

    def make(self, scope_all):
        self.scope_all = scope_all
        terms = self.terms()
        constants = self.constants()
        close = terms[:CLOSE]
        single = [q for p in terms for q in self.alone(p)]
        double = [q for i, a in enumerate(close + constants[:6]) for b in close + constants[:6] if a is not b and (a.text, b.text) != ("0", "1") for q in self.pairs(a, b)
                  if not (a in constants and b in constants)]
        own = Piece(self.ask["text"], OWN, self.own.value, 0, level_of(self.ask["text"])) if self.own.raised is None else None
        if self.ask["kind"] == "condition":
            self.conditions(terms, constants, single, double, own)
        else:
            self.values(terms, constants, single, double, own)
        return self.made()

    def conditions(self, terms, constants, single, double, own):
        near = sorted(terms + [p for p in single if kind(p.value) != "bool"] + double, key=lambda p: (p.cost, len(p.text), p.text))[:60]
        atoms = [q for p in terms for q in self.asked(p)]
        atoms += [q for p in single if isinstance(p.value, bool) for q in self.asked(p)]
        for i, a in enumerate(near):
            for b in near[:26] + constants:
                if a is not b and self.count + len(atoms) < JUDGED:
                    atoms += self.compared(a, b)
        atoms.sort(key=lambda p: (p.cost, len(p.text), p.text))
        for p in atoms[:MADE // 3]:
            self.put(Piece(p.text, p.code, p.value, p.cost + 1.2, p.level).at(self.ask["need"]))
            for word, level in ((" and ", AND), (" or ", OR)):
                whole = own or Piece(self.ask["text"], OWN, None, 0, level_of(self.ask["text"]))
                l, r = whole.at(level), p.at(level)
                self.put(Piece(l.text + word + r.text, l.code + word + r.code, None, p.cost + 0.3, level).at(self.ask["need"]))
                if own is None:
                    self.put(Piece(r.text + word + l.text, r.code + word + l.code, None, p.cost + 0.3, level).at(self.ask["need"]))

    def values(self, terms, constants, single, double, own):
        wanted = {kind(self.own.value)} if own else set()
        if wanted <= {"none"}:
            wanted = set()

        def put(p, more=0.0):
            if (not wanted or kind(p.value) in wanted) and self.count < JUDGED:
                self.put(Piece(p.text, p.code, p.value, p.cost + more, p.level).at(self.ask["need"]))

        if own:
            for p in self.alone(own):
                put(p)
                for q in self.alone(p):
                    put(q, 0.3)
            for b in close_first(terms, constants):
                for p in self.pairs(own, b) + self.pairs(b, own):
                    put(p)
                if kind(b.value) == kind(own.value) or own.value is None:
                    l, r = own.at(OR), b.at(OR + 1)
                    put(Piece(l.text + " or " + r.text, l.code + " or " + r.code, own.value or b.value, b.cost + 0.8, OR))
                    c, l = own.at(COMPARED + 1), own.at(OR)
                    put(Piece(l.text + " if " + c.text + " is not None else " + r.text, l.code + " if " + c.code + " is not None else " + r.code,
                              b.value if own.value is None else own.value, b.cost + 1.5, CHOICE))
        for p in terms + constants:
            put(p, 0.6)
        for p in single:
            put(p, 0.4)
        for p in double:
            put(p, 0.6)
        small = sorted((p for p in single + double if p.cost < 3), key=lambda p: (p.cost, len(p.text), p.text))
        for p in small[:160]:
            for q in self.alone(p):
                put(q, 0.5)
        for a in small[:60]:
            for b in terms[:CLOSE] + constants[:3]:
                for q in self.pairs(a, b) + self.pairs(b, a):
                    put(q, 0.7)
        if "bool" in wanted:
            for p in sorted(terms + single + double, key=lambda p: (p.cost, len(p.text), p.text))[:60]:
                for q in self.asked(p):
                    if isinstance(q.value, bool):
                        put(q, 0.3)
                for b in terms[:CLOSE] + constants[:4]:
                    if b is not p:
                        for q in self.compared(p, b):
                            put(q, 0.5)
                            if own:
                                for word, level in ((" and ", AND), (" or ", OR)):
                                    l, r = own.at(level), q.at(level)
                                    put(Piece(l.text + word + r.text, l.code + word + r.code, True, q.cost + 0.3, level))


def close_first(terms, constants):
    return terms[:CLOSE * 2] + constants


def one_argument(f):
    code = f.__code__
    return ours(code.co_filename) and not code.co_flags & ASLEEP and code.co_kwonlyargcount == 0 and 1 <= code.co_argcount <= 1 + len(f.__defaults__ or ())


def methods(value):
    """Methods of the project's own classes that need no argument."""
    out = []
    for cls in type(value).__mro__:
        for name, f in vars(cls).items():
            if isinstance(f, types.FunctionType) and not name.startswith("__") and ours(f.__code__.co_filename) and one_argument(f) and name not in out:
                out.append(name)
    return sorted(out)[:10]


def properties(value):
    """Properties of the project's own classes."""
    out = []
    if isinstance(value, PLAIN + KNOWN) or sized(value):
        return out
    for cls in type(value).__mro__:
        for name, f in vars(cls).items():
            if isinstance(f, property) and name not in out and f.fget is not None and getattr(f.fget, "__code__", None) and ours(f.fget.__code__.co_filename):
                out.append(name)
    return sorted(out)[:8]


class Own:
    """What the place's expression came to."""

    def __init__(self, thunk):
        self.value = self.raised = None
        try:
            self.value = thunk()
        except Late:
            raise
        except Exception as e:
            self.raised = e

    def __getitem__(self, name):
        if name != OWN:
            raise KeyError(name)
        if self.raised is not None:
            raise self.raised
        return self.value


def scope_of(frame):
    """The names that the code of a frame can read, but the module's."""
    scope = dict(frame.f_locals)
    while frame.f_code.co_name in ("<listcomp>", "<genexpr>", "<setcomp>", "<dictcomp>", "<lambda>"):
        inner, frame = frame.f_code, frame.f_back
        if frame is None or inner not in frame.f_code.co_consts:
            break
        scope = {**frame.f_locals, **scope}
    scope.pop(".0", None)
    return scope


def came_to(code, scope, own, truth):
    try:
        value = eval(code, scope, own)
        return show(bool(value) if truth else value)
    except Late:
        raise
    except RecursionError:
        return "!RecursionError"
    except Exception as e:
        return "!" + type(e).__name__


class Angel:
    """Stands at a place while tests run."""

    def __init__(self, ask, say):
        self.ask, self.say = ask, say
        self.test, self.red = "", set(ask["red"])
        self.seen, self.count, self.passed = {}, 0, 0
        self.made, self.exprs, self.records = None, [], []
        self.truth = ask["kind"] == "condition"
        self.busy = False
        builtins._fettle_site = self.site

    def site(self, thunk):
        own = Own(thunk)
        if not self.busy:
            self.busy = True
            try:
                self.look(sys._getframe(1), own)
            except Late:
                raise
            except Exception:
                pass
            finally:
                self.busy = False
        if own.raised is not None:
            raise own.raised
        return own.value

    def look(self, frame, own):
        red = self.test in self.red
        self.count += 1
        if self.count > ENOUGH or not red and not self.exprs or self.made == []:
            return
        scope = scope_of(frame)
        key = (red, show({k: v for k, v in scope.items() if not callable(v)}))
        limit = REDS if red else GREENS
        if key in self.seen or sum(1 for k in self.seen if k[0] == red) >= limit:
            return
        self.seen[key] = True
        everything = {**frame.f_globals, **scope}
        if self.made is None:
            self.made = child(lambda: Maker(self.ask, scope, own).make(everything)) or []
            self.exprs = [compile(code, "<site>", "eval") for _, code, _ in self.made]
        old = "!" + type(own.raised).__name__ if own.raised is not None else show(bool(own.value) if self.truth else own.value)
        values = child(lambda: [came_to(code, everything, own, self.truth) for code in self.exprs])
        if values:
            table = {}
            numbers = [table.setdefault(v, len(table)) for v in values]
            self.records.append({"red": red, "old": old, "table": list(table), "values": numbers, "where": told(scope)})

    def close(self):
        self.say({"made": self.made or []})
        for record in self.records:
            self.say({"record": record})


def told(scope):
    """The plain values in scope, and those of the fields of objects, for a person."""
    out = {}
    for name, value in scope.items():
        if name.startswith("_fettle") or callable(value):
            continue
        if name not in ("self", "cls"):
            out[name] = show(value)
        if not isinstance(value, PLAIN + KNOWN) and not sized(value):
            out.update((name + "." + k, show(v)) for k, v in parts(value)[:16] if isinstance(v, PLAIN + KNOWN))
    return {k: v for k, v in out.items() if len(v) <= 40}


def child(work):
    """What work gives when it is done in a child; None when it takes too long."""
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(r)
            sys.settrace(None)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.signal(signal.SIGPROF, signal.SIG_DFL)
            with os.fdopen(w, "w") as out:
                out.write(json.dumps(work()))
        except BaseException:
            pass
        os._exit(0)
    os.close(w)
    data, until = b"", time.monotonic() + 3
    while True:
        left = until - time.monotonic()
        if left <= 0 or not select.select([r], [], [], left)[0]:
            break
        chunk = os.read(r, 1 << 16)
        if not chunk:
            break
        data += chunk
    os.close(r)
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        pass
    os.waitpid(pid, 0)
    try:
        return json.loads(data)
    except ValueError:
        return None
