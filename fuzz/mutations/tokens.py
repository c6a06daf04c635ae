"""Damage to YAML, TOML and XML: words, numbers and marks are replaced, repeated and left out."""

from __future__ import annotations

import random
import re

from fuzz.hostile import MANY_DIGITS, NESTED, word

TOKEN = re.compile(r"\w+(?:\.\w+)?|\s+|[^\w\s]")
ANCHORS = "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 9))
BOMB = f"a0: &a0 [x, x, x]\n{ANCHORS}"
"""A few hundred bytes of YAML that stand for hundreds of millions."""
MERGED = ", ".join(f"k{i}: 1" for i in range(3000))
MERGES = (
    f"a: &a {{{MERGED}}}\n" + "".join(f"b{i}: {{<<: *a}}\n" for i in range(3000)),
    f"a: &a {{{MERGED}}}\nb: {{<<: [{', '.join(['*a'] * 20_000)}]}}\n",
    "a0: &a0 [x, x]\n"
    + "".join(f"a{i}: &a{i} !!pairs [{', '.join([f'k: *a{i - 1}'] * 9)}]\n" for i in range(1, 9)),
)
"""The same by other ways than lists of aliases."""
PIECES = (
    "\n", ": ", " = ", "[", "]", "{", "}", "&a ", "*a", "!!python/object:os.system ", "!!binary ",
    "!!timestamp ", "!!set ", "<<: ", "- ", "? ", "---\n", "%YAML 9.9\n", '"""', "'''", "[[",
    "]]", "#", "1979-05-27", "0o7", "0b2", "1e", ".inf", "\t", "<!ENTITY a 'b'>", "&a;",
    "<![CDATA[", "<", ">", "{low = 1, low = 2}", "type = ", "type: ", "null", "~", "[1, 2, 3]",
    "log: true", "values: []",
)  # fmt: skip


def damaged_tokens(rng: random.Random, content: bytes) -> bytes:
    """The text with one token changed."""
    tokens = TOKEN.findall(content.decode("utf-8", "replace"))
    if not tokens:
        return rng.choice(PIECES).encode()
    at = rng.randrange(len(tokens))
    kind = rng.randrange(9)
    if kind == 0:
        del tokens[at : at + rng.choice((1, 1, 2, 5))]
    elif kind == 1:
        tokens.insert(at, rng.choice(PIECES))
    elif kind == 2:
        tokens[at] = rng.choice(tokens)
    elif kind == 3:
        tokens[at] *= rng.choice((2, 2, 100))
    elif kind == 4:
        first = rng.randrange(len(tokens))
        tokens[at:at] = tokens[first : first + rng.choice((2, 8, 40))]
    elif kind == 5 and rng.random() < 0.1:
        tokens.insert(0, rng.choice((BOMB, *MERGES)))
    elif kind == 6 and rng.random() < 0.1:
        tokens[at] = rng.choice(("[", "{a: ", "- ", "{a = ")) * rng.choice(NESTED)
    elif kind == 6 and rng.random() < 0.1:
        tokens[at] = MANY_DIGITS
    else:
        tokens[at] = word(rng)
    return "".join(tokens).encode("utf-8", "surrogatepass")
