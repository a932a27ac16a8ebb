// SPDX-License-Identifier: GPL-2.0-only
#include "usyms.h"

#include <string.h>
#include <elfutils/libdwfl.h>

#define NR_CACHED 8 /* processes; each holds its mapped symbol tables */

struct usyms {
	struct process {
		u32 tgid;
		Dwfl *dwfl;
		u64 used; /* when, in calls */
	} cache[NR_CACHED];
	u64 calls;
};

/* Separate debug files would be looked for over the network too: symbol tables are enough. */
static int no_debuginfo(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base,
			const char *file, const char *link, GElf_Word crc, char **found)
{
	(void)mod, (void)userdata, (void)name, (void)base, (void)file, (void)link, (void)crc;
	(void)found;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = no_debuginfo,
};

struct usyms *usyms_new(void)
{
	return calloc(1, sizeof(struct usyms));
}

static void forget(struct process *p)
{
	if (p->dwfl)
		dwfl_end(p->dwfl);
	memset(p, 0, sizeof(*p));
}

void usyms_free(struct usyms *u)
{
	for (int i = 0; u && i < NR_CACHED; i++)
		forget(&u->cache[i]);
	free(u);
}

/* Reads the process's mappings, again when it has some already. */
static bool look_at(struct process *p)
{
	dwfl_report_begin(p->dwfl);
	if (dwfl_linux_proc_report(p->dwfl, p->tgid))
		return false;
	return !dwfl_report_end(p->dwfl, NULL, NULL);
}

/* The least recently used one makes room. NULL: the process is gone, or is not ours to see. */
static struct process *process_get(struct usyms *u, u32 tgid, bool *fresh)
{
	struct process *p = &u->cache[0];

	*fresh = false;
	u->calls++;
	for (int i = 0; i < NR_CACHED; i++) {
		if (u->cache[i].dwfl && u->cache[i].tgid == tgid) {
			u->cache[i].used = u->calls;
			return &u->cache[i];
		}
		if (u->cache[i].used < p->used)
			p = &u->cache[i];
	}
	forget(p);
	p->dwfl = dwfl_begin(&callbacks);
	p->tgid = tgid;
	p->used = u->calls;
	*fresh = true;
	if (p->dwfl && look_at(p))
		return p;
	forget(p);
	return NULL;
}

static const char *name_at(struct process *p, u64 addr)
{
	Dwfl_Module *mod = dwfl_addrmodule(p->dwfl, addr);
	const char *name = NULL;
	GElf_Off off;
	GElf_Sym sym;

	if (mod)
		name = dwfl_module_addrinfo(mod, addr, &off, &sym, NULL, NULL, NULL);
	/* The nearest symbol below is no answer when it does not reach so far. */
	return name && off < sym.st_size ? name : NULL;
}

/* Is it still the program that it was when the stack was taken? */
static bool is_called(u32 tgid, const char *comm)
{
	char path[32], line[64];

	snprintf(path, sizeof(path), "/proc/%u/comm", tgid);
	return !read_line(path, line, sizeof(line)) && !strncmp(line, comm, COMM_LEN);
}

/* No module at the leaf: the process has executed something else, or mapped more. */
static bool stale(struct process *p, u64 leaf)
{
	return !dwfl_addrmodule(p->dwfl, leaf);
}

void usyms_names(struct usyms *u, u32 tgid, const char *comm, const u64 *ip, size_t n,
		 const char **names)
{
	bool fresh;
	struct process *p = is_called(tgid, comm) ? process_get(u, tgid, &fresh) : NULL;

	if (p && n && !fresh && stale(p, ip[0]) && !look_at(p)) {
		forget(p);
		p = NULL;
	}
	/* Not while we looked, either. */
	if (p && !is_called(tgid, comm)) {
		forget(p);
		p = NULL;
	}
	for (size_t i = 0; i < n; i++) {
		/* But for the leaf, these are return addresses: one byte back is inside the call. */
		names[i] = p ? name_at(p, ip[i] - (i > 0)) : NULL;
		if (!names[i])
			names[i] = "[unknown]";
	}
}
