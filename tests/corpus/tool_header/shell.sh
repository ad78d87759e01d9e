#!/bin/sh
# version: 1.0.0
# parameters:
#   type: object
# config: {"a": 1}

ls
