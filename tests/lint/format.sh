#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# All C is as .clang-format makes it.
. "$(dirname "$0")/lib"

make -s check-format || bad "make format puts it right"
finish "$(sources | wc -l) files"
