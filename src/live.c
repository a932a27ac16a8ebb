// SPDX-License-Identifier: GPL-2.0-only
#include "live.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <string.h>
#include <sys/mman.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "pcpustat.skel.h"
#include "caps.h"
#include "live-priv.h"
#include "probes.h"
#include "trial.h"
#include "usyms.h"

/* Maps that a run without these options does not need: they are not even made. */
static void drop_unused_maps(struct pcpustat_bpf *skel, const struct cfg *cfg)
{
	bpf_map__set_autocreate(skel->maps.rows, cfg->row_by != ROW_NONE);
	bpf_map__set_autocreate(skel->maps.stacks, cfg->stacks);
	bpf_map__set_autocreate(skel->maps.calls, cfg->latency || cfg->mm_calls);
	bpf_map__set_autocreate(skel->maps.ustacks, cfg->user_stacks);
	bpf_map__set_autocreate(skel->maps.filter_ids, cfg->filter_tgid || cfg->filter_tid);
	bpf_map__set_autocreate(skel->maps.filter_cgroup, cfg->filter_cgroup == 2);
}

static void fill_cfg(struct cfg *cfg, const struct live_opts *o, const struct live *l)
{
	const struct backend *mm = l->backends[SIG_MM_LIFE];

	cfg->abi_size = sizeof(struct cpu_block);
	cfg->row_by = o->row_by;
	cfg->stacks = o->stacks;
	cfg->stack_comm = o->stack_comm;
	cfg->owners = !o->no_owners;
	cfg->latency = l->backends[SIG_LATENCY] != NULL;
	cfg->mm_calls = mm && strcmp(mm->name, "derived");
	cfg->filter_tgid = o->nr_ids && !o->ids_are_tids;
	cfg->filter_tid = o->nr_ids && o->ids_are_tids;
	cfg->filter_cpu = o->cpus != NULL;
	cfg->nr_sites = o->nr_sites ? o->nr_sites : NR_SITES;
	cfg->min_wait_ns = o->min_wait_ns;
}

static int set_program(struct live *l, const struct prog_use *use)
{
	struct bpf_program *p = bpf_object__find_program_by_name(l->skel->obj, use->prog);
	u64 addr;

	if (!p)
		return fail(EXIT_RUNTIME, "no BPF program %s in this binary", use->prog);
	bpf_program__set_autoload(p, true);
	if (use->hook == HOOK_FENTRY || use->hook == HOOK_FEXIT)
		bpf_program__set_attach_target(p, 0, probes_function(use->target, &addr));
	return 0;
}

#define for_each_use(l, sig, use)                                                               \
	for (int sig = 0; sig < NR_SIGNALS; sig++)                                              \
		for (const struct prog_use *use = (l)->backends[sig] ? (l)->backends[sig]->uses \
								     : NULL;                    \
		     use && use < (l)->backends[sig]->uses + MAX_USES && use->prog; use++)

static int open_skeleton(struct live *l, const struct live_opts *opts, struct info *info)
{
	l->skel = pcpustat_bpf__open();
	if (!l->skel)
		return fail(EXIT_RUNTIME, "cannot open the BPF object: %s", strerror(errno));
	for_each_use(l, sig, use) {
		int err = set_program(l, use);

		if (err)
			return err;
	}
	fill_cfg(&info->cfg, opts, l);
	live_set_stacks(l, opts, &info->cfg);
	memcpy((void *)&l->skel->rodata->cfg, &info->cfg, sizeof(info->cfg));
	l->skel->rodata->alloc_nests = !fact_has(FACT_RAW_TP_GUARD);
	drop_unused_maps(l->skel, &info->cfg);
	bpf_map__set_max_entries(l->skel->maps.cpus, l->nr_cpus);
	return 0;
}

static int load_skeleton(struct live *l)
{
	int err = pcpustat_bpf__load(l->skel);

	if (err)
		return bpf_refused(err, "cannot load our BPF programs", "run pcpustat doctor");
	l->blocks_len = sizeof(struct cpu_block) * l->nr_cpus;
	l->blocks = mmap(NULL, l->blocks_len, PROT_READ | PROT_WRITE, MAP_SHARED,
			 bpf_map__fd(l->skel->maps.cpus), 0);
	if (l->blocks == MAP_FAILED) {
		l->blocks = NULL;
		return fail(EXIT_RUNTIME, "cannot map the counters: %s", strerror(errno));
	}
	return 0;
}

static int fill_filters(struct live *l, const struct live_opts *o)
{
	u32 one = 1;

	for (size_t i = 0; i < o->nr_ids; i++)
		if (bpf_map_update_elem(bpf_map__fd(l->skel->maps.filter_ids), &o->ids[i], &one,
					BPF_ANY))
			return fail(EXIT_RUNTIME, "cannot set the pid filter: %s", strerror(errno));
	for (int cpu = 0; o->cpus && cpu < l->nr_cpus; cpu++)
		l->blocks[cpu].selected = o->cpus[cpu];
	l->filter_cpu = o->cpus != NULL;
	return 0;
}

static struct bpf_link *attach_kprobe(struct bpf_program *p, const struct prog_use *use)
{
	u64 addr;
	const char *name = probes_function(use->target, &addr);
	int fd = kprobe_event_open(name, addr, use->hook == HOOK_KRETPROBE);
	struct bpf_link *link;

	if (fd < 0) {
		errno = -fd;
		return NULL;
	}
	link = bpf_program__attach_perf_event(p, fd);
	if (!link)
		close(fd);
	return link;
}

static int attach_one(struct live *l, const struct prog_use *use)
{
	struct bpf_program *p = bpf_object__find_program_by_name(l->skel->obj, use->prog);
	bool kprobe = use->hook == HOOK_KPROBE || use->hook == HOOK_KRETPROBE;
	struct bpf_link *link = kprobe ? attach_kprobe(p, use) : bpf_program__attach(p);

	if (!link)
		return -errno;
	l->links[l->nr_links++] = link;
	return 0;
}

static int attach_all(struct live *l)
{
	for_each_use(l, sig, use) {
		int err = attach_one(l, use);

		if (err)
			return fail(EXIT_KERNEL, "cannot attach %s to %s: %s; try --backend %s=none",
				    use->prog, use->target, strerror(-err), signal_names[sig]);
	}
	return 0;
}

void live_publish_locks(struct live *l, const struct info *info)
{
	struct control *c = &l->skel->bss->control;
	u64 lo = ~0ULL, hi = 0;

	for (int i = 0; i < NR_LOCKS; i++) {
		u64 addr = info->locks[i].addr;

		c->lock_addr[i] = addr;
		if (addr) {
			lo = min_u64(lo, addr);
			hi = max_u64(hi, addr);
		}
	}
	if (!hi)
		return;
	c->lock_lo = lo;
	c->lock_span = hi - lo;
}

/* Our own programs are in the stacks that they take; name them, so that they can be left out. */
static void name_programs(struct live *l, struct ksyms *k)
{
	struct bpf_program *p;

	bpf_object__for_each_program(p, l->skel->obj) {
		u64 addr = 0;
		u32 size = 0;
		struct bpf_prog_info pi = {
			.nr_jited_ksyms = 1,
			.jited_ksyms = (u64)(uintptr_t)&addr,
			.nr_jited_func_lens = 1,
			.jited_func_lens = (u64)(uintptr_t)&size,
		};
		u32 len = sizeof(pi);
		char name[96];

		if (bpf_program__fd(p) < 0 ||
		    bpf_obj_get_info_by_fd(bpf_program__fd(p), &pi, &len) || !addr)
			continue;
		/* As the kernel names them: the tag tells them from its own bpf_prog_alloc. */
		snprintf(name, sizeof(name), "bpf_prog_%016llx_%s",
			 (unsigned long long)be64toh(*(u64 *)pi.tag), bpf_program__name(p));
		ksyms_insert(k, addr, size, name);
	}
	for_each_use(l, sig, use) {
		if (use->hook == HOOK_FENTRY || use->hook == HOOK_FEXIT) {
			ksyms_add_trampolines(k, "/proc/kallsyms");
			return;
		}
	}
}

static int load_all(struct live *l, const struct live_opts *opts, struct info *info)
{
	int err = open_skeleton(l, opts, info);

	if (!err)
		err = live_set_cgroup(l, opts, info);
	if (!err)
		err = load_skeleton(l);
	if (!err)
		err = live_put_cgroup(l, opts);
	if (!err)
		err = fill_filters(l, opts);
	if (err)
		return err;
	live_publish_locks(l, info);
	err = attach_all(l);
	if (!err)
		err = live_attach_stacks(l, opts);
	if (err)
		return err;
	if (info->ksyms)
		name_programs(l, info->ksyms);
	return 0;
}

int live_open(struct live **out, const struct live_opts *opts, struct info *info)
{
	struct live *l = calloc(1, sizeof(*l));
	int err;

	if (!l)
		return fail(EXIT_RUNTIME, "out of memory");
	l->cgroup_fd = -1;
	l->nr_cpus = libbpf_num_possible_cpus();
	self_start(&l->self); /* first, so that it sees the trials too */
	err = live_check_kernel();
	if (!err)
		err = live_choose(l, opts, info);
	if (!err)
		err = load_all(l, opts, info);
	if (!err)
		err = learn_start(l, info);
	trial_end();
	self_stop(&l->self);
	kernel_put_btf();
	malloc_trim(0);
	if (err) {
		live_close(l);
		return err;
	}
	*out = l;
	return 0;
}

static void detach_all(struct live *l)
{
	while (l->nr_links)
		bpf_link__destroy(l->links[--l->nr_links]);
}

int live_reattach(struct live *l, u64 n)
{
	int err = 0;

	while (n-- && !err) {
		detach_all(l);
		err = attach_all(l);
	}
	return err;
}

void live_close(struct live *l)
{
	if (!l)
		return;
	learn_stop(l);
	detach_all(l);
	if (l->blocks)
		munmap(l->blocks, l->blocks_len);
	pcpustat_bpf__destroy(l->skel);
	usyms_free(l->usyms);
	if (l->cgroup_fd >= 0)
		close(l->cgroup_fd);
	free(l);
}
