"""Synthetic conversations: a world of facts, talk about it, questions with computed answers.

`lcm_lab.synth.generate` makes a collection, `lcm_lab.synth.checks` tells whether it keeps its
promises. A profile is a folder: TOML tables (what can be true, names and values, two disjoint sets
of sentences) and the modules that make one conversation from them; `lcm_lab.synth.profile` says
what the core expects of it.
"""
