// SPDX-License-Identifier: GPL-2.0-only
/* What a run takes on demand: holders of locks, descendants of the command, user stacks. */
#include <errno.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "live-priv.h"
#include "pcpustat.skel.h"
#include "trial.h"
#include "usyms.h"

static enum holders_by choose_holders(const struct live *l, const struct live_opts *o)
{
	if (!o->holders || !l->backends[SIG_LOCK_WAITS])
		return HOLDERS_NONE;
	if (fact_has(FACT_CONTENDED_RELEASE) && !trial_attach(HOOK_RAW_TP, "contended_release", 0))
		return HOLDERS_RELEASE;
	return HOLDERS_OWNER;
}

void live_set_stacks(struct live *l, const struct live_opts *o, struct cfg *cfg)
{
	struct pcpustat_bpf *skel = l->skel;

	cfg->stack_cgroup = o->stack_cgroup;
	cfg->user_stacks = o->stacks && o->user_stacks;
	cfg->holders = choose_holders(l, o);
	cfg->call_stacks = o->stacks && o->call_stacks && cfg->latency;
	cfg->filter_tgid |= o->follow;
	bpf_program__set_autoload(skel->progs.release_raw, cfg->holders == HOLDERS_RELEASE);
	bpf_program__set_autoload(skel->progs.follow_newtask, o->follow);
	bpf_program__set_autoload(skel->progs.follow_free, o->follow);
	if (o->follow)
		bpf_map__set_max_entries(skel->maps.filter_ids, NR_FOLLOW);
}

static int attach(struct live *l, struct bpf_program *p)
{
	struct bpf_link *link;

	if (!bpf_program__autoload(p))
		return 0;
	link = bpf_program__attach(p);
	if (!link)
		return fail(EXIT_KERNEL, "cannot attach %s: %s", bpf_program__name(p),
			    strerror(errno));
	l->links[l->nr_links++] = link;
	return 0;
}

int live_attach_stacks(struct live *l, const struct live_opts *o)
{
	u32 pid = o->follow_pid, one = 1;
	int err = attach(l, l->skel->progs.release_raw);

	if (!err)
		err = attach(l, l->skel->progs.follow_free);
	if (!err)
		err = attach(l, l->skel->progs.follow_newtask);
	/* The command waits at its gate: it has no children yet. */
	if (!err && o->follow &&
	    bpf_map_update_elem(bpf_map__fd(l->skel->maps.filter_ids), &pid, &one, BPF_ANY))
		err = fail(EXIT_RUNTIME, "cannot follow the command: %s", strerror(errno));
	return err;
}

struct namer {
	struct live *live;
	struct info *info;
};

static int name_one(void *arg, const void *key, const void *value)
{
	struct namer *n = arg;
	const struct ustack_key *k = key;
	const char *names[USER_FRAMES];
	u64 id = *(const u64 *)value;
	size_t depth = 0;

	if (ustacks_get(&n->info->ustacks, id))
		return 0;
	while (depth < USER_FRAMES && k->ip[depth])
		depth++;
	usyms_names(n->live->usyms, k->tgid, k->comm, k->ip, depth, names);
	return ustacks_add(&n->info->ustacks, id, names, depth);
}

int live_name_ustacks(struct live *l, struct info *info)
{
	struct namer n = { l, info };

	if (!info->cfg.user_stacks)
		return 0;
	if (!l->usyms)
		l->usyms = usyms_new();
	if (!l->usyms)
		return -ENOMEM;
	return live_each(bpf_map__fd(l->skel->maps.ustacks), sizeof(struct ustack_key), sizeof(u64),
			 name_one, &n);
}

void live_poll(struct live *l, struct info *info)
{
	live_learn(l, info);
	live_name_ustacks(l, info);
}
