"""Progress of long queries, on a terminal or in a notebook."""

from __future__ import annotations

import sys
import time
from typing import Any, Callable, Optional, Union

Progress = Union[None, bool, Callable[[float, float], None]]


def _in_words(done: float, left: float) -> str:
    if left <= 0:
        return f"{100 * done:.0f} %"
    seconds = int(left) + 1
    if seconds < 60:
        words = f"{seconds} s"
    elif seconds < 3600:
        words = f"{seconds // 60} min {seconds % 60} s"
    else:
        words = f"{seconds // 3600} h {seconds % 3600 // 60} min"
    return f"{100 * done:.0f} %, {words} left"


class Meter:
    """A progress line, shown after one second and cleared at the end."""

    def __init__(self, wanted: Progress) -> None:
        self._begun = time.monotonic()
        self._handle: Any = None
        self._shown = False
        self._own = wanted if callable(wanted) else None
        shell = _notebook() if wanted is not False else None
        self._notebook = shell is not None
        self._terminal = shell is None and wanted is not False and (bool(wanted) or sys.stderr.isatty())

    @property
    def callback(self) -> Optional[Callable[[float, float], None]]:
        """The function to call; None if progress is not shown."""
        if self._own is not None:
            return self._own
        return self._say if self._notebook or self._terminal else None

    def _say(self, done: float, left: float) -> None:
        if time.monotonic() - self._begun < 1:
            return
        words = _in_words(done, left)
        if self._notebook:
            from IPython.display import display

            if self._handle is None:
                self._handle = display({"text/plain": words}, raw=True, display_id=True)
            else:
                self._handle.update({"text/plain": words}, raw=True)
        else:
            sys.stderr.write(f"\r{words}\033[K")
            sys.stderr.flush()
        self._shown = True

    def close(self) -> None:
        """Clears the progress line."""
        if not self._shown:
            return
        if self._handle is not None:
            self._handle.update({"text/plain": ""}, raw=True)
        elif self._terminal:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


def _notebook() -> Any:
    """The shell of the notebook kernel, if there is one."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell if shell is not None and hasattr(shell, "kernel") else None
