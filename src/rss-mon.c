// SPDX-License-Identifier: GPL-2.0-only
#include "rss-mon-priv.h"

#include <errno.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "caps.h"
#include "kernel.h"
#include "rss-probe.h"
#include "trial.h"

#include "rssmon.skel.h"

const char *const death_names[] = {
	[DEATH_NONE] = NULL,
	[DEATH_FENTRY] = "fentry __mmdrop",
	[DEATH_KPROBE] = "kprobe __mmdrop",
	[DEATH_EXIT_MMAP] = "tracepoint exit_mmap",
};

static const char *const switch_fns[] = {
	"percpu_counter_switch_to_pcpu_many",
	"__lazy_percpu_counter_upgrade_many",
};

static const char *find_switch_fn(void)
{
	struct ksyms *k = kernel_ksyms();

	for (size_t i = 0; k && i < ARRAY_SIZE(switch_fns); i++)
		if (ksyms_addr(k, switch_fns[i], true))
			return switch_fns[i];
	return NULL;
}

static enum death_source choose_deaths(void)
{
	if (!trial_attach(HOOK_FENTRY, "__mmdrop", 0))
		return DEATH_FENTRY;
	if (!trial_attach(HOOK_KPROBE, "__mmdrop", 0))
		return DEATH_KPROBE;
	if (!trial_attach(HOOK_RAW_TP, "exit_mmap", 0))
		return DEATH_EXIT_MMAP;
	return DEATH_NONE;
}

/* Only trial loads say what this kernel takes, BTF does not. */
static void choose(struct rss_mon *m, const struct rss_census *c, bool verify)
{
	struct rss_signals *s = &m->sig;

	s->births = !trial_attach(HOOK_RAW_TP, "task_newtask", 0) &&
		    !trial_attach(HOOK_RAW_TP, "sched_process_exec", 0);
	s->deaths = choose_deaths();
	s->switch_fn = find_switch_fn();
	s->has_switch = s->switch_fn && (c->mode == MODE_LAZY || c->mode == MODE_LAZY_LOCAL);
	s->switches = s->has_switch && !trial_attach(HOOK_KPROBE, s->switch_fn, 0);
	s->clones = s->switches && !trial_attach(HOOK_KPROBE, "copy_process", 0);
	s->blocks = verify && rss_mode_allocs(c->mode) >= 0 && c->mode != MODE_SPLIT &&
		    c->mode != MODE_UP && fact_has(FACT_PERCPU_CALL_SITE) &&
		    !trial_attach(HOOK_RAW_TP, "percpu_free_percpu", 0);
}

static void set_programs(struct rss_mon *m)
{
	const struct rss_signals *s = &m->sig;
	const struct {
		struct bpf_program *p;
		bool on;
	} uses[] = {
		{ m->skel->progs.switch_enter, s->switches },
		{ m->skel->progs.switch_exit, s->switches },
		{ m->skel->progs.clone_enter, s->clones },
		{ m->skel->progs.clone_exit, s->clones },
		{ m->skel->progs.alloc, s->blocks },
		{ m->skel->progs.block_free, s->blocks },
		{ m->skel->progs.mmdrop_fentry, s->deaths == DEATH_FENTRY },
		{ m->skel->progs.mmdrop_kprobe, s->deaths == DEATH_KPROBE },
		{ m->skel->progs.exit_mmap, s->deaths == DEATH_EXIT_MMAP },
		{ m->skel->progs.newtask, s->births },
		{ m->skel->progs.exec, s->births },
	};

	for (size_t i = 0; i < ARRAY_SIZE(uses); i++)
		bpf_program__set_autoload(uses[i].p, uses[i].on);
}

static void set_config(struct rss_mon *m, const struct rss *r, const struct rss_census *c,
		       bool verify)
{
	volatile struct rss_cfg *cfg = &m->skel->rodata->rss_cfg;
	u32 nr;
	const u64 *offsets = rss_cpu_offsets(r, &nr);

	cfg->nr_cpus = offsets ? nr : 0;
	cfg->lazy = c->mode == MODE_LAZY || c->mode == MODE_LAZY_LOCAL;
	cfg->switch_on_vm = c->mode == MODE_LAZY_LOCAL;
	cfg->percpu_born = c->mode == MODE_INDIVIDUAL || c->mode == MODE_GROUPED;
	cfg->block_size = c->mode == MODE_INDIVIDUAL ? 4 : 4 * NR_RSS;
	cfg->verify = verify;
	cfg->switch_seen = m->sig.switches;
	if (!m->sig.blocks)
		bpf_map__set_max_entries(m->skel->maps.blocks, 1);
	if (offsets)
		memcpy(m->skel->bss->cpu_offset, offsets, nr * sizeof(*offsets));
}

static int attach_link(struct rss_mon *m, struct bpf_link *link, const char *what)
{
	if (!link)
		return fail(EXIT_KERNEL, "cannot attach to %s: %s", what, strerror(errno));
	m->links[m->nr_links++] = link;
	return 0;
}

static int attach_kprobe(struct rss_mon *m, struct bpf_program *p, const char *fn, bool ret)
{
	int fd = kprobe_event_open(fn, 0, ret);
	struct bpf_link *link;

	if (fd < 0) {
		errno = -fd;
		return attach_link(m, NULL, fn);
	}
	link = bpf_program__attach_perf_event(p, fd);
	if (!link)
		close(fd);
	return attach_link(m, link, fn);
}

static int attach_switches(struct rss_mon *m)
{
	int err = 0;

	if (m->sig.clones) {
		err = attach_kprobe(m, m->skel->progs.clone_exit, "copy_process", true);
		if (!err)
			err = attach_kprobe(m, m->skel->progs.clone_enter, "copy_process", false);
	}
	if (!err && m->sig.switches) {
		err = attach_kprobe(m, m->skel->progs.switch_exit, m->sig.switch_fn, true);
		if (!err)
			err = attach_kprobe(m, m->skel->progs.switch_enter, m->sig.switch_fn, false);
	}
	return err;
}

static int attach_deaths(struct rss_mon *m)
{
	switch (m->sig.deaths) {
	case DEATH_FENTRY:
		return attach_link(m, bpf_program__attach(m->skel->progs.mmdrop_fentry), "__mmdrop");
	case DEATH_KPROBE:
		return attach_kprobe(m, m->skel->progs.mmdrop_kprobe, "__mmdrop", false);
	case DEATH_EXIT_MMAP:
		return attach_link(m, bpf_program__attach(m->skel->progs.exit_mmap), "exit_mmap");
	default:
		return 0;
	}
}

/*
 * Ends before beginnings, and births last: an mm whose birth is seen has all that follows in
 * sight. The memory of a death is marked before its free is looked at.
 */
static int attach(struct rss_mon *m)
{
	int err = attach_switches(m);

	if (!err)
		err = attach_deaths(m);
	if (!err && m->sig.blocks)
		err = attach_link(m, bpf_program__attach(m->skel->progs.alloc),
				  "percpu_alloc_percpu");
	if (!err && m->sig.blocks)
		err = attach_link(m, bpf_program__attach(m->skel->progs.block_free),
				  "percpu_free_percpu");
	if (!err && m->sig.births)
		err = attach_link(m, bpf_program__attach(m->skel->progs.newtask), "task_newtask");
	if (!err && m->sig.births)
		err = attach_link(m, bpf_program__attach(m->skel->progs.exec), "sched_process_exec");
	if (!err)
		m->skel->bss->live = 1;
	return err;
}

static int on_sample(void *ctx, void *data, size_t len)
{
	struct rss_mon *m = ctx;

	return len >= sizeof(struct rss_violation) && m->fn ? m->fn(m->arg, data) : 0;
}

static int load(struct rss_mon *m, const struct rss *r, const struct rss_census *c, bool verify)
{
	int err;

	m->skel = rssmon_bpf__open_opts(&rss_open_opts);
	if (!m->skel)
		return fail(EXIT_RUNTIME, "cannot open the BPF object: %s", strerror(errno));
	choose(m, c, verify);
	set_programs(m);
	set_config(m, r, c, verify);
	err = rssmon_bpf__load(m->skel);
	if (err)
		return bpf_refused(err, "cannot load our BPF programs", "run pcpustat doctor");
	m->ring = ring_buffer__new(bpf_map__fd(m->skel->maps.examples), on_sample, m, NULL);
	if (!m->ring)
		return fail(EXIT_RUNTIME, "cannot map the ring buffer: %s", strerror(errno));
	return attach(m);
}

int rss_mon_open(struct rss_mon **out, const struct rss *r, const struct rss_census *c, bool verify)
{
	struct rss_mon *m = calloc(1, sizeof(*m));
	int err;

	if (!m)
		return fail(EXIT_RUNTIME, "out of memory");
	err = load(m, r, c, verify);
	trial_end();
	if (err) {
		rss_mon_close(m);
		return err;
	}
	*out = m;
	return 0;
}

void rss_mon_close(struct rss_mon *m)
{
	if (!m)
		return;
	while (m->nr_links)
		bpf_link__destroy(m->links[--m->nr_links]);
	ring_buffer__free(m->ring);
	rssmon_bpf__destroy(m->skel);
	free(m);
}

const struct rss_signals *rss_mon_signals(const struct rss_mon *m)
{
	return &m->sig;
}

int rss_mon_poll(struct rss_mon *m, int (*fn)(void *arg, const struct rss_violation *v), void *arg)
{
	int err;

	m->fn = fn;
	m->arg = arg;
	err = ring_buffer__consume(m->ring);
	return err < 0 ? err : 0;
}
