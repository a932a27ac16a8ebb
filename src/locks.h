/* SPDX-License-Identifier: GPL-2.0-only */
/* Addresses of the locks: kallsyms, else the kernel's own code, else learned from contention. */
#ifndef PCPUSTAT_LOCKS_H
#define PCPUSTAT_LOCKS_H

#include "info.h"

/*
 * Fills in what kallsyms and the code tell; the rest keeps addr 0. ksyms may be NULL. only: the
 * one way to try (kallsyms, code, learned), NULL: each in turn.
 */
void locks_find(struct lock_info locks[NR_LOCKS], const struct ksyms *k, const char *only);

/*
 * The argument that machine code at addr loads into the first argument register before it calls
 * callee; 0 when there is none or when calls differ. x86-64 only, 0 elsewhere. Pure.
 */
u64 code_lock_argument(const u8 *text, size_t len, u64 addr, u64 callee);

/*
 * Which of our locks a task with this kernel stack (leaf first) waits for, NR_LOCKS when none:
 * the first frame above the lock functions must be in the percpu allocator. Pure.
 */
enum lock_id stack_lock(const struct ksyms *k, const u64 *ip, size_t n);

#endif
