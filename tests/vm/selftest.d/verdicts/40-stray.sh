#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Leaves a process running.
sleep 1000 &
