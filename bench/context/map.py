"""Answers with what Aider's repository map (the package aider-chat, as it is) shows
of a folder for a text, one JSON document a line:

    {"root": DIR, "files": [PATH...], "text": TEXT, "windows": [TOKENS...]}
    {"ranked": [[PATH, LINE]...], "shown": [[[PATH, LINE]...] for each window]}

A line of 0 is a file without a symbol. What the text mentions is found as Aider
does: words are identifiers, file names are those whose path, name or stem is a word.
"""

import contextlib
import json
import os
import re
import sys

answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # whatever prints, prints to standard error

from aider.repomap import RepoMap


class Quiet:
    def read_text(self, name, silent=False):
        with contextlib.suppress(OSError, UnicodeError):
            with open(name, encoding="utf-8") as f:
                return f.read()

    def tool_output(self, *_, **__):
        pass

    tool_error = tool_warning = tool_output


class Model:
    def token_count(self, text):
        return len(text) / 4


class Map(RepoMap):
    def get_ranked_tags(self, *args, **kwargs):
        if self.ranking is None:
            self.ranking = super().get_ranked_tags(*args, **kwargs)
        return self.ranking

    def to_tree(self, tags, chat):
        text = super().to_tree(tags, chat)
        self.trees[text] = list(tags)
        return text


def place(tag):
    return [tag[0], tag.line + 1 if len(tag) > 1 else 0]


maps = {}
for line in sys.stdin:
    ask = json.loads(line)
    root, text = ask["root"], ask["text"]
    m = maps.get(root) or Map(map_tokens=1024, root=root, main_model=Model(), io=Quiet())
    maps[root], m.ranking = m, None
    words = set(re.split(r"\W+", text))
    spoken = {w.strip("\"'`,.!;:?()[]") for w in text.split()}
    stems = {w.lower() for w in words if len(w) >= 5}
    mentioned = {f for f in ask["files"] if f in spoken or os.path.basename(f) in spoken or os.path.splitext(os.path.basename(f))[0].lower() in stems}
    files = [os.path.join(root, f) for f in ask["files"]]
    shown = []
    for window in ask["windows"]:
        m.trees = {}
        tree = m.get_ranked_tags_map_uncached([], files, window, mentioned, words)
        shown.append([place(t) for t in m.trees.get(tree, [])])
    answers.write(json.dumps({"ranked": [place(t) for t in m.ranking], "shown": shown}) + "\n")
    answers.flush()
