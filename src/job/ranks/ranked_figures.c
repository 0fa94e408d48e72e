// SPDX-License-Identifier: BSD-2-Clause
/*
 * ranked_figures.c - figures about the elements of all ranks, and the most frequent ones of them
 *
 * In:   figures about the elements of each rank.
 * Out:  on rank 0 those about all.
 *
 * Numbers are a row of words, to which a rank adds what it knows, and 0 where another rank knows it.
 */
#include <stdlib.h>
#include <string.h>

#include "job/ranks/ranked.h"

/* ---- before -------------------------------------------------------------------------- */

/* The extremes of all ranks. */
static gs_status
join_extremes(struct gs_ranks *ranks, struct gs_extreme extremes[GS_CLASSES])
{
	const size_t bytes = GS_CLASSES * sizeof *extremes;
	struct gs_extreme *all;
	gs_status status = gs_ranks_gather_new(ranks, extremes, bytes, &all);

	for (size_t e = 0; status == GS_OK && e < ranks->size * GS_CLASSES; e++) {
		struct gs_extreme *to = &extremes[e % GS_CLASSES];

		to->least = all[e].least < to->least ? all[e].least : to->least;
		to->most = all[e].most > to->most ? all[e].most : to->most;
	}
	free(all);
	return status;
}

gs_status
gs_ranked_part(struct gsort *job, struct gs_answer_part *part)
{
	const uint64_t own = job->ranked->elements;

	*part = (struct gs_answer_part){ .keys = own, .all = own, .order = job->items.by };
	for (unsigned c = 0; job->options.histogram > 0 && c < GS_CLASSES; c++)
		part->extremes[c] = gs_store_extreme(&job->keys.store, c);
	if (job->options.histogram > 0)
		TRY(join_extremes(job->ranked->ranks, part->extremes));
	TRY(gs_ranks_scan(job->ranked->ranks, own, &part->before, &part->all));
	return gs_ranked_output_begin(&job->ranked->output, 0, 0);
}

/* ---- numbers ------------------------------------------------------------------------- */

/* Words that are filled, or in which all ranks have put the sums. */
struct row {
	uint64_t *words;	/* NULL: they are only counted */
	size_t    count;
	bool      summed;
};

static void
pass(struct row *row, uint64_t *value)
{
	if (row->words != NULL && row->summed)
		*value = row->words[row->count];
	else if (row->words != NULL)
		row->words[row->count] = *value;
	row->count++;
}

/* A value that one rank knows: this one if it is its OWN. */
static void
pass_value(struct row *row, struct gs_value *value, bool own)
{
	uint64_t key = own ? value->key : 0, form = own ? value->key_class << 8 | value->key_bits : 0;

	pass(row, &key);
	pass(row, &form);
	if (!row->summed)
		return;
	*value = (struct gs_value){
		.key = key, .key_class = (unsigned)form >> 8, .key_bits = (unsigned)form & 0xff,
	};
}

/* Its digits are added without a carry. */
static void
pass_sum(struct row *row, __int128 *sum)
{
	unsigned __int128 all = 0;

	for (unsigned shift = 0; shift < 128; shift += 32) {
		uint64_t digit = (unsigned __int128)*sum >> shift & UINT32_MAX;

		pass(row, &digit);
		all += (unsigned __int128)digit << shift;
	}
	*sum = (__int128)all;
}

static void
pass_float_sum(struct row *row, struct gs_float_sum *sum)
{
	struct gs_float_sum normal = { .nans = 0 };

	gs_float_sum_merge(&normal, sum);
	for (size_t d = 0; d < GS_FLOAT_SUM_DIGITS; d++) {
		uint64_t digit = (uint64_t)normal.digits[d];

		pass(row, &digit);
		sum->digits[d] = (int64_t)digit;
	}
	pass(row, &sum->nans);
	pass(row, &sum->infinities[0]);
	pass(row, &sum->infinities[1]);
}

static bool
has_position(const struct gs_answer *figures, uint64_t position)
{
	return position >= figures->first && position < figures->end;
}

static void
pass_all(struct row *row, struct gs_answer *figures)
{
	struct gs_bars *bars = &figures->bars;

	row->count = 0;
	for (size_t m = 0; m < figures->mark_count; m++)
		pass_value(row, &figures->marks[m].value, has_position(figures, figures->marks[m].position));
	pass_value(row, &figures->least, has_position(figures, 0));
	pass_value(row, &figures->most, has_position(figures, figures->keys - 1));	/* no keys: none */
	pass(row, &figures->distinct);
	pass(row, &figures->missing);
	pass_sum(row, &figures->sum);
	pass_float_sum(row, &figures->float_sum);
	for (size_t b = 0; b < bars->count; b++)
		pass(row, &bars->bars[b].position);
}

static gs_status
add_numbers(struct gs_ranks *ranks, struct gs_answer *figures)
{
	struct gs_bars *bars = &figures->bars;
	struct row row = { .words = NULL };
	gs_status status;

	for (; bars->next < bars->count; bars->next++)		/* all keys of this rank are before it */
		bars->bars[bars->next].position = figures->end - figures->first;
	pass_all(&row, figures);
	status = gs_ranks_agree(ranks, GS_NEW(row.words, row.count, "figures"));
	if (status == GS_OK) {
		pass_all(&row, figures);
		status = gs_ranks_sum(ranks, row.words, row.count);
	}
	if (status == GS_OK) {
		row.summed = true;
		pass_all(&row, figures);
	}
	free(row.words);
	return status;
}

/* ---- what is no number --------------------------------------------------------------- */

/* Bytes that are put one behind the other. */
struct parcel {
	char  *data;
	size_t bytes, room;
};

static gs_status
put(struct parcel *parcel, const void *data, size_t bytes)
{
	TRY(GS_GROW(parcel->data, &parcel->room, parcel->bytes + bytes, "bytes of figures"));
	memcpy(parcel->data + parcel->bytes, data, bytes);
	parcel->bytes += bytes;
	return GS_OK;
}

/* Of what a rank has sent, BYTES at DATA. */
typedef gs_status take_parcel(void *context, const char *data, uint64_t bytes);

/* Send the PARCEL of each rank to rank 0, which takes one after the other: memory has one of them. */
static gs_status
send_parcel(struct gs_ranks *ranks, gs_status status, const struct parcel *parcel, take_parcel *take,
            void *context)
{
	struct gs_collected all;

	status = gs_ranks_agree(ranks, status);
	for (unsigned r = 1; status == GS_OK && r < ranks->size; r++) {
		status = gs_ranks_collect(ranks, GS_OK, parcel->data, ranks->rank == r ? parcel->bytes : 0,
		                          GS_COLLECT_FIRST, &all);
		THEN(status, take(context, all.data, all.bytes));
		gs_collected_close(&all);
		status = gs_ranks_agree(ranks, status);
	}
	return status;
}

static gs_status
take_groups(void *context, const char *data, uint64_t bytes)
{
	struct gs_group group;

	for (uint64_t at = 0; at < bytes; at += sizeof group) {
		memcpy(&group, data + at, sizeof group);
		gs_top_add(context, &group);
	}
	return GS_OK;
}

/* The most frequent keys of each rank, to rank 0. */
static gs_status
send_top(struct gs_ranks *ranks, struct gs_answer *figures)
{
	struct gs_top *top = &figures->top;
	const struct parcel mine = {
		.data = (char *)top->groups, .bytes = top->count * sizeof *top->groups,
	};

	return send_parcel(ranks, GS_OK, &mine, take_groups, top);
}

/* ---- items, each with a number and a count ------------------------------------------- */

struct label {
	uint64_t number, times, bytes;
};

static gs_status
put_item(struct parcel *parcel, uint64_t number, uint64_t times, const struct gs_item_slot *slot)
{
	const struct label label = { number, times, slot->bytes };

	TRY(put(parcel, &label, sizeof label));
	return put(parcel, slot->data, slot->bytes);
}

/* The next one at *AT; moves that behind it. */
static const char *
get_item(const char *all, uint64_t *at, struct label *label)
{
	const char *item = all + *at + sizeof *label;

	memcpy(label, all + *at, sizeof *label);
	*at += sizeof *label + label->bytes;
	return item;
}

static gs_status
put_lines(struct parcel *parcel, const struct gs_answer *figures)
{
	const struct gs_item_copies *copies = &figures->copies;
	const size_t marks = figures->mark_count;

	for (size_t m = 0; m < copies->count; m++)
		if (has_position(figures, m < marks ? figures->by_position[m]->position
		                                    : m == marks ? 0 : figures->keys - 1))
			TRY(put_item(parcel, m, 0, &copies->slots[m]));
	return GS_OK;
}

static gs_status
take_lines(void *context, const char *data, uint64_t bytes)
{
	struct gs_answer *figures = context;
	struct label label;

	for (uint64_t at = 0; at < bytes; ) {
		const char *line = get_item(data, &at, &label);

		TRY(gs_item_copies_put(&figures->copies, (size_t)label.number, line, label.bytes));
	}
	return GS_OK;
}

/* The lines that figures are, to rank 0. */
static gs_status
send_lines(struct gs_ranks *ranks, struct gs_answer *figures)
{
	struct parcel parcel = { .data = NULL };
	gs_status status = ranks->rank > 0 ? put_lines(&parcel, figures) : GS_OK;

	status = send_parcel(ranks, status, &parcel, take_lines, figures);
	free(parcel.data);
	return status;
}

static gs_status
take_items(void *context, const char *data, uint64_t bytes)
{
	struct gs_item_top *top = context;
	struct label label;

	for (uint64_t at = 0; at < bytes; ) {
		const char *item = get_item(data, &at, &label);

		TRY(gs_item_top_add(top, label.number, label.times, item, label.bytes));
	}
	return GS_OK;
}

/* Their groups have numbers in the order of all: those of a rank follow those of the rank before it. */
gs_status
gs_ranked_top(struct gsort *job, gs_status status)
{
	struct gs_item_top *top = &job->items.top;
	struct parcel parcel = { .data = NULL };
	uint64_t before, groups;

	TRY(gs_ranks_agree(job->ranked->ranks, status));
	TRY(gs_ranks_scan(job->ranked->ranks, top->groups, &before, &groups));
	if (!gs_ranked_speaks(job->ranked)) {
		gs_top_end(&top->heap);		/* groups that are equally frequent go in their order */
		for (size_t g = 0; status == GS_OK && g < top->heap.count; g++) {
			const struct gs_group *group = &top->heap.groups[g];

			status = put_item(&parcel, before + group->value.key, group->times,
			                  &top->copies.slots[group->value.key_bits]);
		}
		top->heap.count = 0;
	}
	status = send_parcel(job->ranked->ranks, status, &parcel, take_items, top);
	free(parcel.data);
	return status;
}

gs_status
gs_ranked_join(struct gsort *job, struct gs_answer *figures)
{
	struct gs_ranks *ranks = job->ranked->ranks;

	TRY(gs_border_verify(ranks, &job->verify));
	if (job->options.top.wanted)
		TRY(send_top(ranks, figures));
	TRY(send_lines(ranks, figures));
	return add_numbers(ranks, figures);
}
