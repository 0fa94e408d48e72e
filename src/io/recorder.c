// SPDX-License-Identifier: BSD-2-Clause
/*
 * recorder.c - bytes of inputs that cannot be read twice, kept in memory
 *
 * In:   readers, one after the other.
 * Out:  their bytes; from memory as long as there are some, then from the reader.
 *
 * read(2) writes into the memory, and consumed bytes are copied from there while they are in the
 * cache.  Once the recorder does not keep any more, bytes go from the reader straight to the
 * caller, and the memory of consumed bytes goes back to the system.
 *
 * Invariant: the recordings lie in MEMORY in the order of their files, the current one last, and
 * end at KEPT_BYTES; while the recorder keeps, they hold all bytes that were ever read.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "io/files.h"

void
gs_recorder_open(struct gs_recorder *recorder, void *memory, size_t bytes)
{
	*recorder = (struct gs_recorder){
		.memory = bytes > 0 ? memory : NULL, .memory_bytes = bytes, .keeps = bytes > 0,
	};
}

void
gs_recorder_begin(struct gs_recorder *recorder, struct gs_recording *recording,
                  const struct gs_reader *source)
{
	recorder->source = *source;
	if (recorder->recording == recording)
		return;			/* somebody has looked at it */
	recorder->recording = recording;
	recorder->at = 0;
	if (recording->data != NULL)
		return;
	if (recorder->keeps && recorder->memory_bytes - recorder->kept_bytes < GS_LOOK_LEAST)
		recorder->full = true;
	if (recorder->full || recorder->rewound)
		recorder->keeps = false;
	recording->data = recorder->keeps ? recorder->memory + recorder->kept_bytes
	                                  : recorder->look;
}

/* Bytes that can be added to the current recording. */
static size_t
room(const struct gs_recorder *recorder)
{
	if (recorder->recording->data == recorder->look)
		return GS_LOOK_BYTES - recorder->recording->bytes;
	return recorder->keeps ? recorder->memory_bytes - recorder->kept_bytes : 0;
}

/* Read up to BYTES into the recording, for which there is room. */
static ssize_t
append(struct gs_recorder *recorder, size_t bytes)
{
	struct gs_recording *recording = recorder->recording;
	const ssize_t got = gs_read(&recorder->source, recording->data + recording->bytes, bytes);

	if (got > 0) {
		recording->bytes += (size_t)got;
		if (recording->data != recorder->look)
			recorder->kept_bytes += (size_t)got;
	}
	recording->ended = got == 0;
	return got;
}

int
gs_recorder_look(struct gs_recorder *recorder, size_t least, size_t most)
{
	const struct gs_recording *recording = recorder->recording;

	assert(least <= most);
	while (recording->bytes < least && !recording->ended && room(recorder) > 0) {
		const size_t want = most - recording->bytes;
		const ssize_t got = append(recorder, want < room(recorder) ? want : room(recorder));

		if (got < 0)
			return (int)got;
	}
	return 0;
}

ptrdiff_t
gs_recorder_read(struct gs_recorder *recorder, void *into, size_t bytes)
{
	struct gs_recording *recording = recorder->recording;
	size_t count;

	if (recorder->at == recording->bytes && !recording->ended) {
		const size_t most = recorder->keeps && !recorder->rewound ? room(recorder) : 0;
		const ssize_t got = most == 0 ? gs_read(&recorder->source, into, bytes)
		                    : append(recorder, bytes < most ? bytes : most);

		if (most == 0) {	/* the file goes on behind its recording */
			if (got > 0) {
				recorder->full |= recorder->keeps && !recorder->rewound;
				recorder->keeps = false;
				recording->consumed = true;
			}
			recording->ended = got == 0;
		}
		if (most == 0 || got <= 0)
			return got;
	}
	count = recording->bytes - recorder->at;
	count = count < bytes ? count : bytes;
	if (count > 0)
		memcpy(into, recording->data + recorder->at, count);
	(void)gs_recorder_skip(recorder, count);
	gs_recorder_release(recorder, recording, recorder->at - count, recorder->at);
	return (ptrdiff_t)count;
}

size_t
gs_recorder_skip(struct gs_recorder *recorder, size_t bytes)
{
	const size_t left = recorder->recording->bytes - recorder->at;
	const size_t count = bytes < left ? bytes : left;

	recorder->at += count;
	recorder->recording->consumed |= count > 0;
	return count;
}

void
gs_recorder_rewind(struct gs_recorder *recorder)
{
	recorder->recording = NULL;
	recorder->rewound = true;
}

void
gs_recorder_release(const struct gs_recorder *recorder, const struct gs_recording *recording,
                    size_t begin, size_t end)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t first = ((uintptr_t)recording->data + begin + page - 1) & ~(page - 1);
	const uintptr_t behind = ((uintptr_t)recording->data + end) & ~(page - 1);

	assert(begin <= end && end <= recording->bytes);
	if (!recorder->keeps && recording->data != recorder->look && first < behind)
		gs_arena_forget((void *)first, behind - first);
}
