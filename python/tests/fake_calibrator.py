"""Stand-in for spotsim, as far as `check` calls it; a file `broken` beside it makes `calibrate` fail.

The second calibration takes 1 % longer. The predicted step takes as long as the recorded one, with a
calibration file, and a tenth longer without.
"""

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
KERNELS = [("gemm", "394x768x192", "fp32", 100.0), ("launch", "1", "none", 5.0)]


def main(arguments: list[str]) -> int:
    """Answer one command."""
    if arguments == ["--version"]:
        print("spotsim 0.1.0")
    elif arguments[0] == "catalog":
        print(json.dumps({"instances": [{"name": "p5en.48xlarge", "gpu": "H200-SXM5-141GB", "gpus": 8}]}))
    elif arguments[0] == "calibrate":
        if (HERE / "broken").exists():
            print("error: no such backend", file=sys.stderr)
            return 2
        calibrate(Path(arguments[arguments.index("--out") + 1]))
    else:
        return step(Path(arguments[1]).read_text())
    return 0


def calibrate(path: Path) -> None:
    """Write a calibration file."""
    slower = 1.01 if path.name == "b.toml" else 1.0
    text = 'device = "fake"\nclass = "cpu"\nbackend = "cpu"\n'
    for name, shape, precision, median_us in KERNELS:
        text += f'[[kernel]]\nname = "{name}"\nshape = "{shape}"\nprecision = "{precision}"\n'
        text += f"median_us = {median_us * slower}\n"
    path.write_text(text)


def step(scenario: str) -> int:
    """Print the prediction of a scenario."""
    measured = "calibration = " in scenario
    if measured and "accept_class = true" not in scenario:
        print("error: the file is of class cpu", file=sys.stderr)
        return 2
    time_ms = json.loads((HERE / "step.json").read_text())["step"]["median_ms"]
    gpu = {
        "forward_ms": 0.0,
        "backward_ms": time_ms * (1.0 if measured else 1.1),
        "optimizer_ms": 0.0,
        "groups": [{"name": "matrix products", "time_ms": time_ms}],
        "launch_bound": False,
    }
    cluster = {"model": "vit_tiny_patch16_224", "batch_per_gpu": 2, "precision": "amp-bf16", "gpu": gpu}
    print(json.dumps({"clusters": [cluster]}))
    return 0


sys.exit(main(sys.argv[1:]))
