// SPDX-License-Identifier: BSD-2-Clause
/* item_parts.c - cut buckets into parts */
#include "stages/item_drain.h"

static size_t
row_count(const struct gs_item_bucket *bucket)
{
	const struct gs_division *division = bucket->division;

	return division->extents != NULL ? division->extents[bucket->bin].count : division->row_count;
}

static size_t
bytes_of_row(const struct gs_item_bucket *bucket, size_t row)
{
	const struct gs_division *division = bucket->division;
	const uint32_t *offsets;

	if (division->extents != NULL)
		return division->extents[bucket->bin].list[row].bytes;
	offsets = division->rows[row]->offsets;
	return offsets[bucket->bin + 1] - offsets[bucket->bin];
}

/* The part of BUCKET that begins with row FROM. */
static struct gs_bucket_part
part_from(const struct gs_item_bucket *bucket, size_t from, size_t most_bytes)
{
	const size_t rows = row_count(bucket);
	struct gs_bucket_part part = {
		.bucket = bucket, .from = from, .to = from, .first = from == 0,
	};

	if (!bucket->settled) {
		part.to = rows;
		part.bytes = bucket->bytes;
		return part;
	}
	for (; part.to < rows; part.to++) {
		const size_t more = bytes_of_row(bucket, part.to);

		if (part.bytes > 0 && part.bytes + more > most_bytes)
			break;
		part.bytes += more;
	}
	return part;
}

/* Where those of BUCKET are that leave, and how many; DONE: those before that were counted. */
static void
set_numbers(struct gs_bucket_part *part, size_t item_bytes, uint64_t number, uint64_t *done)
{
	const struct gs_item_bucket *bucket = part->bucket;

	part->items = part->bytes == bucket->bytes ? bucket->items
	            : item_bytes > 0 ? part->bytes / item_bytes : UINT64_MAX;
	part->least = number;
	part->most = number + bucket->items;
	if (part->items < UINT64_MAX) {
		part->least += *done;
		*done += part->items;
		part->most = number + *done;
	}
}

size_t
gs_bucket_parts(const struct gs_item_buckets *buckets, const struct gs_item_limits *limits,
                const struct gs_item_store_options *options, struct gs_bucket_part *parts)
{
	uint64_t number = 0;
	size_t count = 0;

	for (size_t b = 0; b < buckets->count; b++) {
		const struct gs_item_bucket *bucket = &buckets->list[b];
		const bool only_first = bucket->settled && options->groups && !options->verify;
		const size_t rows = row_count(bucket);
		uint64_t done = 0;

		for (size_t from = 0; from < rows && !(only_first && done > 0); count++) {
			struct gs_bucket_part part = part_from(bucket, from,
			                                       only_first ? 0 : limits->bin_bytes);

			from = part.to;
			set_numbers(&part, options->order->item_bytes, number, &done);
			if (only_first)
				done = part.items = bucket->items;
			if (parts != NULL)
				parts[count] = part;
		}
		number += bucket->items;
	}
	return count;
}
