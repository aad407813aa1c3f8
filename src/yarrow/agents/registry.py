"""The agents that ship."""

from yarrow.agents.analyst.chart.agent import Analyst
from yarrow.agents.analyst.loader.agent import Loader
from yarrow.agents.analyst.loader.workspace import LoaderWorkspaces
from yarrow.agents.analyst.questions.agent import QuestionSuggester
from yarrow.agents.analyst.report.agent import ReportWriter
from yarrow.agents.analyst.workspace import AnalystWorkspaces
from yarrow.agents.assistant.agent import Assistant
from yarrow.agents.diviner.agent import Diviner
from yarrow.agents.storyteller.agent import Storyteller
from yarrow.kit.signing import HmacSigner
from yarrow.runs.agent import Agent, Agents


def build_agents(
    workspaces: AnalystWorkspaces,
    loader_workspaces: LoaderWorkspaces,
    sign: HmacSigner,
    storyteller: Storyteller,
    *,
    has_model: bool,
) -> Agents:
    """Every agent by its name; `has_model` when a model of the operator's choice is there."""
    agents: tuple[Agent, ...] = (
        Assistant(),
        Diviner(model_writes=has_model),
        Analyst(workspaces, sign, has_model=has_model),
        QuestionSuggester(workspaces, has_model=has_model),
        ReportWriter(workspaces, has_model=has_model),
        Loader(loader_workspaces, has_model=has_model),
        storyteller,
    )
    return {agent.spec.name: agent for agent in agents}
