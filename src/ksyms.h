/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel symbols, from /proc/kallsyms or from a recording. */
#ifndef PCPUSTAT_KSYMS_H
#define PCPUSTAT_KSYMS_H

#include "util.h"

struct ksyms;

/*
 * All text symbols, and the data symbols that are asked for by name later. NULL with errno set:
 * EPERM when the file is readable but shows zero addresses (kptr_restrict, no CAP_SYSLOG).
 */
struct ksyms *ksyms_load(const char *path);
struct ksyms *ksyms_new(void);
int ksyms_add(struct ksyms *k, u64 addr, u64 size, const char *name, bool text);
void ksyms_finish(struct ksyms *k); /* after the last ksyms_add */
/*
 * The trampolines that fentry and fexit have made since the table was loaded from path; 0, -errno.
 * They stand between a function and its caller on every stack.
 */
int ksyms_add_trampolines(struct ksyms *k, const char *path);
/* One more function, in its place; 0 or -ENOMEM. */
int ksyms_insert(struct ksyms *k, u64 addr, u64 size, const char *name);
void ksyms_free(struct ksyms *k); /* NULL is fine */
size_t ksyms_count(const struct ksyms *k);

/*
 * Name of the function that covers addr, its offset in *off; NULL when no text symbol does. A
 * data address has no name here: without KALLSYMS_ALL the nearest symbol would be a wrong one.
 */
const char *ksyms_name(const struct ksyms *k, u64 addr, u64 *off);

/* Address by exact name, 0 when there is none. text: a function, else data. */
u64 ksyms_addr(const struct ksyms *k, const char *name, bool text);

/*
 * The same for name, name.isra.N or name.constprop.N (never .part or .cold), but not between
 * start and end. *found becomes the symbol's full name.
 */
u64 ksyms_addr_outside(const struct ksyms *k, const char *name, u64 start, u64 end,
		       const char **found);

/* Distance to the next symbol, 0 when unknown. */
u64 ksyms_size(const struct ksyms *k, u64 addr);

#endif
