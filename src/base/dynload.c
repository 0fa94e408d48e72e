// SPDX-License-Identifier: BSD-2-Clause
/* dynload.c - dlopen(3), once a library, and the tables of zlib and libzstd */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "base/dynload.h"
#include "base/static_codecs.h"

enum { UNTRIED, LOADED, MISSING };

/* ---- any library ---------------------------------------------------------- */

/* In a static program: any library, by the name of a function. */
static int
find_linked(const struct gs_library *library)
{
	for (size_t s = 0; s < library->count; s++) {
		const struct gs_symbol *symbol = &library->symbols[s];
		const struct gs_static_function *found = gs_static_codecs.functions;

		while (found->name != NULL && strcmp(found->name, symbol->name) != 0)
			found++;
		memcpy(symbol->function, &found->function, sizeof found->function);
		if (found->name == NULL && !symbol->optional)
			return MISSING;
	}
	return LOADED;
}

static int
load(const struct gs_library *library)
{
	void *loaded;

	if (&gs_static_codecs != NULL)
		return find_linked(library);
	loaded = dlopen(library->soname, RTLD_NOW | RTLD_LOCAL);

	for (size_t s = 0; loaded != NULL && s < library->count; s++) {
		const struct gs_symbol *symbol = &library->symbols[s];
		void *function = dlsym(loaded, symbol->name);

		memcpy(symbol->function, &function, sizeof function);
		if (function == NULL && !symbol->optional)
			return MISSING;
	}
	return loaded != NULL ? LOADED : MISSING;
}

bool
gs_library_loads(struct gs_library *library)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	if (atomic_load(&library->state) == UNTRIED) {
		pthread_mutex_lock(&lock);
		if (atomic_load(&library->state) == UNTRIED)
			atomic_store(&library->state, load(library));
		pthread_mutex_unlock(&lock);
	}
	return atomic_load(&library->state) == LOADED;
}

/* ---- zlib and libzstd ------------------------------------------------------ */

#define ZLIB	"libz.so.1"
#define ZSTD	"libzstd.so.1"

GS_DLOPEN_NOTE(zlib, ZLIB, "gzip", "Decompress gzip input", "recommended");
GS_DLOPEN_NOTE(zstd, ZSTD, "zstd", "Decompress zstd input, compress temporary files",
               "recommended");

struct gs_zlib gs_zlib;
struct gs_zstd gs_zstd;

bool
gs_zlib_loads(void)
{
	#define F(name)	{ #name, &gs_zlib.name, false },
	static const struct gs_symbol symbols[] = { GS_ZLIB_FUNCTIONS };
	#undef F
	static struct gs_library library = GS_LIBRARY(ZLIB, symbols);

	return gs_library_loads(&library);
}

bool
gs_zstd_loads(void)
{
	#define F(name)	{ #name, &gs_zstd.name, false },
	static const struct gs_symbol symbols[] = { GS_ZSTD_FUNCTIONS };
	#undef F
	static struct gs_library library = GS_LIBRARY(ZSTD, symbols);

	return gs_library_loads(&library);
}
