"""Suggest what to ask of the tables next: by the model, or by the tables' own shape without one."""

from collections.abc import AsyncIterator, Sequence

from yarrow.agents.analyst.input import AnalystInput, read_input
from yarrow.agents.analyst.prompt import language_line, tables_text, thread_text
from yarrow.agents.analyst.questions.question_lines import QuestionLines
from yarrow.agents.analyst.workspace import AnalystWorkspaces, TableSummary
from yarrow.agents.conversation.conversation import IMAGES_REFUSED, Conversation
from yarrow.agents.conversation.reply import ReplyEvents
from yarrow.charting import ChartLanguage, suggest_questions
from yarrow.kit.json import JsonObject
from yarrow.llm.errors import AnswerEmpty
from yarrow.llm.model import ChatMessage, ChatRequest, ChatRole, ImagePart
from yarrow.runs.agent import RunContext
from yarrow.runs.events import (
    MessageFinished,
    MessageStarted,
    Produced,
    Progressed,
    RunEvent,
    TextDelta,
    Warned,
)
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
    """Questions worth asking, for a page that shows them as buttons."""

    spec = AgentSpec(
        name="analyst-questions", price=0, deadline_s=DEADLINE_S, visibility=Visibility.NOBODY
    )

    def __init__(self, workspaces: AnalystWorkspaces, *, has_model: bool) -> None:
        self._workspaces, self._has_model = workspaces, has_model

    async def run(self, context: RunContext) -> AsyncIterator[RunEvent]:
        given = read_input(context.run.input)
        yield Progressed("building_context")
        async with self._workspaces.open(context.run.account_id, given) as workspace:
            tables = await workspace.summarise()
        yield Progressed("generating")
        count = 0
        by_model = self._has_model or bool(context.run.input.model)
        if by_model:
            conversation = Conversation(
                context.model, context.new_id, deadline_s=self.spec.deadline_s
            )
            async for event in _by_model(conversation, _request(context, given, tables)):
                count += isinstance(event, Produced)
                yield event
        if not count:
            questions = _by_shape(given, tables)
            if by_model or not questions:
                yield Warned(NO_QUESTIONS, _FROM_COLUMNS if questions else _NOTHING_TO_ASK)
            count = len(questions)
            for question in questions:
                yield question
        yield Produced("done", {"count": count}, kept=False)


def _by_shape(given: AnalystInput, tables: Sequence[TableSummary]) -> list[Produced]:
    language = ChartLanguage.ZH if given.language == ChartLanguage.ZH else ChartLanguage.EN
    return [
        _told({"text": question.text, "goal": question.goal, "tag": question.tag.value})
        for question in suggest_questions([table.shape for table in tables], language)
    ]


async def _by_model(conversation: Conversation, request: ChatRequest) -> AsyncIterator[RunEvent]:
    """Questions as the model writes them. An empty reply has none; the chart is only an aid, so
    nobody is warned if the model does not take images."""
    lines = QuestionLines()
    try:
        async for event in conversation.ask(request, ReplyEvents.TEXT):
            match event:
                case TextDelta(text=text):
                    for question in lines.feed(text):
                        yield _told(question)
                case MessageStarted() | MessageFinished():
                    pass
                case _ if event is not IMAGES_REFUSED:
                    yield event
    except AnswerEmpty:
        return
    for question in lines.close():
        yield _told(question)


def _request(
    context: RunContext, given: AnalystInput, tables: Sequence[TableSummary]
) -> ChatRequest:
    start = context.run.input.text
    parts = (
        tables_text(given, tables),
        thread_text(given),
        given.exploration_rules,
        f"Begin from: {start}" if start else "",
        language_line(given.language),
    )
    images = tuple(ImagePart(url) for url in given.images)
    told = ChatMessage(ChatRole.USER, "\n\n".join(part for part in parts if part), images)
    return ChatRequest((ChatMessage(ChatRole.SYSTEM, INSTRUCTIONS), told))


def _told(question: JsonObject) -> Produced:
    return Produced("question", question, kept=False)
