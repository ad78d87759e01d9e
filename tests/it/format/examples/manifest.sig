rye-skill-manifest-v1
id demo/read-pdf
version 1.0.0
ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad 3 100644 SKILL.md
ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad 3 100755 scripts/read.py
