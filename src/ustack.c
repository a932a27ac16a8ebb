// SPDX-License-Identifier: GPL-2.0-only
#include "ustack.h"

#include <errno.h>
#include <string.h>

/* Where id stands in by_id, or would have to. */
static size_t place(const struct ustacks *u, u64 id)
{
	size_t lo = 0, hi = u->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (u->s[u->by_id[mid]].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct ustack *ustacks_get(const struct ustacks *u, u64 id)
{
	size_t at = place(u, id);

	return at < u->nr && u->s[u->by_id[at]].id == id ? &u->s[u->by_id[at]] : NULL;
}

static void ustack_free(struct ustack *s)
{
	for (u32 i = 0; i < s->nr; i++)
		free(s->frame[i]);
}

int ustacks_add(struct ustacks *u, u64 id, const char *const *frame, u32 nr)
{
	struct ustack s = { .id = id };
	size_t at = place(u, id);

	if (ustacks_get(u, id))
		return 0;
	if (grow(&u->s, &u->cap, u->nr, sizeof(*u->s)) ||
	    grow(&u->by_id, &u->cap_by_id, u->nr, sizeof(*u->by_id)))
		return -ENOMEM;
	while (s.nr < nr && s.nr < USER_FRAMES) {
		s.frame[s.nr] = strdup(frame[s.nr]);
		if (!s.frame[s.nr]) {
			ustack_free(&s);
			return -ENOMEM;
		}
		s.nr++;
	}
	memmove(u->by_id + at + 1, u->by_id + at, (u->nr - at) * sizeof(*u->by_id));
	u->by_id[at] = u->nr;
	u->s[u->nr++] = s;
	return 0;
}

void ustacks_free(struct ustacks *u)
{
	for (size_t i = 0; i < u->nr; i++)
		ustack_free(&u->s[i]);
	free(u->s);
	free(u->by_id);
	memset(u, 0, sizeof(*u));
}
