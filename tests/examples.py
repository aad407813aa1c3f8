"""How many examples a property test generates: a sample, and ten times as many if thorough."""

from hypothesis import HealthCheck, settings

DEFAULT = 100


def register_profiles() -> None:
    """The same examples in every run, however busy the machine is."""
    for name, count in (("sample", DEFAULT), ("thorough", 10 * DEFAULT)):
        settings.register_profile(
            name,
            max_examples=count,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=[HealthCheck.too_slow],
        )


def scale_examples(count: int) -> int:
    """So many in `make test`, for a test whose examples take long; more with `--thorough`."""
    return count * settings().max_examples // DEFAULT
