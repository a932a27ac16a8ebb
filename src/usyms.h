/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of user frames, while the process lives: the symbol tables of its executable and libraries. */
#ifndef PCPUSTAT_USYMS_H
#define PCPUSTAT_USYMS_H

#include "abi.h"
#include "util.h"

struct usyms;

struct usyms *usyms_new(void); /* NULL: no memory */
void usyms_free(struct usyms *u);

/*
 * One name for each of the n addresses, leaf first; "[unknown]" where there is no symbol, or where
 * the process is gone or is called differently now, since it has executed something else. They
 * are valid until the next call. comm has COMM_LEN bytes. Looks at files on this host alone.
 */
void usyms_names(struct usyms *u, u32 tgid, const char *comm, const u64 *ip, size_t n,
		 const char **names);

#endif
