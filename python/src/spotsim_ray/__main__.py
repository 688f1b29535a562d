"""`python -m spotsim_ray`."""

from spotsim_ray.cli import script

script()
