/* SPDX-License-Identifier: GPL-2.0-only */
/* An interval as rows and columns: what text and JSON both show. Pure. */
#ifndef PCPUSTAT_VIEW_H
#define PCPUSTAT_VIEW_H

#include "metrics.h"

enum by { BY_NONE, BY_SITE, BY_STACK, BY_PROCESS, BY_CGROUP, BY_SIZE, BY_COMM, NR_BY };
extern const char *const by_names[NR_BY];

#define MAX_CELLS 12

struct cell {
	bool known;
	u64 n;
	char *text;   /* owned; for text columns */
	char **lines; /* owned; for the stack column, leaf first, NULL at the end */
};

enum cell_type { CELL_NUMBER, CELL_TEXT, CELL_LINES, CELL_FLAG };

struct view_column {
	const char *key;
	const char *head;
	enum cell_type type;
	enum unit unit;
	bool adds_up; /* has a value in the rows other and total */
};

enum row_kind { VIEW_ROW, VIEW_OTHER, VIEW_TOTAL };

struct view_row {
	enum row_kind kind;
	struct cell cells[MAX_CELLS];
};

struct view {
	const struct view_column *columns;
	size_t nr_columns;
	struct view_row *rows; /* the top ones, then other, then total */
	size_t nr_rows;
};

/*
 * The top rows of an interval, sorted by key (descending; ascending with a leading '-'); the
 * column's own default when key is NULL. top 0: all of them. sum(rows) + other == total in every
 * column that adds up. Returns 0, -EINVAL for an unknown key, -ENOMEM.
 */
int view_make(const struct info *info, const struct snap *d, enum by by, const char *key,
	      size_t top, struct view *out);
void view_free(struct view *v);

/* The columns of a table, for whoever describes them; NULL for BY_NONE. */
const struct view_column *view_columns(enum by by, size_t *n);

/* Can this key sort this table? */
bool view_has_key(enum by by, const char *key);

#endif
