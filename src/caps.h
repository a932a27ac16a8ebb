/* SPDX-License-Identifier: GPL-2.0-only */
/* Capabilities: which of those that we need are missing; giving up the rest. */
#ifndef PCPUSTAT_CAPS_H
#define PCPUSTAT_CAPS_H

#include "util.h"

/* What a run takes besides: CAP_SYSLOG shows kernel addresses. */
#define CAPS_SETCAP "cap_bpf,cap_perfmon,cap_syslog+ep"

/* Comma-separated names of the needed ones that this process lacks; returns how many. */
int caps_missing(char *buf, size_t len);

/*
 * After bpf() said err (-errno): one line with the cause and the remedy, and the exit code. what:
 * "cannot load BPF programs"; otherwise: the cause when it is not a lack of privileges.
 */
int bpf_refused(int err, const char *what, const char *otherwise);

/* Keeps only what reading the maps takes. Returns 0 or -errno. */
int caps_drop(void);

#endif
