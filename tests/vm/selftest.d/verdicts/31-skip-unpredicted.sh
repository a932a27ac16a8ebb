#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
. /tests/lib.sh
skip "nobody knew"
