"""What can go wrong, each with the program's own words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spotsim.result import Result


class SpotsimWarning(UserWarning):
    """What spotsim warned of, beside an answer."""


class SpotsimError(Exception):
    """A command that did not do what was asked.

    * `message`: what the program wrote.
    * `exit_code`: the program's; negative is the signal that ended it.
    * `result`: what it answered all the same, or `None`.
    """

    def __init__(self, message: str, exit_code: int, result: Result | None = None) -> None:
        """Keep what the program said."""
        super().__init__(message)
        self.message = message
        self.exit_code = exit_code
        self.result = result


class BadInputError(SpotsimError):
    """Exit code 2: the scenario or an option has to be changed."""


class ExpectationMissedError(SpotsimError):
    """Exit code 3: an `[expect]` was missed. `result` is complete."""


class NothingFinishedError(SpotsimError):
    """Exit code 4: no cluster can do it, or no replication finished. `result` is what is known."""


class NotFoundError(SpotsimError):
    """There is no program to start; the exit code is 127, as a shell has it."""

    def __init__(self, message: str) -> None:
        """Say what was looked for."""
        super().__init__(message, 127)


BY_EXIT_CODE: dict[int, type[SpotsimError]] = {
    2: BadInputError,
    3: ExpectationMissedError,
    4: NothingFinishedError,
}
"""The exception of each exit code that has one of its own."""
