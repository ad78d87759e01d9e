"""Runs a query on the database that the parameter `database` names, read-only; the others are bound by name."""

import json
import pathlib
import sqlite3
import sys

query, project = map(pathlib.Path, sys.argv[1:])
parameters = json.load(sys.stdin)
path = (project / parameters.pop("database")).resolve()
database = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
rows = database.execute(query.read_text(), parameters)
names = [column[0] for column in rows.description]
json.dump([dict(zip(names, row)) for row in rows], sys.stdout)
