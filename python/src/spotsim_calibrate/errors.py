"""What can be wrong with a command or its input."""

FAILED, BAD_INPUT, MISSED = 1, 2, 3
"""Exit codes, as spotsim's: failed while running, bad input, and an expectation that was missed."""


class BadInputError(Exception):
    """Input that no second try would mend: one sentence that says what was tried."""
