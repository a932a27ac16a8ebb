// SPDX-License-Identifier: GPL-2.0-only
#include "rss-whatif.h"

const char *const whatif_names[NR_WHATIF] = { "grouped", "lazy", "combined" };

const char *const whatif_texts[NR_WHATIF] = {
	[WHATIF_GROUPED] = "one allocation for the four counters (6.6)",
	[WHATIF_LAZY] = "no allocation until the first thread",
	[WHATIF_COMBINED] = "one allocation for all percpu memory of an mm",
};

const char *const whatif_assumptions[] = {
	"births go on at this rate, and as many mms stay single-threaded as did meanwhile",
	"an allocation that is avoided would have cost the mean of all allocations of this time",
	"lock waits go down in proportion to passes of the mutex; with fewer, each wait gets "
	"shorter too, which is not counted",
	"CPU time is the time in pcpu_alloc without the time asleep for the mutex; the free, the "
	"list of counters and its lock, and slower updates of atomic counters are not counted",
	"a mm that gets a thread in lazy mode makes one atomic allocation then, without the mutex",
	NULL,
};

double whatif_single_share(const struct whatif_in *in)
{
	if (in->ends)
		return (double)in->ends_single / in->ends;
	return in->old_mms ? (double)in->old_single / in->old_mms : -1;
}

static const char *no_use(const struct whatif_in *in, enum whatif_option option)
{
	if (!in->births)
		return "no mm was born in this time";
	if (option == WHATIF_COMBINED)
		return in->allocs_per_mm >= 0 && in->allocs_per_mm <= 1
			       ? "an mm makes at most one percpu allocation already"
			       : NULL;
	if (in->mode == MODE_SPLIT || in->mode == MODE_UP)
		return "rss_stat uses no percpu memory in this mode";
	if (in->mode == MODE_LAZY || in->mode == MODE_LAZY_LOCAL)
		return "mms are born without percpu counters already";
	if (option == WHATIF_GROUPED && in->mode == MODE_GROUPED)
		return "the counters are one allocation already";
	return NULL;
}

/* Allocations and mutex passes avoided for each birth. */
static bool per_birth(const struct whatif_in *in, enum whatif_option option, double *allocs,
		      double *passes)
{
	double single = whatif_single_share(in);

	switch (option) {
	case WHATIF_GROUPED:
		*allocs = *passes = in->rss_allocs - 1;
		return in->rss_allocs > 0;
	case WHATIF_LAZY:
		*allocs = in->rss_allocs - (1 - single);
		*passes = in->rss_allocs;
		return in->rss_allocs > 0 && single >= 0;
	case WHATIF_COMBINED:
		*allocs = *passes = in->allocs_per_mm - 1;
		return in->allocs_per_mm > 0;
	default:
		return false;
	}
}

static void cost(const struct whatif_in *in, struct whatif_out *out)
{
	double seconds = in->duration_ns / 1e9, part;

	if (in->waits_known && in->passes) {
		part = out->passes * seconds / in->passes;
		out->waits_known = true;
		out->wait_ns = (part < 1 ? part : 1) * in->wait_ns / seconds;
	}
	if (in->latency_known && in->waits_known && in->latency_count) {
		double awake = in->latency_sum_ns > in->sleep_ns ? in->latency_sum_ns - in->sleep_ns
								 : 0;

		out->cpu_known = true;
		out->cpu_ns = out->allocs * awake / in->latency_count;
		out->of_busy = in->busy_ns ? out->cpu_ns * seconds / in->busy_ns : 0;
	}
}

void whatif_compute(const struct whatif_in *in, enum whatif_option option, struct whatif_out *out)
{
	double allocs = 0, passes = 0;

	*out = (struct whatif_out) { .nothing = no_use(in, option) };
	if (out->nothing) {
		out->known = out->waits_known = out->cpu_known = true;
		return;
	}
	if (!in->duration_ns || !per_birth(in, option, &allocs, &passes))
		return;
	out->known = true;
	out->allocs = allocs * in->births * 1e9 / in->duration_ns;
	out->passes = passes * in->births * 1e9 / in->duration_ns;
	cost(in, out);
	if (out->cpu_known && in->busy_ns && out->of_busy < WHATIF_WORTH)
		out->nothing = "less than 0.1 % of the busy CPU time";
}
