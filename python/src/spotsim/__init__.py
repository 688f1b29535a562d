"""Runs scenarios of spotsim from Python, and gives the results as frames of pandas or polars.

    import spotsim

    result = spotsim.run("scenarios/seed-g5.toml", replications=2000, set={"job.deadline": "12 h"})
    result.clusters[["name", "cost_per_finished_usd", "makespan_h_mean"]]

`call` says what the commands take, `Result` what they give.
"""

from spotsim.binary import find
from spotsim.commands import (
    Scenario,
    break_even,
    call,
    optimum,
    plan,
    policies,
    run,
    sensitivity,
    step,
    sweep,
    timeline,
)
from spotsim.errors import (
    BadInputError,
    ExpectationMissedError,
    NotFoundError,
    NothingFinishedError,
    SpotsimError,
    SpotsimWarning,
)
from spotsim.result import Result

__all__ = [
    "BadInputError",
    "ExpectationMissedError",
    "NotFoundError",
    "NothingFinishedError",
    "Result",
    "Scenario",
    "SpotsimError",
    "SpotsimWarning",
    "break_even",
    "call",
    "find",
    "optimum",
    "plan",
    "policies",
    "run",
    "sensitivity",
    "step",
    "sweep",
    "timeline",
]
