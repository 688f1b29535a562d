"""Makes the two fonts of this folder from the originals in the folder named as argument (see README.md)."""

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

SIGNS = "–—‘’“”•…′←→↑↓−≈≠≤≥∞€μΔσ₀₁₂" + "\u2009\u200a\u202f"
# Inter has its tabular figures in the private range too, where they are found without layout tables.
TABULAR_FIGURES = range(0xE071, 0xE07B)
CHARACTERS = [*range(0x20, 0x7F), *range(0xA0, 0x180), *map(ord, SIGNS), *TABULAR_FIGURES]


def make(source, target):
    font = TTFont(source, recalcTimestamp=False)
    options = subset.Options(
        layout_features=[], hinting=False, desubroutinize=True, notdef_outline=True, name_IDs=[0, 1, 2, 4, 5, 6, 13, 14]
    )
    options.drop_tables += ["GPOS", "GSUB", "GDEF", "STAT"]
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=CHARACTERS)
    cutter.subset(font)
    font.save(target)


if __name__ == "__main__":
    for name in ("Inter-Regular.otf", "Inter-SemiBold.otf"):
        make(Path(sys.argv[1]) / name, Path(__file__).parent / name)
