// SPDX-License-Identifier: BSD-2-Clause
/*
 * network.cu - run the networks of kernels/ with wires in place of keys
 *
 * A wire is as long as a key, and holds its number.  A comparison notes the two numbers and says
 * that the first is smaller, so each comparator leaves its wires where they are: what is noted is
 * the network as it is compiled, with all moves between registers, shared memory and device
 * memory.
 */
#define gs_tile_sort network_tile_sort
#include "kernels/device/tile_sort.cu"

#include <algorithm>
#include <atomic>
#include <type_traits>
#include <vector>

#include "tests/emu/network.h"

static struct network_pair *noted;
static size_t room;
static std::atomic<size_t> count_noted;		/* the emulator runs blocks side by side */
static thread_local bool again;			/* a comparator of u32 compares twice */

template <unsigned BYTES, unsigned BITS> struct wire {
	typename std::conditional<BYTES == 4, uint32_t, uint64_t>::type id;

	wire() = default;
	explicit wire(uint64_t number) { id = number; }
	wire operator^(wire other) const { return wire(id ^ other.id); }
	wire operator~() const { return wire(~(uint64_t)id); }
	bool operator<(wire other) const
	{
		again = BYTES == 4 && !again;
		if (BYTES == 8 || again) {
			const size_t at = count_noted++;

			if (at < room)
				noted[at] = { (uint32_t)id, (uint32_t)other.id };
		}
		return true;
	}
};

template <unsigned BYTES, unsigned BITS> struct tune<wire<BYTES, BITS>> {
	enum { BLOCK_BITS = BITS, BLOCKS = 1, PASS_BLOCKS = 1 };
};

template <unsigned BYTES, unsigned BITS, bool TILES> static size_t
record(unsigned log_keys)
{
	typedef wire<BYTES, BITS> key;
	const size_t count = (size_t)1 << log_keys;
	std::vector<key> keys(count);
	std::vector<uint32_t> places(count);
	cudaError_t error;

	for (size_t i = 0; i < count; i++)
		keys[i] = key(i);
	if constexpr (TILES)
		error = tile_sort(keys.data(), count, NULL);
	else
		error = launch<false>(block_sort_kernel<key>, count >> BITS, block<key>::THREADS, NULL,
		                      keys.data(), count);
	if (error != cudaSuccess)
		return 0;
	for (size_t place = 0; place < count; place++)
		places[keys[place].id] = (uint32_t)place;
	for (size_t c = 0; c < std::min<size_t>(count_noted, room); c++)
		noted[c] = { places[noted[c].low], places[noted[c].high] };
	return count_noted;
}

extern "C" size_t
network_record(unsigned bytes, unsigned block_bits, unsigned log_keys, struct network_pair *met, size_t most)
{
	noted = met;
	room = most;
	count_noted = 0;
	switch (bytes << 8 | block_bits) {
	case 4 << 8 | 12: return record<4, 12, false>(log_keys);
	case 4 << 8 | 13: return record<4, 13, true>(log_keys);
	case 4 << 8 | 14: return record<4, 14, false>(log_keys);
	case 4 << 8 | 15: return record<4, 15, false>(log_keys);
	case 8 << 8 | 12: return record<8, 12, true>(log_keys);
	case 8 << 8 | 13: return record<8, 13, false>(log_keys);
	case 8 << 8 | 14: return record<8, 14, false>(log_keys);
	}
	return 0;
}
