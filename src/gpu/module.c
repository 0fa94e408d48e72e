// SPDX-License-Identifier: BSD-2-Clause
/*
 * module.c - find and load the GPU module
 *
 * A module of another version is refused before any of its functions is called: their table
 * may have another layout.
 */
#include "config.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <link.h>
#include <sys/auxv.h>
#endif

#include "base/static_codecs.h"
#include "gpu/guard.h"

/* Only a program that links a module in (tests/emu) defines them. */
extern const struct gs_gpu_module gs_gpu_module __attribute__((weak));

static const struct gs_gpu_module *loaded;
static char failure[GS_MESSAGE_BYTES];

/* dlerror() without "/path: ", which is said already. */
static const char *
reason(const char *path)
{
	const char *error = dlerror();
	const size_t length = strlen(path);

	if (error == NULL)
		return "unknown error";
	return strncmp(error, path, length) == 0 && strncmp(error + length, ": ", 2) == 0
	       ? error + length + 2 : error;
}

static gs_status
load_file(const char *path)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const char *version;

	if (handle == NULL)
		return gs_fail(GS_ENODEV, "%s cannot be loaded: %s", path, reason(path));
	version = dlsym(handle, GS_GPU_MODULE_VERSION_SYMBOL);
	if (version == NULL || strcmp(version, PACKAGE_VERSION) != 0) {
		(void)gs_fail(GS_ENODEV, "%s is of version %s, but this is gsort %s", path,
		              version == NULL ? "unknown" : version, PACKAGE_VERSION);
		dlclose(handle);
		return GS_ENODEV;
	}
	loaded = dlsym(handle, GS_GPU_MODULE_SYMBOL);
	return loaded != NULL ? GS_OK
	       : gs_fail(GS_ENODEV, "%s cannot be loaded: %s", path, reason(path));
}

/* The module beside the running program; false: no such file, or no /proc. */
static bool
beside_program(char *path, size_t bytes)
{
	const ssize_t length = readlink("/proc/self/exe", path, bytes - 1);
	char *slash;

	if (length <= 0)
		return false;
	path[length] = '\0';
	slash = strrchr(path, '/');
	if (slash == NULL || (size_t)(slash + 1 - path) + sizeof GS_GPU_MODULE_FILE > bytes)
		return false;
	strcpy(slash + 1, GS_GPU_MODULE_FILE);
	return access(path, F_OK) == 0;
}

static const char installed[] = GS_PKGLIBDIR "/" GS_GPU_MODULE_FILE;

/* The module beside the library, where a wheel of Python has it. */
static bool
beside_library(char *path, size_t bytes)
{
	Dl_info library;
	const char *slash;

	if (dladdr(installed, &library) == 0 || library.dli_fname == NULL)
		return false;
#ifdef __linux__
	/* Linked into the program: its name is argv[0], which the caller chooses. */
	if (getauxval(AT_SECURE) != 0 || getauxval(AT_PHDR) == (uintptr_t)library.dli_fbase +
	                                 ((const ElfW(Ehdr) *)library.dli_fbase)->e_phoff)
		return false;
#endif
	slash = strrchr(library.dli_fname, '/');
	if (slash == NULL || strncmp(slash, "/libgsort", strlen("/libgsort")) != 0)
		return false;
	snprintf(path, bytes, "%.*s/%s", (int)(slash - library.dli_fname), library.dli_fname,
	         GS_GPU_MODULE_FILE);
	return access(path, F_OK) == 0;
}

bool
gs_gpu_module_exists(void)
{
	char path[4096];

	return &gs_gpu_module != NULL ||
	       (&gs_static_codecs == NULL &&
	        (beside_program(path, sizeof path) || beside_library(path, sizeof path) ||
	         access(installed, F_OK) == 0));
}

bool
gs_gpu_is_present(void)
{
	/* Linux; Linux under Windows */
	return &gs_gpu_module != NULL || access("/dev/nvidiactl", F_OK) == 0 ||
	       access("/dev/dxg", F_OK) == 0;
}

/* Set LOADED, or FAILURE. */
static void
load(void)
{
	gs_status status = GS_OK;
	char path[4096];

	if (&gs_gpu_module != NULL)
		loaded = &gs_gpu_module;
	else if (&gs_static_codecs != NULL)
		status = gs_fail(GS_ENODEV, "a static program loads no GPU module");
	else if (beside_program(path, sizeof path) || beside_library(path, sizeof path))
		status = load_file(path);
	else
		status = access(installed, F_OK) == 0 ? load_file(installed)
		         : gs_fail_errno(GS_ENODEV, "%s", installed);
	if (status != GS_OK)
		snprintf(failure, sizeof failure, "%s", gs_message());
}

gs_status
gs_gpu_module_load(const struct gs_gpu_module **module)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	*module = loaded;
	return loaded != NULL ? GS_OK : gs_fail(GS_ENODEV, "%s", failure);
}
