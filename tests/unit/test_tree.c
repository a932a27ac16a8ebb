// SPDX-License-Identifier: GPL-2.0-only
#include "flame_fixture.h"

#include <errno.h>

static const struct tree_node *find(const struct tree *t, const char *name)
{
	for (const struct tree_node *n = tree_next(&t->root); n; n = tree_next(n))
		if (!strcmp(n->name, name))
			return n;
	return NULL;
}

/* Every node's total is its own weight and its children's, and children are sorted, once each. */
static void check_sums(const struct tree_node *n)
{
	u64 total = n->self, base = n->base_self;

	for (const struct tree_node *c = n->child; c; c = c->next) {
		assert_ptr_equal(c->parent, n);
		if (c->next && c->kind == c->next->kind)
			assert_true(strcmp(c->name, c->next->name) < 0);
		total += c->total;
		base += c->base_total;
		check_sums(c);
	}
	assert_int_equal(n->total, total);
	assert_int_equal(n->base_total, base);
}

static u64 weight_of(const struct wait_stat *w, enum weight weight)
{
	switch (weight) {
	case WEIGHT_SLEEP:
		return w->sleep_ns;
	case WEIGHT_SPIN:
		return w->spin_ns;
	case WEIGHT_COUNT:
		return w->waits;
	default:
		return w->wait_ns;
	}
}

static void locks_add_up(void **state)
{
	struct info info;
	struct snap s;

	fixture_info(&info);
	fixture_snap(&info, &s, 10);
	for (int weight = WEIGHT_WAIT; weight <= WEIGHT_COUNT; weight++) {
		struct tree_opts o = { .weight = weight, .comm = weight % 2 };
		struct tree t;
		u64 sum = 0;

		for (int i = 0; i < NR_LOCKS; i++)
			sum += weight_of(&s.locks[i].w, weight);
		assert_int_equal(tree_build(&t, &info, &s, &o), 0);
		assert_int_equal(t.root.total, sum);
		assert_int_equal(find(&t, "pcpu_lock")->total,
				 weight_of(&s.locks[LOCK_PCPU].w, weight));
		check_sums(&t.root);
		tree_free(&t);
	}
	fixture_free(&info, &s);
}

static void sites_add_up(void **state)
{
	struct tree_opts o = { .weight = WEIGHT_ALLOCS };
	struct info info;
	struct snap s;
	struct tree t;

	fixture_info(&info);
	fixture_snap(&info, &s, 3);
	assert_int_equal(tree_build(&t, &info, &s, &o), 0);
	assert_int_equal(t.root.total, snap_allocs(&s));
	check_sums(&t.root);
	tree_free(&t);
	o.weight = WEIGHT_BYTES;
	assert_int_equal(tree_build(&t, &info, &s, &o), 0);
	assert_int_equal(t.root.total, snap_alloc_bytes(&s));
	assert_non_null(find(&t, "[other]"));
	assert_int_equal(find(&t, "free_percpu")->total, 3 * 10 * 64);
	tree_free(&t);
	fixture_free(&info, &s);
}

static void root_to_leaf(void **state)
{
	struct tree_opts o = { .weight = WEIGHT_WAIT, .comm = true };
	const enum frame_kind order[] = { FRAME_ROOT, FRAME_LOCK, FRAME_COMM, FRAME_USER,
					  FRAME_USER, FRAME_USER, FRAME_SEP,  FRAME_KERNEL };
	const struct tree_node *n;
	struct info info;
	struct snap s;
	struct tree t;

	fixture_info(&info);
	fixture_snap(&info, &s, 1);
	assert_int_equal(tree_build(&t, &info, &s, &o), 0);
	n = find(&t, "run_job");
	while (n->child)
		n = n->child;
	/* The lock's slow path is the leaf: tracing's frames below it are gone. */
	assert_string_equal(n->name, "__mutex_lock.constprop.0");
	while (n->parent && n->parent->kind == FRAME_KERNEL)
		n = n->parent;
	assert_string_equal(n->name, "entry_SYSCALL_64_after_hwframe");
	for (int i = ARRAY_SIZE(order) - 1; i >= 0; i--, n = n->parent)
		assert_int_equal(n->kind, order[i]);
	assert_null(n);
	assert_null(find(&t, "bpf_trace_run2"));
	tree_free(&t);
	fixture_free(&info, &s);
}

/* However many user frames had no name, and whoever's stack is not known at all. */
static void nameless_user_frames(void **state)
{
	static const char *const frames[] = { "write",     "[unknown]", "[unknown]", "run",
					      "[unknown]", "[unknown]", "[unknown]" };
	struct tree_opts o = { .weight = WEIGHT_COUNT };
	struct info info;
	struct snap s = {};
	struct tree t;
	size_t n = 0;

	fixture_info(&info);
	ustacks_add(&info.ustacks, 5, frames, ARRAY_SIZE(frames));
	fixture_wait(&s, LOCK_PCPU, "a", 5, EXIT, 1, 10);
	fixture_wait(&s, LOCK_PCPU, "a", 6, EXIT, 1, 10);
	assert_int_equal(tree_build(&t, &info, &s, &o), 0);
	for (const struct tree_node *node = tree_next(&t.root); node; node = tree_next(node))
		n += node->kind == FRAME_USER;
	assert_int_equal(n, 4); /* [unknown], run, [unknown], write; the other one is the first */
	assert_int_equal(find(&t, "[unknown]")->total, 2);
	assert_string_equal(find(&t, "run")->child->child->name, "write");
	tree_free(&t);
	fixture_free(&info, &s);
}

static void same_names_merge(void **state)
{
	struct tree_opts o = { .weight = WEIGHT_COUNT };
	struct stack_key key = { .lock = LOCK_ALLOC_MUTEX };
	struct wait_stat w = { .waits = 1, .wait_ns = 5, .max_ns = 5 };
	struct info info;
	struct snap s = {};
	struct tree t;

	fixture_info(&info);
	fixture_stack(key.ip, STACK_FRAMES, FORK);
	for (int i = 0; i < 4; i++) {
		key.ip[5] += 4; /* another place in the same function */
		key.comm[0] = 'a' + i;
		snap_add_stack(&s, &key, &w);
	}
	assert_int_equal(tree_build(&t, &info, &s, &o), 0);
	assert_int_equal(t.nr_nodes, 1 + 8); /* the lock and one path */
	assert_int_equal(t.root.total, 4);
	tree_free(&t);
	fixture_free(&info, &s);
}

static void filters(void **state)
{
	const bool only[NR_LOCKS] = { [LOCK_PCPU] = true };
	struct tree_opts o = { .weight = WEIGHT_WAIT, .locks = only };
	struct info info;
	struct snap s;
	struct tree t;

	fixture_info(&info);
	fixture_snap(&info, &s, 1);
	assert_int_equal(tree_build(&t, &info, &s, &o), 0);
	assert_int_equal(t.root.total, s.locks[LOCK_PCPU].w.wait_ns);
	tree_free(&t);
	o.locks = NULL;
	o.min_wait_ns = 1000; /* only the hostile command's 400 ns are shorter */
	assert_int_equal(tree_build(&t, &info, &s, &o), 0);
	assert_int_equal(t.root.total,
			 s.locks[LOCK_PCPU].w.wait_ns + s.locks[LOCK_ALLOC_MUTEX].w.wait_ns - 800);
	tree_free(&t);
	fixture_free(&info, &s);
}

/* A full stack table loses rows, not weight: the totals know the rest. */
static void lost_stacks_are_shown(void **state)
{
	struct tree_opts o = { .weight = WEIGHT_WAIT };
	struct info info;
	struct snap s;
	struct tree t;

	fixture_info(&info);
	fixture_snap(&info, &s, 1);
	s.locks[LOCK_PCPU].w.wait_ns += 12345;
	s.locks[LOCK_PCPU].w.waits += 1;
	s.lost[LOST_STACK_FULL] = 1;
	assert_int_equal(tree_build(&t, &info, &s, &o), 0);
	assert_int_equal(find(&t, "[no stack]")->total, 12345);
	check_sums(&t.root);
	tree_free(&t);
	fixture_free(&info, &s);
}

static void holders(void **state)
{
	struct tree_opts o = { .weight = WEIGHT_WAIT, .holders = true };
	struct stack_key by_owner = { .kind = STACK_HOLDER, .comm = "kworker/0:1", .pid = 42 };
	struct stack_key by_stack = { .kind = STACK_HOLDER, .comm = "cc1" };
	struct wait_stat w = { .waits = 2, .wait_ns = 700, .max_ns = 600 };
	struct info info;
	struct snap s;
	struct tree t;

	fixture_info(&info);
	fixture_snap(&info, &s, 1);
	fixture_stack(by_stack.ip, STACK_FRAMES, FORK);
	snap_add_stack(&s, &by_owner, &w);
	snap_add_stack(&s, &by_stack, &w);
	assert_int_equal(tree_build(&t, &info, &s, &o), -ENODATA);
	tree_free(&t);
	info.cfg.holders = HOLDERS_OWNER;
	assert_int_equal(tree_build(&t, &info, &s, &o), 0);
	/* All that was waited, so that what has no holder can be seen. */
	assert_int_equal(t.root.total,
			 s.locks[LOCK_PCPU].w.wait_ns + s.locks[LOCK_ALLOC_MUTEX].w.wait_ns);
	assert_int_equal(find(&t, "pid 42")->total, 700);
	assert_non_null(find(&t, "[holder not seen]"));
	assert_string_equal(find(&t, "pid 42")->parent->name, "kworker/0:1");
	assert_null(find(&t, "cc1")); /* not asked for */
	tree_free(&t);
	/* Waiters do not count holders as theirs. */
	o.holders = false;
	assert_int_equal(tree_build(&t, &info, &s, &o), 0);
	assert_int_equal(t.root.total,
			 s.locks[LOCK_PCPU].w.wait_ns + s.locks[LOCK_ALLOC_MUTEX].w.wait_ns);
	tree_free(&t);
	fixture_free(&info, &s);
}

static void unmeasured_is_no_empty_tree(void **state)
{
	struct tree_opts o = { .weight = WEIGHT_LATENCY };
	struct info info;
	struct snap s;
	struct tree t;

	fixture_info(&info);
	fixture_snap(&info, &s, 1);
	assert_int_equal(tree_build(&t, &info, &s, &o), -ENODATA);
	o.weight = WEIGHT_SPIN;
	info.locks_split = false;
	assert_int_equal(tree_build(&t, &info, &s, &o), -ENODATA);
	o.weight = WEIGHT_WAIT;
	s.nr_stacks = 0;
	assert_int_equal(tree_build(&t, &info, &s, &o), 0);
	assert_int_equal(t.root.total, 0);
	tree_free(&t);
	info.backend[SIG_ALLOCATIONS][0] = '\0';
	o.weight = WEIGHT_ALLOCS;
	assert_int_equal(tree_build(&t, &info, &s, &o), -ENODATA);
	fixture_free(&info, &s);
}

static void without_symbols(void **state)
{
	struct tree_opts o = { .weight = WEIGHT_WAIT };
	struct ksyms *ksyms;
	struct info info;
	struct snap s;
	struct tree t;

	fixture_info(&info);
	fixture_snap(&info, &s, 1);
	ksyms = take_ptr(info.ksyms);
	assert_int_equal(tree_build(&t, &info, &s, &o), 0);
	assert_non_null(find(&t, "0xffffffff81003123"));
	check_sums(&t.root);
	tree_free(&t);
	info.ksyms = ksyms;
	fixture_free(&info, &s);
}

static void diff(void **state)
{
	struct tree_opts o = { .weight = WEIGHT_WAIT };
	struct info info, before;
	struct snap s, old;
	struct tree t, base;

	fixture_info(&info);
	fixture_info(&before);
	fixture_snap(&info, &s, 5);
	fixture_snap(&before, &old, 2);
	/* Another kernel: the same names elsewhere. */
	ksyms_free(before.ksyms);
	before.ksyms = ksyms_new();
	for (size_t i = 0; i < ARRAY_SIZE(fixture_names); i++)
		ksyms_add(before.ksyms, FIXTURE_BASE + 0x7000000 + i * 0x1000, 0x1000,
			  fixture_names[i], true);
	ksyms_finish(before.ksyms);
	for (size_t i = 0; i < old.nr_stacks; i++)
		for (int j = 0; j < STACK_FRAMES && old.stacks[i].key.ip[j]; j++)
			old.stacks[i].key.ip[j] += 0x7000000;
	assert_int_equal(tree_build(&t, &info, &s, &o), 0);
	assert_int_equal(tree_build(&base, &before, &old, &o), 0);
	assert_int_equal(t.nr_nodes, base.nr_nodes);
	assert_int_equal(tree_diff(&t, &base), 0);
	assert_int_equal(t.nr_nodes, base.nr_nodes);
	assert_int_equal(t.root.base_total, base.root.total);
	for (const struct tree_node *n = tree_next(&t.root); n; n = tree_next(n))
		assert_int_equal(n->total * 2, n->base_total * 5);
	check_sums(&t.root);
	tree_free(&t);
	tree_free(&base);
	fixture_free(&info, &s);
	fixture_free(&before, &old);
}

static void tracing_frames(void **state)
{
	static const char *const ours[] = {
		"bpf_prog_0123456789abcdef_begin_raw_tp",
		"bpf_prog_0123456789abcdef",
		"bpf_trace_run2",
		"bpf_trace_run10",
		"__traceiter_contention_begin",
		"__bpf_trace_contention_begin",
		"bpf_get_stack_raw_tp",
		"bpf_get_stackid",
		"bpf_trampoline_6442536467",
		"perf_trace_run_bpf_submit",
		"trace_call_bpf",
		"__bpf_prog_enter_recur",
		"kprobe_ftrace_handler",
		"asm_exc_int3",
		"__kretprobe_trampoline",
	};
	static const char *const kernels[] = {
		"__mutex_lock.constprop.0",
		"native_queued_spin_lock_slowpath",
		"bpf_prog_alloc",
		"bpf_prog_load",
		"bpf_prog_test_run_syscall",
		"pcpu_alloc_noprof",
		"array_map_alloc",
		"bpf_prog_0123456789abcdeg",
		"trace_array_create",
		"osq_lock",
	};

	for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
		if (!frame_is_tracing(ours[i]))
			unit_fail("%s", ours[i]);
	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++)
		if (frame_is_tracing(kernels[i]))
			unit_fail("%s", kernels[i]);
}

/* A program of somebody else's that allocates is the cause, and stays; fexit's trampoline goes. */
static void frames_in_the_middle(void **state)
{
	const char *names[STACK_FRAMES];
	char hex[STACK_FRAMES][FRAME_HEX];
	u64 ip[STACK_FRAMES] = {};
	struct info info;
	size_t n;

	fixture_info(&info);
	fixture_stack(ip, STACK_FRAMES,
		      "bpf_trace_run2 pcpu_alloc_noprof bpf_trampoline_6442536467 bpf_prog_alloc "
		      "bpf_prog_0123456789abcdef_begin_tp_btf bpf_trace_run2 do_syscall_64");
	n = stack_names(info.ksyms, ip, STACK_FRAMES, names, hex);
	assert_int_equal(n, 5);
	assert_string_equal(names[0], "pcpu_alloc_noprof");
	assert_string_equal(names[1], "bpf_prog_alloc");
	assert_string_equal(names[2], "bpf_prog_0123456789abcdef_begin_tp_btf");
	/* Our own program has no symbol when it was loaded after they were read. */
	ip[0] = 0xffffffffc0000010ULL;
	ip[1] = fixture_ip("bpf_trace_run2");
	ip[2] = fixture_ip("mm_init");
	ip[3] = 0xffffffffc0000010ULL;
	ip[4] = 0;
	n = stack_names(info.ksyms, ip, STACK_FRAMES, names, hex);
	assert_int_equal(n, 2);
	assert_string_equal(names[0], "mm_init");
	assert_string_equal(names[1], "[unknown]");
	/* Nor has a trampoline, between the program and the function that it traces. */
	ip[0] = fixture_ip("bpf_prog_0123456789abcdef_begin_tp_btf");
	ip[1] = 0xffffffffc0001010ULL;
	n = stack_names(info.ksyms, ip, STACK_FRAMES, names, hex);
	assert_int_equal(n, 2);
	assert_string_equal(names[0], "mm_init");
	/* A return address at the very end of a function belongs to it, not to the next. */
	ip[0] = FIXTURE_BASE + 0x4000;
	ip[1] = 0;
	n = stack_names(info.ksyms, ip, STACK_FRAMES, names, hex);
	assert_int_equal(n, 1);
	assert_string_equal(names[0], fixture_names[3]);
	ksyms_free(info.ksyms);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(locks_add_up),
		cmocka_unit_test(sites_add_up),
		cmocka_unit_test(root_to_leaf),
		cmocka_unit_test(nameless_user_frames),
		cmocka_unit_test(same_names_merge),
		cmocka_unit_test(filters),
		cmocka_unit_test(lost_stacks_are_shown),
		cmocka_unit_test(holders),
		cmocka_unit_test(unmeasured_is_no_empty_tree),
		cmocka_unit_test(without_symbols),
		cmocka_unit_test(diff),
		cmocka_unit_test(tracing_frames),
		cmocka_unit_test(frames_in_the_middle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
