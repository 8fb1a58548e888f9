"""A scorer of numbers that a test writes down."""

import numpy as np

import lcm_lab as lcm


@lcm.value
class Fixed(lcm.Scorer):
    """Gives each document the score it is told to."""

    told: tuple[float, ...]

    def index(self, corpus):
        return None

    def score(self, index, queries):
        return np.tile(np.array(self.told, float), (len(queries), 1))
