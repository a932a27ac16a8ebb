// SPDX-License-Identifier: GPL-2.0-only
/* Which frames of a stack belong to the kernel's work, and which to those who watch it. */
#include "frames.h"

#include <ctype.h>
#include <string.h>

/* "prefix" is the whole name, "prefix*" any name that begins so. */
static bool in_list(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(list[i]);

		if (list[i][len - 1] == '*' ? !strncmp(name, list[i], len - 1)
					    : !strcmp(name, list[i]))
			return true;
	}
	return false;
}

/* bpf_prog_ and the program's tag; bpf_prog_alloc and the like are the kernel's own. */
static bool is_program(const char *name)
{
	if (strncmp(name, "bpf_prog_", 9))
		return false;
	for (int i = 9; i < 9 + 16; i++)
		if (!isxdigit((unsigned char)name[i]))
			return false;
	return name[25] == '_' || name[25] == '\0';
}

bool frame_is_trampoline(const char *name)
{
	static const char *const list[] = {
		"bpf_trampoline_*",        /* fentry and fexit */
		"arch_rethook_trampoline", /* kretprobe since f3a112c0c40d (5.18 on x86) */
		"__kretprobe_trampoline",  "kretprobe_trampoline", "ftrace_trampoline",
	};

	return in_list(name, list, ARRAY_SIZE(list));
}

bool frame_is_tracing(const char *name)
{
	static const char *const list[] = {
		/* The helper, and what it calls. */
		"bpf_get_stack*",
		"__bpf_get_stack*",
		"get_perf_callchain",
		"perf_callchain*",
		/* Raw and classic tracepoints. */
		"bpf_trace_run*",
		"__traceiter_*",
		"__bpf_trace_*",
		"__SCT__tp_func_*",
		"__probestub_*",
		"perf_trace_*",
		"trace_call_bpf",
		"perf_tp_event",
		"bpf_dispatcher_*",
		"trace_event_raw_event_*",
		/* fentry, fexit. */
		"__bpf_prog_enter*",
		"__bpf_prog_exit*",
		"__bpf_tramp_*",
		/* kprobes by ftrace or by a breakpoint; the latter has no other use in the kernel. */
		"kprobe_ftrace_handler",
		"kprobe_dispatcher",
		"kprobe_perf_func",
		"ftrace_caller",
		"ftrace_regs_caller",
		"ftrace_regs_call",
		"ftrace_call",
		"kretprobe_dispatcher",
		"kretprobe_perf_func",
		"kretprobe_rethook_handler",
		"rethook_trampoline_handler",
		"arch_rethook_trampoline_callback",
		"__kretprobe_trampoline_handler",
		"kretprobe_trampoline_handler",
		"trampoline_handler",
		"pre_handler_kretprobe",
		"aggr_pre_handler",
		"opt_pre_handler",
		"optimized_callback",
		"kprobe_int3_handler",
		"do_int3",
		"exc_int3",
		"asm_exc_int3",
		"kprobe_breakpoint_handler",
	};

	return is_program(name) || frame_is_trampoline(name) ||
	       in_list(name, list, ARRAY_SIZE(list));
}

/*
 * An address on a stack is where its function goes on after the call, and a call that never
 * returns may be the function's last instruction: one byte back is inside. A trampoline that took
 * the place of a return address is met at its very first byte.
 */
static const char *name_at(const struct ksyms *ksyms, u64 ip)
{
	const char *name;
	u64 off = 0;

	name = ksyms_name(ksyms, ip, &off);
	if (name && !off && frame_is_trampoline(name))
		return name;
	return ksyms_name(ksyms, ip - 1, &off);
}

/*
 * How many frames at the leaf are tracing's own. Programs and trampolines have no name when their
 * symbols came after the symbols were read, so the run ends at the last one that is known, or at
 * the nameless trampoline that follows it.
 */
static size_t tracing_run(const struct ksyms *ksyms, const u64 *ip, size_t n)
{
	size_t run = 0;

	for (size_t i = 0; i < n; i++) {
		const char *name = name_at(ksyms, ip[i]);

		if (!name)
			continue;
		if (!frame_is_tracing(name))
			break;
		run = i + 1;
	}
	while (run && run < n && !name_at(ksyms, ip[run]))
		run++;
	return run;
}

size_t stack_names(const struct ksyms *ksyms, const u64 *ip, size_t n, const char **names,
		   char (*buf)[FRAME_HEX])
{
	size_t depth = 0, out = 0;

	while (depth < n && ip[depth])
		depth++;
	for (size_t i = ksyms ? tracing_run(ksyms, ip, depth) : 0; i < depth; i++) {
		const char *name = ksyms ? name_at(ksyms, ip[i]) : NULL;

		if (name && frame_is_trampoline(name))
			continue;
		if (!name && ksyms)
			name = "[unknown]";
		if (!name) {
			snprintf(buf[out], FRAME_HEX, "0x%llx", ip[i]);
			name = buf[out];
		}
		names[out++] = name;
	}
	return out;
}
