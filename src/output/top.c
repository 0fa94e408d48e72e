// SPDX-License-Identifier: BSD-2-Clause
/*
 * top.c - the K most frequent values, from groups of equal keys in any order
 *
 * In:   groups; each value once.
 * Out:  the K most frequent.
 *
 * A binary heap with the least frequent group on top: J. Williams, "Heapsort", 1964.
 */

#include "output/top.h"
#include "sort/cpu/keys.h"

/* Is A listed before B? */
static bool
is_better(const struct gs_top *top, const struct gs_group *a, const struct gs_group *b)
{
	if (a->times != b->times)
		return a->times > b->times;
	if (a->value.key_class != b->value.key_class)
		return (a->value.key_class < b->value.key_class) != top->descending_classes;
	return a->value.key < b->value.key;
}

/* Put GROUP at AT or below it, in a heap of COUNT. */
static void
sink(struct gs_top *top, size_t at, size_t count, struct gs_group group)
{
	for (size_t child; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count && is_better(top, &top->groups[child], &top->groups[child + 1]))
			child++;
		if (!is_better(top, &group, &top->groups[child]))
			break;
		top->groups[at] = top->groups[child];
	}
	top->groups[at] = group;
}

void
gs_top_add(struct gs_top *top, const struct gs_group *group)
{
	if (top->count < top->most) {
		size_t at = top->count++;

		for (; at > 0 && is_better(top, &top->groups[(at - 1) / 2], group); at = (at - 1) / 2)
			top->groups[at] = top->groups[(at - 1) / 2];
		top->groups[at] = *group;
	} else if (top->most > 0 && is_better(top, group, &top->groups[0])) {
		sink(top, 0, top->count, *group);
	}
	if (top->count == top->most && top->most > 0 && top->groups[0].times > top->floor)
		top->floor = top->groups[0].times;
}

void
gs_top_collect(struct gs_top *top, const struct gs_span *span, size_t from, size_t to)
{
	struct gs_group group = { .value = { .key_class = span->key_class, .key_bits = span->key_bits } };

	while (from < to) {
		size_t end;

		from = gs_scan_repeated(span->keys, span->key_bits, from, to, top->floor);
		if (from == to)
			return;
		end = gs_scan_group_end(span->keys, span->key_bits, from, to);
		group.value.key = gs_key_at(span->keys, span->key_bits, from);
		group.times = end - from;
		gs_top_add(top, &group);
		from = end;
	}
}

void
gs_top_end(struct gs_top *top)
{
	for (size_t last = top->count; last > 1; last--) {
		const struct gs_group worst = top->groups[0];

		sink(top, 0, last - 1, top->groups[last - 1]);
		top->groups[last - 1] = worst;
	}
}
