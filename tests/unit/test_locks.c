// SPDX-License-Identifier: GPL-2.0-only
/* Lock addresses from machine code, and locks from stacks. */
#include "unit.h"

#include <string.h>

#include "locks.h"

#define TEXT_ADDR 0xffffffff81234000ULL
#define CALLEE    0xffffffff81c00010ULL
#define OTHER     0xffffffff81c00990ULL
#define MUTEX     0xffffffff82a4c5e0ULL
#define SPINLOCK  0xffffffff82f00140ULL

/* An assembler of four instructions. */
struct code {
	u8 text[4096];
	size_t len;
};

static void emit(struct code *c, const void *bytes, size_t n)
{
	assert_true(c->len + n <= sizeof(c->text));
	memcpy(c->text + c->len, bytes, n);
	c->len += n;
}

static void emit_s32(struct code *c, u64 v)
{
	__s32 s = (__s32)v;

	emit(c, &s, sizeof(s));
}

static void nop(struct code *c, size_t n)
{
	while (n--)
		emit(c, "\x90", 1);
}

static void mov_rdi(struct code *c, u64 imm)
{
	emit(c, "\x48\xc7\xc7", 3);
	emit_s32(c, imm);
}

static void lea_rdi(struct code *c, u64 addr)
{
	emit(c, "\x48\x8d\x3d", 3);
	emit_s32(c, addr - (TEXT_ADDR + c->len + 4));
}

static void call(struct code *c, u64 addr)
{
	emit(c, "\xe8", 1);
	emit_s32(c, addr - (TEXT_ADDR + c->len + 4));
}

static u64 argument(const struct code *c)
{
	/* A copy of the exact length, so that the sanitizer sees a read beyond it. */
	u8 *copy = malloc(c->len ? c->len : 1);
	u64 arg;

	assert_non_null(copy);
	memcpy(copy, c->text, c->len);
	arg = code_lock_argument(copy, c->len, TEXT_ADDR, CALLEE);
	free(copy);
	return arg;
}

static void assert_argument(const struct code *c, u64 want)
{
	assert_true(argument(c) == want);
}

static void mov_and_lea(void **state)
{
	struct code c = {};

	(void)state;
	mov_rdi(&c, MUTEX);
	call(&c, CALLEE);
	assert_argument(&c, MUTEX);
	c.len = 0;
	nop(&c, 33);
	lea_rdi(&c, SPINLOCK);
	nop(&c, 3);
	call(&c, CALLEE);
	nop(&c, 100);
	assert_argument(&c, SPINLOCK);
}

/* The one that is loaded last counts. */
static void the_last_load(void **state)
{
	struct code c = {};

	(void)state;
	mov_rdi(&c, SPINLOCK);
	call(&c, OTHER);
	mov_rdi(&c, MUTEX);
	nop(&c, 20);
	call(&c, CALLEE);
	assert_argument(&c, MUTEX);
}

static void calls_of_others(void **state)
{
	struct code c = {};

	(void)state;
	mov_rdi(&c, MUTEX);
	call(&c, OTHER);
	mov_rdi(&c, MUTEX);
	emit(&c, "\xe9", 1); /* a jump is no call */
	emit_s32(&c, CALLEE - (TEXT_ADDR + c.len + 4));
	assert_argument(&c, 0);
}

static void calls_that_agree(void **state)
{
	struct code c = {};

	(void)state;
	mov_rdi(&c, MUTEX);
	call(&c, CALLEE);
	nop(&c, 300);
	lea_rdi(&c, MUTEX);
	call(&c, CALLEE);
	assert_argument(&c, MUTEX);
}

static void calls_that_disagree(void **state)
{
	struct code c = {};

	(void)state;
	mov_rdi(&c, MUTEX);
	call(&c, CALLEE);
	mov_rdi(&c, SPINLOCK);
	call(&c, CALLEE);
	assert_argument(&c, 0);
}

/* One call with a lock that cannot be told makes the others worth nothing. */
static void a_call_without_a_load(void **state)
{
	struct code c = {};

	(void)state;
	mov_rdi(&c, MUTEX);
	call(&c, CALLEE);
	nop(&c, 200);
	call(&c, CALLEE);
	assert_argument(&c, 0);
	c.len = 0;
	call(&c, CALLEE);
	assert_argument(&c, 0);
}

static void too_far_away(void **state)
{
	(void)state;
	for (size_t n = 80; n < 120; n++) {
		struct code c = {};

		mov_rdi(&c, MUTEX);
		nop(&c, n);
		call(&c, CALLEE);
		assert_argument(&c, n <= 96 - 7 ? MUTEX : 0);
	}
}

/* A user address is no lock: mov $imm32 of a positive number. */
static void not_a_kernel_address(void **state)
{
	struct code c = {};

	(void)state;
	mov_rdi(&c, 0x12345678);
	call(&c, CALLEE);
	assert_argument(&c, 0);
	c.len = 0;
	mov_rdi(&c, 0);
	call(&c, CALLEE);
	assert_argument(&c, 0);
}

/* Every length of a text with a load and a call: found when the whole call is there. */
static void truncated(void **state)
{
	struct code c = {};
	size_t whole;

	(void)state;
	nop(&c, 5);
	lea_rdi(&c, MUTEX);
	call(&c, CALLEE);
	whole = c.len;
	for (size_t n = 0; n <= whole; n++) {
		c.len = n;
		assert_argument(&c, n == whole ? MUTEX : 0);
	}
}

/* A text that begins in the middle of the load, and one that is nothing but calls. */
static void begins_late(void **state)
{
	struct code c = {};

	(void)state;
	emit(&c, "\xc7\xc7", 2);
	emit_s32(&c, MUTEX);
	call(&c, CALLEE);
	assert_argument(&c, 0);
	c.len = 0;
	while (c.len + 5 <= sizeof(c.text))
		call(&c, CALLEE);
	assert_argument(&c, 0);
	memset(c.text, 0xe8, sizeof(c.text));
	c.len = sizeof(c.text);
	assert_argument(&c, 0);
}

enum { TEXT = 0x1000, STEP = 0x100 };

/* Leaf first; each name is a function of its own, in order. */
static enum lock_id lock_of(const char *const *names)
{
	struct ksyms *k = ksyms_new();
	u64 ip[32] = {};
	enum lock_id lock;
	size_t n = 0;

	assert_non_null(k);
	for (; names[n]; n++) {
		ip[n] = TEXT + STEP * n + 8;
		/* A "?" is an address that nobody knows. */
		if (strcmp(names[n], "?"))
			assert_int_equal(ksyms_add(k, ip[n] - 8, STEP, names[n], true), 0);
	}
	ksyms_finish(k);
	lock = stack_lock(k, ip, n);
	/* What lies behind the end of the stack is not looked at. */
	assert_int_equal(stack_lock(k, ip, 0), NR_LOCKS);
	ksyms_free(k);
	return lock;
}

#define LOCK_OF(...) lock_of((const char *const[]) { __VA_ARGS__, NULL })

static void stacks_of_the_mutex(void **state)
{
	(void)state;
	assert_int_equal(LOCK_OF("__bpf_trace_contention_begin", "__traceiter_contention_begin",
				 "__mutex_lock.constprop.0", "pcpu_alloc_noprof",
				 "__percpu_counter_init_many", "mm_init"),
			 LOCK_ALLOC_MUTEX);
	assert_int_equal(LOCK_OF("?", "__traceiter_contention_begin", "__mutex_lock",
				 "__mutex_lock_killable_slowpath", "mutex_lock_killable",
				 "pcpu_alloc.isra.0"),
			 LOCK_ALLOC_MUTEX);
	assert_int_equal(LOCK_OF("__mutex_lock", "pcpu_balance_workfn"), LOCK_ALLOC_MUTEX);
}

static void stacks_of_spinlocks(void **state)
{
	(void)state;
	assert_int_equal(LOCK_OF("__traceiter_contention_begin", "native_queued_spin_lock_slowpath",
				 "_raw_spin_lock_irqsave", "pcpu_alloc_noprof"),
			 LOCK_PCPU);
	assert_int_equal(LOCK_OF("__pv_queued_spin_lock_slowpath", "_raw_spin_lock_irqsave",
				 "free_percpu", "percpu_counter_destroy_many"),
			 LOCK_PCPU);
	assert_int_equal(LOCK_OF("_raw_spin_lock_irqsave", "__percpu_counter_init_many"),
			 LOCK_COUNTERS);
	assert_int_equal(LOCK_OF("_raw_spin_lock_irqsave", "percpu_counter_destroy_many"),
			 LOCK_COUNTERS);
}

/* The allocator further down does not count, nor does a name that only begins like it. */
static void stacks_of_other_locks(void **state)
{
	(void)state;
	assert_int_equal(LOCK_OF("__mutex_lock", "ksys_write", "pcpu_alloc_noprof"), NR_LOCKS);
	assert_int_equal(LOCK_OF("_raw_spin_lock", "get_page_from_freelist", "pcpu_alloc"),
			 NR_LOCKS);
	assert_int_equal(LOCK_OF("__mutex_lock", "pcpu_alloc_area"), NR_LOCKS);
	assert_int_equal(LOCK_OF("__mutex_lock", "free_percpu"), NR_LOCKS); /* takes no mutex */
	assert_int_equal(LOCK_OF("__mutex_lock", "__percpu_counter_init_many"), NR_LOCKS);
	assert_int_equal(LOCK_OF("__mutex_lock"), NR_LOCKS);
	assert_int_equal(LOCK_OF("?", "?"), NR_LOCKS);
}

/* An unknown frame among known ones could be any caller: nothing is concluded. */
static void stacks_with_a_hole(void **state)
{
	(void)state;
	assert_int_equal(LOCK_OF("__mutex_lock", "?", "pcpu_alloc_noprof"), NR_LOCKS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mov_and_lea),
		cmocka_unit_test(the_last_load),
		cmocka_unit_test(calls_of_others),
		cmocka_unit_test(calls_that_agree),
		cmocka_unit_test(calls_that_disagree),
		cmocka_unit_test(a_call_without_a_load),
		cmocka_unit_test(too_far_away),
		cmocka_unit_test(not_a_kernel_address),
		cmocka_unit_test(truncated),
		cmocka_unit_test(begins_late),
		cmocka_unit_test(stacks_of_the_mutex),
		cmocka_unit_test(stacks_of_spinlocks),
		cmocka_unit_test(stacks_of_other_locks),
		cmocka_unit_test(stacks_with_a_hole),
	};

	return cmocka_run_group_tests_name("locks", tests, NULL, NULL);
}
