"""Corpora spread over the workers of a Dask cluster, answered exactly as one index answers.

A conversation lies on one worker, whole. Before anything is indexed, the shards count their
documents, lengths and terms, and the counts are added up, so that a word weighs the same
everywhere. A question goes to every shard that holds rows it may see; each answers its k best, and
the merge is the answer of one index, to the last bit. COSTS.md says what that costs.

Sweeps need nothing of this: ``with joblib.parallel_config(backend="dask")`` spreads `evaluate` and
`tune` over the same cluster.
"""

from lcm_lab.scale.shards import Shards, shard

__all__ = ["Shards", "shard"]
