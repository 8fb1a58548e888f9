"""Lengths of an assistant's history, as integers: no platform computes a logarithm.

Each table holds 64 equal steps of a log-normal, rounded once. BEAM's user messages have a mean of
50 words without the code they paste, its answers 576; a session has 8 to 14 messages.
"""

from __future__ import annotations

__all__ = ["ANSWER_WORDS", "SESSION", "USER_WORDS"]

#: Words of a user's message: mean of logs 3.76, deviation .55.
USER_WORDS = (
    11, 14, 16, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 28, 29, 30, 31, 32, 32, 33, 34, 35, 36,
    36, 37, 38, 39, 40, 41, 42, 42, 43, 44, 45, 46, 47, 48, 49, 51, 52, 53, 54, 56, 57, 58, 60, 61,
    63, 65, 67, 69, 71, 74, 76, 79, 83, 86, 91, 97, 104, 113, 128, 162,
)  # fmt: skip
#: Words of an assistant's answer: mean of logs 6.302, deviation .33, that of BEAM's quantiles.
ANSWER_WORDS = (
    246, 283, 305, 322, 336, 348, 359, 369, 378, 387, 395, 403, 411, 419, 426, 433, 440, 447, 454,
    461, 468, 474, 481, 488, 495, 501, 508, 515, 521, 528, 535, 542, 549, 556, 564, 571, 579, 586,
    594, 602, 610, 619, 628, 637, 646, 656, 666, 676, 687, 699, 711, 724, 738, 753, 770, 788, 808,
    830, 856, 887, 925, 976, 1051, 1212,
)  # fmt: skip
#: Messages a session.
SESSION = (8, 8, 10, 10, 10, 12, 12, 12, 14, 14)
