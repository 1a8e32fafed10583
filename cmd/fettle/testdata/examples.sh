# Lays what the lines of examples.txt work on, in the current folder.
set -e
here=$(dirname "$0")
mkdir -p bin src project && cd project
git config --global user.name ada && git config --global user.email ada@example.com && git config --global init.defaultBranch main
git init -q
mkdir -p web old shop
cat >mid.py <<'END'
def median(values):
    """The middle of some numbers."""
    values = sorted(values)
    half = len(values) // 2
    if len(values) % 2:
        return values[half]
    return (values[half] + values[half]) / 2
END
cat >test_mid.py <<'END'
import unittest

from mid import median


class Median(unittest.TestCase):
    def test_odd(self):
        self.assertEqual(median([3, 1, 2]), 2)

    def test_even(self):
        self.assertEqual(median([4, 1, 3, 2]), 2.5)

    def test_one(self):
        self.assertEqual(median([7]), 7)
END
printf 'median([1, 2, 3, 4]) gives 3, expected 2.5\n\nSeen with any even number of values.\n' >bug.md
cat >shop.py <<'END'
"""A shop."""


class Shop:
    """Sells stays."""

    def total(self, nights):
        """The price of some nights, with the discount for a full week."""
        if nights >= 7:
            return nights * 90
        return nights * 100


def total(prices):
    """The sum of prices."""
    return sum(prices)
END
cp shop.py shop/shop.py
sed 's/>= 7/> 7/' shop.py >old/shop.py
cp shop.py new.py && cp old/shop.py old.py
printf 'def total(prices):\n    """The sum of prices."""\n    return sum(list(prices))\n' >new.py
printf 'from shop import Shop\n\n\ndef price(nights):\n    return Shop().total(nights)\n' >app.py
printf 'export const twice = (n: number): number => 2 * n;\n' >web/index.ts
printf '.fettle/\n.vscode/\n*.sarif\n' >.gitignore
git add . && git commit -qm 'the shop' && git tag v1.2
printf '# shop\n' >README.md && git add . && git commit -qm 'docs: a page' && git tag v1.3
git switch -qc feature
sed -i 's/(values.half. +/(values[half - 1] +/' mid.py && git commit -qam 'mid: the median of an even number of values'
git switch -qc stay
printf 'def reached(nights, limit):\n    "Whether a stay is long enough."\n    return nights > limit\n' >stay.py
cat >test_stay.py <<'END'
import unittest

from stay import reached


class Stay(unittest.TestCase):
    def test_reached(self):
        self.assertTrue(reached(9, 7))
        self.assertTrue(reached(7, 7))

    def test_not_yet(self):
        self.assertFalse(reached(6, 7))
        self.assertFalse(reached(0, 7))
        self.assertFalse(reached(-9, 7))
END
printf 'Guests who stay exactly as long as the limit get nothing\n\n`reached(7, 7)` gives `False`, expected `True`.\n' >bug.md
git add . && git commit -qm 'stay: a fault'
git switch -q main
git clone -q --bare . ../origin.git && git remote add origin ../origin.git
git -C ../origin.git update-ref refs/pull/17/head feature
git fetch -q origin
cp -r ../project ../shop && cp -r ../shop ../src/project && cp -r ../shop ../src/shop
# What is not on every machine, or would wait for somebody: gh as far as it is called, an
# editor that only reads what it is given.
cat >../bin/gh <<'END'
#!/bin/sh
case "$1 $2" in
"pr diff") git diff main...feature ;;
"issue view") cat bug.md ;;
*) exit 1 ;;
esac
END
printf '#!/bin/sh\ntest -s "$2"\n' >../bin/vim
# The files of a script beside this one, by its name.
cat >../bin/unpack <<END
#!/bin/sh
awk '/^-- .* --\$/ { to = \$2; dir = to; if (sub("/[^/]*\$", "", dir)) system("mkdir -p " dir); printf "" > to; next } to { print > to }' "$here/script/\$1.txt"
END
chmod +x ../bin/*
