// SPDX-License-Identifier: BSD-2-Clause
/* border.h - is the output of all ranks their input, and in order? */
#ifndef GS_BORDER_H
#define GS_BORDER_H

#include "base/status.h"
#include "net/ranks.h"
#include "sort/items/items.h"
#include "stages/verify.h"

/**
 * Let the verification of this rank see what all have read and written; collective.
 *
 * @return  GS_OK; GS_EDEVICE: the result is wrong; GS_EBUDGET
 */
MUST_CHECK gs_status gs_border_verify(struct gs_ranks *ranks, struct gs_verify *verify);

/**
 * Compare the first item of each rank with the last one before it, whatever rank has that; collective.
 *
 * @ends    of this rank; first NULL: it has none
 * @return  GS_OK; GS_EDEVICE: they are not in order; GS_EBUDGET
 */
MUST_CHECK gs_status gs_border_check_items(struct gs_ranks *ranks, const struct gs_item_order *order,
                                           const struct gs_item_digest *ends);

#endif
