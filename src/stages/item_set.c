// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_set.c - sorted sources of items become their union, intersection or difference
 *
 * In:   items of each source, in order, a span at a time.
 * Out:  the items that the operation keeps, to what leaves a merger.
 *
 * A stream is a source, or the merge of two streams, each of which is at its next item: the lesser one
 * passes, or both if they are equal.  Sources are folded from the left.  Nothing is copied, as a source
 * goes on only when its item has passed.
 *
 * Rules of multisets as in sort/set_merge.h, where items are equal if the order says so: of two that
 * pass together the one of the first source is kept.
 */
#include <stdlib.h>

#include "stages/item_merger.h"

struct stream {
	struct gs_merge_source *source;		/* or: */
	struct stream *left, *right;
	enum gs_set_keep passed;	/* the sides whose item has passed: of A, of B or of both */

	/* what it is at, unless it has ended */
	const char *item;
	size_t      bytes;
	uint64_t    word;		/* its first */
	bool        ended;

	/* of a source: items that were found, with their first words */
	struct gs_item_slice span;
	struct gs_item_walk  walk;
	size_t      count, at;
	const char *items[GS_ITEM_BATCH];
	uint32_t    lengths[GS_ITEM_BATCH];	/* unless all are alike */
	uint64_t    words[GS_ITEM_BATCH];
};

struct set {
	struct gs_item_merger *merger;
	enum gs_set_keep       keep;
	bool                   all;	/* every source is read to its end */
};

/* The next items of a source, if there are any. */
static gs_status
find_items(const struct set *set, struct stream *stream)
{
	const struct gs_item_order *order = set->merger->order;
	struct gs_merge_source *source = stream->source;

	while ((stream->count = gs_item_walk_next(&stream->walk, stream->items, stream->lengths,
	                                          GS_ITEM_BATCH)) == 0 && !stream->ended) {
		TRY(source->fill(source->context, &stream->span));
		stream->walk = gs_item_walk_begin(order, &stream->span, 1);
		stream->ended = stream->span.bytes == 0;
	}
	stream->at = 0;
	if (!stream->ended)
		(void)order->words(order->context, stream->items,
		                   order->item_bytes > 0 ? NULL : stream->lengths, stream->count, 0,
		                   stream->words);
	return GS_OK;
}

static gs_status
next_of_source(const struct set *set, struct stream *stream)
{
	if (stream->at == stream->count)
		TRY(find_items(set, stream));
	if (stream->ended)
		return GS_OK;
	stream->item = stream->items[stream->at];
	stream->bytes = set->merger->order->item_bytes > 0 ? set->merger->order->item_bytes
	                                                   : stream->lengths[stream->at];
	stream->word = stream->words[stream->at++];
	return GS_OK;
}

/* Which side's item is the lesser one? */
static enum gs_set_keep
lesser(const struct gs_item_order *order, const struct stream *a, const struct stream *b)
{
	int compared;

	if (a->ended || b->ended)
		return a->ended ? GS_KEEP_B : GS_KEEP_A;
	if (a->word != b->word)
		return a->word < b->word ? GS_KEEP_A : GS_KEEP_B;
	compared = gs_item_compare_whole(order, 1, a->item, a->bytes, b->item, b->bytes);
	return compared < 0 ? GS_KEEP_A : compared > 0 ? GS_KEEP_B : GS_KEEP_BOTH;
}

/* Can nothing more be kept of two sides? */
static bool
has_ended(const struct set *set, const struct stream *a, const struct stream *b)
{
	if (a->ended && b->ended)
		return true;
	return !set->all && ((a->ended && (set->keep & GS_KEEP_B) == 0) ||
	                     (b->ended && (set->keep & GS_KEEP_A) == 0));
}

static gs_status
next(const struct set *set, struct stream *stream)
{
	struct stream *a = stream->left, *b = stream->right;

	if (stream->source != NULL)
		return next_of_source(set, stream);
	do {
		if ((stream->passed & (GS_KEEP_A | GS_KEEP_BOTH)) != 0 && !a->ended)
			TRY(next(set, a));
		if ((stream->passed & (GS_KEEP_B | GS_KEEP_BOTH)) != 0 && !b->ended)
			TRY(next(set, b));
		stream->ended = has_ended(set, a, b);
		if (stream->ended)
			return GS_OK;
		stream->passed = lesser(set->merger->order, a, b);
	} while ((stream->passed & set->keep) == 0);
	a = stream->passed == GS_KEEP_B ? b : a;
	stream->item = a->item;
	stream->bytes = a->bytes;
	stream->word = a->word;
	return GS_OK;
}

/* Fold the sources from the left; returns the stream of the result. */
static struct stream *
fold(const struct gs_item_merger *merger, struct stream *streams)
{
	struct stream *result = streams;

	for (size_t s = 0; s < merger->count; s++) {
		streams[s].source = &merger->sources[s];
		streams[s].walk = gs_item_walk_begin(merger->order, NULL, 0);
	}
	for (size_t s = 1; s < merger->count; s++) {
		struct stream *merge = &streams[merger->count + s - 1];

		merge->left = result;
		merge->right = &streams[s];
		merge->passed = GS_KEEP_BOTH;
		result = merge;
	}
	return result;
}

gs_status
gs_item_merger_combine(struct gs_item_merger *merger, enum gs_set_keep keep, bool all,
                       const struct gs_span_sink *sink)
{
	const struct set set = { .merger = merger, .keep = keep, .all = all };
	struct stream *streams = calloc(2 * merger->count, sizeof *streams), *result;
	gs_status status;

	if (streams == NULL)
		return gs_fail(GS_EBUDGET, "no memory for %zu inputs", merger->count);
	merger->sink = sink;
	result = fold(merger, streams);
	status = next(&set, result);
	while (status == GS_OK && !result->ended && merger->left > 0) {
		status = gs_item_merger_take(merger, result->item, result->bytes);
		if (status == GS_OK)
			status = next(&set, result);
	}
	if (status == GS_OK)
		status = gs_item_merger_end(merger);
	free(streams);
	return status;
}
