"""The folder of shards: which are complete, and of which question."""

from __future__ import annotations

import io
import json
import shutil
import tarfile
from dataclasses import dataclass
from pathlib import Path

from spotsim_ray.errors import BadInputError


@dataclass(frozen=True)
class ShardFolder:
    """`shards/` in the experiment's folder, with a folder `i-of-n` for each shard."""

    path: Path
    count: int

    def claim(self, question: str) -> None:
        """Make the folder, or refuse one whose shards answer another question.

        `question` is a digest of all that decides the shards. `spotsim merge` compares what the shards say of
        themselves too, but only after all were computed.
        """
        note = self.path / "question.txt"
        if note.exists():
            if note.read_text(encoding="utf-8").strip() != question:
                raise BadInputError(
                    f"{self.path} holds shards of another scenario, other options, another number of shards "
                    "or another version of spotsim: give another --out, or remove that folder"
                )
            return
        self.path.mkdir(parents=True, exist_ok=True)
        whole = self.path / ".question.partial"  # not half a note, should this be interrupted
        whole.write_text(question + "\n", encoding="utf-8")
        whole.rename(note)

    def of(self, shard: int) -> Path:
        """Return the folder of a shard, counted from 1."""
        return self.path / f"{shard}-of-{self.count}"

    def missing(self) -> list[int]:
        """Return the shards to be computed: those without a `shard.json` that fits the others."""
        described = {shard: self._describe(shard) for shard in range(1, self.count + 1)}
        prints = [str(found["fingerprint"]) for found in described.values() if found is not None]
        usual = max(sorted(set(prints)), key=prints.count, default="")
        return [shard for shard, found in described.items() if found is None or found["fingerprint"] != usual]

    def store(self, shard: int, packed: bytes) -> None:
        """Put a shard's files in place; its folder appears whole or not at all."""
        partial = self.path / f".{shard}-of-{self.count}.partial"
        for old in (partial, self.of(shard)):
            if old.exists():
                shutil.rmtree(old)
        with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
            tar.extractall(partial, filter="data")
        partial.rename(self.of(shard))

    def _describe(self, shard: int) -> dict[str, object] | None:
        try:
            found = json.loads((self.of(shard) / "shard.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        fits = isinstance(found, dict) and (found.get("shard"), found.get("shards")) == (shard, self.count)
        return found if fits and "fingerprint" in found else None
