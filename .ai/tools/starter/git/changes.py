# rye:signed:2026-11-24T20:28:24Z:fb14c50f9534411593f5c75265125d38055a1eb9ceb4eaf9d74f3f7937737252:Hf5CWCvKbjRGpd6IOmYO8LD-udYRa7iDDx0GficFGFydyUaacNBDesBaGScMnDeprQ-_XFVTWTNKrABvVXLgDg==:e72a3ad3565fe776
"""What changed in a git repository, for a model that reviews or describes it."""

__version__ = "1.0.0"
__category__ = "starter/git"
__tool_description__ = "Show what changed in this repository: the uncommitted work, or a range of commits"

CONFIG_SCHEMA = {
    "type": "object",
    "properties": {
        "range": {
            "type": "string",
            "pattern": "^[A-Za-z0-9@^~/_.][A-Za-z0-9@^~/_.-]*$",
            "description": "Commits, such as `main..HEAD` or `HEAD~3`; without it, what is not committed",
        },
        "max_bytes": {
            "type": "integer",
            "minimum": 1,
            "maximum": 500000,
            "default": 100000,
            "description": "Where the diff is cut off",
        },
    },
    "additionalProperties": False,
}

import json
import subprocess
import sys


def git(*args):
    """Runs git, which reads only. Drivers for diffs are programs that somebody else chose."""
    command = ["git", "--no-optional-locks", *args]
    ended = subprocess.run(command, capture_output=True, check=False)
    if ended.returncode != 0:
        sys.exit(ended.stderr.decode(errors="replace").strip())
    return ended.stdout.decode(errors="replace")


def main():
    parameters = json.load(sys.stdin)
    revision = parameters.get("range", "HEAD")
    most = parameters.get("max_bytes", 100000)
    plain = ["diff", "--no-color", "--no-ext-diff", "--no-textconv"]
    names = git(*plain, "-z", "--name-only", revision, "--").split("\0")
    diff = git(*plain, revision, "--").encode()
    untracked = [] if "range" in parameters else git("ls-files", "-z", "--others", "--exclude-standard").split("\0")
    changes = {
        "files": [name for name in names if name],
        "untracked": [name for name in untracked if name],
        "diff": diff[:most].decode(errors="replace"),
        "is_cut_off": len(diff) > most,
    }
    print(json.dumps(changes))


main()
