// SPDX-License-Identifier: GPL-2.0-only
#include "names.h"

#include <string.h>

#include "frames.h"

/* Functions that allocate for whoever calls them, mm/percpu.c, lib/, kernel/bpf/, net/netfilter/. */
static const char *const wrappers[] = {
	"pcpu_alloc",
	"pcpu_alloc_noprof",
	"__alloc_percpu",
	"__alloc_percpu_gfp",
	"__alloc_reserved_percpu",
	"__percpu_counter_init",
	"__percpu_counter_init_many",
	"percpu_counter_switch_to_pcpu_many",
	"__lazy_percpu_counter_upgrade_many",
	"percpu_counter_tree_init_many",
	"percpu_counter_tree_init",
	"percpu_ref_init",
	"__percpu_init_rwsem",
	"bpf_map_alloc_percpu",
	"fprop_local_init_percpu",
	"xt_percpu_counter_alloc",
	"devm_alloc_percpu",
	"__devm_alloc_percpu",
	"fprop_global_init",
	"bpf_array_alloc_percpu",
	"pcpu_freelist_init",
};

/* The compiler's .isra.0 and the like do not change what a function is. */
static bool is_wrapper(const char *name)
{
	size_t n = strcspn(name, ".");

	for (size_t i = 0; i < ARRAY_SIZE(wrappers); i++)
		if (strlen(wrappers[i]) == n && !strncmp(name, wrappers[i], n))
			return true;
	return false;
}

const char *site_name(const struct info *info, const struct site *site, char *buf, size_t len)
{
	const char *name;
	u64 off;

	if (!site->call_site) {
		snprintf(buf, len, "-");
		return buf;
	}
	name = info->ksyms ? ksyms_name(info->ksyms, site->call_site, &off) : NULL;
	if (name)
		snprintf(buf, len, "%s+0x%llx", name, off);
	else
		snprintf(buf, len, "0x%llx", site->call_site);
	return buf;
}

static const struct owner *find_owner(const struct info *info, const struct site *site)
{
	struct owner_key key = { site->call_site, site->meta };
	size_t lo = 0, hi = info->nr_owners;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = memcmp(&info->owners[mid].key, &key, sizeof(key));

		if (!c)
			return &info->owners[mid].owner;
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

const char *site_owner(const struct info *info, const struct site *site, bool *sampled)
{
	const char *name = NULL, *names[OWNER_FRAMES];
	char hex[OWNER_FRAMES][FRAME_HEX];
	const struct owner *owner;
	size_t nr;

	*sampled = false;
	if (!info->ksyms)
		return NULL;
	if (site->call_site)
		name = ksyms_name(info->ksyms, site->call_site, NULL);
	if (name && !is_wrapper(name))
		return name;
	owner = find_owner(info, site);
	*sampled = true;
	nr = owner ? stack_names(info->ksyms, owner->ip, OWNER_FRAMES, names, hex) : 0;
	for (size_t i = 0; i < nr; i++)
		if (*names[i] != '[' && !is_wrapper(names[i]))
			return names[i];
	return NULL;
}

static bool is_mm_init(const char *name)
{
	return name && !strncmp(name, "mm_init", 7) && (!name[7] || name[7] == '.');
}

/* A compiler may have left mm_init's helpers out of line: its own frame is what counts. */
bool site_is_mm_init(const struct info *info, const struct site *site)
{
	const char *names[OWNER_FRAMES];
	char hex[OWNER_FRAMES][FRAME_HEX];
	const struct owner *owner;
	size_t nr;

	if (!info->ksyms)
		return false;
	if (site->call_site && is_mm_init(ksyms_name(info->ksyms, site->call_site, NULL)))
		return true;
	owner = find_owner(info, site);
	nr = owner ? stack_names(info->ksyms, owner->ip, OWNER_FRAMES, names, hex) : 0;
	for (size_t i = 0; i < nr; i++)
		if (is_mm_init(names[i]))
			return true;
	return false;
}
