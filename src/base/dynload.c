// SPDX-License-Identifier: BSD-2-Clause
/* dynload.c - dlopen(3), once a library, and the tables of codecs.def */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "base/dynload.h"
#include "base/static_codecs.h"

/* ---- any library ---------------------------------------------------------- */

static bool
load(const struct gs_library *library)
{
	const bool linked = &gs_static_codecs != NULL;	/* a static program finds functions by name */
	void *loaded = linked ? NULL : dlopen(library->soname, RTLD_NOW | RTLD_LOCAL);

	for (size_t s = 0; (linked || loaded != NULL) && s < library->count; s++) {
		const struct gs_symbol *symbol = &library->symbols[s];
		const struct gs_static_function *found = linked ? gs_static_codecs.functions : NULL;
		void *function = linked ? NULL : dlsym(loaded, symbol->name);

		for (; found != NULL && function == NULL && found->name != NULL; found++)
			if (strcmp(found->name, symbol->name) == 0)
				memcpy(&function, &found->function, sizeof function);
		memcpy(symbol->function, &function, sizeof function);
		if (function == NULL && !symbol->optional)
			return false;
	}
	return linked || loaded != NULL;
}

bool
gs_library_loads(struct gs_library *library)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	bool loaded;

	pthread_mutex_lock(&lock);
	loaded = library->loaded = library->loaded || load(library);
	pthread_mutex_unlock(&lock);
	return loaded;
}

const char *
gs_library_trouble(void)
{
	const char *said = &gs_static_codecs != NULL ? NULL : dlerror();

	if (said == NULL || strstr(said, strerror(ENOENT)) != NULL || strstr(said, strerror(EACCES)) != NULL)
		return NULL;
	return said;
}

/* ---- the libraries of compressed data --------------------------------------- */

/*
 * A library that is loaded this way is invisible to ldd(1) and to packaging tools.  So each is declared in
 * the binary by an ELF note, as "dlopen() Metadata for ELF Files" specifies
 * (https://systemd.io/ELF_DLOPEN_METADATA).  A note outlives --gc-sections and strip(1).
 */
#ifdef __ELF__
#define NOTE(variable, json) \
	static const struct { \
		uint32_t owner_bytes, json_bytes, type; \
		char     owner[4]; \
		_Alignas(4) char text[sizeof (json)]; \
	} dlopen_note_##variable __attribute__((used, section(".note.dlopen"), aligned(4))) = { \
		4, sizeof (json), 0x407c0c0a, "FDO", json, \
	};
#else
#define NOTE(variable, json)
#endif

#define LIBRARY(name, soname, feature, description, priority) \
	NOTE(name, "[{\"soname\":[\"" soname "\"],\"feature\":\"" feature \
	     "\",\"description\":\"" description "\",\"priority\":\"" priority "\"}]") \
	struct gs_##name gs_##name; \
	static const char soname_of_##name[] = soname; \
	static const struct gs_symbol symbols_of_##name[] = {
#define FUNCTION(name, function)	{ #function, &gs_##name.function, false },
#define OPTIONAL(name, function)	{ #function, &gs_##name.function, true },
#define END(name) \
	}; \
	bool \
	gs_##name##_loads(void) \
	{ \
		static struct gs_library library = GS_LIBRARY(soname_of_##name, symbols_of_##name); \
	\
		return gs_library_loads(&library); \
	}
#include "base/codecs.def"
