/* SPDX-License-Identifier: GPL-2.0-only */
/* User stacks by id, as names: resolved while the process still lived, or read back. */
#ifndef PCPUSTAT_USTACK_H
#define PCPUSTAT_USTACK_H

#include "abi.h"
#include "util.h"

struct ustack {
	u64 id; /* stack_key.user */
	u32 nr;
	char *frame[USER_FRAMES]; /* leaf first; "[unknown]" where no symbol was found */
};

struct ustacks {
	struct ustack *s; /* in order of arrival: a reader may keep a position */
	size_t nr, cap;
	size_t *by_id; /* nr positions, sorted by id */
	size_t cap_by_id;
};

/* Copies the names. Returns 0 or -ENOMEM; an id that is there already stays as it was. */
int ustacks_add(struct ustacks *u, u64 id, const char *const *frame, u32 nr);
const struct ustack *ustacks_get(const struct ustacks *u, u64 id); /* NULL: not there */
void ustacks_free(struct ustacks *u);                              /* empties it */

#endif
