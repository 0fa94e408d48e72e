// SPDX-License-Identifier: BSD-2-Clause
/* static_codecs.h - the codec libraries of a static program, in place of dlopen(3) */
#ifndef GS_STATIC_CODECS_H
#define GS_STATIC_CODECS_H

typedef void gs_any_function(void);

struct gs_static_function {
	const char      *name;		/* NULL ends the table */
	gs_any_function *function;
};

/* Only a static program defines it (static_codecs.c): weak, so its address is NULL in all others. */
extern const struct gs_static_codecs {
	const struct gs_static_function *functions;
} gs_static_codecs __attribute__((weak));

#endif
