"""Suggest questions about tables: by the model, or by the shape of the tables without one."""

import asyncio
from collections.abc import AsyncIterator, Sequence

from yarrow.agents.analyst.input import AnalystInput, read_input
from yarrow.agents.analyst.prompt import (
    describe_tables,
    describe_threads,
    use_question_language,
    write_language_rule,
)
from yarrow.agents.analyst.questions.question_lines import QuestionLines
from yarrow.agents.analyst.workspace import AnalystWorkspaces, TableSummary
from yarrow.agents.conversation.conversation import (
    IMAGES_REFUSED,
    Conversation,
    start_conversation,
)
from yarrow.agents.conversation.reply import BY_RULES, ReplyEvents
from yarrow.journal.events import (
    MessageFinished,
    MessageStarted,
    Progressed,
    RunEvent,
    TextDelta,
    Warned,
)
from yarrow.llm.errors import AnswerEmpty
from yarrow.llm.model import ChatMessage, ChatRequest, ChatRole, ImagePart
from yarrow.product_events.analyst import SuggestedQuestion, SuggestionsFinished
from yarrow.runs.agent import RunContext
from yarrow.runs.model import AgentSpec
from yarrow.sessions.model import Visibility

DEADLINE_S = 120
NO_QUESTIONS = "NO_QUESTIONS"
_FROM_COLUMNS = "The model suggested nothing; these come from the columns."
_NOTHING_TO_ASK = "There is nothing to ask about yet: upload a table that has rows."

INSTRUCTIONS = """\
Suggest 4 questions that a curious analyst would ask of these tables next, each of another kind.
Write each as one JSON object on a line of its own, and nothing else:
{"text": "the question", "goal": "under ten words, **key words** bold", "tag": "…"}
Tags: deep-dive (look closer), pivot (another angle), broaden (more of it), cross-data (join
tables), statistical (a test or a model). Only ask what the columns can answer."""


class QuestionSuggester:
    """Questions that are worth asking, for a page that shows them as buttons."""

    spec = AgentSpec(
        name="analyst-questions", price=0, deadline_s=DEADLINE_S, visibility=Visibility.NOBODY
    )

    def __init__(self, workspaces: AnalystWorkspaces, *, has_model: bool) -> None:
        self._workspaces, self._has_model = workspaces, has_model

    async def run(self, context: RunContext) -> AsyncIterator[RunEvent]:
        analyst_input = read_input(context.run.input)
        yield Progressed("building_context")
        async with self._workspaces.open(context, analyst_input) as workspace:
            tables = await workspace.summarise()
        analyst_input = use_question_language(analyst_input, context.run.input.text, tables)
        yield Progressed("generating")
        count = 0
        has_model = self._has_model or bool(context.run.input.model)
        if not has_model:
            yield BY_RULES
        else:
            conversation = start_conversation(context, self.spec)
            request = build_questions_request(context, analyst_input, tables)
            async for event in _ask_model(conversation, request):
                count += isinstance(event, SuggestedQuestion)
                yield event
        if not count:
            questions = await asyncio.to_thread(_suggest_by_shape, analyst_input, tables)
            if (has_model or not questions) and workspace.missing.unreadable is None:
                yield Warned(NO_QUESTIONS, _FROM_COLUMNS if questions else _NOTHING_TO_ASK)
            count = len(questions)
            for question in questions:
                yield question
        yield SuggestionsFinished(count)


def build_questions_request(
    context: RunContext, analyst_input: AnalystInput, tables: Sequence[TableSummary]
) -> ChatRequest:
    start = context.run.input.text
    parts = (
        describe_tables(analyst_input, tables),
        describe_threads(analyst_input),
        analyst_input.exploration_rules,
        f"Begin from: {start}" if start else "",
        write_language_rule(analyst_input.language),
    )
    text = "\n\n".join(part for part in parts if part)
    images = tuple(ImagePart(url) for url in analyst_input.images)
    user = ChatMessage(ChatRole.USER, text, images)
    return ChatRequest((ChatMessage(ChatRole.SYSTEM, INSTRUCTIONS), user))


async def _ask_model(conversation: Conversation, request: ChatRequest) -> AsyncIterator[RunEvent]:
    """Questions as the model writes them; an empty reply has none.

    The image is only an aid, so there is no warning if the model refuses it.
    """
    lines = QuestionLines()
    try:
        async for event in conversation.ask(request, ReplyEvents.TEXT):
            match event:
                case TextDelta(text=text):
                    for question in lines.feed(text):
                        yield question
                case MessageStarted() | MessageFinished():
                    pass
                case _ if event is not IMAGES_REFUSED:
                    yield event
    except AnswerEmpty:
        return
    for question in lines.close():
        yield question


def _suggest_by_shape(
    analyst_input: AnalystInput, tables: Sequence[TableSummary]
) -> list[SuggestedQuestion]:
    from yarrow.charting import suggest_questions  # noqa: PLC0415

    questions = suggest_questions([table.shape for table in tables], analyst_input.chart_language)
    return [SuggestedQuestion(q.text, q.goal, q.tag.value) for q in questions]
