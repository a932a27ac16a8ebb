/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of the frames of a kernel stack, without those of the tracing that took it. */
#ifndef PCPUSTAT_FRAMES_H
#define PCPUSTAT_FRAMES_H

#include "ksyms.h"

/*
 * Does a stack that was taken in a BPF program begin with this function, rather than with the
 * kernel's own work? Lock slow paths are the kernel's work.
 */
bool frame_is_tracing(const char *name);

/* One that tracing leaves in the middle of a stack, between a function and its caller. */
bool frame_is_trampoline(const char *name);

/*
 * Names of a kernel stack, leaf first, tracing's own frames left out. names[n] point into ksyms
 * or are "[unknown]" (hex addresses in buf when there are no symbols). Returns how many.
 */
#define FRAME_HEX 20
size_t stack_names(const struct ksyms *ksyms, const u64 *ip, size_t n, const char **names,
		   char (*buf)[FRAME_HEX]);

#endif
