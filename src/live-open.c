// SPDX-License-Identifier: GPL-2.0-only
/* Before anything is attached: is it possible, by which means, on which locks. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/utsname.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "caps.h"
#include "cgroups.h"
#include "live-priv.h"
#include "locks.h"
#include "pcpustat.skel.h"
#include "probes.h"
#include "rss.h"
#include "self.skel.h"

int live_check_kernel(void)
{
	int err = fact_has(FACT_TP_BTF) || fact_has(FACT_RAW_TP) ? 0 : trial_load();

	if (err)
		return bpf_refused(err, "cannot load BPF programs",
				   "the kernel needs CONFIG_BPF_SYSCALL");
	if (kernel_need_btf())
		return EXIT_KERNEL;
	if (!fact_has(FACT_PERCPU_EVENTS))
		return fail(EXIT_KERNEL, "this kernel has no percpu:* tracepoints; it needs 4.13 "
					 "and CONFIG_TRACEPOINTS");
	return 0;
}

static void describe_host(struct info *info)
{
	struct utsname u;
	const char *mode = rss_mode_now();

	uname(&u);
	snprintf(info->kernel, sizeof(info->kernel), "%s", u.release);
	snprintf(info->host, sizeof(info->host), "%s", u.nodename);
	info->cpus_online = sysconf(_SC_NPROCESSORS_ONLN);
	info->cpus_possible = libbpf_num_possible_cpus();
	snprintf(info->rss_mode, sizeof(info->rss_mode), "%s", mode ? mode : "");
	info->rss_allocs_per_mm = rss_allocs_per_mm(mode);
	info->site_known = fact_has(FACT_PERCPU_CALL_SITE);
	info->spin_observable = fact_has(FACT_SPIN_WAITS);
}

static int choose_one(struct live *l, const struct live_opts *opts, enum signal_id sig)
{
	const char *forced = opts->backend[sig];
	char names[64];
	int err = probes_choose(sig, forced, &l->backends[sig]);

	if (err == -EINVAL)
		return fail(EXIT_USAGE, "no backend %s for %s; there are: %s, none", forced,
			    signal_names[sig], probes_names(sig, names, sizeof(names)));
	if (err)
		return fail(EXIT_KERNEL, "this kernel does not take backend %s for %s", forced,
			    signal_names[sig]);
	return 0;
}

int live_choose(struct live *l, const struct live_opts *opts, struct info *info)
{
	for (int sig = 0; sig < NR_SIGNALS; sig++) {
		int err = choose_one(l, opts, sig);

		if (err)
			return err;
		snprintf(info->backend[sig], sizeof(info->backend[sig]), "%s",
			 l->backends[sig] ? l->backends[sig]->name : "");
	}
	/* A call ends at the allocation's event. */
	if (!l->backends[SIG_ALLOCATIONS]) {
		l->backends[SIG_LATENCY] = NULL;
		info->backend[SIG_LATENCY][0] = '\0';
	}
	info->mm_derived = !strcmp(info->backend[SIG_MM_LIFE], "derived");
	/* On PREEMPT_RT all three are rtmutexes: one event for spinning and sleeping alike. */
	info->locks_split = l->backends[SIG_LOCK_WAITS] && fact_has(FACT_CONTENTION_EVENTS) &&
			    !fact_has(FACT_PREEMPT_RT);
	info->frees_known = !opts->nr_ids && !opts->cgroup && !opts->follow;
	describe_host(info);
	info->ksyms = kernel_ksyms();
	if (l->backends[SIG_LOCK_WAITS])
		locks_find(info->locks, info->ksyms, opts->find_locks);
	for (int i = 0; i < NR_LOCKS && opts->locks; i++)
		if (!opts->locks[i])
			info->locks[i] = (struct lock_info) { 0, "excluded" };
	return 0;
}

int live_set_cgroup(struct live *l, const struct live_opts *opts, struct info *info)
{
	struct cgroup_choice choice;
	int err;

	info->cfg.cgroup_subsys = ~0U;
	if (opts->row_by != ROW_CGROUP && !opts->cgroup && !opts->stack_cgroup)
		return 0;
	err = cgroups_choose(opts->cgroup, &choice);
	if (err)
		return err;
	if (opts->cgroup)
		info->cfg.filter_cgroup = choice.v2 ? 2 : 1;
	info->cfg.filter_cgroup_id = choice.id;
	info->cfg.cgroup_subsys = choice.subsys;
	info->cgroups = cgroups_open(choice.mount);
	snprintf(info->cgroup_mount, sizeof(info->cgroup_mount), "%s", choice.mount);
	memcpy((void *)&l->skel->rodata->cfg, &info->cfg, sizeof(info->cfg));
	bpf_map__set_autocreate(l->skel->maps.filter_cgroup, info->cfg.filter_cgroup == 2);
	return 0;
}

int live_put_cgroup(struct live *l, const struct live_opts *opts)
{
	u32 zero = 0;

	if (!opts->cgroup || l->skel->rodata->cfg.filter_cgroup != 2)
		return 0;
	l->cgroup_fd = open(opts->cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (l->cgroup_fd < 0 || bpf_map_update_elem(bpf_map__fd(l->skel->maps.filter_cgroup), &zero,
						    &l->cgroup_fd, BPF_ANY))
		return fail(EXIT_RUNTIME, "cannot filter on cgroup %s: %s", opts->cgroup,
			    strerror(errno));
	return 0;
}

/* Silent when it fails: the cost is then unknown, not zero. */
void self_start(struct self *self)
{
	self->skel = self_bpf__open();
	if (!self->skel)
		return;
	self->skel->rodata->self_tgid = getpid();
	if (self_bpf__load(self->skel))
		return;
	self->link = bpf_program__attach(self->skel->progs.count_self);
}

void self_stop(struct self *self)
{
	if (self->link) {
		self->allocs = self->skel->bss->self_allocs;
		self->known = true;
	}
	bpf_link__destroy(self->link);
	self_bpf__destroy(self->skel);
	self->link = NULL;
	self->skel = NULL;
}
