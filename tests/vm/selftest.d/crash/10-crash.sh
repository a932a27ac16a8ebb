#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
echo "about to crash"
sleep 1 # for the line to get out
echo c >/proc/sysrq-trigger
sleep 1000
