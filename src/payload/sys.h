/* SPDX-License-Identifier: GPL-2.0-only */
/* The little that needs assembler: the entry point, a system call, a thread that ends at once. */
#ifndef PCPUSTAT_PAYLOAD_SYS_H
#define PCPUSTAT_PAYLOAD_SYS_H

#if defined(__x86_64__)

__asm__(".globl _start\n_start:\n\txor %ebp, %ebp\n\tmov %rsp, %rdi\n\tcall run\n");

static inline long sys(long nr, long a, long b, long c, long d, long e, long f)
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

/* clone() onto stack; the thread returns nowhere but exits. *tid becomes 0 when it has gone. */
static inline long sys_thread(unsigned long flags, void *stack, volatile int *tid)
{
	register volatile int *r10 __asm__("r10") = tid;
	long ret;

	__asm__ volatile("syscall\n\t"
			 "test %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "xor %%edi, %%edi\n\t"
			 "mov %5, %%eax\n\t"
			 "syscall\n"
			 "1:"
			 : "=a"(ret)
			 : "a"(__NR_clone), "D"(flags), "S"(stack), "d"(0), "i"(__NR_exit), "r"(r10)
			 : "rcx", "r11", "memory");
	return ret;
}

#elif defined(__aarch64__)

__asm__(".globl _start\n_start:\n\tmov x29, #0\n\tmov x0, sp\n\tbl run\n");

static inline long sys(long nr, long a, long b, long c, long d, long e, long f)
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

/* The order of clone's last two arguments differs from x86's. */
static inline long sys_thread(unsigned long flags, void *stack, volatile int *tid)
{
	register long x8 __asm__("x8") = __NR_clone;
	register long x0 __asm__("x0") = flags;
	register void *x1 __asm__("x1") = stack;
	register long x2 __asm__("x2") = 0;
	register long x3 __asm__("x3") = 0;
	register volatile int *x4 __asm__("x4") = tid;

	__asm__ volatile("svc 0\n\t"
			 "cbnz x0, 1f\n\t"
			 "mov x8, %6\n\t"
			 "svc 0\n"
			 "1:"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "i"(__NR_exit)
			 : "memory");
	return x0;
}

#else
#error "no system call sequence for this architecture"
#endif

#endif
