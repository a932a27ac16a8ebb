// SPDX-License-Identifier: GPL-2.0-only
#include "flame_fixture.h"
#include "golden.h"

#include <jansson.h>
#include <math.h>

struct rendered {
	struct info info, before;
	struct snap s, old;
	struct tree t;
	struct tree_opts opts;
	struct flame_meta m;
	char *text;
	size_t len;
};

static void draw(struct rendered *r, int (*render)(FILE *, struct rendered *))
{
	FILE *f = open_memstream(&r->text, &r->len);

	assert_int_equal(render(f, r), 0);
	fclose(f);
}

static int folded(FILE *f, struct rendered *r)
{
	return render_folded(f, &r->t);
}

static int svg(FILE *f, struct rendered *r)
{
	return render_svg(f, &r->t, &r->m);
}

static int pprof(FILE *f, struct rendered *r)
{
	return render_pprof(f, &r->t, &r->m);
}

static int speedscope(FILE *f, struct rendered *r)
{
	return render_speedscope(f, &r->t, &r->m);
}

static void setup_tree(struct rendered *r, enum weight weight, bool diff)
{
	struct tree base;

	memset(r, 0, sizeof(*r));
	r->opts = (struct tree_opts) { .weight = weight, .comm = true };
	r->m.opts = &r->opts;
	fixture_info(&r->info);
	fixture_snap(&r->info, &r->s, 10);
	r->m.info = &r->info;
	r->m.iv = &r->s;
	assert_int_equal(tree_build(&r->t, &r->info, &r->s, &r->opts), 0);
	if (!diff)
		return;
	fixture_info(&r->before);
	fixture_snap(&r->before, &r->old, 3);
	fixture_wait(&r->old, LOCK_COUNTERS, "gone", 0, EXIT, 3, 50000000);
	for (size_t i = 0; i < r->old.nr_stacks; i++)
		r->old.stacks[i].w.wait_ns *= 1 + i;
	assert_int_equal(tree_build(&base, &r->before, &r->old, &r->opts), 0);
	assert_int_equal(tree_diff(&r->t, &base), 0);
	tree_free(&base);
	r->m.base = &r->old;
}

static void teardown_tree(struct rendered *r)
{
	tree_free(&r->t);
	if (r->m.base)
		fixture_free(&r->before, &r->old);
	fixture_free(&r->info, &r->s);
	free(r->text);
}

static void folded_golden(void **state)
{
	static const char *const files[NR_WEIGHTS] = {
		[WEIGHT_WAIT] = "flame-wait.folded",
		[WEIGHT_SLEEP] = "flame-sleep.folded",
		[WEIGHT_COUNT] = "flame-count.folded",
		[WEIGHT_BYTES] = "flame-bytes.folded",
	};
	struct rendered r;

	for (int weight = 0; weight < NR_WEIGHTS; weight++) {
		if (!files[weight])
			continue;
		setup_tree(&r, weight, false);
		draw(&r, folded);
		golden_check(files[weight], r.text);
		teardown_tree(&r);
	}
	setup_tree(&r, WEIGHT_WAIT, true);
	draw(&r, folded);
	golden_check("flame-diff.folded", r.text);
	teardown_tree(&r);
}

/* What flamegraph.pl, inferno and speedscope ask of a line. */
static void folded_lines(void **state)
{
	struct rendered r;
	char *rest, *line;
	u64 sum = 0;

	setup_tree(&r, WEIGHT_COUNT, false);
	draw(&r, folded);
	rest = r.text;
	while ((line = strsep(&rest, "\n")) && *line) {
		char *space = strrchr(line, ' ');
		u64 v;

		assert_non_null(space);
		assert_int_equal(parse_u64(space + 1, 1, ~0ULL, &v), 0);
		assert_true(space > line && space[-1] != ' ' && space[-1] != ';');
		sum += v;
	}
	assert_int_equal(sum, r.t.root.total);
	teardown_tree(&r);
}

static double number_after(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	assert_non_null(at);
	return strtod(at + strlen(key), NULL);
}

#define NO_SCRIPT                                                                          \
	"python3 -c 'import re,sys; t = sys.stdin.buffer.read().decode(); "                \
	"sys.stdout.buffer.write(re.sub(r\"(?s)<!-- made .*?-->\\n|<style>.*?</style>\\n|" \
	"<script>.*?</script>\\n\", \"\", t).encode())'"

static void svg_golden(void **state)
{
	struct rendered r;
	char *bare;

	setup_tree(&r, WEIGHT_WAIT, false);
	draw(&r, svg);
	bare = output_of(NO_SCRIPT, r.text, r.len);
	golden_check("flame-wait.svg", bare);
	free(bare);
	teardown_tree(&r);
	setup_tree(&r, WEIGHT_WAIT, true);
	draw(&r, svg);
	bare = output_of(NO_SCRIPT, r.text, r.len);
	golden_check("flame-diff.svg", bare);
	free(bare);
	teardown_tree(&r);
}

/* Every frame lies on its parent, and the frames of one depth below another add up. */
static void svg_widths(void **state)
{
	double end[64] = {}, start[64], px_total = 0, px_children[64] = {};
	struct rendered r;
	size_t frames = 0;

	setup_tree(&r, WEIGHT_WAIT, false);
	draw(&r, svg);
	for (char *g = strstr(r.text, "<g class=\"f "); g; g = strstr(g + 1, "<g class=\"f ")) {
		int d = number_after(g, "data-d=\"");
		double at = number_after(g, "data-at=\""), w = number_after(g, "data-w=\"");
		double px = number_after(g, "width=\"");

		frames++;
		start[d] = at;
		px_children[d] += px;
		if (!d) {
			px_total = px;
			assert_true(at == 0 && w == r.t.root.total);
		} else {
			assert_true(at >= start[d - 1] && at + w <= end[d - 1]);
			assert_true(px_children[d] <= px_total + 0.05 * frames);
		}
		assert_true(fabs(px - w / r.t.root.total * px_total) <= 0.006);
		end[d] = at + w;
	}
	/* All but the one that no zoom could show, 8 us of 747 ms and its path. */
	assert_in_range(frames, 30, r.t.nr_nodes + 1);
	assert_true(fabs(px_children[1] - px_total) < 0.1); /* the locks are everything */
	teardown_tree(&r);
}

static void svg_is_xml(void **state)
{
	static const char check[] =
		"python3 -c 'import sys, xml.dom.minidom as m; d = m.parse(sys.stdin.buffer); "
		"print(*[t.firstChild.data.split(\"\\n\")[0] for t in "
		"d.getElementsByTagName(\"title\")], sep=\"\\n\")'";
	struct rendered r;
	char *names;

	for (int i = 0; i < 2; i++) {
		setup_tree(&r, WEIGHT_COUNT, i);
		r.info.host[0] = '<';
		strcpy(r.info.kernel, "6 \"<&>\"");
		draw(&r, svg);
		names = output_of(check, r.text, r.len);
		/* The hostile command, as it is called: bytes that are no text in hex. */
		assert_non_null(strstr(names, "\n<&;\"\\x0a\\x80>\n"));
		free(names);
		teardown_tree(&r);
	}
}

static void svg_of_nothing(void **state)
{
	struct rendered r;

	setup_tree(&r, WEIGHT_WAIT, false);
	tree_free(&r.t);
	draw(&r, svg);
	assert_non_null(strstr(r.text, "nothing was measured here"));
	assert_null(strstr(r.text, "nan"));
	teardown_tree(&r);
}

/* Without the line that has our own version in it. */
#define DECODE "zcat | protoc --decode=pprof.Profile -Isrc profile.proto | grep -v '\"pcpustat '"

static u64 sum_of_values(const char *text, int which)
{
	u64 sum = 0;
	int i = 0;

	for (const char *at = strstr(text, "\n  value: "); at; at = strstr(at + 1, "\n  value: "))
		if (i++ % 2 == which)
			sum += strtoull(at + 10, NULL, 10);
	return sum;
}

static void pprof_decodes(void **state)
{
	struct rendered r;
	char *text;

	setup_tree(&r, WEIGHT_WAIT, false);
	draw(&r, pprof);
	text = output_of(DECODE, r.text, r.len);
	golden_check("flame-wait.pprof.txt", text);
	assert_int_equal(sum_of_values(text, 0), 890);
	assert_int_equal(sum_of_values(text, 1), r.t.root.total);
	free(text);
	/* The field numbers, read by one who does not know our message. */
	text = output_of("zcat | protoc --decode_raw", r.text, r.len);
	assert_non_null(strstr(text, "6: \"contentions\""));
	assert_non_null(strstr(text, "10: 10000000000"));
	free(text);
	teardown_tree(&r);
	setup_tree(&r, WEIGHT_BYTES, false);
	draw(&r, pprof);
	text = output_of(DECODE, r.text, r.len);
	assert_int_equal(sum_of_values(text, 0), snap_allocs(&r.s));
	assert_int_equal(sum_of_values(text, 1), snap_alloc_bytes(&r.s));
	assert_non_null(strstr(text, "string_table: \"alloc_space\""));
	free(text);
	teardown_tree(&r);
}

static void speedscope_adds_up(void **state)
{
	struct rendered r;
	json_t *doc, *profile, *weight, *sample, *frame;
	json_int_t sum = 0;
	size_t i, j, nr_frames;

	setup_tree(&r, WEIGHT_WAIT, false);
	draw(&r, speedscope);
	doc = json_loads(r.text, 0, NULL);
	nr_frames = json_array_size(json_object_get(json_object_get(doc, "shared"), "frames"));
	profile = json_array_get(json_object_get(doc, "profiles"), 0);
	json_array_foreach(json_object_get(profile, "weights"), i, weight)
		sum += json_integer_value(weight);
	assert_int_equal(sum, r.t.root.total);
	assert_int_equal(sum, json_integer_value(json_object_get(profile, "endValue")));
	assert_string_equal(json_string_value(json_object_get(profile, "unit")), "nanoseconds");
	json_array_foreach(json_object_get(profile, "samples"), i, sample) {
		assert_true(json_array_size(sample) > 3);
		json_array_foreach(sample, j, frame)
			assert_in_range(json_integer_value(frame), 0, nr_frames - 1);
	}
	assert_int_equal(i, json_array_size(json_object_get(profile, "weights")));
	json_decref(doc);
	teardown_tree(&r);
}

/* Said is what this picture lacks, and nothing else. */
static void losses(void **state)
{
	struct rendered r;
	char buf[400];

	setup_tree(&r, WEIGHT_WAIT, false);
	flame_losses(&r.m, buf, sizeof(buf));
	assert_string_equal(buf, "percpu_counters_lock not found, wait_table_full 20");
	r.opts.weight = WEIGHT_BYTES;
	r.m.incomplete = true;
	flame_losses(&r.m, buf, sizeof(buf));
	assert_string_equal(buf, "site_table_full 10, recording incomplete");
	flame_losses(&r.m, buf, 12);
	assert_string_equal(buf, "site_table_");
	teardown_tree(&r);
}

static void values(void **state)
{
	char buf[48];

	flame_value(&weights[WEIGHT_WAIT], 999, buf, sizeof(buf));
	assert_string_equal(buf, "999 ns");
	flame_value(&weights[WEIGHT_WAIT], 1234567, buf, sizeof(buf));
	assert_string_equal(buf, "1.23 ms");
	flame_value(&weights[WEIGHT_BYTES], 1536, buf, sizeof(buf));
	assert_string_equal(buf, "1.5 KiB");
	flame_value(&weights[WEIGHT_ALLOCS], 1234567, buf, sizeof(buf));
	assert_string_equal(buf, "1,234,567 allocations");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folded_golden), cmocka_unit_test(folded_lines),
		cmocka_unit_test(svg_golden),    cmocka_unit_test(svg_widths),
		cmocka_unit_test(svg_is_xml),    cmocka_unit_test(svg_of_nothing),
		cmocka_unit_test(pprof_decodes), cmocka_unit_test(speedscope_adds_up),
		cmocka_unit_test(losses),        cmocka_unit_test(values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
