/* SPDX-License-Identifier: GPL-2.0-only */
/* Output against a file in tests/golden; UPDATE_GOLDEN=1 rewrites it, to be read before a commit. */
#ifndef PCPUSTAT_GOLDEN_H
#define PCPUSTAT_GOLDEN_H

#include "unit.h"

#include <string.h>

#include "util.h"

static inline void golden_check(const char *name, const char *text)
{
	char path[256];
	char *want;

	snprintf(path, sizeof(path), "tests/golden/%s", name);
	if (getenv("UPDATE_GOLDEN")) {
		FILE *f = fopen(path, "w");

		assert_non_null(f);
		fputs(text, f);
		assert_int_equal(fclose(f), 0);
		return;
	}
	want = read_file(path, 1 << 24);
	if (!want)
		unit_fail("%s: cannot be read", path);
	if (strcmp(want, text))
		unit_fail("%s differs; now:\n%s", path, text);
	free(want);
}

/* What a command prints when it reads input; it has to succeed. The caller frees. */
static inline char *output_of(const char *command, const void *input, size_t len)
{
	char path[] = "/tmp/pcpustat-test-XXXXXX", line[512];
	char *out = calloc(1, 1 << 22);
	int fd = mkstemp(path);
	FILE *p;

	assert_true(fd >= 0 && out);
	assert_int_equal(write(fd, input, len), (ssize_t)len);
	close(fd);
	snprintf(line, sizeof(line), "{ %s; } < %s", command, path);
	p = popen(line, "r");
	assert_non_null(p);
	if (fread(out, 1, (1 << 22) - 1, p) == 0)
		out[0] = '\0';
	if (pclose(p))
		unit_fail("failed: %s", line);
	unlink(path);
	return out;
}

#endif
