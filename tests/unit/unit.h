/* SPDX-License-Identifier: GPL-2.0-only */
/* cmocka wants these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail /* ours prints a message and returns a code */

/* Instead of fail_msg, which is made of the other fail. */
#define unit_fail(...)                     \
	do {                               \
		print_error(__VA_ARGS__);  \
		_fail(__FILE__, __LINE__); \
	} while (0)
