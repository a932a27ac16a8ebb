// SPDX-License-Identifier: GPL-2.0-only
#include "text.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <jansson.h>

static bool is_tail(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* Length of the character and its first bits by the lead byte; 0 for a byte that leads none. */
static size_t lead(unsigned char c, u32 *bits)
{
	if (c < 0x80) {
		*bits = c;
		return 1;
	}
	if (c >= 0xc2 && c <= 0xdf) {
		*bits = c & 0x1f;
		return 2;
	}
	if (c >= 0xe0 && c <= 0xef) {
		*bits = c & 0x0f;
		return 3;
	}
	if (c >= 0xf0 && c <= 0xf4) {
		*bits = c & 0x07;
		return 4;
	}
	return 0;
}

size_t text_char(const char *s, size_t n)
{
	static const u32 least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	u32 code;
	size_t len;

	if (!n)
		return 0;
	len = lead(*s, &code);
	if (!len || len > n)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if (!is_tail(s[i]))
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (code < least[len] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ||
	    (code & 0xfffe) == 0xfffe)
		return 0;
	return len;
}

/* U+202A to U+202E and U+2066 to U+2069, three bytes each, turn around what follows them. */
static bool is_override(const char *s)
{
	unsigned char last = s[2];

	if (!memcmp(s, "\xe2\x80", 2))
		return last >= 0xaa && last <= 0xae;
	return !memcmp(s, "\xe2\x81", 2) && last >= 0xa6 && last <= 0xa9;
}

/* C0, DEL and C1: they would move a terminal's cursor. */
static bool is_control(const char *s, size_t len)
{
	unsigned char c = *s;

	if (len == 3)
		return is_override(s);
	return c < 0x20 || c == 0x7f || (len == 2 && c == 0xc2 && (unsigned char)s[1] < 0xa0);
}

char *text_quote(const char *s, size_t n, bool reversible)
{
	char *out, *p;
	size_t len;

	n = strnlen(s, n);
	p = out = malloc(n * 4 + 1);
	if (!out)
		return NULL;
	while (n) {
		len = text_char(s, n);
		if (len && !is_control(s, len) && !(reversible && *s == '\\')) {
			memcpy(p, s, len);
			p += len;
		} else {
			len = 1;
			p += sprintf(p, "\\x%02x", (unsigned char)*s);
		}
		s += len;
		n -= len;
	}
	*p = '\0';
	return out;
}

size_t text_plain(const char *s)
{
	size_t len = text_char(s, strlen(s));

	return len && !is_control(s, len) ? len : 0;
}

/* A control is a character in JSON, where it is escaped; to a terminal it is none. */
static void clean(char *s, bool controls)
{
	size_t len;

	for (; *s; s += len ? len : 1) {
		len = controls ? text_char(s, strlen(s)) : text_plain(s);
		if (!len)
			*s = '?';
	}
}

void text_clean(char *s)
{
	clean(s, false);
}

char *text_copy(char *buf, size_t len, const char *s, size_t n)
{
	snprintf(buf, len, "%.*s", (int)n, s);
	text_clean(buf);
	return buf;
}

json_t *json_text(const char *s)
{
	json_t *j = s ? json_string(s) : json_null();
	_cleanup_free_ char *copy = NULL;

	if (j)
		return j;
	copy = strdup(s);
	if (!copy)
		return NULL;
	clean(copy, true);
	return json_string(copy);
}

static int hex_digit(char c)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

ssize_t text_unquote(const char *s, char *buf, size_t len)
{
	size_t n = 0;

	while (*s) {
		if (n == len)
			return -ERANGE;
		if (*s != '\\') {
			buf[n++] = *s++;
			continue;
		}
		if (s[1] != 'x' || hex_digit(s[2]) < 0 || hex_digit(s[3]) < 0)
			return -EINVAL;
		buf[n++] = hex_digit(s[2]) << 4 | hex_digit(s[3]);
		s += 4;
	}
	memset(buf + n, 0, len - n);
	return n;
}
