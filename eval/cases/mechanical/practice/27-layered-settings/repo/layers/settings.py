"""One finished set of settings, with dotted access."""
from .merge import merge

_MISSING = object()


class Settings:
    def __init__(self, table):
        self._table = table

    def get(self, path, default=_MISSING):
        node = self._table
        for key in path.split("."):
            if not isinstance(node, dict) or key not in node:
                if default is _MISSING:
                    raise KeyError(path)
                return default
            node = node[key]
        return node

    def set(self, path, value):
        *parents, last = path.split(".")
        node = self._table
        for key in parents:
            if not isinstance(node.get(key), dict):
                node[key] = {}
            node = node[key]
        node[last] = value

    def append(self, path, value):
        """Add to a list, which is made if need be."""
        items = self.get(path, None)
        if items is None:
            items = []
            self.set(path, items)
        items.append(value)

    def with_overrides(self, table):
        return Settings(merge(self._table, table))

    def flat(self):
        """All values as a list of (dotted name, value), sorted by name."""
        rows = []

        def walk(prefix, table):
            for key, value in table.items():
                name = f"{prefix}.{key}" if prefix else key
                if isinstance(value, dict) and value:
                    walk(name, value)
                else:
                    rows.append((name, value))

        walk("", self._table)
        return sorted(rows, key=lambda row: row[0])
