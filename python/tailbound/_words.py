"""Translates options in texts to keywords: ``--load R`` to ``load=R``. Independent of the rest of the package."""

from __future__ import annotations

import difflib
import functools
import re
from typing import Any, Callable, Iterable, Mapping, Sequence, Tuple

#: For each keyword: the option, its type, and its legal names.
Spec = Mapping[str, Tuple[str, str, Sequence[str]]]

_OPTION = re.compile(r'(--[a-z][a-z0-9-]*)(?:[ =]("[^"]*"|[^\s"]+))?')
_OTHER_COMMANDS = re.compile(r"(\btailbound [a-z][^;,()]*)")  # shell commands stay unchanged
_LIST = re.compile(r"[\w.%/-]+([,:;|][\w.%/-]+)+(,\.\.)?")
_PLACEHOLDER = re.compile(r'[A-Z][A-Z0-9_]*|"[^"]*"|[0-9][\w./%*^+-]*')
_WITHOUT_END = re.compile(r"^(.*?(?:,\.\.)?)[.,;:)]*$")
_SUBJECT_OF = {"is", "are", "must", "needs", "has", "have", "says", "say", "alone", "given"}


def in_keywords(text: str, spec: Spec) -> str:
    """Replaces options of this command, with their values, by keywords. Other options stay unchanged.

    >>> spec = {"load": ("--load", "text", ()), "traffic": ("--traffic", "text", ("poisson",)), "shared": ("--shared", "flag", ())}
    >>> in_keywords("--load is missing; it must be given with --traffic poisson --load R or --shared, not --digits 3", spec)
    'load is missing; it must be given with traffic="poisson", load=R or shared=True, not --digits 3'
    """
    keywords = {option: (key, takes, names) for key, (option, takes, names) in spec.items()}

    def keyword(match: "re.Match[str]") -> str:
        option, value = match.group(1), match.group(2) or ""
        if option not in keywords:
            return match.group()
        key, takes, names = keywords[option]
        behind = match.group()[len(option) :]
        if takes == "flag":
            return (key if value in _SUBJECT_OF else f"{key}=True") + behind
        plain = _WITHOUT_END.sub(r"\1", value)
        if plain in names or _LIST.fullmatch(plain):
            return f'{key}="{plain}"{value[len(plain):]}'
        if _PLACEHOLDER.fullmatch(plain):
            return f"{key}={plain}{value[len(plain):]}"
        return key + behind

    parts = _OTHER_COMMANDS.split(text)
    parts[::2] = [re.sub(r"(\b[a-z_]+=\S*[^\s,;:)]) (?=[a-z_]+=)", r"\1, ", _OPTION.sub(keyword, part)) for part in parts[::2]]
    return "".join(parts)


def similar(word: str, known: Iterable[str]) -> str:
    """A suggestion for an unknown name: "did you mean 'load'? "; "" if none is similar.

    >>> similar("laod", ["inputs", "load"])
    "did you mean 'load'? "
    """
    found = difflib.get_close_matches(word, list(known), 1)
    return f"did you mean {found[0]!r}? " if found else ""


def suggesting(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, whose error for an unknown keyword suggests one."""
    code = function.__code__
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    @functools.wraps(function)
    def checked(*given: Any, **keywords: Any) -> Any:
        for key in keywords:
            if key not in known:
                hint = similar(key, known) or f"help(tailbound.{function.__name__}) lists its keywords"
                raise TypeError(f"{function.__name__}() got an unexpected keyword argument {key!r}; {hint.strip()}")
        return function(*given, **keywords)

    return checked
