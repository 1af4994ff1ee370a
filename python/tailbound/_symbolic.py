"""Formulas to and from SymPy."""

from __future__ import annotations

import re
from typing import Any, Callable

from ._answers import Answer
from ._decimals import exact

_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")


def is_formula(value: Any) -> bool:
    """Is it a SymPy expression?"""
    return type(value).__module__.startswith("sympy.") and hasattr(value, "free_symbols")


def formula_text(value: Any) -> str:
    """A SymPy expression in the syntax of the library. Floats become their shortest decimals.

    >>> import sympy
    >>> z = sympy.Symbol("z")
    >>> formula_text((sympy.Rational(3, 5) / (1 - 0.4 * z)) ** 2)
    '9/(25*(1 - 2*z/5)^2)'
    """
    import sympy

    expression = sympy.sympify(value)
    constants = expression.atoms(sympy.NumberSymbol)
    if constants:
        raise ValueError(f"{constants.pop()} in {expression} is not a rational number")
    floats = {number: sympy.Rational(*exact(float(number)).as_integer_ratio()) for number in expression.atoms(sympy.Float)}
    return str(expression.xreplace(floats)).replace("**", "^")


def to_sympy(text: str) -> Any:
    """A formula of the library as a SymPy expression; names become symbols.

    >>> to_sympy("(1 - lambda + lambda*z)^k")
    (lambda*z - lambda + 1)**k
    """
    import sympy
    from sympy.parsing.sympy_parser import auto_number, parse_expr

    names: dict[str, Any] = {}

    def known(match: "re.Match[str]") -> str:
        name = match.group()
        if name == "exp":
            names["exp_"] = sympy.exp
            return "exp_"
        names[f"s_{name}"] = sympy.Symbol(name)
        return f"s_{name}"

    written = _NAME.sub(known, text).replace("^", "**")
    constants = {"Integer": sympy.Integer, "Float": sympy.Rational, "Rational": sympy.Rational}
    return parse_expr(written, local_dict=names, global_dict=constants, transformations=(auto_number,))


class Formula(Answer):
    """The answer of `pgf`: a generating function, as text or for other programs.

    >>> import tailbound as tb
    >>> formula = tb.pgf(inputs="k", load="k*p", of="arrivals")
    >>> formula.expression
    '(1 - p + p*z)^k'
    >>> print(formula.latex())
    \\left(1 - p + p z\\right)^{k}
    >>> formula.sympy()
    (p*z - p + 1)**k
    """

    def __init__(self, shown: Any, again: Callable[[str], "Formula"]) -> None:
        super().__init__(shown)
        self._again = again

    def written_for(self, language: str) -> str:
        """The formula in the syntax of another program: "text", "latex", "maple", "gp" or "c"."""
        return str(self._again(language)["expression"])

    def latex(self) -> str:
        """The formula in LaTeX, as notebooks show it."""
        return self.written_for("latex")

    def sympy(self) -> Any:
        """The formula as a SymPy expression in z and the names used in the parameters.

        >>> import sympy, tailbound as tb
        >>> Q = tb.pgf(inputs=4, load=0.8).sympy()
        >>> sympy.limit(Q, sympy.Symbol("z"), 1)
        1
        """
        return to_sympy(self.written_for("text"))

    def __getstate__(self) -> Any:
        return {**super().__getstate__(), "_again": self._again}

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """For notebooks: the typeset formula."""
        if len(self.results) != 1 or "expression" not in self.keys():
            return super()._repr_mimebundle_(include, exclude)
        return {"text/plain": repr(self), "text/latex": self._repr_latex_()}
