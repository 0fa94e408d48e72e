// SPDX-License-Identifier: BSD-2-Clause
/*
 * verify.c - does the output have the keys of the input, in order?
 *
 * In:   keys as ordered bits, or items, as they arrive and as they leave.
 * Out:  an error if the output has other keys or items than the input, or is out of order.
 *
 * On two cores of an AMD EPYC VM, 2^26 u32 from a file to /dev/null take 0.197 s with this check and
 * 0.182 s without (medians of 7, in turn).
 */
#include "output/verify.h"
#include "sort/checksum.h"

void
gs_verify_open(struct gs_verify *verify, const struct gsort_options *options,
               const struct gs_item_order *order, unsigned threads)
{
	*verify = (struct gs_verify){
		/* operands of a set of keys verify */
		.on = options->verify && (order != NULL || options->set == GSORT_NO_SET),
		.order = order,
		.order_alone = options->head || (order != NULL && options->tail.wanted),
		.any_order = options->operation == GSORT_MERGE && options->trust_order,
		.descending_classes = options->reverse,
		.threads = threads,
	};
}

/* ---- what arrives ------------------------------------------------------------------ */

void
gs_verify_in(struct gs_verify *verify, const struct gs_piece *piece)
{
	uint64_t sum = 0;

	if (!verify->on || verify->order_alone)
		return;
	if (verify->order == NULL) {
		atomic_fetch_add(&verify->keys_in, piece->count);
		sum = gs_checksum(1, piece->key_class, piece->key_bits, piece->keys, piece->count, false).sum;
	}
	for (size_t s = 0; verify->order != NULL && s < piece->count; s++)
		sum += gs_items_sum(verify->order, &piece->slices[s]);
	atomic_fetch_add(&verify->sum_in, sum);
}

static void
look(void *context, unsigned worker, const struct gs_piece *piece)
{
	struct gs_verify *verify = context;

	gs_taker_look(&verify->taker, worker, piece);
	gs_verify_in(verify, piece);
}

void
gs_verify_watch(struct gs_verify *verify, struct gs_taker *taker)
{
	if (!verify->on || verify->order_alone)
		return;
	verify->taker = *taker;
	taker->look = look;
	taker->look_context = verify;
}

void
gs_verify_in_counts(struct gs_verify *verify, const struct gs_count *count, uint64_t flip)
{
	for (size_t b = 0; verify->on && b < count->bin_count; b++) {
		verify->keys_in += count->bins[b];
		verify->sum_in += count->bins[b] * gs_checksum_of(count->key_class, b ^ flip);
	}
}

/* ---- what leaves ------------------------------------------------------------------- */

struct gs_span_digest
gs_span_digest(unsigned threads, const struct gs_span *span, bool ordered)
{
	const unsigned bits = span->key_bits;
	struct gs_span_digest digest = { .keys = span->count };
	struct gs_checksum found;

	if (span->count == 0)
		return digest;
	found = gs_checksum(threads, span->key_class, bits, span->keys, span->count, ordered);
	digest.sum = found.sum;
	digest.falls = found.falls;
	digest.first = gs_key_at(span->keys, bits, 0);
	digest.last = gs_key_at(span->keys, bits, span->count - 1);
	digest.first_class = digest.last_class = span->key_class;
	for (size_t at = 0; span->times != NULL && at < span->count; at++) {
		digest.keys += span->times[at] - 1;
		digest.sum += (span->times[at] - 1) *
		              gs_checksum_of(span->key_class, gs_key_at(span->keys, bits, at));
	}
	return digest;
}

void
gs_verify_digest(const struct gs_verify *verify, unsigned threads, const struct gs_span *span,
                 struct gs_span_digest *digest)
{
	*digest = verify->on ? gs_span_digest(threads, span, true) : (struct gs_span_digest){ .keys = 0 };
}

void
gs_verify_join(const struct gs_verify *verify, struct gs_span_digest *all,
               const struct gs_span_digest *next)
{
	if (next->keys == 0)
		return;
	if (all->keys == 0) {
		*all = *next;
		return;
	}
	all->falls |= next->falls || (all->last_class == next->first_class ? all->last > next->first :
	              (all->last_class < next->first_class) == verify->descending_classes);
	all->keys += next->keys;
	all->sum += next->sum;
	all->last = next->last;
	all->last_class = next->last_class;
}

void
gs_verify_out(struct gs_verify *verify, const struct gs_span *span)
{
	struct gs_span_digest digest;

	gs_verify_digest(verify, verify->threads, span, &digest);
	gs_verify_join(verify, &verify->out, &digest);
}

void
gs_verify_out_items(struct gs_verify *verify, const struct gs_item_digest *digest)
{
	verify->items = *digest;
	verify->out.falls |= digest->falls;
	verify->out.sum += digest->sum;
}

gs_status
gs_verify_end(const struct gs_verify *verify)
{
	const bool items = verify->order != NULL;
	const char *advice = items ? "please report this"
	                           : "please report this, and use --device=cpu meanwhile";

	if (verify->out.falls && !verify->any_order)
		return gs_fail(GS_EDEVICE, "the result is wrong: it is out of order; %s", advice);
	if (verify->order_alone)
		return GS_OK;
	if (verify->keys_in != verify->out.keys)
		return gs_fail(GS_EDEVICE, "the result is wrong: %llu key%s in, %llu out; %s",
		               (unsigned long long)verify->keys_in, verify->keys_in == 1 ? "" : "s",
		               (unsigned long long)verify->out.keys, advice);
	if (verify->sum_in != verify->out.sum)
		return gs_fail(GS_EDEVICE, "the result is wrong: the output has other %s than "
		               "the input; %s", items ? "items" : "keys", advice);
	return GS_OK;
}
