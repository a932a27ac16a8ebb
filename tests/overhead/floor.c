// SPDX-License-Identifier: GPL-2.0-only
/* floor - attaches programs that do nothing until SIGINT, then prints what each run took. */
#include <signal.h>
#include <stdio.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "floor.skel.h"

static void print_cost(struct bpf_program *p)
{
	struct bpf_prog_info info = {};
	unsigned int len = sizeof(info);

	if (!bpf_obj_get_info_by_fd(bpf_program__fd(p), &info, &len) && info.run_cnt)
		printf("  %-28s %10llu runs, %6.1f ns each\n", bpf_program__name(p), info.run_cnt,
		       (double)info.run_time_ns / info.run_cnt);
}

int main(void)
{
	struct floor_bpf *skel = floor_bpf__open_and_load();
	struct bpf_program *p;
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (!skel || floor_bpf__attach(skel))
		return 1;
	printf("ready\n");
	fflush(stdout);
	sigwait(&set, &sig);
	bpf_object__for_each_program(p, skel->obj)
		print_cost(p);
	floor_bpf__destroy(skel);
	return 0;
}
