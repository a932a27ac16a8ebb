/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trial loads: does this kernel, with these privileges, take such a program on such a hook? BTF
 * that lists a hook is no proof (lockdown, arch, missing trampolines), a load and an attach are.
 */
#ifndef PCPUSTAT_TRIAL_H
#define PCPUSTAT_TRIAL_H

#include "util.h"

enum hook {
	HOOK_TP_BTF,
	HOOK_RAW_TP,
	HOOK_TP,
	HOOK_FENTRY,
	HOOK_FEXIT,
	HOOK_KPROBE,
	HOOK_KRETPROBE
};

/*
 * Loads a program that does nothing, attaches it to target and takes it away again. target is
 * the event's or function's name; "category/name" for HOOK_TP. addr, for kprobes, picks one of
 * several functions of that name, 0: by name. Returns 0 or -errno; asks the kernel once for each
 * hook and target, since every load costs percpu allocations.
 */
int trial_attach(enum hook hook, const char *target, u64 addr);

/* Closes what trials have kept open for the real thing. */
void trial_end(void);

/* Only bpf() itself: 0, or -errno of loading a program of two instructions. */
int trial_load(void);

/*
 * Whether maps count against RLIMIT_MEMLOCK: 0 if one can be made with a limit of 0, else -errno,
 * -EPERM before 80ee81e0403c (5.11). Not for several threads: the limit is the process's.
 */
int trial_memlock(void);

/* As trial_load(), for a program with an atomic compare-and-exchange. */
int trial_cmpxchg(void);

/*
 * A perf event for a kprobe at addr (or, when that is 0, at the symbol), to be given to
 * bpf_program__attach_perf_event. libbpf can only name a symbol, and names are not unique:
 * there are two mm_init before 6.4. Returns the fd or -errno.
 */
int kprobe_event_open(const char *symbol, u64 addr, bool ret);

#endif
