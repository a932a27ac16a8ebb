#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
echo "about to hang"
sleep 1000
