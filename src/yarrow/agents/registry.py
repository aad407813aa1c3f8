"""The agents that ship."""

from yarrow.agents.assistant.agent import Assistant
from yarrow.agents.divination.agent import Diviner
from yarrow.runs.agent import Agent, Agents


def shipped_agents(*, has_model: bool) -> Agents:
    """Every agent by its name; `has_model` when a model of the operator's choice is there."""
    agents: tuple[Agent, ...] = (Assistant(), Diviner(model_writes=has_model))
    return {agent.spec.name: agent for agent in agents}
