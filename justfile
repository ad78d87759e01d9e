# What one does here; `just` lists it. Each line works without `just`, too.

_:
    @just --list --unsorted

# Run all that must pass before a change lands
ci:
    bash .ci/run

# Run every test, each in a process of its own where cargo-nextest is installed, which is faster
test:
    if cargo nextest --version >/dev/null 2>&1; then cargo nextest run --workspace && cargo test --workspace --doc; else cargo test --workspace; fi

# Mend what clippy can mend, and format
fix:
    cargo clippy --workspace --all-targets --fix --allow-dirty --allow-staged -- -D warnings
    cargo fmt --all

# Take what the program prints and generates now for right; `git diff` shows each promise that changes
bless *FILTER:
    SNAPSHOTS=overwrite RYE_UPDATE_DOCS=1 cargo test --test it -- {{ FILTER }}

# Run a bench: asking, linting, mcp, processes, searching, threads or verification
bench NAME='processes':
    cargo bench --bench {{ NAME }}

# Write the pages that the program generates, and the documentation of the code
docs:
    RYE_UPDATE_DOCS=1 cargo test --test it -- reference rules schemas
    RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps

# Fuzz every parser for some seconds each; needs cargo-fuzz, a nightly and a C++ compiler
fuzz SECONDS='60':
    FUZZ_SECONDS={{ SECONDS }} bash .ci/slow fuzz
