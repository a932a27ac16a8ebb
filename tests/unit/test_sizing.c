// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel memory of all maps on a host with 512 possible CPUs, by calculation: the sizes come from
 * the BPF objects as they are loaded, the overhead of the kernel's own structures from below.
 */
#include "unit.h"

#include <bpf/libbpf.h>

#include "abi.h"
#include "learn.skel.h"
#include "pcpustat.skel.h"
#include "util.h"

#define CPUS  512
#define LIMIT (24ULL << 20)
#define PAGE  4096ULL

/*
 * kernel/bpf/hashtab.c, 64 bits, without lock debugging. struct htab_elem is 48 bytes before its
 * key (list node, rcu or lru node, hash); struct bucket is 16 (list head, raw spinlock).
 * htab_map_alloc preallocates one more element for each possible CPU (htab_has_extra_elems) and a
 * power of two of buckets. Percpu memory: a freelist head of 16 bytes, the pointer to the extra
 * element, and map_locked[8], which came with 5.11 and has gone again since.
 */
#define HTAB_ELEM   48
#define HTAB_BUCKET 16
#define HTAB_PERCPU (16 + 8 + 8 * 4)
/* struct bpf_htab, bpf_array, bpf_stack_map: below 1 KiB each in every kernel so far. */
#define MAP_STRUCT 1024
/* kernel/bpf/stackmap.c: struct stack_map_bucket before its data, and the pointer to it. */
#define STACK_ELEM (16 + 8)

static u64 align(u64 n, u64 to)
{
	return (n + to - 1) / to * to;
}

static u64 pow2(u64 n)
{
	u64 p = 1;

	while (p < n)
		p *= 2;
	return p;
}

static u64 hash_bytes(u64 key, u64 value, u64 entries)
{
	u64 elem = HTAB_ELEM + align(key, 8) + align(value, 8);

	return MAP_STRUCT + (entries + CPUS) * elem + pow2(entries) * HTAB_BUCKET +
	       CPUS * HTAB_PERCPU;
}

/* kernel/bpf/arraymap.c array_map_alloc: an mmap-able one begins and ends on a page. */
static u64 array_bytes(u64 value, u64 entries, bool mmapable)
{
	u64 bytes = align(value, 8) * entries;

	return mmapable ? PAGE + align(bytes, PAGE) : MAP_STRUCT + bytes;
}

static u64 map_bytes(const struct bpf_map *map, u64 entries)
{
	u64 key = bpf_map__key_size(map), value = bpf_map__value_size(map);

	switch (bpf_map__type(map)) {
	case BPF_MAP_TYPE_HASH:
		return hash_bytes(key, value, entries);
	case BPF_MAP_TYPE_ARRAY:
		return array_bytes(value, entries, bpf_map__map_flags(map) & BPF_F_MMAPABLE);
	case BPF_MAP_TYPE_CGROUP_ARRAY:
		return array_bytes(8, entries, false);
	case BPF_MAP_TYPE_STACK_TRACE:
		return MAP_STRUCT + pow2(entries) * (STACK_ELEM + value);
	default:
		/* A percpu map would press on what we watch; any other has to be calculated here. */
		unit_fail("map %s has a type that this test does not know", bpf_map__name(map));
		return 0;
	}
}

/* All maps of an object at once, although no run needs them all. */
static u64 object_bytes(struct bpf_object *obj, const struct bpf_map *per_cpu)
{
	struct bpf_map *map;
	u64 sum = 0;

	bpf_object__for_each_map(map, obj) {
		u64 n = map == per_cpu ? CPUS : bpf_map__max_entries(map);
		u64 bytes = map_bytes(map, n);

		/* Preallocated: an allocation on these paths could be one of those that we watch. */
		assert_false(bpf_map__map_flags(map) & BPF_F_NO_PREALLOC);
		print_message("%-16s %6llu x %5u + %5u  %9llu bytes\n", bpf_map__name(map), n,
			      bpf_map__key_size(map), bpf_map__value_size(map), bytes);
		sum += bytes;
	}
	return sum;
}

static void maps_at_512_cpus(void **state)
{
	struct pcpustat_bpf *skel = pcpustat_bpf__open();
	struct learn_bpf *learn = learn_bpf__open();
	u64 sum;

	(void)state;
	assert_non_null(skel);
	assert_non_null(learn);
	sum = object_bytes(skel->obj, skel->maps.cpus) +
	      object_bytes(learn->obj, learn->maps.learn_slots);
	print_message("%llu bytes, %.1f MiB\n", sum, sum / 1048576.0);
	assert_true(sum <= LIMIT);
	pcpustat_bpf__destroy(skel);
	learn_bpf__destroy(learn);
}

/* The object's idea of the shared structures is the program's own. */
static void sizes_agree(void **state)
{
	struct pcpustat_bpf *skel = pcpustat_bpf__open();

	(void)state;
	assert_non_null(skel);
	assert_int_equal(bpf_map__value_size(skel->maps.cpus), sizeof(struct cpu_block));
	assert_int_equal(sizeof(struct cpu_block) % 8, 0); /* elements lie side by side */
	assert_int_equal(bpf_map__key_size(skel->maps.rows), sizeof(struct row_key));
	assert_int_equal(bpf_map__value_size(skel->maps.rows), sizeof(struct row_stat));
	assert_int_equal(bpf_map__key_size(skel->maps.stacks), sizeof(struct stack_key));
	assert_int_equal(bpf_map__value_size(skel->maps.stacks), sizeof(struct wait_stat));
	assert_int_equal(bpf_map__key_size(skel->maps.kept), sizeof(union kept_key));
	assert_int_equal(bpf_map__value_size(skel->maps.kept), sizeof(union kept_value));
	assert_int_equal(bpf_map__value_size(skel->maps.calls), sizeof(struct call));
	pcpustat_bpf__destroy(skel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(maps_at_512_cpus),
		cmocka_unit_test(sizes_agree),
	};

	return cmocka_run_group_tests_name("sizing", tests, NULL, NULL);
}
