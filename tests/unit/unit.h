/* SPDX-License-Identifier: GPL-2.0-only */
/* cmocka wants these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail /* ours prints a message and returns a code */
