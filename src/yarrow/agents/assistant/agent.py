"""The assistant: asks the model, runs the tools it calls, and asks again until it answers."""

from collections.abc import AsyncIterator

from yarrow.accounts.preferences import read_preferences
from yarrow.agents.assistant.prompt import (
    HISTORY_TURNS,
    IMAGE_MISSING,
    build_prompt,
    choose_card_language,
    find_ignored_messages,
    load_images,
    make_caller,
)
from yarrow.agents.conversation.conversation import (
    Conversation,
    ParsedCall,
    ToolLoop,
    ToolRound,
    start_conversation,
)
from yarrow.agents.conversation.reply import ReplyEvents
from yarrow.journal.events import RunEvent, StepFinished, StepStarted, ToolReturned, Warned
from yarrow.kit.json import JsonObject
from yarrow.llm.errors import AnswerEmpty
from yarrow.llm.model import ToolSpec
from yarrow.llm.rule_based.model import RULES_MODEL, RuleModel
from yarrow.points.prices import RUN_PRICE
from yarrow.runs.agent import RunContext
from yarrow.runs.model import AgentSpec
from yarrow.sessions.model import Role
from yarrow.tools.model import ToolAnswer, ToolError
from yarrow.uischema import Meta, add_language_and_origin

MAX_ROUNDS = 8
"""How often the model may call tools before it has to answer without them."""

STEP = "worker"

OFFLINE_ANSWERS = Warned(
    "OFFLINE_ANSWERS",
    "No model is configured: rules answer, free of charge. Set YARROW_LLM_BASE_URL for a real "
    "model.",
)
"""Sent with the first run of a session, and with the first one after answers of a model."""


class Assistant:
    """A general conversation with tools."""

    spec = AgentSpec(
        name="assistant",
        price=RUN_PRICE,
        deadline_s=300,
        takes_client_messages=True,
        history_turns=HISTORY_TURNS,
    )

    async def run(self, context: RunContext) -> AsyncIterator[RunEvent]:
        yield StepStarted(STEP)
        answers = [message for message in context.history if message.role is Role.ASSISTANT]
        ours = [message for message in answers if not message.details.from_client]
        is_told = bool(ours) and ours[-1].model_code == RULES_MODEL
        if isinstance(context.model, RuleModel) and not is_told:
            yield OFFLINE_ANSWERS
        images = await load_images(context)
        prompt = build_prompt(context, images)
        for warning in find_ignored_messages(context, prompt):
            yield warning
        if images.some_missing:
            yield IMAGE_MISSING
        conversation = start_conversation(context, self.spec)
        loop = ToolLoop(
            conversation,
            prompt,
            ServerTools(context, conversation).use,
            tools=list_tools(context),
            max_rounds=MAX_ROUNDS,
            events=ReplyEvents.ALL,
        )
        async for event in loop.run():
            yield event
        if loop.is_exhausted:
            loop.allow_answer()
            async for event in loop.run():
                yield event
            if loop.is_exhausted and not conversation.reply.text:
                raise AnswerEmpty
        yield StepFinished(STEP)


def list_tools(context: RunContext) -> tuple[ToolSpec, ...]:
    """Our tools and the client's; ours win a clash of names."""
    ours = [tool.description for tool in context.tools.values()]
    theirs = [tool for tool in context.run.input.tools if tool.name not in context.tools]
    return (
        *(ToolSpec(tool.name, tool.description, tool.parameters) for tool in ours),
        *(ToolSpec(tool.name, tool.description, tool.parameters) for tool in theirs),
    )


class ServerTools:
    """Runs our tools. Calls of client tools stay open: the client answers with its next run."""

    def __init__(self, context: RunContext, conversation: Conversation) -> None:
        self._context, self._conversation = context, conversation
        tools = context.run.input.tools
        self._client_tools = {tool.name for tool in tools if tool.name not in context.tools}

    async def use(self, tool_round: ToolRound) -> AsyncIterator[RunEvent]:
        for parsed in tool_round.calls:
            if parsed.call.name in self._client_tools:
                continue
            call_id = parsed.call.id
            returned = self._context.steps.take_result(call_id) or await self._call_tool(parsed)
            if returned.answer_hints is not None:
                self._conversation.answer_card = returned.answer_hints
            yield returned
            tool_round.answer(parsed.call, returned.content)

    async def _call_tool(self, parsed: ParsedCall) -> ToolReturned:
        """Run one tool; a `ToolError` is a result that the model can act on."""
        name, call_id = parsed.call.name, parsed.call.id
        message_id = str(self._context.new_id())
        try:
            answer = await self._run_tool(name, parsed.arguments)
        except ToolError as failure:
            return ToolReturned(call_id, message_id, str(failure), failed=True)
        return ToolReturned(
            call_id,
            message_id,
            answer.text,
            hints=_add_card_origin(answer.card, self._context, tool=name),
            answer_hints=_add_card_origin(answer.answer_card, self._context),
        )

    async def _run_tool(self, name: str, arguments: JsonObject | None) -> ToolAnswer:
        tools = self._context.tools
        if name not in tools:
            raise ToolError(f"there is no tool {name}; known: {', '.join(tools)}")
        if arguments is None:
            raise ToolError("arguments must be a JSON object")
        return await tools[name].call(arguments, make_caller(self._context))


def _add_card_origin(
    card: JsonObject | None, context: RunContext, *, tool: str = ""
) -> JsonObject | None:
    """The UI hints of a card with its language and origin."""
    if card is None:
        return None
    run = context.run
    is_offline = isinstance(context.model, RuleModel)
    profile = read_preferences(run.preferences).ai_language
    locale = choose_card_language(context).value if is_offline else profile
    return add_language_and_origin(card, locale=locale, meta=Meta(run.input.request_id, tool))
