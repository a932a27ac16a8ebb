/* SPDX-License-Identifier: GPL-2.0-only */
/* One probe a fact, see kernel.c. how: a few words on what decided it. */
#ifndef PCPUSTAT_PROBE_FACTS_H
#define PCPUSTAT_PROBE_FACTS_H

#include "kernel.h"

struct btf;
struct btf_type;

/* Member of a struct, anonymous structs and unions searched too; NULL when there is none. */
const struct btf_type *btf_member_type(const struct btf *btf, const struct btf_type *t,
				       const char *name);

#define PROBE(name) enum fact_state probe_##name(char *how, size_t len)

PROBE(btf);
PROBE(bpf);
PROBE(raw_tp);
PROBE(tp_btf);
PROBE(tracefs);
PROBE(fentry);
PROBE(kprobe);
PROBE(cmpxchg);
PROBE(raw_tp_guard);
PROBE(map_memcg);
PROBE(task_iter);
PROBE(kallsyms);
PROBE(kallsyms_data);
PROBE(percpu_events);
PROBE(percpu_call_site);
PROBE(pcpu_alloc_noprof);
PROBE(contention);
PROBE(release);
PROBE(mm_init);
PROBE(preempt_rt);
PROBE(spin_waits);
PROBE(percpu_stats);
PROBE(cgroup2);
PROBE(rss_split);
PROBE(rss_percpu);
PROBE(rss_grouped);
PROBE(rss_atomic);
PROBE(rss_lazy);
PROBE(rss_tree);
PROBE(rss_switch);

#endif
