"""The library's routes together: assets, import and export."""

from fastapi import APIRouter

from yarrow.db import Database
from yarrow.protocols.tavern.assets.export_routes import export_routes
from yarrow.protocols.tavern.assets.import_routes import OpenStory, import_routes
from yarrow.protocols.tavern.assets.routes import asset_routes


def library_routes(database: Database, *, open_story: OpenStory) -> APIRouter:
    """`open_story` begins a session with a character that was just imported."""
    routes = APIRouter()
    for part in (
        asset_routes(database),
        import_routes(database, open_story=open_story),
        export_routes(database),
    ):
        # Not include_router: it wraps each route once more, and matches it twice.
        routes.routes.extend(part.routes)
    return routes
