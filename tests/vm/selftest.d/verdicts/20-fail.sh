#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
. /tests/lib.sh
equal "two and two" 4 5
