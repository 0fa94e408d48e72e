# SPDX-License-Identifier: BSD-2-Clause
# A part of make check-sanitizer for .ci/run: unit tables and jobs of each kind with AddressSanitizer,
# LeakSanitizer and UndefinedBehaviorSanitizer, in the folder asan of the build folder.

load ../helpers
load sanitized

setup_file() {
	file_folder
	build_for_ci asan address,undefined tests/fault/fault.so examples/smallest examples/collect examples/ranks \
		gsort-ranks
}

@test "address, undefined: the unit tables"   { clean asan unit/unit.bats 'all unit tables'; }
@test "address, undefined: runs on disk"      { clean asan cli/spill.bats 'one file|many passes|compressed|threads'; }
@test "address, undefined: text"              { clean asan cli/decode.bats; }
@test "address, undefined: compressed input"  { clean asan cli/sandbox.bats; }
@test "address, undefined: selecting"         { clean asan cli/select.bats 'binary|groups'; }
@test "address, undefined: from C"            { clean asan cli/library.bats; }
@test "address, undefined: several ranks"     { clean asan mpi/mpi.bats 'every type|more ranks than keys'; }
