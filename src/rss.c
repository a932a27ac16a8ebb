// SPDX-License-Identifier: GPL-2.0-only
/* Source of the census: one pass of a task iterator. Attaches to nothing, presses on nothing. */
#include "rss.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "caps.h"
#include "cgroups.h"
#include "kernel.h"
#include "rss-probe.h"
#include "trial.h"

#include "rsscensus.skel.h"

struct rss {
	struct rsscensus_bpf *skel;
	struct bpf_link *link;
	struct rss_child child;
	struct rss_trial trial;
	bool judged;
	u32 nr_cpus; /* possible; 0: their offsets are unknown */
	char no_slots[96];
	struct cgroup_choice cgroup;
};

/* libbpf's own lines go nowhere: the reason is told in ours. */
static int load(struct rss *r)
{
	u64 *offset = r->skel->bss->cpu_offset;
	int n = libbpf_num_possible_cpus();

	if (n <= 0 || n > RSS_MAX_CPUS) {
		snprintf(r->no_slots, sizeof(r->no_slots), "more than %d possible CPUs",
			 RSS_MAX_CPUS);
		n = 0;
	}
	r->skel->rodata->rss_cfg.rec_size = sizeof(struct rss_rec);
	r->skel->rodata->rss_cfg.cgroup_subsys = r->cgroup.subsys;
	if (n && !rss_probe_offsets(offset, n, r->no_slots, sizeof(r->no_slots)))
		r->nr_cpus = n;
	r->skel->rodata->rss_cfg.nr_cpus = r->nr_cpus;
	return rsscensus_bpf__load(r->skel);
}

static int no_access(int err)
{
	if (kernel_need_btf())
		return EXIT_KERNEL;
	return bpf_refused(err, "cannot read the census",
			   "it takes a BPF task iterator (5.8, CONFIG_DEBUG_INFO_BTF)");
}

int rss_open(struct rss **out)
{
	_cleanup_rss_ struct rss *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return fail(EXIT_RUNTIME, "out of memory");
	r->child.pid = -1;
	if (cgroups_choose(NULL, &r->cgroup))
		r->cgroup.subsys = ~0U;
	r->skel = rsscensus_bpf__open_opts(&rss_open_opts);
	if (!r->skel)
		return no_access(-errno);
	err = load(r);
	if (err)
		return no_access(err);
	r->link = bpf_program__attach_iter(r->skel->progs.rss_task, NULL);
	if (!r->link)
		return no_access(-errno);
	/* No trial on a host that is out of processes; the mms have to do then. */
	err = rss_child_fork(&r->child);
	if (err)
		msg("no trial fork: %s", strerror(-err));
	*out = take_ptr(r);
	return 0;
}

void rss_close(struct rss *r)
{
	if (!r)
		return;
	rss_child_end(&r->child);
	bpf_link__destroy(r->link);
	rsscensus_bpf__destroy(r->skel);
	free(r);
}

void rss_census_free(struct rss_census *c)
{
	free(c->mms);
	*c = (struct rss_census) {};
}

const u64 *rss_cpu_offsets(const struct rss *r, u32 *nr)
{
	*nr = r->nr_cpus;
	return r->nr_cpus ? r->skel->bss->cpu_offset : NULL;
}

static int read_records(struct rss *r, int fd, struct rss_census *c)
{
	_cleanup_free_ char *buf = malloc(256 * sizeof(struct rss_rec));
	size_t have = 0, used;
	ssize_t n;
	int err;

	if (!buf)
		return -ENOMEM;
	while ((n = read(fd, buf + have, 256 * sizeof(struct rss_rec) - have))) {
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n < 0)
			return -errno;
		have += n;
		c->shape = r->skel->bss->shape;
		for (used = 0; have - used >= sizeof(struct rss_rec);
		     used += sizeof(struct rss_rec)) {
			err = rss_census_add(c, (const void *)(buf + used));
			if (err)
				return err;
		}
		memmove(buf, buf + used, have - used);
		have -= used;
	}
	return have ? -EIO : 0;
}

/* The first pass after rss_open sees the trial's child; it is none of the host's mms. */
static void settle_trial(struct rss *r, struct rss_census *c)
{
	const struct rss_mm *m = rss_find_pid(c, r->child.pid);

	if (!r->judged)
		rss_trial_judge(&r->trial, &r->child, m);
	r->judged = true;
	if (m) {
		size_t i = m - c->mms;

		memmove(&c->mms[i], &c->mms[i + 1], (c->nr - i - 1) * sizeof(*m));
		c->nr--;
	}
	rss_child_end(&r->child);
}

static void fill_info(const struct rss *r, struct rss_census *c)
{
	c->trial = r->trial;
	c->slots = r->nr_cpus;
	memcpy(c->no_slots, r->no_slots, sizeof(c->no_slots));
	memcpy(c->cgroup_mount, r->cgroup.mount, sizeof(c->cgroup_mount));
	c->cpus_online = sysconf(_SC_NPROCESSORS_ONLN);
	c->cpus_possible = libbpf_num_possible_cpus();
}

int rss_take(struct rss *r, struct rss_census *c)
{
	_cleanup_close_ int fd = bpf_iter_create(bpf_link__fd(r->link));
	u64 start = now_mono();
	int err;

	if (fd < 0)
		return no_access(-errno);
	c->nr = 0;
	c->wall_ns = now_wall();
	err = read_records(r, fd, c);
	if (err)
		return fail(EXIT_RUNTIME, "reading the task iterator: %s", strerror(-err));
	rss_census_finish(c);
	c->took_ns = now_mono() - start;
	settle_trial(r, c);
	fill_info(r, c);
	rss_decide_mode(c, fact_has(FACT_RSS_GROUPED));
	return 0;
}

const char *rss_mode_by_census(void)
{
	_cleanup_census_ struct rss_census c = {};
	_cleanup_rss_ struct rss *r = NULL;

	if (!fact_has(FACT_TASK_ITER) || rss_open(&r) || rss_take(r, &c))
		return NULL;
	return c.mode == MODE_UNKNOWN ? NULL : rss_mode_names[c.mode];
}

const char *rss_mode_now(void)
{
	const char *types = kernel_rss_mode(), *census = NULL;

	/* Counters that can be atomic need not ever be: that is up to the caller in kernel/fork.c. */
	if (types && !strcmp(types, "lazy") && !trial_load())
		census = rss_mode_by_census();
	return census ? census : types;
}
