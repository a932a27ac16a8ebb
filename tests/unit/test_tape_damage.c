// SPDX-License-Identifier: GPL-2.0-only
/* Recordings that were cut, damaged or made to harm. */
#include "tape_fixture.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* Cut anywhere: never more than was there, never less than was closed, and never called whole. */
static void cut_everywhere(const char *from, bool text)
{
	size_t len;
	char *data = contents(from, &len);
	int last = -1;
	bool damaged;

	for (size_t cut = 0; cut < len; cut++) {
		int n = count_snaps(data, cut, &damaged), closed = 0;

		assert_true(n >= last && n <= NR_SNAPS);
		assert_true(damaged);
		for (char *at = data; text && (at = memmem(at, data + cut - at, "\"snap\"", 6));
		     at++)
			closed += memchr(at, '\n', data + cut - at) != NULL;
		if (text && n >= 0)
			assert_int_equal(n, closed);
		last = n;
	}
	assert_int_equal(last, NR_SNAPS);
	assert_int_equal(count_snaps(data, len, &damaged), NR_SNAPS);
	assert_false(damaged);
	free(data);
}

static void cut_at_every_byte(void **state)
{
	quiet(true);
	cut_everywhere(tape_path, true);
}

static void cut_at_every_byte_gz(void **state)
{
	quiet(true);
	cut_everywhere(tape_gz, false);
}

/* The writer was killed without warning: all snapshots are there, and the file says it is cut. */
static void killed_writer(void **state)
{
	pid_t pid = fork();
	bool damaged;
	size_t len;
	char *data;

	if (!pid) {
		record(tape_gz, 3, false);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
	data = contents(tape_gz, &len);
	assert_int_equal(count_snaps(data, len, &damaged), 3);
	assert_true(damaged);
	free(data);
	record(tape_gz, NR_SNAPS, true);
}

static void hostile_lines(void **state)
{
	static const char *const lines[] = {
		"{}",
		"[]",
		"null",
		"nonsense",
		"{\"type\":7}",
		"{\"type\":\"snap\",\"mono_ns\":-1}",
		"{\"type\":\"snap\",\"mono_ns\":1}",
		"{\"type\":\"snap\",\"mono_ns\":1e9}",
		"{\"type\":\"snap\",\"locks\":{\"pcpu_lock\":{\"waits\":0}}}",
		"{\"type\":\"snap\",\"locks\":{\"pcpu_lock\":{\"hist\":[[128,1]]}}}",
		"{\"type\":\"snap\",\"locks\":{\"pcpu_lock\":{\"hist\":[[1]]}}}",
		"{\"type\":\"snap\",\"locks\":{\"pcpu_lock\":{\"hist\":7}}}",
		"{\"type\":\"snap\",\"lost\":{\"stack_table_full\":\"0xg\"}}",
		"{\"type\":\"snap\",\"frees\":\"0x10000000000000000\"}",
		"{\"type\":\"snap\",\"frees\":\"0x8000000000000000\"}",
		"{\"type\":\"snap\",\"mm\":{\"forks\":\"0xffffffffffffffff\"}}",
		"{\"type\":\"snap\",\"lost\":{\"stack_table_full\":\"0xffffffffffffffff\"}}",
		"{\"type\":\"site\"}",
		"{\"type\":\"site\",\"ref\":77}",
		"{\"type\":\"site\",\"ref\":77,\"call_site\":\"0x1\",\"meta\":\"0x1\"}",
		"{\"type\":\"row\",\"ref\":77,\"id\":1,\"comm\":\"0123456789abcdefg\"}",
		"{\"type\":\"row\",\"ref\":77,\"id\":1,\"comm\":\"\\\\x4\"}",
		"{\"type\":\"row\",\"ref\":77,\"id\":1,\"comm\":\"a\\u0000b\"}",
		"{\"type\":\"row\",\"ref\":0,\"allocs\":1}",
		"{\"type\":\"stack\",\"ref\":77,\"lock\":\"x\",\"kind\":\"waiter\"}",
		"{\"type\":\"stack\",\"ref\":77,\"lock\":\"pcpu_lock\",\"kind\":\"waiter\","
		"\"comm\":\"\","
		"\"user\":0,\"cgroup\":0,\"pid\":0,\"stack\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,"
		"16,17,"
		"18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33]}",
		"{\"type\":\"stack\",\"ref\":77,\"lock\":\"pcpu_lock\",\"kind\":\"waiter\","
		"\"comm\":\"\","
		"\"user\":0,\"cgroup\":0,\"pid\":4294967296,\"stack\":[]}",
		"{\"type\":\"gone\",\"table\":\"row\",\"refs\":[12345]}",
		"{\"type\":\"gone\",\"table\":\"site\",\"refs\":[0]}",
		"{\"type\":\"gone\"}",
		"{\"type\":\"sym\",\"addr\":\"0x1\",\"size\":1}",
		"{\"type\":\"ustack\",\"id\":1,\"stack\":[1]}",
		"{\"type\":\"cgroup\",\"id\":1}",
		"{\"type\":\"lock\",\"name\":\"x\"}",
		"{\"type\":\"end\",\"snaps\":1}",
		"{\"type\":\"snap\",\"type\":\"snap\"}",
		"{\"type\":\"snap\"",
		"\xff\xfe",
		"{\"type\":\"\xff\"}",
		"",
	};
	size_t len;
	char *data = contents(tape_path, &len), *end = memrchr(data, '{', len);

	/* In the place of the end record: all snapshots before it stand. */
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		size_t n = end - data;
		char *bad = malloc(n + strlen(lines[i]) + 1);
		bool damaged;

		memcpy(bad, data, n);
		memcpy(bad + n, lines[i], strlen(lines[i]));
		bad[n + strlen(lines[i])] = '\n';
		if (count_snaps(bad, n + strlen(lines[i]) + 1, &damaged) != NR_SNAPS || !damaged)
			unit_fail("taken: %s\n", lines[i]);
		free(bad);
	}
	free(data);
}

static void no_recording(void **state)
{
	static const char *const files[] = {
		"",
		"\n",
		"{}\n",
		"hello\n",
		"\x1f\x8b\x08",
		"{\"type\":\"header\",\"schema\":1}\n",
		"{\"type\":\"header\",\"format\":\"pcpustat-recording\",\"schema\":2}\n",
		"{\"type\":\"header\",\"format\":\"pcpustat-recording\",\"schema\":1}\n",
	};
	struct info info;
	struct tape *t;

	quiet(true);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		assert_int_equal(open_bytes(&t, files[i], strlen(files[i]), &info), EXIT_RUNTIME);
	assert_int_equal(tape_open(&t, "/nonexistent/x", &info), EXIT_RUNTIME);
	assert_int_equal(tape_open(&t, "/tmp", &info), EXIT_RUNTIME);
}

/* A line that never ends must not take all memory. */
static void endless_line(void **state)
{
	size_t len, more = 64 << 20;
	char *data = contents(tape_path, &len), *end = memrchr(data, '{', len);
	size_t n = end - data;
	struct rusage before, after;
	bool damaged;

	data = realloc(data, n + more);
	memset(data + n, 'x', more);
	getrusage(RUSAGE_SELF, &before);
	assert_int_equal(count_snaps(data, n + more, &damaged), NR_SNAPS);
	getrusage(RUSAGE_SELF, &after);
	assert_true(damaged);
	assert_true(after.ru_maxrss - before.ru_maxrss < 16 << 10);
	free(data);
}

static u64 random_u64(u64 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* What makes sense in this format, so that more than the JSON parser is met. */
static const char *const words[] = {
	"0x",
	"-1",
	"9223372036854775807",
	"99999999999999999999",
	"null",
	"{",
	"}",
	"[]",
	"[[",
	"\"",
	"\\x",
	"\\u0000",
	"\n",
	"\"ref\":0",
	"\"ref\":1",
	"\"type\":\"gone\"",
	"\"type\":\"stack\"",
	"\"type\":\"row\"",
	"\"type\":\"site\"",
	"\"stack\":[",
	"\"comm\":\"",
	"\"hist\":[[127,1]]",
	"\"waits\":",
	"\"allocs\":",
	"\xff",
	"\xc3",
	",",
	":",
};

static size_t mutate(char *buf, size_t len, size_t room, u64 *rng)
{
	int edits = 1 + random_u64(rng) % 4;

	while (edits--) {
		size_t at = random_u64(rng) % len, n, from;

		switch (random_u64(rng) % 5) {
		case 0:
			buf[at] ^= 1 << random_u64(rng) % 8;
			break;
		case 1: /* a word over what is there */
			n = random_u64(rng) % ARRAY_SIZE(words);
			memcpy(buf + at, words[n], min_u64(strlen(words[n]), len - at));
			break;
		case 2: /* a piece from elsewhere */
			from = random_u64(rng) % len;
			n = min_u64(random_u64(rng) % 200, len - (at > from ? at : from));
			memmove(buf + at, buf + from, n);
			break;
		case 3: /* a word in between */
			n = strlen(words[random_u64(rng) % ARRAY_SIZE(words)]);
			if (len + n > room)
				break;
			memmove(buf + at + n, buf + at, len - at);
			memcpy(buf + at, words[random_u64(rng) % ARRAY_SIZE(words)], 1);
			len += n;
			break;
		default: /* a piece cut out */
			n = min_u64(random_u64(rng) % 100, len - at - 1);
			memmove(buf + at, buf + at + n, len - at - n);
			len -= n;
		}
	}
	return len;
}

/* A fixed number of damaged recordings, the same ones each time. FUZZ_INPUTS makes it more. */
static void fuzz(void **state)
{
	const char *more = getenv("FUZZ_INPUTS");
	u64 rng = 88172645463325252ULL, inputs = more ? strtoull(more, NULL, 10) : 4000;
	size_t len, len_gz, room;
	char *data = contents(tape_path, &len), *gz = contents(tape_gz, &len_gz);
	char *buf;
	bool damaged;

	quiet(true);
	room = len + 4096;
	buf = malloc(room);
	for (u64 i = 0; i < inputs; i++) {
		bool compressed = i % 8 == 0;
		size_t n = compressed ? len_gz : len;
		int snaps;

		memcpy(buf, compressed ? gz : data, n);
		n = mutate(buf, n, room, &rng);
		snaps = count_snaps(buf, n, &damaged);
		assert_in_range(snaps + 1, 0, 64);
	}
	free(buf);
	free(data);
	free(gz);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(killed_writer, be_heard),
		cmocka_unit_test_teardown(hostile_lines, be_heard),
		cmocka_unit_test_teardown(no_recording, be_heard),
		cmocka_unit_test_teardown(endless_line, be_heard),
		cmocka_unit_test_teardown(cut_at_every_byte, be_heard),
		cmocka_unit_test_teardown(cut_at_every_byte_gz, be_heard),
		cmocka_unit_test_teardown(fuzz, be_heard),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
