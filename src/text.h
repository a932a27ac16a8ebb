/* SPDX-License-Identifier: GPL-2.0-only */
/* Names that come from outside (comm, symbols, recordings) made fit for every output. */
#ifndef PCPUSTAT_TEXT_H
#define PCPUSTAT_TEXT_H

#include "util.h"

struct json_t; /* <jansson.h> */

/*
 * Bytes of the valid UTF-8 character at s, at most n long; 0 when there is none: a stray or
 * overlong byte, a surrogate, beyond U+10FFFF, or what XML forbids, U+FFFE and U+FFFF.
 */
size_t text_char(const char *s, size_t n);

/*
 * s up to its NUL or n bytes, as valid UTF-8 without control characters: any other byte becomes
 * \xNN. With reversible the backslash itself becomes \x5c, so that text_unquote gives the same
 * bytes back. The caller frees; NULL when there is no memory.
 */
char *text_quote(const char *s, size_t n, bool reversible);

/* As a JSON string, or null for NULL; JSON is UTF-8, and bytes that are not become '?'. */
struct json_t *json_text(const char *s);

/* In place: each byte that is no part of a valid UTF-8 character, or of a control, becomes '?'. */
void text_clean(char *s);

/* The first n bytes of s, or those before its NUL, in buf[len], cleaned; returns buf. */
char *text_copy(char *buf, size_t len, const char *s, size_t n);

/*
 * The character at s, NUL-terminated, if a terminal or a viewer takes it for nothing else: its
 * length; 0 for a byte of no valid character, and for controls of any kind, right-to-left
 * overrides included.
 */
size_t text_plain(const char *s);

/* Into buf[len], the rest zeroed. Returns the bytes written, -EINVAL on a bad escape, -ERANGE. */
ssize_t text_unquote(const char *s, char *buf, size_t len);

#endif
