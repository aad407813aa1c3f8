"""Counting tokens. A text's count is asked for once and remembered."""

from collections.abc import Callable
from typing import TypeAlias

CountTokens: TypeAlias = Callable[[str], int]
