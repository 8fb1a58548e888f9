"""How sure a figure is: intervals, tests, what they could have seen, and how far orders agree."""
