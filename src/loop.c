// SPDX-License-Identifier: GPL-2.0-only
#include "loop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
	(void)sig;
	interrupted = 1;
}

static void stop_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
}

/* Without SA_RESTART. A shell's background job has SIGINT ignored, and yet it is how to end us. */
static void catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
}

void loop_unblock(void)
{
	sigset_t set;

	stop_signals(&set);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

bool loop_block(void)
{
	sigset_t set;

	stop_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return interrupted;
}

int loop_open(struct loop *l)
{
	sigset_t mask;

	*l = (struct loop) { .signals = -1, .timer = -1, .child_status = -1 };
	stop_signals(&mask);
	sigaddset(&mask, SIGCHLD);
	catch_signals();
	if (sigprocmask(SIG_BLOCK, &mask, &l->old_mask))
		return -errno;
	l->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (l->signals < 0)
		return -errno;
	l->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	return l->timer < 0 ? -errno : 0;
}

int loop_start(struct loop *l, u64 interval_ns)
{
	struct timespec ts = { interval_ns / NSEC_PER_SEC, interval_ns % NSEC_PER_SEC };
	struct itimerspec it = { .it_interval = ts, .it_value = ts };

	return timerfd_settime(l->timer, 0, &it, NULL) ? -errno : 0;
}

static bool reap(struct loop *l)
{
	int status;

	if (!l->child || waitpid(l->child, &status, WNOHANG) != l->child)
		return false;
	l->child = 0;
	l->child_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return true;
}

/* LOOP_POLL when nothing that matters has come. */
static enum loop_event read_signals(struct loop *l)
{
	struct signalfd_siginfo si;

	while (read(l->signals, &si, sizeof(si)) == sizeof(si)) {
		if (si.ssi_signo != SIGCHLD) {
			interrupted = 1;
			return LOOP_STOP;
		}
		if (reap(l))
			return LOOP_CHILD;
	}
	return LOOP_POLL;
}

bool loop_stopped(void)
{
	return interrupted;
}

enum loop_event loop_wait(struct loop *l)
{
	struct pollfd fds[] = { { .fd = l->signals, .events = POLLIN },
				{ .fd = l->timer, .events = POLLIN } };
	int timeout = l->poll_ns ? (int)(l->poll_ns / 1000000) : -1;
	enum loop_event event;
	u64 ticks;

	if (interrupted)
		return LOOP_STOP;
	if (poll(fds, ARRAY_SIZE(fds), timeout) < 0 && errno != EINTR)
		return LOOP_STOP;
	event = read_signals(l);
	if (event != LOOP_POLL)
		return event;
	if (read(l->timer, &ticks, sizeof(ticks)) == sizeof(ticks))
		return LOOP_TICK;
	return LOOP_POLL;
}

void loop_close(struct loop *l)
{
	if (l->child > 0 && interrupted)
		kill(l->child, SIGTERM);
	if (l->signals >= 0)
		close(l->signals);
	if (l->timer >= 0)
		close(l->timer);
	sigprocmask(SIG_SETMASK, &l->old_mask, NULL);
}

/* In the child: wait at the gate, then become the command, or say through it why not. */
static void run_child(char **argv, const sigset_t *mask, int gate)
{
	char go;
	int err;

	sigprocmask(SIG_SETMASK, mask, NULL);
	signal(SIGXFSZ, SIG_DFL);
	if (read(gate, &go, 1) != 1)
		_exit(0);
	execvp(argv[0], argv);
	err = errno;
	if (write(gate, &err, sizeof(err)) != sizeof(err))
		_exit(126);
	_exit(127);
}

int loop_spawn(struct loop *l, char **argv, int gate[2])
{
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, gate))
		return -errno;
	l->child = fork();
	if (l->child < 0) {
		l->child = 0;
		return -errno;
	}
	if (!l->child) {
		close(gate[0]);
		run_child(argv, &l->old_mask, gate[1]);
	}
	close(gate[1]);
	return 0;
}

int loop_release(struct loop *l, int gate[2])
{
	int err = 0;
	ssize_t n;

	(void)l;
	n = send(gate[0], "g", 1, MSG_NOSIGNAL);
	/* End of file is good news: exec has closed the other end. */
	if (n == 1)
		n = read(gate[0], &err, sizeof(err));
	close(gate[0]);
	if (n < 0)
		return -errno;
	return n == sizeof(err) ? -err : 0;
}
