// SPDX-License-Identifier: GPL-2.0-only
#define SHARED
#include "maps.bpf.h"

char LICENSE[] SEC("license") = "GPL";
