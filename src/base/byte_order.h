// SPDX-License-Identifier: BSD-2-Clause
/* byte_order.h - be64toh() and its relatives, wherever the system declares them */
#ifndef GS_BYTE_ORDER_H
#define GS_BYTE_ORDER_H

#if __has_include(<endian.h>)
#include <endian.h>
#elif __has_include(<sys/endian.h>)
#include <sys/endian.h>
#else	/* macOS; little endian, as all of gsort */
#define be64toh(x)	__builtin_bswap64(x)
#define be32toh(x)	__builtin_bswap32(x)
#define htole64(x)	(x)
#define le64toh(x)	(x)
#endif

#endif
