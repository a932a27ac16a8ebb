// SPDX-License-Identifier: GPL-2.0-only
/* Names of cgroup ids: from a tree of directories, from a recording. */
#include "unit.h"

#include <ftw.h>
#include <string.h>
#include <sys/stat.h>

#include "cgroups.h"

static char root[32];

static u64 make_dir(const char *below)
{
	char path[256];
	struct stat st;

	snprintf(path, sizeof(path), "%s%s", root, below);
	if (*below)
		assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(stat(path, &st), 0);
	return st.st_ino;
}

static int setup(void **state)
{
	(void)state;
	strcpy(root, "/tmp/test_cgroups.XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int teardown(void **state)
{
	(void)state;
	return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void a_tree(void **state)
{
	u64 top = make_dir(""), a = make_dir("/a"), ab = make_dir("/a/b c"), late;
	struct cgroups *c;
	char file[64];
	FILE *f;

	(void)state;
	snprintf(file, sizeof(file), "%s/cgroup.procs", root);
	f = fopen(file, "w");
	assert_non_null(f);
	fclose(f);
	snprintf(file, sizeof(file), "%s/loop", root);
	assert_int_equal(symlink(".", file), 0);
	c = cgroups_open(root);
	assert_non_null(c);
	assert_string_equal(cgroups_path(c, top), "/");
	assert_string_equal(cgroups_path(c, a), "/a");
	assert_string_equal(cgroups_path(c, ab), "/a/b c");
	assert_null(cgroups_path(c, 0));
	/* Too young for another walk: a miss stays a miss, whoever asks how often. */
	late = make_dir("/late");
	for (int i = 0; i < 1000; i++)
		assert_null(cgroups_path(c, late + i));
	cgroups_free(c);
	c = cgroups_open(root);
	assert_string_equal(cgroups_path(c, late), "/late");
	cgroups_free(c);
}

/* What is gone already is no error: ids are shown then. */
static void no_tree(void **state)
{
	struct cgroups *c = cgroups_open("/nonexistent/cgroup");

	(void)state;
	assert_non_null(c);
	assert_null(cgroups_path(c, 1));
	cgroups_free(c);
	cgroups_free(NULL);
}

static void a_recording(void **state)
{
	struct cgroups *c = cgroups_new();
	char path[32];

	(void)state;
	assert_non_null(c);
	for (int i = 0; i < 500; i++) {
		snprintf(path, sizeof(path), "/%d", i);
		assert_int_equal(cgroups_add(c, i, path), 0);
	}
	assert_string_equal(cgroups_path(c, 499), "/499");
	assert_null(cgroups_path(c, 500));
	cgroups_free(c);
}

/* Not a cgroup: no such path, a file, a directory elsewhere. */
static void bad_choices(void **state)
{
	static const char *const bad[] = { "", "/nonexistent", "/proc/self/stat", "/proc", "." };
	struct cgroup_choice choice;
	int err = dup(STDERR_FILENO);
	FILE *quiet = tmpfile();

	(void)state;
	assert_non_null(quiet);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		int code;

		dup2(fileno(quiet), STDERR_FILENO);
		code = cgroups_choose(bad[i], &choice);
		dup2(err, STDERR_FILENO);
		assert_int_equal(code, EXIT_USAGE);
	}
	close(err);
	fclose(quiet);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_tree, setup, teardown),
		cmocka_unit_test(no_tree),
		cmocka_unit_test(a_recording),
		cmocka_unit_test(bad_choices),
	};

	return cmocka_run_group_tests_name("cgroups", tests, NULL, NULL);
}
