/* SPDX-License-Identifier: GPL-2.0-only */
/* Small helpers: names of the kernel's integer types, cleanup attributes, messages, parsing. */
#ifndef PCPUSTAT_UTIL_H
#define PCPUSTAT_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <linux/types.h>

typedef __u64 u64;
typedef __s64 s64;
typedef __u32 u32;
typedef __u8 u8;

/* Exit codes of the contract, see pcpustat(8). */
enum {
	EXIT_OK = 0,
	EXIT_RUNTIME = 1,
	EXIT_USAGE = 2,
	EXIT_PERM = 3,
	EXIT_KERNEL = 4,
	EXIT_VIOLATION = 5,
	EXIT_INCOMPLETE = 6,
	EXIT_NOT_FOUND = 127
};

#define NSEC_PER_SEC   1000000000ULL
#define ARRAY_SIZE(a)  (sizeof(a) / sizeof((a)[0]))
#define _cleanup_(f)   __attribute__((cleanup(f)))
#define _printf_(f, a) __attribute__((format(printf, f, a)))

static inline void freep(void *p)
{
	free(*(void **)p);
}

static inline void fclosep(FILE **f)
{
	if (*f)
		fclose(*f);
}

static inline void closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

#define _cleanup_free_   _cleanup_(freep)
#define _cleanup_fclose_ _cleanup_(fclosep)
#define _cleanup_close_  _cleanup_(closep)

/* Hand the value over and leave NULL behind, so that its cleanup does nothing. */
#define take_ptr(p)                     \
	({                              \
		__typeof__(p) _t = (p); \
		(p) = NULL;             \
		_t;                     \
	})

static inline u64 min_u64(u64 a, u64 b)
{
	return a < b ? a : b;
}

static inline u64 max_u64(u64 a, u64 b)
{
	return a > b ? a : b;
}

/* One line on stderr, "pcpustat: " before it. */
void msg(const char *fmt, ...) _printf_(1, 2);

/* The same, and the code comes back: return fail(EXIT_USAGE, ...). */
int fail(int code, const char *fmt, ...) _printf_(2, 3);

/*
 * Room for one more element at index n of *array, whose capacity doubles. Returns 0 or -ENOMEM,
 * and *array is untouched then.
 */
int grow(void *array, size_t *cap, size_t n, size_t elem);

/* Whole file as a NUL-terminated string, at most max bytes of it; NULL with errno set. */
char *read_file(const char *path, size_t max);

/*
 * For writing; what is in an existing file stays there until output_begin(), so that a run that
 * comes to nothing takes nothing away. NULL with errno set; output_begin: 0 or -errno.
 */
FILE *output_open(const char *path);
int output_begin(int fd);

/* -errno of a write that has just failed; a stream can forget the cause, and it is -EIO then. */
int write_error(void);

/* One message about -errno err of a write to stdout; returns EXIT_RUNTIME. */
int stdout_failed(int err);

/* Has this process ended? Asked in our own pid namespace. */
bool process_gone(pid_t pid);

/* Do both paths name one file? */
bool same_file(const char *a, const char *b);

/* Are we in a pid namespace, or user namespace, of our own? ns: "pid" or "user". */
bool in_own_namespace(const char *ns);

/* Why an id of ours is another one to the kernel's programs; NULL: it is the same. */
const char *ids_differ(void);

/* First line of a file without its newline; 0 or -errno. */
int read_line(const char *path, char *buf, size_t len);

/* Decimal, nothing around it, min to max. Returns 0, -EINVAL or -ERANGE. */
int parse_u64(const char *s, u64 min, u64 max, u64 *out);

/*
 * A duration such as 1, 0.5, 10ms, 2s, 1m, 1h; seconds when there is no unit. Result in ns.
 * Returns 0, -EINVAL or -ERANGE (0, or over one year).
 */
int parse_duration(const char *s, u64 *ns);

/* A list such as 0,2-5 into set[n]; -EINVAL, or -ERANGE for a number >= n. */
int parse_ranges(const char *s, bool *set, size_t n);

/* CLOCK_MONOTONIC and CLOCK_REALTIME in ns. */
u64 now_mono(void);
u64 now_wall(void);

#endif
