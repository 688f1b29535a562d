"""Spreads the shards of a spotsim experiment over a Ray cluster, and merges them.

`drive` is the whole of it; the command `spotsim-ray` reads arguments and calls it.
"""

from spotsim_ray.drive import Experiment, Outcome, drive
from spotsim_ray.errors import BadInputError
from spotsim_ray.progress import Progress

__all__ = ["BadInputError", "Experiment", "Outcome", "Progress", "drive"]
