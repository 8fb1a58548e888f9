"""Synthetic conversations: a world of facts, talk about it, questions with computed answers.

`lcm_lab.synth.generate` makes a collection, `lcm_lab.synth.checks` tells whether it keeps its
promises. A profile is a folder of TOML tables: what can be true (``world``), names and values
(``lexicon``), and two disjoint sets of sentences (``a``, ``b``).
"""
