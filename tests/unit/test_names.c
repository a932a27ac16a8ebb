// SPDX-License-Identifier: GPL-2.0-only
/* Who wanted the memory: the call site's function, or the one behind a generic wrapper. */
#include "unit.h"

#include "frames.h"
#include "names.h"
#include "sample.h"

static int setup(void **state)
{
	struct info *info = malloc(sizeof(*info));

	if (!info)
		return -1;
	sample_info(info);
	*state = info;
	return 0;
}

static int teardown(void **state)
{
	sample_info_free(*state);
	free(*state);
	return 0;
}

static const u64 meta = SAMPLE_META(8, 8, 0);

static void site_names(void **state)
{
	struct info *info = *state;
	struct site site = { SYM_MM_INIT + 0x1a, meta, 1 };
	char buf[64], small[4];

	assert_string_equal(site_name(info, &site, buf, sizeof(buf)), "mm_init.isra.0+0x1a");
	assert_string_equal(site_name(info, &site, small, sizeof(small)), "mm_");
	site.call_site = 0xffffffff12345678;
	assert_string_equal(site_name(info, &site, buf, sizeof(buf)), "0xffffffff12345678");
	site.call_site = 0;
	assert_string_equal(site_name(info, &site, buf, sizeof(buf)), "-");
	ksyms_free(info->ksyms);
	info->ksyms = NULL;
	site.call_site = SYM_MM_INIT;
	assert_string_equal(site_name(info, &site, buf, sizeof(buf)), "0x1100");
}

static void the_call_site_itself(void **state)
{
	struct info *info = *state;
	struct site site = { SYM_MM_INIT + 4, meta, 1 };
	const u64 stack[] = { SYM_ALLOC_SB };
	bool sampled = true;

	/* A sampled stack does not matter where the call site tells. */
	sample_owner(info, SYM_MM_INIT + 4, meta, stack, 1);
	assert_string_equal(site_owner(info, &site, &sampled), "mm_init.isra.0");
	assert_false(sampled);
	assert_true(site_is_mm_init(info, &site));
	site.call_site = SYM_ALLOC_SB;
	assert_string_equal(site_owner(info, &site, &sampled), "alloc_super");
	assert_false(site_is_mm_init(info, &site));
}

/* Leaf first: tracing, the allocator, two wrappers, then the owner. */
static void behind_wrappers(void **state)
{
	const u64 stack[] = { SYM_BPF_PROG + 4,     SYM_TRACE + 4, SYM_PCPU_ALLOC + 4,
			      SYM_COUNTER_INIT + 4, 0xdead,        SYM_MM_INIT + 4,
			      SYM_DUP_MM + 4 };
	const u64 map[] = { SYM_PCPU_ALLOC + 4, SYM_MAP_ALLOC + 4, SYM_ARRAY_ALLOC + 4 };
	struct info *info = *state;
	struct site site = { SYM_COUNTER_INIT + 4, meta, 1 };
	bool sampled = false;

	sample_owner(info, SYM_MAP_ALLOC + 4, meta, map, ARRAY_SIZE(map));
	sample_owner(info, SYM_COUNTER_INIT + 4, meta, stack, ARRAY_SIZE(stack));
	assert_string_equal(site_owner(info, &site, &sampled), "mm_init.isra.0");
	assert_true(sampled);
	assert_true(site_is_mm_init(info, &site));
	site.call_site = SYM_MAP_ALLOC + 4;
	assert_string_equal(site_owner(info, &site, &sampled), "array_map_alloc");
	assert_true(sampled);
	assert_false(site_is_mm_init(info, &site));
	/* The same call site with another size is another site, and has no stack yet. */
	site.meta = SAMPLE_META(16, 8, 0);
	assert_null(site_owner(info, &site, &sampled));
}

/* A helper of mm_init's that was not inlined: the owner's name is its own, the mm is mm_init's. */
static void below_mm_init(void **state)
{
	const u64 stack[] = { SYM_PCPU_ALLOC + 4, SYM_COUNTER_INIT + 4, SYM_ALLOC_SB + 4,
			      SYM_MM_INIT + 4, SYM_DUP_MM + 4 };
	struct info *info = *state;
	struct site site = { SYM_COUNTER_INIT + 4, meta, 1 };
	bool sampled = false;

	sample_owner(info, SYM_COUNTER_INIT + 4, meta, stack, ARRAY_SIZE(stack));
	assert_string_equal(site_owner(info, &site, &sampled), "alloc_super");
	assert_true(site_is_mm_init(info, &site));
}

/* Before 5.19 there is no call site at all: the stack alone tells. */
static void without_a_call_site(void **state)
{
	const u64 stack[] = { SYM_PCPU_ALLOC + 4, SYM_ALLOC_SB + 4 };
	struct info *info = *state;
	struct site site = { 0, meta, 1 };
	bool sampled = false;

	assert_null(site_owner(info, &site, &sampled));
	sample_owner(info, 0, meta, stack, 2);
	assert_string_equal(site_owner(info, &site, &sampled), "alloc_super");
	assert_true(sampled);
}

static void no_owner_to_be_found(void **state)
{
	struct info *info = *state;
	struct site site = { SYM_COUNTER_INIT, meta, 1 };
	u64 stack[OWNER_FRAMES];
	bool sampled;

	/* Full to the last frame, and nothing but wrappers and unknown addresses. */
	for (int i = 0; i < OWNER_FRAMES; i++)
		stack[i] = i % 2 ? (u64)SYM_COUNTER_INIT + i + 1 : ~0ULL;
	sample_owner(info, SYM_COUNTER_INIT, meta, stack, OWNER_FRAMES);
	assert_null(site_owner(info, &site, &sampled));
	assert_false(site_is_mm_init(info, &site));
	ksyms_free(info->ksyms);
	info->ksyms = NULL;
	assert_null(site_owner(info, &site, &sampled));
	assert_false(sampled);
}

/* Many owners: each is found, whatever its place. */
static void owners_are_found(void **state)
{
	static const u64 owner[] = { SYM_ALLOC_SB + 4, SYM_DUP_MM + 4, SYM_ARRAY_ALLOC + 4 };
	static const char *const name[] = { "alloc_super", "dup_mm", "array_map_alloc" };
	struct info *info = *state;
	bool sampled;

	for (u64 i = 0; i < 99; i++)
		sample_owner(info, 0, SAMPLE_META(i * 257, 8, 0), &owner[i % 3], 1);
	for (u64 i = 0; i < 99; i++) {
		struct site site = { 0, SAMPLE_META(i * 257, 8, 0), 1 };

		assert_string_equal(site_owner(info, &site, &sampled), name[i % 3]);
	}
}

static void tracing_by_name(void **state)
{
	static const char *const yes[] = {
		"bpf_prog_6deef7357e7b4530_sys",   "bpf_trace_run10",
		"__bpf_trace_percpu_alloc_percpu", "__traceiter_contention_begin",
		"bpf_trampoline_6442536467",       "bpf_get_stack_raw_tp",
		"perf_trace_percpu_alloc_percpu",  "kprobe_ftrace_handler",
		"__probestub_sched_switch",        "trace_call_bpf",
		"bpf_dispatcher_xdp_func",         "rethook_trampoline_handler",
		"__bpf_prog_enter_recur",          "perf_callchain_kernel",
	};
	static const char *const no[] = {
		"pcpu_alloc_noprof",
		"mutex_lock",
		"bpf_map_alloc_percpu",
		"perf_event_alloc",
		"mm_init",
		"",
		"bpf",
		"trace_kprobe_create",
		"array_map_alloc",
		"bpf_prog_alloc",
		"bpf_prog_load",
		"ftrace_startup",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(yes); i++)
		assert_true(frame_is_tracing(yes[i]));
	for (size_t i = 0; i < ARRAY_SIZE(no); i++)
		assert_false(frame_is_tracing(no[i]));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(site_names),          TEST(the_call_site_itself),
		TEST(behind_wrappers),     TEST(below_mm_init),
		TEST(without_a_call_site), TEST(no_owner_to_be_found),
		TEST(owners_are_found),    cmocka_unit_test(tracing_by_name),
	};

	return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
