"""Casts of every kind, for the property tests."""

from datetime import datetime, timedelta, timezone

from hypothesis import settings
from hypothesis import strategies as st

from yarrow.liuyao import Cast, DayBoundary
from yarrow.liuyao.coins import YAO_LINES

offsets = st.integers(-12 * 4, 14 * 4).map(lambda q: timezone(timedelta(minutes=15 * q)))
moments = st.datetimes(
    min_value=datetime(1899, 3, 1),  # noqa: DTZ001 - the strategy adds the offset
    max_value=datetime(2101, 12, 20),  # noqa: DTZ001
    timezones=offsets,
)
six_lines = st.lists(st.sampled_from(YAO_LINES), min_size=6, max_size=6).map(tuple)
casts = st.builds(
    Cast,
    lines=six_lines,
    moment=moments,
    question=st.just("问"),
    question_type=st.sampled_from(["事业", "财运", "感情", "健康", "官司", "其他", "what else"]),
    method=st.just("自动起卦"),
    day_boundary=st.sampled_from(DayBoundary),
)

few_examples = settings(max_examples=60)
