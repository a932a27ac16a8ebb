// SPDX-License-Identifier: GPL-2.0-only
#include "caps.h"

#include <errno.h>
#include <string.h>
#include <sys/capability.h>

#include "kernel.h"

static const struct {
	cap_value_t cap;
	const char *name;
} needed[] = {
	{ CAP_BPF, "CAP_BPF" },
	{ CAP_PERFMON, "CAP_PERFMON" },
};

static void cap_freep(cap_t *caps)
{
	if (*caps)
		cap_free(*caps);
}

static bool effective(cap_t caps, cap_value_t cap)
{
	cap_flag_value_t on = CAP_CLEAR;

	return caps && !cap_get_flag(caps, cap, CAP_EFFECTIVE, &on) && on == CAP_SET;
}

int caps_missing(char *buf, size_t len)
{
	_cleanup_(cap_freep) cap_t caps = cap_get_proc();
	size_t n = 0;
	int missing = 0;

	*buf = '\0';
	/* CAP_SYS_ADMIN stands for both, as before 5.8 (a17b53c4a4b5, 980737282232). */
	if (effective(caps, CAP_SYS_ADMIN))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(needed) && n < len; i++) {
		if (effective(caps, needed[i].cap))
			continue;
		n += snprintf(buf + n, len - n, "%s%s", missing ? " and " : "", needed[i].name);
		missing++;
	}
	return missing;
}

int bpf_refused(int err, const char *what, const char *otherwise)
{
	char missing[128];

	if (err == -EMFILE || err == -ENFILE)
		return fail(EXIT_RUNTIME, "%s: %s; raise the limit: ulimit -n 256", what,
			    strerror(-err));
	if (err == -ENOMEM)
		return fail(EXIT_RUNTIME, "%s: out of memory", what);
	if (err != -EPERM && err != -EACCES)
		return fail(EXIT_KERNEL, "%s: %s; %s", what, strerror(-err), otherwise);
	if (caps_missing(missing, sizeof(missing)))
		return fail(EXIT_PERM,
			    "%s: missing %s; run as root, or: setcap " CAPS_SETCAP " pcpustat",
			    what, missing);
	if (in_own_namespace("user"))
		return fail(EXIT_PERM,
			    "%s: the capabilities of a user namespace do not count; run it outside",
			    what);
	if (fact_get(FACT_MAP_MEMCG, NULL) == FACT_ABSENT)
		return fail(EXIT_PERM,
			    "%s: this kernel counts BPF maps against RLIMIT_MEMLOCK; add "
			    "cap_sys_resource to the program's capabilities, or: ulimit -l "
			    "unlimited",
			    what);
	return fail(EXIT_KERNEL,
		    "%s: bpf() is forbidden here (%s) although no capability is missing: a "
		    "container's seccomp filter, or lockdown",
		    what, strerror(-err));
}

int caps_drop(void)
{
	/* Map look-ups take CAP_BPF before 5.19 where unprivileged BPF is off (c8644cd0efe7). */
	static const cap_value_t keep[] = { CAP_BPF, CAP_SYSLOG };
	_cleanup_(cap_freep) cap_t old = cap_get_proc();
	_cleanup_(cap_freep) cap_t caps = cap_init();

	if (!old || !caps)
		return -errno;
	for (size_t i = 0; i < ARRAY_SIZE(keep); i++) {
		if (!effective(old, keep[i]))
			continue;
		if (cap_set_flag(caps, CAP_PERMITTED, 1, &keep[i], CAP_SET) ||
		    cap_set_flag(caps, CAP_EFFECTIVE, 1, &keep[i], CAP_SET))
			return -errno;
	}
	return cap_set_proc(caps) ? -errno : 0;
}
