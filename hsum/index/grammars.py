"""How declarations look, language by language.

Each pattern begins with the line feed before a declaration's line, so that the regex
engine skips from line to line by a literal. Its first group is the indentation, its
last the name; a group `owner` is what a name belongs to that stands outside its body.
Possessive quantifiers keep every pattern linear.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, Literal, TypeAlias

import attrs

__all__ = ["LANGUAGES", "Grammar", "grammar_of"]

Closing = Literal["braces", "end", "dedent", "next"]
_Source: TypeAlias = tuple[Closing, str]


@attrs.frozen
class Grammar:
    """A pattern of declarations and what closes their bodies.

    `braces` and `end` are closed by `}` or `end` at the declaration's own indentation,
    `dedent` by the next line not indented deeper, `next` by the next declaration.
    """

    pattern: re.Pattern[bytes]
    closing: Closing
    has_owner: bool


@cache
def grammar_of(language: str) -> Grammar | None:
    """Return the grammar of a language of `hsum.index.languages`, where it has one.

    It is compiled then: all of them would take a tenth of a second.
    """
    if language not in _LINES:
        return None
    closing, lines = _LINES[language]
    source = rf"\n([ \t]*+)(?:{lines})".encode("ascii")
    pattern = re.compile(source, re.VERBOSE)
    return Grammar(pattern, closing, "owner" in pattern.groupindex)


_TOP: Final = r"(?<=\n)"  # not indented
_LINE_END: Final = r"[ \t\r]*(?=\n)"
_BALANCED: Final = (  # parentheses, three deep
    r"\([^()]*+(?:\([^()]*+(?:\([^()]*+\)[^()]*+)*+\)[^()]*+)*+\)"
)

_PYTHON: Final[_Source] = (
    "dedent",
    rf"""
    def[ \t]++([\w\x80-\xff]++)
  | async[ \t]++def[ \t]++([\w\x80-\xff]++)
  | class[ \t]++([\w\x80-\xff]++)
  | (@)
  | {_TOP}([A-Za-z_\x80-\xff][\w\x80-\xff]*+)[ \t]*+(?::[^=\n\#]++)?=(?!=)
    """,
)

_C_NOT_A_NAME: Final = (
    r"(?!(?:if|for|while|switch|return|else|do|case|catch|new|throw|defined)\b)"
)
_C_TYPE: Final = r"""
    (?:typedef[ \t]++)?(?:static[ \t]++|const[ \t]++)*+
    (?:struct|union|enum(?:[ \t]++class|[ \t]++struct)?|class)[ \t]++
    (?:[A-Z_]{3,}[ \t]++|__\w++[ \t]++)*
    (\w++)[ \t]*+(?:final[ \t]*+)?(?::(?!:)[^;{}()\n]*+)?\n?[ \t]*+\{
"""
_C_INITIALIZERS: Final = r"(?:\n?[ \t]*+:(?!:)[^;{}\#]{0,2000}+)?\n?[ \t]*+\{"
_C_TOP: Final = rf"""
    \#[ \t]*+define[ \t]++(\w++)(?!\()[^\n]*+  # a table of constants
    (?:(?<!\\)\n\#[ \t]*+define[ \t]++\w++(?!\()[^\n]*+){{5,}}+
  | \#[ \t]*+define[ \t]++(\w++)
  | {_C_TYPE}
  | typedef[ \t][^\n;{{}}()]*[ \t*](\w++)[ \t]*;
  | [A-Z][A-Z0-9_]*+\([ \t]*+(\w++)[^()]*+\)[ \t\n]*+\{{
  | {_C_NOT_A_NAME}(?:[A-Za-z_][^\n;{{}}()=\#"]*[\s*&])?
    ([A-Za-z_~][\w:~]*+)[ \t]*+{_BALANCED}
    [^;{{}}()=\#\n]*+{_C_INITIALIZERS}
  | (?!extern\b|return\b|goto\b|using\b|(?:struct|union|enum|class)[ \t]++\w++;)
    [A-Za-z_][\w \t*]*[ \t*](\w++)(?:\[[^\]\n]*+\])*+(?:[ \t]__\w++)?[ \t]*+(?:=(?!=)|;)
"""
_C: Final[_Source] = ("braces", rf"(?=[A-Za-z_\#]){_TOP}(?:{_C_TOP})")
_CPP: Final[_Source] = (
    "braces",
    rf"""
    {_TOP}(?:{_C_TOP})
  | (?!\n|{_TOP})(?:
      {_C_TYPE}
    | {_C_NOT_A_NAME}(?:[\w:<>,]++[ \t*&]++)*?
      (~?[A-Za-z_]\w*+)[ \t]*+{_BALANCED}
      (?:[ \t]*+(?:const|override|noexcept|final|->[ \t]*+[\w:<>*&]++))*+
      {_C_INITIALIZERS}
    )
    """,
)

_JS_MODIFIERS: Final = r"""
    (?:(?:export|default|declare|abstract|async|public|private|protected|static
    |readonly|override|get|set|const(?=[ \t]enum))[ \t]++)*+
"""
_JS_NOT_A_NAME: Final = (
    r"(?!(?:if|for|while|switch|catch|return|function|else|do|with|new|await|typeof"
    r"|super|throw|case|delete|void|import|require)\b)"
)
_JAVASCRIPT: Final[_Source] = (
    "braces",
    rf"""
    {_JS_MODIFIERS}(?:
      (?:function[ \t]*+\*?|class|interface|enum|namespace|module|type)[ \t]*+
      (?<=[ \t*])([\w$]++)(?![ \t]*+[:,)])
    | {_TOP}(?:const|let|var)[ \t]++([\w$]++)[^\n=;]*+=
    | (?<=export[ \t])(?:const|let|var)[ \t]++([\w$]++)[^\n=;]*+=
    | (?:const|let|var)[ \t]++([\w$]++)[^\n=;]*+=[ \t]*+
      (?:async[ \t]*+)?(?:function\b|class\b|\([^\n]*\)[^\n(]*=>|\w++[ \t]*+=>)
    | \*?{_JS_NOT_A_NAME}([\w$\#]++)[ \t]*+(?:<[^\n(]*>)?
      \((?![^\n]*\bfunction\b)[^\n'"`]*\)[ \t]*+(?::[^\n=]*)?\{{{_LINE_END}
    )
  | ([\w$.]++)[ \t]*+[=:][ \t]*+(?:async[ \t]++)?function\b
    """,
)

_GO: Final[_Source] = (
    "braces",
    rf"""
    {_TOP}(?:
      func[ \t]++(?:\([^()\n]*?(?P<owner>\w++)(?:\[[^\]\n]*+\])?\)[ \t]*+)?(\w++)
    | type[ \t]++(\w++)
    | (?:var|const)[ \t]++(\w++)
    )
  | (\w++)[ \t]++(?:struct|interface)[ \t]*+\{{{_LINE_END}
    """,
)

_RUST: Final[_Source] = (
    "braces",
    r"""
    (?:pub(?:\([^)\n]*+\))?[ \t]++)?
    (?:(?:default|async|unsafe|const(?=[ \t]++(?:async|unsafe|extern|fn))
      |extern(?:[ \t]++"[^"\n]*+")?)[ \t]++)*+
    (?:(?:fn|struct|enum|union|trait|mod|type|macro_rules!)[ \t]++([A-Za-z_]\w*+)
      |(?:const|static)[ \t]++(?:mut[ \t]++)?(\w++)[ \t]*+:
      |impl\b(?:<[^\n]*?>(?=[ \t]))?[ \t]++(?:[^\n{]*?[ \t]for[ \t]++)?
       &?(?:\w++::)*+(\w++))
    """,
)

_TYPED_MODIFIERS: Final = r"""
    (?:public|private|protected|internal|static|final|abstract|sealed|open|override
    |async|virtual|partial|data|inline|suspend|case|implicit|lazy|native|synchronized
    |default|readonly|unsafe|extern|new|const|companion|annotation|value|inner
    |operator|infix|tailrec|fileprivate|mutating|convenience|required|indirect
    |nonisolated|strictfp|actual|expect|external|enum(?=[ \t]++class))[ \t]++
"""
_TYPED_NOT_A_TYPE: Final = r"""
    (?!(?:return|new|throw|else|case|if|for|while|switch|catch|using|lock|await|yield
    |package|import|assert|do|try|when|match|goto|guard|defer|let|var|val)\b)
"""
_TYPED: Final[_Source] = (
    "braces",
    rf"""
    (?:{_TYPED_MODIFIERS})*+(?:
      (?:class|@?interface|enum|record|struct|object|trait|namespace|protocol|actor
        |extension|typealias|delegate|type|def)[ \t]++([\w.]++)
    | (?:fun|func)[ \t]++(?:<[^>\n]*+>[ \t]*+)?(?:[\w<>?,]++\.)*([\w`]++)
    | (?P<constructor>init)[?!]?(?=[(<])
    | {_TYPED_NOT_A_TYPE}[\w<>\[\],.?]++(?:[ \t]++[\w<>\[\],.?]++)?[ \t]++
      (\w++)[ \t]*+(?:<[^\n(]*>)?\([^\n;=]*(?<![;,.+&|])(?=\n)
    | (?<=[a-z][ \t])(\w++)[ \t]*+\([^\n;=]*(?<![;,.+&|])(?=\n)
    )
    """,
)

_RUBY: Final[_Source] = (
    "end",
    r"""
    (?:(?:private|protected|public|module_function)[ \t]++)?def[ \t]++
    (?:self\.)?([\w\x80-\xff]++[?!=]?|[-+*/<>=!~%^&|\[\]]++)
  | (?:class|module)[ \t]++([A-Z][\w:]*+)
    """,
)

_PHP: Final[_Source] = (
    "braces",
    r"""
    (?:(?:abstract|final|public|protected|private|static|readonly)[ \t]++)*+
    (?:function[ \t]++&?([\w\x80-\xff]++)
      |(?:class|interface|trait|enum)[ \t]++([\w\x80-\xff]++))
    """,
)

_SHELL: Final[_Source] = (
    "braces",
    r"""
    function[ \t]++([\w:.-]++)
  | ([\w:.-]++)[ \t]*+\([ \t]*+\)[ \t]*+\n?[ \t]*+[{(]
    """,
)

_SQL: Final[_Source] = (
    "next",
    r"""
    (?i:create[ \t]++(?:or[ \t]++replace[ \t]++)?
    (?:(?:global|local|temp|temporary|unique|unlogged|materialized|virtual|external
      |recursive|clustered|nonclustered|definer=\S++)[ \t]++)*+
    (?:table|view|index|function|procedure|trigger|type|schema|sequence|domain
      |database|role|extension)[ \t]++
    (?:concurrently[ \t]++)?(?:if[ \t]++not[ \t]++exists[ \t]++)?)
    ["`\[]?([\w.\x80-\xff]++)
    """,
)

_LUA: Final[_Source] = (
    "end",
    r"""
    (?:local[ \t]++)?function[ \t]++([\w.:]++)
  | (?:local[ \t]++)?([\w.]++)[ \t]*+=[ \t]*+function\b
    """,
)

_MAKE: Final[_Source] = (
    "dedent",
    rf"""
    {_TOP}(?:
      (?:override[ \t]++|export[ \t]++)*+(\w++)[ \t]*+(?:[:?]?|::)=
    | define[ \t]++([\w-]++)
    | ([^\s:=\#.][^\s:=\#]*+)(?:[ \t]++[^\s:=\#]++)*+[ \t]*+::?(?!=)
    )
    """,
)

_SECTIONS: Final[_Source] = ("next", rf"""{_TOP}\[\[?[ \t]*+([^\]\n]++)\]""")
_YAML: Final[_Source] = (
    "next",
    rf"""{_TOP}["']?([\w.$/][^\n:\#"']*+)["']?:(?=[ \t\r\n])""",
)
_KCONFIG: Final[_Source] = ("next", rf"""{_TOP}(?:menu)?config[ \t]++(\w++)""")
_PROTO: Final[_Source] = (
    "braces",
    r"""(?:message|service|enum|rpc|oneof)[ \t]++(\w++)""",
)
_PERL: Final[_Source] = ("braces", r"""(?:sub|package)[ \t]++([\w:]++)""")
_ELIXIR: Final[_Source] = (
    "end",
    r"""(?:def|defp|defmacro|defmodule|defprotocol)[ \t]++([\w.?!]++)""",
)
_JULIA: Final[_Source] = (
    "end",
    r"""(?:function|macro|module|(?:mutable[ \t]++)?struct)[ \t]++([\w.!]++)""",
)
_R: Final[_Source] = ("braces", rf"""{_TOP}([\w.]++)[ \t]*+(?:<-|=)[ \t]*+function\b""")
_CMAKE: Final[_Source] = ("next", r"""(?i:function|macro)[ \t]*+\([ \t]*+(\w++)""")
_ASSEMBLY: Final[_Source] = (
    "next",
    rf"""
    {_TOP}(?:(?:SYM_\w*START\w*+|ENTRY|WEAK)\([ \t]*+(\w++)|([A-Za-z_]\w*+):)
    """,
)

_LINES: Final[dict[str, _Source]] = {
    "python": _PYTHON,
    "c": _C,
    "cpp": _CPP,
    "javascript": _JAVASCRIPT,
    "typescript": _JAVASCRIPT,
    "go": _GO,
    "rust": _RUST,
    "java": _TYPED,
    "kotlin": _TYPED,
    "csharp": _TYPED,
    "scala": _TYPED,
    "swift": _TYPED,
    "groovy": _TYPED,
    "dart": _TYPED,
    "ruby": _RUBY,
    "php": _PHP,
    "shell": _SHELL,
    "sql": _SQL,
    "lua": _LUA,
    "make": _MAKE,
    "toml": _SECTIONS,
    "ini": _SECTIONS,
    "yaml": _YAML,
    "kconfig": _KCONFIG,
    "proto": _PROTO,
    "perl": _PERL,
    "elixir": _ELIXIR,
    "julia": _JULIA,
    "r": _R,
    "cmake": _CMAKE,
    "assembly": _ASSEMBLY,
}
LANGUAGES: Final = frozenset(_LINES)
"""The languages that have a grammar."""
