# SPDX-License-Identifier: BSD-2-Clause
# Where the bytes go: whole, or not at all.

load helpers

prepare() {
	printf '3\n1\n2\n' >in
	printf '1\n2\n3\n' >sorted
}

@test "the output may be an input, named or not" {
	gsort -o in in
	cmp in sorted
	printf '3\n1\n2\n' >in
	gsort -o in <in
	cmp in sorted
	gen --keys 1000003 --type u64 >keys
	gsort -u64 keys >expected
	gsort -u64 -o keys keys
	cmp keys expected
}

@test "-o - is a file of that name" {
	gsort -o - in >out
	[ ! -s out ]
	cmp ./- sorted
}

@test "a replaced file keeps mode and owner, a new one has those of the umask" {
	echo old >f
	chmod 640 f
	gsort -o f in
	cmp f sorted
	[ "$(stat -c %a f)" = 640 ]
	umask 027
	gsort -o new in
	[ "$(stat -c %a new)" = 640 ]
}

@test "a symbolic link is followed, not replaced" {
	mkdir elsewhere
	echo old >elsewhere/f
	ln -s elsewhere/f link
	gsort -o link in
	[ -L link ]
	cmp elsewhere/f sorted
	[ ! -L elsewhere/f ]
}

@test "a file with several links stays one file" {
	echo old >f
	ln f other
	gsort -o f in
	cmp other sorted
	[ "$(stat -c %h f)" = 2 ]
}

@test "devices and pipes are written through" {
	gsort -o /dev/null in
	[ -c /dev/null ]
	mkfifo pipe
	cat pipe >out &
	gsort -o pipe in
	wait
	cmp out sorted
}

@test "a full disk is an error" {
	[ -c /dev/full ] || skip "no /dev/full"
	run bash -c 'gsort in >/dev/full'
	[ "$status" -eq 2 ]
	[[ $output == "gsort: "*"No space left on device" ]]
	fails "/dev/full.*No space left" gsort -o /dev/full in
	gen --keys 1000000 >keys
	fails "/dev/full.*No space left" gsort -u32 -o /dev/full keys
}

@test "an output that cannot be made is found before anything is read" {
	mkfifo never
	for bad in no/such/file . in/x; do
		run timeout 5 "$(command -v gsort)" -o $bad in
		[ "$status" -eq 2 ]
		[[ $output == "gsort: "*"$bad"* ]]
	done
}

@test "an input that is bad leaves the output as it was" {
	echo old >out
	printf '1\nbad\n' >wrong
	fails "wrong:2" gsort -o out wrong
	[ "$(cat out)" = old ]
	fails "wrong:2" gsort -o wrong wrong
	printf '1\nbad\n' | cmp - wrong
	fails "wrong:2" gsort -o new wrong
	[ ! -e new ]
}

@test "nothing else appears beside the output, whatever happens" {
	mkdir d
	gsort -o d/out in
	printf 'bad\n' >wrong
	fails "wrong:1" gsort -o d/out wrong
	[ "$(ls -A d)" = out ]
}

@test "kill -9 at any moment leaves the old file or the new one" {
	mkdir d
	gen --keys 3000000 --type u32 >d/keys
	gsort -u32 d/keys >expected
	cp d/keys before
	for delay in 0.01 0.02 0.03 0.04 0.06 0.08 0.1; do
		timeout -s KILL $delay "$(command -v gsort)" -u32 -o d/keys d/keys || true
		cmp -s d/keys before || cmp d/keys expected
		[ "$(ls -A d)" = keys ]
		cp before d/keys
	done
}

@test "a limit on file size is an error, and the old file stays" {
	gen --keys 1000000 --type u32 >keys
	echo old >out
	run bash -c 'trap "" XFSZ; ulimit -f 100; gsort -u32 -o out keys'
	[ "$status" -eq 2 ]
	[[ $output == "gsort: "*"File too large" ]]
	[ "$(cat out)" = old ]
}
