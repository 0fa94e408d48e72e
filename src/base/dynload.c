// SPDX-License-Identifier: BSD-2-Clause
/* dynload.c - libraries that are loaded when they are first needed, and never unloaded */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "base/dynload.h"

struct gs_zlib gs_zlib;
struct gs_zstd gs_zstd;

static bool zlib_there, zstd_there;

bool
gs_dynload(const char *library, const struct gs_symbol *symbols, size_t count)
{
	void *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	bool whole = loaded != NULL;

	for (size_t s = 0; whole && s < count; s++) {
		void *symbol = dlsym(loaded, symbols[s].name);

		memcpy(symbols[s].function, &symbol, sizeof symbol);
		whole = symbol != NULL;
	}
	return whole;
}

static void
load_zlib(void)
{
	#define F(name)	{ #name, &gs_zlib.name },
	static const struct gs_symbol symbols[] = { GS_ZLIB_FUNCTIONS };
	#undef F

	zlib_there = gs_dynload("libz.so.1", symbols, sizeof symbols / sizeof symbols[0]);
}

static void
load_zstd(void)
{
	#define F(name)	{ #name, &gs_zstd.name },
	static const struct gs_symbol symbols[] = { GS_ZSTD_FUNCTIONS };
	#undef F

	zstd_there = gs_dynload("libzstd.so.1", symbols, sizeof symbols / sizeof symbols[0]);
}

bool
gs_zlib_loads(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load_zlib);
	return zlib_there;
}

bool
gs_zstd_loads(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load_zstd);
	return zstd_there;
}
