// SPDX-License-Identifier: GPL-2.0-only
/*
 * The program that the workloads execute: static, no libc, one page, so that an exec costs
 * little besides the exec. Without arguments it exits with 0 (a /bin/true). With the number of a
 * slot it counts one operation there and executes itself again, until the slot says stop.
 */
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <asm/unistd.h>

#include "../slot.h"

#define PROT_RW 3 /* PROT_READ | PROT_WRITE; sys/mman.h would need a libc */

#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n\txor %ebp, %ebp\n\tmov %rsp, %rdi\n\tcall run\n");

static long call(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}
#elif defined(__aarch64__)
__asm__(".globl _start\n_start:\n\tmov x29, #0\n\tmov x0, sp\n\tbl run\n");

static long call(long nr, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}
#else
#error "no system call sequence for this architecture"
#endif

static void leave(int code)
{
	call(__NR_exit_group, code, 0, 0, 0, 0, 0);
	__builtin_unreachable();
}

static long number(const char *s)
{
	long n = 0;

	while (*s >= '0' && *s <= '9')
		n = n * 10 + *s++ - '0';
	return n;
}

void run(long *sp);
void run(long *sp)
{
	char **argv = (char **)(sp + 1);
	struct slot *slot;
	long err;

	if (sp[0] < 2)
		leave(0);
	slot = (struct slot *)call(__NR_mmap, 0, SLOT_BYTES, PROT_RW, MAP_SHARED, SLOT_FD,
				   number(argv[1]) * SLOT_BYTES);
	if ((unsigned long)slot > -4096UL)
		leave(1);
	slot->ops++;
	if (__atomic_load_n(&slot->stop, __ATOMIC_RELAXED) || slot->ops == slot->limit)
		leave(0);
	err = call(__NR_execveat, PROGRAM_FD, (long)"", (long)argv, (long)(argv + sp[0]),
		   AT_EMPTY_PATH, 0);
	slot->err = err;
	leave(1);
}
