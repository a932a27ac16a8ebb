// SPDX-License-Identifier: GPL-2.0-only
#include "ksyms.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

/* No function is longer: past the last symbol of the kernel or of a module there is no name. */
#define MAX_FUNCTION (1 << 20)

/* A kernel has over 100,000 of them: 16 bytes each. */
struct ksym {
	u64 addr;
	u32 name;      /* offset in names */
	u32 size : 31; /* 0: up to the next symbol */
	u32 text : 1;
};

struct ksyms {
	struct ksym *syms; /* sorted by address */
	size_t nr, cap;
	char *names;
	size_t nr_names, cap_names;
};

struct ksyms *ksyms_new(void)
{
	return calloc(1, sizeof(struct ksyms));
}

void ksyms_free(struct ksyms *k)
{
	if (!k)
		return;
	free(k->syms);
	free(k->names);
	free(k);
}

size_t ksyms_count(const struct ksyms *k)
{
	return k->nr;
}

static int add_name(struct ksyms *k, const char *name, size_t len, u32 *at)
{
	while (k->cap_names < k->nr_names + len + 1)
		if (grow(&k->names, &k->cap_names, k->cap_names, 1))
			return -ENOMEM;
	*at = k->nr_names;
	memcpy(k->names + k->nr_names, name, len);
	k->names[k->nr_names + len] = '\0';
	k->nr_names += len + 1;
	return 0;
}

static int add_sym(struct ksyms *k, u64 addr, u64 size, const char *name, size_t len, bool text)
{
	struct ksym sym = { .addr = addr, .size = min_u64(size, INT32_MAX), .text = text };

	if (grow(&k->syms, &k->cap, k->nr, sizeof(*k->syms)) || add_name(k, name, len, &sym.name))
		return -ENOMEM;
	k->syms[k->nr++] = sym;
	return 0;
}

int ksyms_add(struct ksyms *k, u64 addr, u64 size, const char *name, bool text)
{
	return add_sym(k, addr, size, name, strlen(name), text);
}

static int cmp_ksym(const void *pa, const void *pb)
{
	const struct ksym *a = pa, *b = pb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return (a->name > b->name) - (a->name < b->name);
}

/* Index of the last symbol at or below addr, -1 when there is none. */
static ssize_t find(const struct ksyms *k, u64 addr)
{
	size_t lo = 0, hi = k->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (k->syms[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return (ssize_t)lo - 1;
}

int ksyms_insert(struct ksyms *k, u64 addr, u64 size, const char *name)
{
	struct ksym sym;
	ssize_t at = find(k, addr) + 1;
	int err = add_sym(k, addr, size, name, strlen(name), true);

	if (err)
		return err;
	sym = k->syms[k->nr - 1];
	memmove(k->syms + at + 1, k->syms + at, (k->nr - 1 - at) * sizeof(sym));
	k->syms[at] = sym;
	return 0;
}

void ksyms_finish(struct ksyms *k)
{
	bool sorted = true;

	for (size_t i = 1; i < k->nr && sorted; i++)
		sorted = k->syms[i - 1].addr <= k->syms[i].addr;
	if (!sorted)
		qsort(k->syms, k->nr, sizeof(*k->syms), cmp_ksym);
}

/*
 * The type letter is no proof: pcpu_alloc_mutex is 'd', 't' or 'b' depending on the kernel. So
 * the few data symbols that we ask for are kept by name, whatever their letter.
 */
static const char *const data_symbols[] = {
	"pcpu_alloc_mutex", "pcpu_lock",       "percpu_counters_lock", "__per_cpu_offset",
	"init_mm",          "efi_mm",          "pcpu_base_addr",       "pcpu_unit_offsets",
	"pcpu_unit_size",   "__per_cpu_start", "nr_cpu_ids",
};

static bool is_data_symbol(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(data_symbols); i++)
		if (strlen(data_symbols[i]) == len && !memcmp(data_symbols[i], name, len))
			return true;
	return false;
}

/* "ffffffff813551d0 T __mmdrop\t[module]"; returns 1 when the address is 0, 0 or -ENOMEM. */
static int parse_line(struct ksyms *k, const char *line, size_t len)
{
	const char *name;
	size_t n = 0;
	u64 addr = 0;
	size_t i = 0;

	for (; i < len && isxdigit((unsigned char)line[i]); i++)
		addr = addr << 4 | (line[i] <= '9' ? line[i] - '0' : (line[i] | 32) - 'a' + 10);
	if (!i || i > 16 || i + 3 >= len || line[i] != ' ' || line[i + 2] != ' ')
		return 0;
	name = line + i + 3;
	while (name + n < line + len && !isspace((unsigned char)name[n]))
		n++;
	if (!n || memchr(name, '\0', n))
		return 0;
	if (!addr)
		return 1;
	if (is_data_symbol(name, n))
		return add_sym(k, addr, 0, name, n, false);
	if (memchr("tTwW", line[i + 1], 4))
		return add_sym(k, addr, 0, name, n, true);
	return 0;
}

int ksyms_add_trampolines(struct ksyms *k, const char *path)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	char line[512], name[64];
	u64 addr;

	if (!f)
		return -errno;
	setvbuf(f, NULL, _IOFBF, 1 << 17);
	while (fgets(line, sizeof(line), f)) {
		/* An image is at most a page; where it is shorter, what follows has a name too. */
		if (strstr(line, " bpf_trampoline_") &&
		    sscanf(line, "%llx %*c %63s", &addr, name) == 2 && addr &&
		    ksyms_insert(k, addr, 4096, name))
			return -ENOMEM;
	}
	return 0;
}

struct ksyms *ksyms_load(const char *path)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	_cleanup_free_ char *line = NULL;
	struct ksyms *k = f ? ksyms_new() : NULL;
	size_t cap = 0, zero = 0;
	ssize_t len;
	int got = 0;

	if (!k)
		return NULL;
	setvbuf(f, NULL, _IOFBF, 1 << 17);
	while ((len = getline(&line, &cap, f)) > 0) {
		got = parse_line(k, line, len);
		if (got < 0)
			break;
		zero += got;
	}
	if (got < 0 || !k->nr) {
		ksyms_free(k);
		errno = got < 0 ? ENOMEM : zero ? EPERM : ENODATA;
		return NULL;
	}
	ksyms_finish(k);
	return k;
}

u64 ksyms_size(const struct ksyms *k, u64 addr)
{
	ssize_t i = find(k, addr);

	if (i < 0)
		return 0;
	if (k->syms[i].size)
		return k->syms[i].size;
	for (size_t next = i + 1; next < k->nr; next++)
		if (k->syms[next].addr != k->syms[i].addr)
			return k->syms[next].addr - k->syms[i].addr;
	return 0;
}

const char *ksyms_name(const struct ksyms *k, u64 addr, u64 *off)
{
	ssize_t i = find(k, addr);
	u64 size;

	if (i < 0)
		return NULL;
	/* Of several names for one address the first is the one that kallsyms lists first. */
	while (i > 0 && k->syms[i - 1].addr == k->syms[i].addr)
		i--;
	size = ksyms_size(k, addr);
	if (!size || !k->syms[i].text || size > MAX_FUNCTION || addr - k->syms[i].addr >= size)
		return NULL;
	if (off)
		*off = addr - k->syms[i].addr;
	return k->names + k->syms[i].name;
}

u64 ksyms_addr(const struct ksyms *k, const char *name, bool text)
{
	for (size_t i = 0; i < k->nr; i++)
		if (k->syms[i].text == text && !strcmp(k->names + k->syms[i].name, name))
			return k->syms[i].addr;
	return 0;
}

/* Suffixes that the compiler gives to a copy with the same meaning. */
static bool is_clone(const char *sym, const char *name)
{
	size_t n = strlen(name);

	if (strncmp(sym, name, n))
		return false;
	sym += n;
	/* A copy can have parts of its own: .isra.0.cold */
	if (strstr(sym, ".cold") || strstr(sym, ".part."))
		return false;
	return !*sym || !strncmp(sym, ".isra.", 6) || !strncmp(sym, ".constprop.", 11);
}

u64 ksyms_addr_outside(const struct ksyms *k, const char *name, u64 start, u64 end,
		       const char **found)
{
	const struct ksym *best = NULL;

	for (size_t i = 0; i < k->nr; i++) {
		const struct ksym *s = &k->syms[i];
		const char *sym = k->names + s->name;

		if (!s->text || (s->addr >= start && s->addr < end) || !is_clone(sym, name))
			continue;
		if (!best || !strcmp(sym, name))
			best = s;
		if (!strcmp(sym, name))
			break;
	}
	if (!best)
		return 0;
	*found = k->names + best->name;
	return best->addr;
}
