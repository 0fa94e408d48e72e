// SPDX-License-Identifier: BSD-2-Clause
/* network.h - the comparators of the networks of kernels/ */
#ifndef GS_EMU_NETWORK_H
#define GS_EMU_NETWORK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A comparator: the smaller key goes to LOW. */
struct network_pair {
	uint32_t low, high;
};

/**
 * Sort 2^LOG_KEYS keys of BYTES, in blocks of 2^BLOCK_BITS; one block only, but for u32 (13) and u64 (12).
 * The comparators go to MET in the order in which they ran, by the places in which keys end.
 * Returns their number, which may be more than ROOM; 0: no such network, or the sort failed.
 */
size_t network_record(unsigned bytes, unsigned block_bits, unsigned log_keys, struct network_pair *met,
                      size_t room);

#ifdef __cplusplus
}
#endif
#endif
