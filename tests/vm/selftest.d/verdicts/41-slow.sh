#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Runs into the time limit of a test; the next one must run all the same.
sleep 1000
