"""What this server offers, for clients that decide what to show. Without a token."""

from fastapi import APIRouter
from pydantic import BaseModel

from yarrow import __version__
from yarrow.http.lazy_route import LazyRoute
from yarrow.web.configuration import ClientConfiguration, ClientLimits, ConfigurationFact


class FeatureOut(BaseModel):
    """One part: its state, and the name of the model where one is configured."""

    state: str
    name: str | None


class ConfigurationOut(BaseModel):
    """The present configuration of the process that answers."""

    version: str
    accounts: str
    """`on` or `off`."""
    model: FeatureOut
    """`endpoint`, `offline`, `rules` or `none`."""
    speech: FeatureOut
    """`endpoint`, `offline` or `none`."""
    worker: str
    """`on` or `off`."""
    limits: ClientLimits
    run_points: int
    """What a successful run of the diviner or the assistant costs where accounts are on."""


def make_configuration_router(configuration: ClientConfiguration) -> APIRouter:
    router = APIRouter(prefix="/api/v1", tags=["configuration"], route_class=LazyRoute)
    by_name = {fact.name: fact for fact in configuration.facts}
    shown = ConfigurationOut(
        version=__version__,
        accounts=by_name["auth"].state,
        model=_encode_feature(by_name["model"]),
        speech=_encode_feature(by_name["speech"]),
        worker=by_name["worker"].state,
        limits=configuration.limits,
        run_points=configuration.run_points,
    )

    @router.get("/configuration", summary="What is configured, for clients")
    async def show_configuration() -> ConfigurationOut:
        return shown

    return router


def _encode_feature(fact: ConfigurationFact) -> FeatureOut:
    return FeatureOut(state=fact.state, name=fact.value or None)
