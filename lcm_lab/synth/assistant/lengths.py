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
#: Words of an assistant's answer: mean of logs 6.255, deviation .45.
ANSWER_WORDS = (
    175, 213, 236, 253, 268, 282, 294, 305, 315, 326, 335, 345, 354, 363, 371, 380, 389, 397, 405,
    414, 422, 430, 439, 447, 455, 464, 472, 481, 489, 498, 507, 516, 525, 535, 544, 554, 564, 574,
    585, 595, 606, 618, 630, 642, 655, 669, 683, 698, 713, 730, 747, 766, 786, 808, 832, 859, 889,
    923, 963, 1010, 1070, 1150, 1273, 1545,
)  # fmt: skip
#: Messages a session.
SESSION = (8, 8, 10, 10, 10, 12, 12, 12, 14, 14)
