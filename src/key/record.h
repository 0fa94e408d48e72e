// SPDX-License-Identifier: BSD-2-Clause
/*
 * record.h - the keys of a binary record, as words of ordered bits
 *
 * All keys of a record, one after the other, each as ordered bits in big endian, and complemented
 * if it descends, are bytes that memcmp(3) compares.  Word number L of a record is 8 of these bytes,
 * from 8 L on; behind the last key are zeros.
 */
#ifndef GS_RECORD_H
#define GS_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "gsort.h"

/* What a key, or some bytes of it, adds to a word. */
struct gs_record_field {
	uint32_t offset;	/* in the record */
	uint8_t  bytes;		/* 1 .. 8 */
	int8_t   shift;		/* to the left in the word; negative: to the right */
	uint8_t  type;		/* enum gsort_type; GSORT_TEXT: bytes, which compare as they are */
	bool     swaps;		/* its byte order is not this machine's */
	uint64_t flip;		/* its bits that are complemented */
};

struct gs_record {
	size_t   bytes;
	enum gsort_type type;	/* for messages: it is a key of this type alone; GSORT_TEXT: a record */
	enum gsort_endian endian;	/* of that key */
	struct gs_record_field *fields;
	uint32_t *first_field;	/* of each level, and the end: LEVELS + 1 */
	unsigned levels;	/* words */
};

/** Bytes of KEY in a record. */
size_t gs_key_bytes(const struct gsort_key *key);

/**
 * Describe records of BYTES that are compared by KEYS; without keys by all their bytes.
 *
 * @reverse  keys that do not descend by themselves, do
 * @return   GS_OK; GS_EUSAGE: a key is not in the record; GS_EBUDGET: no memory
 */
MUST_CHECK gs_status gs_record_open(struct gs_record *record, size_t bytes,
                                    const struct gsort_key *keys, size_t key_count,
                                    enum gsort_endian endian, bool reverse);

/** See struct gs_item_order; CONTEXT is the record. */
bool gs_record_words(const void *context, const char *const *items, const uint32_t *bytes,
                     size_t count, unsigned at, uint64_t *words);

/** Write a key as people type it, "u32@8", for messages; returns INTO. */
const char *gs_key_text(const struct gsort_key *key, char into[64]);

/** A zeroed struct is allowed. */
void gs_record_close(struct gs_record *record);

#endif
