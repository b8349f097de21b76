"""Declarations and headings are found, with what encloses them, in each language."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest
from hypothesis import given

from hsum.index.grammars import LANGUAGES
from hsum.index.headings import HEADINGS
from hsum.index.symbols import outline
from tests.passages.texts import CONTENTS

EXAMPLES = {
    "python": (
        '''\
import os
LIMIT: int = 3
@deco(
    1,
)
async def top(a,
        b=")"):
    x = """
class NotMe:
    def nor_me(self): pass
"""
    def inner():
        return 1
    return inner
y = 4
class A(B):
    "doc"
    K = 1
    # about m
    @property
    def m(self):
        return {
}
    z = 3
    class Deep:
        def n(self): ...
if y:
    def guarded(): pass
''',
        ["LIMIT", "top", "top.inner", "y", "A", "A.m", "A.Deep", "A.Deep.n", "guarded"],
    ),
    "javascript": (
        """\
import x from "y";
export default class Foo extends Bar {
  constructor(a) {
    super(a);
  }
  async handleRequest(req, res) {
    if (req) {
      foo(function () {
      });
    }
  }
  static get name() {
    return 1;
  }
  #priv(x = 1) {
  }
}
const add = (a, b) => {
  return a + b;
};
export const MAX = 3;
describe('x', () => {
  it('y', function () {
    const helper = async () => {
    };
  });
});
module.exports = function main() {
};
App.prototype.run = function (x) {
};
function* gen() {
}
""",
        [
            "Foo",
            "Foo.constructor",
            "Foo.handleRequest",
            "Foo.name",
            "Foo.#priv",
            "add",
            "MAX",
            "helper",
            "module.exports",
            "App.prototype.run",
            "gen",
        ],
    ),
    "typescript": (
        """\
export interface Opts<T> {
  name: string;
}
export type Id = string;
export abstract class Repo<T> implements X {
  private readonly items: T[] = [];
  public async find(id: string, opts: Opts<T>): Promise<T | null> {
    return null;
  }
}
export enum Color { Red }
namespace N {
  export function inside(): void {
  }
}
""",
        ["Opts", "Id", "Repo", "Repo.find", "Color", "N", "N.inside"],
    ),
    "go": (
        """\
package main
// Server serves.
type Server struct {
	x int
}
func (s *Server) Handle(w http.ResponseWriter) error {
	go func() {
	}()
}
func (m Map[K, V]) Get(k K) V {
}
func main() {
}
const Max = 3
type (
	Foo struct {
	}
)
""",
        ["Server", "Server.Handle", "Map.Get", "main", "Max", "Foo"],
    ),
    "rust": (
        """\
/// Doc
#[derive(Debug)]
pub struct Foo<T> {
    a: T,
}
impl<T: Clone> Display for Foo<T> {
    pub(crate) async fn fmt(&self) -> Result {
        let x = 1;
    }
    fn two(&self);
}
impl Foo<u8> {
    const fn new() -> Self { Foo { a: 1 } }
}
pub const MAX: u32 = 3;
macro_rules! mac {
    () => {}
}
mod tests {
    #[test]
    fn it_works() {
    }
}
pub trait Shape {
    fn area(&self) -> f64;
}
""",
        [
            "Foo",
            "Foo",
            "Foo.fmt",
            "Foo.two",
            "Foo",
            "Foo.new",
            "MAX",
            "mac",
            "tests",
            "tests.it_works",
            "Shape",
            "Shape.area",
        ],
    ),
    "c": (
        """\
#include <a.h>
#define ONE 1
#define TWO 2
#define MAXF(a, b) \\
	((a) > (b))
struct foo {
	int x;
};
typedef unsigned int u32;
static const struct file_operations foo_fops = {
	.open = bar,
};
/**
 * add - adds
 */
static inline int __must_check add(struct foo *f, int (*cb)(int))
{
	if (x) {
	}
	list_for_each(a, b) {
	}
	return 1;
}
int proto(void);
EXPORT_SYMBOL(add);
SYSCALL_DEFINE3(sched_setaffinity, pid_t, pid, unsigned int, len)
{
	return 0;
}
int main(int argc, char **argv) {
	return 0;
}
static int counter = 4;
struct forward;
extern int elsewhere;
bool uninitialised[4] __read_mostly;
enum color { RED };
static void __init
gnu_style(void)
{
}
""",
        [
            "ONE",
            "TWO",
            "MAXF",
            "foo",
            "u32",
            "foo_fops",
            "add",
            "sched_setaffinity",
            "main",
            "counter",
            "uninitialised",
            "color",
            "gnu_style",
        ],
    ),
    "cpp": (
        """\
namespace a {
template <typename T>
class HTTPServer final : public Base<T> {
 public:
  HTTPServer(int a) : a_(a), b_{2} {
  }
  void handle(const Request& r) const override {
    for (auto x : y) {
    }
  }
  int decl();
};
}  // namespace a
std::vector<int> HTTPServer::get(int a) {
  return {};
}
HTTPServer::~HTTPServer() {
}
""",
        [
            "HTTPServer",
            "HTTPServer.HTTPServer",
            "HTTPServer.handle",
            "HTTPServer.get",
            "HTTPServer.~HTTPServer",
        ],
    ),
    "java": (
        """\
package a;
/** Doc. */
@Entity
public final class Foo<T> extends Bar {
    private int x = 3;
    public Foo(int a) {
        this.x = a;
    }
    @Override
    public Map<String, List<T>> getUserById(int id) throws X {
        return foo(a);
    }
    static void noop() { }
    interface Inner {
        void f();
    }
}
enum Color { RED }
record P(int x) {
}
""",
        ["Foo", "Foo.Foo", "Foo.getUserById", "Foo.noop", "Foo.Inner", "Color", "P"],
    ),
    "kotlin": (
        """\
data class User(val id: Int)
class Foo : Bar() {
    override suspend fun <T> run(x: T): Int {
        return 1
    }
    companion object {
        fun make() = Foo()
    }
}
fun String.shout(): String = uppercase()
object Single {
}
""",
        ["User", "Foo", "Foo.run", "Foo.make", "shout", "Single"],
    ),
    "csharp": (
        """\
namespace N
{
    public class Foo : IBar
    {
        public async Task<int> RunAsync(int a)
        {
            if (a) return await X(a);
        }
        public Foo()
        {
        }
    }
}
""",
        ["N", "N.Foo", "N.Foo.RunAsync", "N.Foo.Foo"],
    ),
    "scala": (
        """\
object Main extends App {
  def run(x: Int): Int = {
    x
  }
}
trait T {
  def f: Int
}
case class P(x: Int)
""",
        ["Main", "Main.run", "T", "T.f", "P"],
    ),
    "ruby": (
        """\
module M
  class Foo < Bar
    # doc
    def initialize(a)
      if a
      end
    end
    def self.build?
    end
    private def x; end
  end
end
""",
        ["M", "M.Foo", "M.Foo.initialize", "M.Foo.build?", "M.Foo.x"],
    ),
    "php": (
        """\
<?php
namespace A;
#[Attr]
final class Foo extends Bar
{
    public static function getUser(int $id): ?User
    {
        return function () { };
    }
}
function helper() {
}
""",
        ["Foo", "Foo.getUser", "helper"],
    ),
    "shell": (
        """\
#!/bin/sh
foo() {
  echo
}
function bar {
  echo
}
baz-q ()
{
  :
}
""",
        ["foo", "bar", "baz-q"],
    ),
    "sql": (
        """\
-- users
CREATE TABLE IF NOT EXISTS "users" (
  id int
);
create or replace function add(a int) returns int as $$
$$;
CREATE UNIQUE INDEX idx ON users(id);
""",
        ["users", "add", "idx"],
    ),
    "lua": (
        """\
local M = {}
local function helper(a)
  if a then
  end
end
function M.run(x)
end
M.go = function()
end
function M:meth()
end
""",
        ["helper", "M.run", "M.go", "M.meth"],
    ),
    "swift": (
        """\
public class Foo: Bar {
    init(a: Int) {
    }
    func run<T>(x: T) -> Int {
        return 1
    }
}
extension Foo {
    static func make() -> Foo {
    }
}
protocol P {
}
""",
        ["Foo", "Foo.init", "Foo.run", "Foo", "Foo.make", "P"],
    ),
    "make": (
        """\
CC ?= gcc
.PHONY: all
all: build test
	echo hi

build/%.o: %.c
	$(CC) $<
obj-$(CONFIG_X) += foo.o
""",
        ["CC", "all", "build/%.o"],
    ),
    "toml": (
        """\
a = 1
[tool.ruff]
line = 1
[[bin]]
name = "x"
""",
        ["tool.ruff", "bin"],
    ),
    "ini": (
        """\
[core]
x=1
[remote "origin"]
""",
        ["core", 'remote "origin"'],
    ),
    "yaml": (
        """\
# c
version: 3
services:
  web:
    image: x
"quoted":
- a
""",
        ["version", "services", "quoted"],
    ),
    "markdown": (
        """\
---
title: x
---
# Guide
intro
## Install `pip`
```sh
# not a heading
```
Setext
------
text
### Deep ###
# Other
""",
        [
            "Guide",
            "Guide > Install pip",
            "Guide > Setext",
            "Guide > Setext > Deep",
            "Other",
        ],
    ),
    "rst": (
        """\
=====
Title
=====

Intro

Install
=======
text

Linux
-----
a

Use
===
::

    x
""",
        ["Title", "Title > Install", "Title > Install > Linux", "Title > Use"],
    ),
    "asciidoc": (
        """\
= Doc
== One
=== Sub
== Two
""",
        ["Doc", "Doc > One", "Doc > One > Sub", "Doc > Two"],
    ),
    "html": (
        """\
<html><body>
<h1 class="x">Main <b>title</b></h1>
<p>
<H2>Sub &amp; co</H2>
""",
        ["Main title", "Main title > Sub & co"],
    ),
    "kconfig": (
        """\
config FOO
	bool "x"
config BAR
	bool
""",
        ["FOO", "BAR"],
    ),
}


@pytest.mark.parametrize("language", EXAMPLES)
def test_declarations_of_a_language(language):
    """Each example gives these names, and no others, in this order."""
    source, expected = EXAMPLES[language]
    found = outline(source.encode(), language)

    assert expected == [found.path(at) for at in range(len(found.leads))]


def _bodies(source: str, language: str) -> dict[str, tuple[int, int, int]]:
    """Return, by path, the first line with its lead, the own and the last line."""
    data = source.encode()
    found = outline(data, language)
    return {
        found.path(at): (
            1 + data.count(b"\n", 0, found.leads[at]),
            1 + data.count(b"\n", 0, found.starts[at]),
            data.count(b"\n", 0, found.ends[at]),
        )
        for at in range(len(found.leads))
    }


def test_bodies_of_python():
    """Decorators and comments lead, a statement not indented deeper ends a body."""
    expected = {
        "LIMIT": (2, 2, 2),
        "top": (3, 6, 14),
        "top.inner": (12, 12, 13),
        "y": (15, 15, 15),
        "A": (16, 16, 26),
        "A.m": (19, 21, 23),
        "A.Deep": (25, 25, 26),
        "A.Deep.n": (26, 26, 26),
        "guarded": (28, 28, 28),
    }

    assert expected == _bodies(EXAMPLES["python"][0], "python")


@pytest.mark.parametrize(
    ("language", "path", "expected"),
    [
        ("c", "add", (13, 16, 23)),
        ("c", "MAXF", (4, 4, 5)),
        ("cpp", "HTTPServer", (2, 3, 12)),
        ("java", "Foo.getUserById", (9, 10, 12)),
        ("javascript", "Foo.handleRequest", (6, 6, 11)),
        ("csharp", "N.Foo.RunAsync", (5, 5, 8)),
        ("go", "Server", (2, 3, 5)),
        ("go", "Max", (14, 14, 14)),
        ("rust", "tests.it_works", (20, 21, 22)),
        ("ruby", "M.Foo.initialize", (3, 4, 7)),
        ("ruby", "M.Foo.x", (10, 10, 10)),
        ("lua", "helper", (2, 2, 5)),
        ("shell", "baz-q", (8, 8, 11)),
        ("make", "all", (2, 3, 5)),
        ("markdown", "Guide > Install pip", (6, 6, 9)),
        ("rst", "Title", (1, 1, 19)),
    ],
)
def test_bodies_of_other_languages(language, path, expected):
    """A body reaches from its doc comment to what closes it."""
    assert expected == _bodies(EXAMPLES[language][0], language)[path]


@pytest.mark.parametrize(
    "source",
    [
        "x = '''\\'''\nclass No: pass\n'''\n",
        'x = r"""\n\\"""\ndef no(): pass\n"""\n',
        'f("a", """\ndef no(): pass\n""")\n',
        "x = ''; y = '''\ndef no(): pass\n'''\n",
        '"""a"""; """\ndef no(): pass\n"""\n',
    ],
)
def test_code_in_long_strings_declares_nothing(source):
    """What is quoted between triple quotes is no declaration; what follows is."""
    found = outline((source + "def yes(): pass\n").encode(), "python")

    assert b"no" not in found.names
    assert b"No" not in found.names
    assert b"yes" in found.names


@pytest.mark.parametrize(
    "source",
    [
        '# """\ndef yes(): pass\n',
        'x = \'"""\'\ndef yes(): pass\n',
        '"""\ndef yes(): pass\n',
    ],
)
def test_quotes_that_open_nothing_hide_nothing(source):
    """Triple quotes in a comment, in a string, or never closed hide no declaration."""
    assert b"yes" in outline(source.encode(), "python").names


def test_bare_names_are_declared():
    """A qualified name declares its last part; sections keep theirs whole."""
    found = outline(b"int A::get(int a) {\n}\n", "cpp")

    assert ("A.get", ["get"]) == (found.path(0), found.declared())
    assert ["tool.ruff"] == outline(b"[tool.ruff]\n", "toml").declared()


def test_a_table_of_constants_declares_its_first():
    """A long run of `#define` is one declaration, a short one several."""
    table = "".join(f"#define REG_{n} {n}\n" for n in range(40))

    assert [b"REG_0"] == outline(table.encode(), "c").names
    assert [b"A", b"B"] == outline(b"#define A 1\n#define B 2\n", "c").names


@pytest.mark.parametrize("language", sorted({*LANGUAGES, *HEADINGS}))
@given(CONTENTS)
def test_outlines_nest(language, data):
    """Leads ascend, bodies end in order, and lie within what encloses them."""
    found = outline(data, language)

    assert found.leads == sorted(set(found.leads))
    for at, parent in enumerate(found.parents):
        assert found.leads[at] <= found.starts[at] <= found.ends[at] <= len(data)
        if parent >= 0:
            assert found.leads[parent] <= found.leads[at]
            assert found.ends[at] <= found.ends[parent]


def test_the_standard_library_is_outlined_as_its_parser_does():
    """Functions and classes of real modules are those that `ast` finds, by path."""
    import ast

    folder = Path(sysconfig.get_paths()["stdlib"])
    for name in ("ast.py", "argparse.py", "typing.py", "asyncio/tasks.py"):
        data = (folder / name).read_bytes()
        found = outline(data, "python")
        paths = {found.path(at) for at in range(len(found.leads))}

        assert set(_defined(ast.parse(data), "")) <= paths


def _defined(node, prefix):
    import ast

    for child in ast.iter_child_nodes(node):
        path = prefix
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            path = f"{prefix}.{child.name}" if prefix else child.name
            yield path
        yield from _defined(child, path)
