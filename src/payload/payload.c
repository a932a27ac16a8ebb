// SPDX-License-Identifier: GPL-2.0-only
/*
 * The program that the workloads execute: static, no libc, a page of code, so that little but the
 * system call under test is measured. Without arguments it exits with 0, a /bin/true. Else
 *
 *	program SLOT ROLE [started]
 *
 * maps that slot of SLOTS_FD, says that it is ready by a byte to READY_FD, waits for the end of
 * file on GO_FD, and does the operations of its role until the slot tells it to stop.
 */
#include <linux/fcntl.h>
#include <linux/futex.h>
#include <linux/mman.h>
#include <linux/sched.h>
#include <linux/time.h>
#include <asm/unistd.h>

#include "../slot.h"
#include "sys.h"

#define ECHILD          10 /* errno.h would need a libc, and so would the next ones */
#define SIGCHLD         17
#define PROT_READ_WRITE 3

static struct slot *slot;
static char **args;

static void __attribute__((noreturn)) leave(int code)
{
	for (;;)
		sys(__NR_exit_group, code, 0, 0, 0, 0, 0);
}

static void __attribute__((noreturn)) leave_failed(long err, const char *what)
{
	volatile char *to = slot->what; /* volatile: no memcpy here */

	while ((*to++ = *what++))
		;
	slot->err = err;
	leave(1);
}

static unsigned long long now(void)
{
	struct __kernel_timespec ts;

	sys(__NR_clock_gettime, CLOCK_MONOTONIC, (long)&ts, 0, 0, 0, 0);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static long execute(char **argv)
{
	char *envp[] = { 0 };

	return sys(__NR_execveat, PROGRAM_FD, (long)"", (long)argv, (long)envp, AT_EMPTY_PATH, 0);
}

/* One thread, from its clone to its end; the clone's time goes to the part. */
static void make_thread(int part)
{
	static char stack[512] __attribute__((aligned(16)));
	static volatile int tid;
	unsigned long long start = now();
	long ret;

	tid = 1;
	ret = sys_thread(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
				 CLONE_SYSVSEM | CLONE_CHILD_CLEARTID,
			 stack + sizeof(stack), &tid);
	if (ret < 0)
		leave_failed(ret, "clone (thread)");
	slot->part_ns[part] += now() - start;
	slot->part_count[part]++;
	while (tid)
		sys(__NR_futex, (long)&tid, FUTEX_WAIT, 1, 0, 0, 0);
}

static void __attribute__((noreturn)) child(char role)
{
	char name[] = "true", *argv[] = { name, 0 };

	if (role == ROLE_FORKEXEC)
		leave_failed(execute(argv), "exec");
	if (role == ROLE_THREAD) {
		make_thread(PART_FIRST_THREAD);
		for (int i = 0; i < FURTHER_THREADS; i++)
			make_thread(PART_FURTHER_THREADS);
	}
	leave(0);
}

static void fork_wait(char role)
{
	long pid = sys(__NR_clone, SIGCHLD, 0, 0, 0, 0, 0), ret;
	int status = 0;

	if (pid < 0)
		leave_failed(pid, "fork");
	if (!pid)
		child(role);
	ret = sys(__NR_wait4, pid, (long)&status, 0, 0, 0, 0);
	if (ret < 0)
		leave_failed(ret, "wait");
	if (status && slot->err)
		leave(1); /* the child has said why */
	if (status)
		leave_failed(-ECHILD, "child");
}

/* Whether another operation is due. */
static int more(void)
{
	return !__atomic_load_n(&slot->stop, __ATOMIC_RELAXED) &&
	       !(slot->limit && slot->ops == slot->limit);
}

static void count(void)
{
	__atomic_store_n(&slot->ops, slot->ops + 1, __ATOMIC_RELAXED);
}

static void wait_start(void)
{
	char byte = 0;

	sys(__NR_write, READY_FD, (long)&byte, 1, 0, 0, 0);
	sys(__NR_read, GO_FD, (long)&byte, 1, 0, 0, 0);
}

static void __attribute__((noreturn)) exec_again(int started)
{
	char mark[] = "started", *argv[] = { args[0], args[1], args[2], mark, 0 };

	if (started)
		count();
	if (!more())
		leave(0);
	leave_failed(execute(argv), "exec");
}

static long number(const char *s)
{
	long n = 0;

	while (*s >= '0' && *s <= '9')
		n = n * 10 + *s++ - '0';
	return n;
}

/* sp points at argc, which argv follows. */
void run(long *sp);
void run(long *sp)
{
	long p;

	args = (char **)(sp + 1);
	if (sp[0] < 3)
		leave(0);
	p = sys(__NR_mmap, 0, SLOT_BYTES, PROT_READ_WRITE, MAP_SHARED, SLOTS_FD,
		number(args[1]) * SLOT_BYTES);
	if ((unsigned long)p > -4096UL)
		leave(1);
	slot = (struct slot *)p;
	if (sp[0] == 3)
		wait_start();
	if (args[2][0] == ROLE_EXEC)
		exec_again(sp[0] > 3);
	while (more()) {
		fork_wait(args[2][0]);
		count();
	}
	leave(0);
}
