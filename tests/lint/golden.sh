#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The JSON that the renderers are tested with is as the schema says, and nothing else is.
. "$(dirname "$0")/lib"

build/pcpustat --json-schema >"$work/schema"
tests/check-schema --mutate "$work/schema" tests/golden/json-*.jsonl || bad "golden JSON"
finish "$(cat tests/golden/json-*.jsonl | wc -l) lines"
