// SPDX-License-Identifier: GPL-2.0-only
#include "rss-probe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "rssprobe.skel.h"

const struct bpf_object_open_opts rss_open_opts = {
	.sz = sizeof(struct bpf_object_open_opts),
	.btf_custom_path = "/sys/kernel/btf/vmlinux",
};

static void destroyp(struct rssprobe_bpf **skel)
{
	rssprobe_bpf__destroy(*skel);
}
#define _cleanup_probe_ _cleanup_(destroyp)

static int read_anchor(struct rssprobe_bpf *skel, u64 *offset, u32 nr, char *why, size_t len)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err = bpf_prog_test_run_opts(bpf_program__fd(skel->progs.read_offsets), &opts);

	if (err) {
		snprintf(why, len, "the kernel does not run a raw tracepoint program on demand");
		return err;
	}
	if (!skel->bss->anchor_ptr) {
		snprintf(why, len, "the percpu pointer of a BPF map could not be read");
		return -EFAULT;
	}
	for (u32 cpu = 0; cpu < nr; cpu++) {
		if (!skel->bss->anchor_addr[cpu]) {
			snprintf(why, len, "no percpu address for CPU %u", cpu);
			return -ENXIO;
		}
		offset[cpu] = skel->bss->anchor_addr[cpu] - skel->bss->anchor_ptr;
	}
	return 0;
}

int rss_probe_offsets(u64 *offset, u32 nr, char *why, size_t len)
{
	_cleanup_probe_ struct rssprobe_bpf *skel = rssprobe_bpf__open_opts(&rss_open_opts);
	int err;

	if (!skel)
		return -errno;
	skel->rodata->rss_cfg.nr_cpus = nr;
	bpf_program__set_autoload(skel->progs.read_offsets, true);
	err = rssprobe_bpf__load(skel);
	if (err) {
		snprintf(why, len, "the kernel has no bpf_map_lookup_percpu_elem (%s)",
			 strerror(-err));
		return err;
	}
	return read_anchor(skel, offset, nr, why, len);
}

/* Waits until the pipe closes: with its parent gone, SIGKILL included, it ends too. */
static _Noreturn void child_main(int fd)
{
	char c;

	prctl(PR_SET_NAME, "pcpustat-trial");
	while (read(fd, &c, 1) < 0 && errno == EINTR)
		;
	_exit(0);
}

static int do_fork(struct rss_child *child)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	child->pid = fork();
	if (child->pid < 0) {
		int err = -errno;

		close(fds[0]);
		close(fds[1]);
		return err;
	}
	if (!child->pid) {
		close(fds[1]);
		child_main(fds[0]);
	}
	close(fds[0]);
	child->fd = fds[1];
	return 0;
}

int rss_child_fork(struct rss_child *child)
{
	_cleanup_probe_ struct rssprobe_bpf *skel = rssprobe_bpf__open_opts(&rss_open_opts);
	struct bpf_link *link = NULL;
	int err;

	*child = (struct rss_child) { .pid = -1, .fd = -1, .nr = -1 };
	if (!skel)
		return -errno;
	bpf_program__set_autoload(skel->progs.trial_alloc, true);
	bpf_map__set_autocreate(skel->maps.anchor, false);
	if (!rssprobe_bpf__load(skel))
		link = bpf_program__attach(skel->progs.trial_alloc);
	if (!link)
		return do_fork(child);
	skel->bss->trial_tgid = getpid();
	err = do_fork(child);
	skel->bss->trial_tgid = 0;
	bpf_link__destroy(link);
	if (err)
		return err;
	child->nr = skel->bss->nr_allocs;
	memcpy(child->allocs, skel->bss->allocs, sizeof(child->allocs));
	return 0;
}

void rss_child_end(struct rss_child *child)
{
	if (child->pid <= 0)
		return;
	close(child->fd);
	while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
		;
	child->pid = -1;
}

static bool becomes_counter(const struct rss_alloc *a, const struct rss_mm *m)
{
	for (int i = 0; i < NR_RSS; i++)
		if (a->ptr && a->ptr == m->w.ptr[i])
			return true;
	return false;
}

void rss_trial_judge(struct rss_trial *t, const struct rss_child *child, const struct rss_mm *m)
{
	int kept = child->nr < RSS_MAX_ALLOCS ? child->nr : RSS_MAX_ALLOCS;

	t->allocs = child->nr;
	t->rss_allocs = -1;
	if (!m)
		return;
	t->atomic = m->state == RSS_ATOMIC;
	if (child->nr < 0)
		return;
	t->rss_allocs = 0;
	for (int i = 0; i < kept; i++) {
		if (!becomes_counter(&child->allocs[i], m))
			continue;
		t->rss_allocs++;
		t->rss_size = child->allocs[i].size;
	}
	t->contiguous = m->w.ptr[0] && m->w.ptr[3] == m->w.ptr[0] + 12;
}
