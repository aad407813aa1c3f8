"""Whether a story exists, may be changed and can be answered."""

from yarrow.ids import SessionId
from yarrow.sessions.errors import SessionArchived, SessionNotFound
from yarrow.stories.model import (
    AnsweringStory,
    StoryPatch,
    StorySession,
    StoryStatus,
)
from yarrow.stories.model_endpoints.slots import require_narrator


def require_story(session_id: SessionId, story: StorySession | None) -> StorySession:
    """Raise if the account has no such story."""
    if story is None:
        raise SessionNotFound(str(session_id))
    return story


def require_open(story: StorySession | AnsweringStory) -> None:
    """Raise if the story is archived."""
    if story.archived:
        raise SessionArchived(str(story.session_id))


def require_answerable(story: StorySession | AnsweringStory) -> None:
    """Raise if the story is archived, or if its narrator cannot be asked."""
    require_open(story)
    require_narrator(story.models)


def is_allowed_when_archived(patch: StoryPatch) -> bool:
    """Whether the patch reopens an archived story, or only archives it again."""
    return patch.status is StoryStatus.ACTIVE or patch == StoryPatch(status=StoryStatus.ARCHIVED)
