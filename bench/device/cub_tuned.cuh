// SPDX-License-Identifier: BSD-2-Clause
/* cub_tuned.cuh - CUB's radix sort with another one-pass kernel than it ships */
#ifndef GS_BENCH_CUB_TUNED_CUH
#define GS_BENCH_CUB_TUNED_CUH

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/dispatch/dispatch_radix_sort.cuh>

/* CUB's policy with another one-pass kernel in it. */
template <class Key, class Offset, int THREADS, int ITEMS, cub::RadixSortStoreAlgorithm STORE>
struct tuned_hub {
	typedef typename cub::detail::radix::policy_hub<Key, cub::NullType, Offset>::Policy900 shipped;

	struct Policy900 : cub::ChainedPolicy<900, Policy900, Policy900> {
		static constexpr bool ONESWEEP = true;
		static constexpr int ONESWEEP_RADIX_BITS = 8;
		typedef typename shipped::HistogramPolicy HistogramPolicy;
		typedef typename shipped::ExclusiveSumPolicy ExclusiveSumPolicy;
		typedef typename shipped::ScanPolicy ScanPolicy;
		typedef typename shipped::DownsweepPolicy DownsweepPolicy;
		typedef typename shipped::AltDownsweepPolicy AltDownsweepPolicy;
		typedef typename shipped::UpsweepPolicy UpsweepPolicy;
		typedef typename shipped::AltUpsweepPolicy AltUpsweepPolicy;
		typedef typename shipped::SingleTilePolicy SingleTilePolicy;
		typedef typename shipped::SegmentedPolicy SegmentedPolicy;
		typedef typename shipped::AltSegmentedPolicy AltSegmentedPolicy;
		/* 1 as the nominal size's base: ITEMS is taken as it is for 4 bytes, scaled for 8 */
		typedef cub::AgentRadixSortOnesweepPolicy<
			THREADS, ITEMS * (int)sizeof(Key) / 4, Key, 1,
			cub::RADIX_RANK_MATCH_EARLY_COUNTS_ANY, cub::BLOCK_SCAN_RAKING_MEMOIZE, STORE, 8>
			OnesweepPolicy;
	};
	typedef Policy900 MaxPolicy;
};

#endif
