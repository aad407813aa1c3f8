"""SQL with named parameters: `:name` in the text, positional for asyncpg."""

import re

_PARAMETER = re.compile(r"(?<!:):([a-z_]+)")


class NamedSql:
    """A statement whose parameters are given by name.

    COUNT = NamedSql("SELECT count(*) FROM runs WHERE session_id = :session_id")
    await tx.fetchval(COUNT.text, *COUNT.arguments(session_id=session_id))
    """

    def __init__(self, text: str) -> None:
        self._names = list(dict.fromkeys(_PARAMETER.findall(text)))
        numbers = {name: number for number, name in enumerate(self._names, 1)}
        self.text = _PARAMETER.sub(lambda match: f"${numbers[match[1]]}", text)

    def arguments(self, **values: object) -> list[object]:
        """Order the values for asyncpg; a missing or an unknown name is an error."""
        if values.keys() != set(self._names):
            raise TypeError(f"wrong parameters: {sorted(values.keys() ^ set(self._names))}")
        return [values[name] for name in self._names]
