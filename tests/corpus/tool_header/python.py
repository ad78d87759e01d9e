#!/usr/bin/env python3
"""
__version__ = "9"
"""
__version__: str = "1.0.0"  # c
CONFIG_SCHEMA = {"type": "object", 'a': [1.5, True, None, ("x" r"\y",)]}
