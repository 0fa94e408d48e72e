# SPDX-License-Identifier: BSD-2-Clause
# Files of NumPy: their header would be sorted, too.

load ../helpers

# array DESCR COUNT [VERSION]: a header of 128 bytes, in the order of numpy.save()
array() {
	local length='\166\0'
	[ "${3-1}" -eq 1 ] || length='\164\0\0\0'
	printf "\\223NUMPY\\${3-1}\\0$length"
	printf "%-$((${3-1} == 1 ? 117 : 115))s\n" "{'descr': $1, 'fortran_order': False, 'shape': ($2,), }"
}

@test "an array is refused with the command that sorts it" {
	local type descr version command
	while read -r type descr version; do
		gen --keys 3000 --type ${type%be} >keys
		{ array "'$descr'" 3000 $version; cat keys; } >in.npy
		for options in "-$type" --record-size=8 ''; do
			for input in in.npy '- <in.npy'; do
				not bash -c "gsort $options $input >out 2>err"
				[ ! -s out ]
				grep -qE ": a NumPy array, not a file of (binary keys|numbers); sort it with --header=128 -$type, or by gsort.sort_file\(\) in Python" err ||
					{ cat err; false; }
			done
		done
		command=$(sed -nE 's/.*sort it with (.*), or by .*/\1/p' err)
		gsort $command in.npy >out
		head -c 128 in.npy | cmp - <(head -c 128 out)
		gsort -$type keys | cmp - <(tail -c +129 out)
		gsort $command in.npy in.npy | wc -c | grep -qx "$((2 * $(wc -c <in.npy) - 128))"
		gsort $command --summary in.npy | cmp - <(gsort -$type --summary keys)
		not gsort -u32 keys in.npy >out 2>err	# whichever of the inputs it is
		grep -q 'in.npy: a NumPy array' err
		not gsort -m -$type in.npy in.npy >out 2>err
		grep -q 'in.npy: a NumPy array' err
		not gsort -c -$type in.npy >out 2>err
		grep -q 'in.npy: a NumPy array' err
	done <<-'END'
		f64 <f8 1
		i32be >i4 1
		u8 |u1 1
		u64 <u8 2
		u16 <u2 3
	END
	{ array "[('a', '<i4'), ('b', '<f8')]" 1; printf '%012d' 1; } >s.npy
	fails 's.npy: a NumPy array, not a file of binary keys; sort it with --header=128 --record-size and -k TYPE@OFFSET, or by' \
		gsort --record-size=12 s.npy
	for options in '-f64' '--record-size=12 -k f64@4'; do	# a header that is not the array's
		for bytes in 64 127 136; do
			fails 's.npy: a NumPy array.* --header=128 ' gsort --header=$bytes $options s.npy
			fails '-: a NumPy array.* --header=128 ' gsort --header=$bytes $options - <s.npy
		done
		gzip -c s.npy >s.npy.gz
		fails 's.npy.gz: a NumPy array.* --header=128 ' gsort --header=64 $options s.npy.gz
		[ "$(gsort --force --header=64 -u8 s.npy | wc -c)" -eq 140 ]
	done
	{ array "'<f8'" 1; printf '%016d' 1; } >d.npy	# numbers that keys would cut
	for options in -f32 '--record-size=4 -k u32@0'; do
		fails 'd.npy: a NumPy array.* sort it with --header=128 -f64, or by' gsort --header=128 $options d.npy
	done
	[ "$(gsort --header=128 -u64 d.npy | wc -c) $(gsort --header=128 --record-size=16 -k f64@8 d.npy | wc -c)" = "144 144" ]
	[ "$(gsort --force --header=128 -f32 d.npy | wc -c)" -eq 144 ]
	{ array "'<M8[s]'" 1; printf '%08d' 1; } >t.npy
	fails 't.npy: a NumPy array.* sort it with --header=128 and the type of its keys, or by' gsort -i64 t.npy
	head -c 12 s.npy >cut
	fails 'cut: a NumPy array.* --header=128 and the type of its keys' gsort -u8 cut
	fails "option '--type=npy' is not known: gsort --header=128 -f64 FILE sorts an array of f64" gsort --type=npy s.npy
}

@test "raw keys may begin like an array" {
	{ array "'<i4'" 3; printf '%012d' 1; } >in.npy
	od -An -v -tu1 -w1 in.npy | tr -d ' ' | gsort --to=u8 >sorted
	for option in --type=raw --force; do
		gsort -u8 $option in.npy | cmp - sorted
		gsort -u8 $option <in.npy | cmp - sorted
		gsort --record-size=1 $option in.npy | cmp - sorted
	done
	gsort --record-size=4 <(printf '\223NUM') | cmp - <(printf '\223NUM')
}
