"""A corpus with the questions asked of it and the judgements of what answers them."""

from lcm_lab.collection.base import Collection
from lcm_lab.collection.trec import read_qrels, write_qrels

__all__ = ["Collection", "read_qrels", "write_qrels"]
