"""Name the language of a file from its path and first bytes.

The name selects the grammar of `hsum.index.symbols`, the kind tells ranking what sort
of text it is. Both depend on nothing but the arguments, so that an ingest on another
machine cuts alike.
"""

from __future__ import annotations

import re
from typing import Final, Literal

import attrs

__all__ = ["Kind", "Language", "language_of"]

Kind = Literal["code", "prose", "data", "config"]

KINDS: Final[tuple[Kind, ...]] = ("code", "prose", "data", "config")


@attrs.frozen
class Language:
    """A language's name, lower case, and the kind of text written in it."""

    name: str
    kind: Kind


_EXTENSIONS: Final[dict[Kind, str]] = {
    "code": """
        python: py pyi pyw pyx pxd; javascript: js jsx mjs cjs vue svelte
        typescript: ts tsx mts cts; go: go; rust: rs; java: java; kotlin: kt kts
        c: c h m; cpp: cc cpp cxx c++ hh hpp hxx h++ inl ipp tcc cu cuh mm ino; csharp: cs
        scala: scala sc; groovy: groovy gradle; ruby: rb rake gemspec ru; php: php phtml
        shell: sh bash zsh ksh bats; sql: sql ddl; lua: lua; swift: swift; dart: dart
        make: mk mak make; perl: pl pm t; elixir: ex exs; julia: jl; r: r
        proto: proto; haskell: hs; ocaml: ml mli; assembly: s asm
        powershell: ps1 psm1; zig: zig; nim: nim; cmake: cmake; css: css scss less
        awk: awk; tcl: tcl; clojure: clj cljs cljc; erlang: erl hrl; lisp: el lisp scm
    """,
    "prose": """
        markdown: md markdown mdown mkd mdx; rst: rst rest; asciidoc: adoc asciidoc asc
        html: html htm xhtml; text: txt text log; org: org; tex: tex
    """,
    "config": """
        toml: toml; ini: ini cfg conf properties editorconfig desktop service
        yaml: yaml yml; devicetree: dts dtsi; kconfig: kconfig
    """,
    "data": """
        json: json jsonl ndjson geojson ipynb json5 jsonc; csv: csv tsv psv
        xml: xml xsd xsl xslt svg plist; diff: diff patch; po: po pot
    """,
}

_FILE_NAMES: Final[dict[Kind, str]] = {
    "code": """
        make: makefile gnumakefile kbuild; docker: dockerfile containerfile
        cmake: cmakelists.txt; ruby: rakefile gemfile vagrantfile podfile
        groovy: jenkinsfile; python: sconstruct sconscript wscript
        shell: .bashrc .zshrc .profile .bash_profile .bash_aliases pkgbuild
    """,
    "prose": """
        text: readme license licence copying authors contributors changelog changes
        news todo notice maintainers credits install history
    """,
    "config": """
        toml: cargo.lock poetry.lock uv.lock pipfile
        ini: .gitconfig .gitmodules .editorconfig .npmrc .pylintrc .flake8 .coveragerc
        yaml: .clang-format .clang-tidy; kconfig: kconfig
        ignore: .gitignore .dockerignore .gitattributes .hgignore requirements.txt
    """,
    "data": "",
}

_INTERPRETERS: Final = {
    b"python": "python",
    b"pypy": "python",
    b"node": "javascript",
    b"deno": "typescript",
    b"bash": "shell",
    b"dash": "shell",
    b"zsh": "shell",
    b"ksh": "shell",
    b"sh": "shell",
    b"ruby": "ruby",
    b"php": "php",
    b"perl": "perl",
    b"lua": "lua",
    b"make": "make",
    b"awk": "awk",
    b"gawk": "awk",
}


def _table(spec: dict[Kind, str]) -> dict[str, Language]:
    table = {}
    for kind, text in spec.items():
        for entry in filter(None, map(str.strip, re.split(r"[;\n]", text))):
            name, _, keys = entry.partition(":")
            table.update(dict.fromkeys(keys.split(), Language(name, kind)))
    return table


_BY_EXTENSION: Final = _table(_EXTENSIONS)
_BY_FILE_NAME: Final = _table(_FILE_NAMES)
_BY_NAME: Final = {
    language.name: language
    for language in (*_BY_EXTENSION.values(), *_BY_FILE_NAME.values())
}
_PLAIN_CODE: Final = Language("code", "code")
_SHEBANG: Final = (
    rb"(?:\xef\xbb\xbf)?#![ \t]*(?:\S*/)?([^/\s]+)(?:[ \t]+(?:-\S+[ \t]+)*([^\s/]+))?"
)
_PROSE_BYTES: Final = (
    b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 \t\r\n.,'\"?!-"
    + bytes(range(0x80, 0x100))
)
_SNIFFED: Final = 4_096


def language_of(path: bytes, head: bytes = b"") -> Language:
    """Name the language of the file at *path* whose text begins with *head*.

    The file's name decides, then its extension, then a `#!` line, and last the share
    of letters and punctuation of prose. Only the first 4,096 bytes of *head* count.
    """
    name = path.rpartition(b"/")[2].decode("utf-8", "replace").lower()
    return (
        _BY_FILE_NAME.get(name)
        or _by_extension(name)
        or _by_interpreter(head)
        or _by_look(head[:_SNIFFED])
    )


def _by_extension(name: str) -> Language | None:
    stem, dot, extension = name.rpartition(".")
    if not dot:
        return None
    found = _BY_EXTENSION.get(extension)
    if found is None and stem:
        return _BY_FILE_NAME.get(stem)
    return found


def _by_interpreter(head: bytes) -> Language | None:
    line = re.match(_SHEBANG, head)
    if line is None:
        return None
    program = line[2] if line[1] == b"env" and line[2] else line[1]
    name = _INTERPRETERS.get(program.rstrip(b"0123456789."))
    return _BY_NAME[name] if name else _PLAIN_CODE


def _by_look(head: bytes) -> Language:
    symbols = len(head.translate(None, _PROSE_BYTES))
    return _PLAIN_CODE if symbols * 20 > len(head) else _BY_NAME["text"]
