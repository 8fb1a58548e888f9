"""The summary Dag: messages, the summaries made over them, and what the model sees of both."""

from lcm_lab.dag.base import Dag
from lcm_lab.dag.expand import Cut, Expansion
from lcm_lab.dag.nodes import Node, Summary
from lcm_lab.dag.outcome import Outcome

__all__ = ["Cut", "Dag", "Expansion", "Node", "Outcome", "Summary"]
