/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recordings: JSON Lines, gzip'd when the name ends in .gz. A header; then for each snapshot a
 * line for each row that changed, closed by a "snap" line with the totals that changed; at last
 * an "end" line. What a snap line has not closed does not count, so a file that was cut anywhere
 * is whole up to some snapshot. Counters are cumulative; a row's key and the symbols of its
 * addresses are written once, before the row's first use. Strings hold \xNN for bytes that are
 * no printable UTF-8.
 */
#ifndef PCPUSTAT_TAPE_H
#define PCPUSTAT_TAPE_H

#include "info.h"
#include "snap.h"

#define TAPE_SCHEMA 1

struct tape_out;

/*
 * Begins a recording at path, readable by its owner alone: it has kernel addresses in it. What the
 * file had stays there until the first snapshot. Returns 0 or EXIT_RUNTIME after one message.
 */
int tape_create(struct tape_out **out, const char *path);

/* Adds a snapshot, newer than the last one. The same; what was written before stays readable. */
int tape_put(struct tape_out *t, const struct info *info, const struct snap *s);

/* Writes the end record unless something failed before, and closes. The same. NULL is fine. */
int tape_finish(struct tape_out *t);

struct tape;

/*
 * Reads the header into info, whose tables then belong to the tape until tape_close. Returns 0, or
 * EXIT_RUNTIME (cannot be read, is no recording, is of a newer schema) after one message.
 */
int tape_open(struct tape **out, const char *path, struct info *info);

/* The same from an open file, which the tape takes over; name is for messages. */
int tape_open_fd(struct tape **out, int fd, const char *name, struct info *info);

/*
 * The next snapshot, complete and sorted; adds to info what it needs. Returns 1, or 0 at the end,
 * -ENOMEM.
 */
int tape_next(struct tape *t, struct snap *s);

/* After tape_next gave 0: NULL when the end record was there, else what is wrong and where. */
const char *tape_damage(const struct tape *t);

void tape_close(struct tape *t); /* NULL is fine */

#endif
