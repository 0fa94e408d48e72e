// SPDX-License-Identifier: BSD-2-Clause
/* launch.cuh - start a kernel as an ordinary, checked function call */
#ifndef GS_LAUNCH_CUH
#define GS_LAUNCH_CUH

#include <cuda_runtime.h>
#include <limits.h>
#include <stddef.h>

/* A parameter's type, kept out of template deduction: arguments convert to it. */
template <class Type> struct given {
	typedef Type type;
};

/** Queue KERNEL on STREAM; arguments are converted to its parameters' types. */
template <class... Param> static cudaError_t
launch(void (*kernel)(Param...), size_t blocks, unsigned threads, cudaStream_t stream,
       typename given<Param>::type... args)
{
	void *list[] = { (void *)&args... };

	if (blocks > INT_MAX)
		return cudaErrorInvalidConfiguration;
	return cudaLaunchKernel(kernel, dim3((unsigned)blocks), dim3(threads), list, 0, stream);
}

#endif
