# SPDX-License-Identifier: BSD-2-Clause
# What bootstrap prints where it may not install packages.

load ../helpers

# A machine with little more than a shell: PATH is the folder bare.
prepare() {
	mkdir bare
	for tool in bash sh dirname pwd sed nproc; do ln -s "$(command -v $tool)" bare/; done
	fake id 'echo 1000'
	fake apt-get 'echo "apt-get $*" >>calls'
}

# fake NAME SCRIPT
fake() {
	printf '#!/bin/sh\n%s\n' "$2" >"bare/$1"
	chmod +x "bare/$1"
}

bare() {
	run env PATH="$PWD/bare" "$GSORT_SOURCE/bootstrap" "$@" </dev/null
}

@test "without the right to install, bootstrap prints the exact command and stops" {
	bare demo
	[ "$status" -eq 1 ]
	[[ $output == *"    su -c 'apt-get update && "*"apt-get install -y "*" g++ "*" libzstd-dev "*"'" ]]
	[[ $output != *" bats "* ]]
	fake sudo 'exit 1'
	bare check
	[ "$status" -eq 1 ]
	[[ $output == *"    sudo sh -c 'apt-get update && "*" bats "*" libarchive-dev "*"'" ]]
	[ ! -e calls ]
}

@test "with passwordless sudo, bootstrap installs, and finds what is still missing" {
	fake sudo '[ "$1" != -n ] || exit 0; exec "$@"'
	bare
	[ "$status" -eq 1 ]
	[[ ${lines[-1]} == "bootstrap: still missing after the installation: autoconf "* ]]
	[ "$(head -n 1 calls)" = "apt-get update" ]
	tail -n 1 calls | grep -q '^apt-get install -y .* g++ .* zlib1g-dev$'
}

@test "a failing installation is said, with its command" {
	fake sudo '[ "$1" != -n ] || exit 0; exec "$@"'
	fake apt-get 'exit 100'
	bare
	[ "$status" -eq 1 ]
	[[ ${lines[-1]} == "bootstrap: the installation failed: sudo sh -c 'apt-get update && "* ]]
}

@test "without a known package manager, bootstrap prints what gsort needs" {
	rm bare/apt-get
	bare
	[ "$status" -eq 1 ]
	[[ $output == "bootstrap: please install (libraries with their headers): autoconf "*" zlib" ]]
}

@test "a path with a blank is refused before anything is installed" {
	mkdir 'a blank'
	cp "$GSORT_SOURCE/bootstrap" 'a blank'
	run env PATH="$PWD/bare" 'a blank/bootstrap'
	[ "$status" -eq 1 ]
	[[ $output == "bootstrap: make cannot build where a path has a blank in it: "* ]]
}

@test "an unknown command is an error that names the right ones" {
	for command in chek --without-cuda; do
		bare $command
		[ "$status" -eq 1 ]
		[[ $output == "bootstrap: '$command' is not a command: say demo, demo-mpi, check or nothing"* ]]
	done
}
