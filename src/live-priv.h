/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files of the live source: live.c, live-open.c, live-snap.c, live-learn.c. */
#ifndef PCPUSTAT_LIVE_PRIV_H
#define PCPUSTAT_LIVE_PRIV_H

#include "kernel.h"
#include "live.h"

struct backend;
struct bpf_link;
struct pcpustat_bpf;
struct learn_bpf;

/* What this process costs the allocator while it starts. */
struct self {
	struct self_bpf *skel;
	struct bpf_link *link;
	u64 allocs;
	bool known;
};

struct live {
	struct pcpustat_bpf *skel;
	const struct backend *backends[NR_SIGNALS];
	struct bpf_link *links[32];
	size_t nr_links;
	struct cpu_block *blocks;
	size_t blocks_len;
	int nr_cpus;
	bool filter_cpu;
	bool frozen;
	int cgroup_fd;
	/* Rows of ended processes, folded into other so that the table never fills up. */
	struct row_stat gone;
	struct self self;
	struct learn_bpf *learn;
	struct bpf_link *learn_link;
	struct learn_slot *learn_slots;
	size_t learn_len;
	struct usyms *usyms; /* made when the first user stack wants names */
};

/* Says what is missing for any run at all, with the contract's exit code, or returns 0. */
int live_check_kernel(void);

/* Chooses the backends, finds the locks and describes the host in info. 0 or an exit code. */
int live_choose(struct live *l, const struct live_opts *opts, struct info *info);

/* -G and --by cgroup: which hierarchy; before and after the load. 0 or an exit code. */
int live_set_cgroup(struct live *l, const struct live_opts *opts, struct info *info);
int live_put_cgroup(struct live *l, const struct live_opts *opts);

/* Holders, --follow and stacks on demand: into cfg before the load; attached after it. */
void live_set_stacks(struct live *l, const struct live_opts *o, struct cfg *cfg);
int live_attach_stacks(struct live *l, const struct live_opts *o);

/* Names the user stacks that are new, while their processes live. 0 or -ENOMEM. */
int live_name_ustacks(struct live *l, struct info *info);

/* Calls each for every element; a table that changes meanwhile shows each key once or not. */
int live_each(int fd, size_t key_size, size_t value_size,
	      int (*each)(void *arg, const void *key, const void *value), void *arg);

void self_start(struct self *self);
void self_stop(struct self *self);

int learn_start(struct live *l, struct info *info);
void learn_stop(struct live *l);

/* Lets the programs see addresses that were learned. */
void live_publish_locks(struct live *l, const struct info *info);

#endif
