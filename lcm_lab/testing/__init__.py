"""The contracts of rankers and of strategies, as checks that anyone can run on their own."""

from lcm_lab.testing.compactors import check_compactor, check_dag, small_dag
from lcm_lab.testing.rankers import QUERIES as QUERIES
from lcm_lab.testing.rankers import check_ranker, small_corpus

__all__ = ["check_compactor", "check_dag", "check_ranker", "small_corpus", "small_dag"]
