// SPDX-License-Identifier: BSD-2-Clause
/* codec_abi.c - gsort declares libraries as their headers do */
#include "tests/unit/base/codec_facts.h"
#include "tests/unit/units.h"

void unit_codec_abi(void);

static const struct codec_fact ours[] = CODEC_FACTS;

void
unit_codec_abi(void)
{
	for (unsigned f = 0; ours[f].name != NULL; f++)
		CHECK(ours[f].value == codec_headers[f].value, "%s is %lld, not %lld", ours[f].name,
		      codec_headers[f].value, ours[f].value);
}
