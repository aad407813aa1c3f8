"""The agents that ship."""

from yarrow.agents.analyst.chart.agent import Analyst
from yarrow.agents.analyst.desk import Desks
from yarrow.agents.analyst.loader.agent import Loader
from yarrow.agents.analyst.loader.desk import LoadingDesks
from yarrow.agents.analyst.questions.agent import QuestionSuggester
from yarrow.agents.analyst.report.agent import ReportWriter
from yarrow.agents.assistant.agent import Assistant
from yarrow.agents.diviner.agent import Diviner
from yarrow.kit.signing import HmacSigner
from yarrow.runs.agent import Agent, Agents


def shipped_agents(
    desks: Desks, loading_desks: LoadingDesks, sign: HmacSigner, *, has_model: bool
) -> Agents:
    """Every agent by its name; `has_model` when a model of the operator's choice is there."""
    agents: tuple[Agent, ...] = (
        Assistant(),
        Diviner(model_writes=has_model),
        Analyst(desks, sign, has_model=has_model),
        QuestionSuggester(desks, has_model=has_model),
        ReportWriter(desks, has_model=has_model),
        Loader(loading_desks, has_model=has_model),
    )
    return {agent.spec.name: agent for agent in agents}
