#!/usr/bin/env python3
# rye:signed:2026-01-02T03:04:05Z:0000000000000000000000000000000000000000000000000000000000000000:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==:0123456789abcdef
"""Measures a bed."""

__version__ = "1.1.0"
__tool_type__ = "python"
__executor_id__ = "garden/runtime"
__category__ = "garden"
__tool_description__ = "Measure a bed"

CONFIG_SCHEMA = {"type": "object", "properties": {"bed": {"type": "string"}}, "required": ["bed"]}


def execute(params, project_path):
    return {"success": True, "bed": params["bed"]}
