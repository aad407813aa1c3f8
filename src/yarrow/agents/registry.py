"""The agents that ship."""

from yarrow.agents.assistant.agent import Assistant
from yarrow.runs.agent import Agent, Agents


def shipped_agents() -> Agents:
    """Every agent by its name."""
    agents: tuple[Agent, ...] = (Assistant(),)
    return {agent.spec.name: agent for agent in agents}
