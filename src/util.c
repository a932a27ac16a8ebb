// SPDX-License-Identifier: GPL-2.0-only
#include "util.h"

#include <unistd.h>
#include <sys/stat.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

static void vmsg(const char *fmt, va_list ap)
{
	fputs("pcpustat: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

void msg(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vmsg(fmt, ap);
	va_end(ap);
}

int fail(int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vmsg(fmt, ap);
	va_end(ap);
	return code;
}

int grow(void *array, size_t *cap, size_t n, size_t elem)
{
	void **p = array, *bigger;
	size_t want;

	if (n < *cap)
		return 0;
	want = *cap ? *cap * 2 : 64;
	/* Of an overflow to 0 reallocarray would make a free. */
	bigger = want > *cap ? reallocarray(*p, want, elem) : NULL;
	if (!bigger)
		return -ENOMEM;
	*p = bigger;
	*cap = want;
	return 0;
}

char *read_file(const char *path, size_t max)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *buf = NULL;
	size_t n = 0, cap = 0;
	ssize_t got = 1;

	if (fd < 0)
		return NULL;
	while (got > 0 && n < max) {
		while (cap < n + 4096)
			if (grow(&buf, &cap, cap, 1))
				return NULL;
		got = read(fd, buf + n, min_u64(cap - n - 1, max - n));
		if (got < 0)
			return NULL;
		n += got;
	}
	if (!buf)
		return NULL;
	buf[n] = '\0';
	return take_ptr(buf);
}

int read_line(const char *path, char *buf, size_t len)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");

	if (!f)
		return -errno;
	if (!fgets(buf, len, f))
		return ferror(f) ? -EIO : -ENODATA;
	buf[strcspn(buf, "\n")] = '\0';
	return 0;
}

int parse_u64(const char *s, u64 min, u64 max, u64 *out)
{
	char *end;
	u64 v;

	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	errno = 0;
	v = strtoull(s, &end, 10);
	if (*end)
		return -EINVAL;
	if (errno || v < min || v > max)
		return -ERANGE;
	*out = v;
	return 0;
}

static const struct {
	const char *suffix;
	double ns;
} time_units[] = {
	{ "", 1e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "m", 60e9 }, { "h", 3600e9 },
};

int parse_duration(const char *s, u64 *ns)
{
	size_t digits = strspn(s, "0123456789.");
	double v = 0, unit = 0;
	char *end;

	/* strtod alone would take 1e9, 0x10, inf and nan too. */
	if (!digits || strcspn(s + digits, "0123456789.+-eExX") != strlen(s + digits))
		return -EINVAL;
	v = strtod(s, &end);
	if (end == s)
		return -EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(time_units); i++)
		if (!strcmp(end, time_units[i].suffix))
			unit = time_units[i].ns;
	if (!unit)
		return -EINVAL;
	v *= unit;
	if (v < 1 || v > 365 * 86400e9)
		return -ERANGE;
	*ns = v;
	return 0;
}

/* One item, "3" or "2-5". */
static int parse_range(char *item, bool *set, size_t n)
{
	char *dash = strchr(item, '-');
	u64 lo, hi;
	int err;

	if (dash)
		*dash++ = '\0';
	err = parse_u64(item, 0, n - 1, &lo);
	hi = lo;
	if (!err && dash)
		err = parse_u64(dash, 0, n - 1, &hi);
	if (err)
		return err;
	if (hi < lo)
		return -EINVAL;
	while (lo <= hi)
		set[lo++] = true;
	return 0;
}

int parse_ranges(const char *s, bool *set, size_t n)
{
	_cleanup_free_ char *copy = strdup(s);
	char *rest = copy, *item;
	int err;

	if (!copy)
		return -ENOMEM;
	if (!n)
		return -ERANGE;
	while ((item = strsep(&rest, ","))) {
		err = parse_range(item, set, n);
		if (err)
			return err;
	}
	return 0;
}

static u64 now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

u64 now_mono(void)
{
	return now(CLOCK_MONOTONIC);
}

u64 now_wall(void)
{
	return now(CLOCK_REALTIME);
}

int write_error(void)
{
	return errno ? -errno : -EIO;
}

int stdout_failed(int err)
{
	return fail(EXIT_RUNTIME, "cannot write standard output: %s", strerror(-err));
}

FILE *output_open(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (fd >= 0 && !f)
		close(fd);
	return f;
}

int output_begin(int fd)
{
	/* A pipe or a device has nothing to be taken away. */
	return ftruncate(fd, 0) && errno != EINVAL ? -errno : 0;
}

bool same_file(const char *a, const char *b)
{
	struct stat sa, sb;

	return !stat(a, &sa) && !stat(b, &sb) && S_ISREG(sa.st_mode) && sa.st_dev == sb.st_dev &&
	       sa.st_ino == sb.st_ino;
}

/* include/linux/proc_ns.h: the inode numbers of the initial namespaces are part of the ABI. */
bool in_own_namespace(const char *ns)
{
	unsigned long first = strcmp(ns, "pid") ? 0xeffffffdUL : 0xeffffffcUL;
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/self/ns/%s", ns);
	return !stat(path, &st) && st.st_ino != first;
}

const char *ids_differ(void)
{
	return in_own_namespace("pid")
		       ? "ids in this pid namespace are not the kernel's; run it outside"
		       : NULL;
}

bool process_gone(pid_t pid)
{
	return kill(pid, 0) && errno == ESRCH;
}
