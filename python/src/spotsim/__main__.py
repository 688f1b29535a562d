"""`python -m spotsim ...` is the program, wherever it was installed."""

import os
import sys

from spotsim.binary import find
from spotsim.errors import NotFoundError

try:
    program = find()
except NotFoundError as error:
    sys.exit(f"error: {error}")
os.execv(program, [program, *sys.argv[1:]])  # noqa: S606
