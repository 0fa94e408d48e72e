// SPDX-License-Identifier: BSD-2-Clause
/*
 * ranks.c - sort the players of a game by score, without moving them
 *
 *     cc ranks.c $(pkg-config --cflags --libs gsort)
 */
#include <gsort.h>
#include <stdio.h>

int
main(void)
{
	static const char *const names[] = { "Ada", "Ben", "Cleo", "Dan", "Eve" };
	static const float scores[] = { 7.5f, 12, 3.25f, 12, -1 };
	const size_t players = sizeof scores / sizeof scores[0];
	const struct gsort_array_options options = {
		.struct_size = sizeof options,
		.reverse = true,	/* the best first; of equal scores, the first in the list */
	};
	uint32_t order[sizeof scores / sizeof scores[0]];

	if (gsort_argsort(scores, players, GSORT_F32, order, GSORT_U32, &options) != GSORT_OK) {
		fprintf(stderr, "ranks: %s\n", gsort_message());
		return 1;
	}
	for (size_t rank = 0; rank < players; rank++)
		printf("%zu. %s %g\n", rank + 1, names[order[rank]], (double)scores[order[rank]]);
	return 0;
}
