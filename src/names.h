/* SPDX-License-Identifier: GPL-2.0-only */
/* From addresses to what a person calls them: call sites, and the owners behind generic ones. */
#ifndef PCPUSTAT_NAMES_H
#define PCPUSTAT_NAMES_H

#include "info.h"

/* "mm_init+0x1a3", "0xffff..." without symbols, "-" before 5.19; returns buf. */
const char *site_name(const struct info *info, const struct site *site, char *buf, size_t len);

/*
 * The function that wanted the memory: the call site's own, or, where that is a generic wrapper
 * or unknown, the first other function of the stack that was sampled for this site. NULL when it
 * cannot be told. *sampled says which of the two.
 */
const char *site_owner(const struct info *info, const struct site *site, bool *sampled);

/* Is it mm_init's own call, or is mm_init on the stack that was sampled for it? */
bool site_is_mm_init(const struct info *info, const struct site *site);

#endif
