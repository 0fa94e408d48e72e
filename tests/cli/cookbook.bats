# SPDX-License-Identifier: BSD-2-Clause
# doc/cookbook.md and README.md: what they print is what happens.

load ../helpers
load ../examples

# Blocks between "```console" and "```" as text, but what needs a program or a locale that is not there; each
# ends with the line "```".
blocks() {
	local without='no such line'
	command -v jq >/dev/null || without+='|\| gsort.* \| cut -f2-'
	locale -a | grep -qi '^de_DE.utf-\?8$' || without+='|--locale=de_DE'
	awk -v without="$without" '/^```console$/ { inside = 1; block = ""; next }
		inside { block = block $0 "\n" }
		inside && /^```$/ { inside = 0; if (block !~ without) printf "%s", block }' "$GSORT_SOURCE/doc/cookbook.md"
}

@test "each job of the cookbook prints what the cookbook shows" {
	needs gzip
	try_blocks '```' 4< <(blocks)
	[ $ran -ge 20 ]
	[ $failed -eq 0 ]
}

@test "what pipelines of sort become prints what they print" {
	needs gzip
	printf '%s\n' pear fig apple fig Fig apple fig pear kiwi >words
	printf '%s\n' 10 9 -3 9 007 '5 a' '' 12 >sizes
	printf '%s\n' 'c 3' 'a 10' 'b 3' 'a 9' >log
	printf '%s\n' x,2,30 y,1,4 z,2,5 >table
	printf '%s\n' 2K 1G 900 3M >human
	printf '%s\n' f-10 f-9 f-1.2 >names
	printf '%s\n' a b b c >one
	printf '%s\n' b c d >two
	printf 'name,qty,price\npear,3,1.20\napple,12,0.80\nfig,7,2.5\n' >t.csv
	gzip -k words
	grep '^| `' "$GSORT_SOURCE/doc/cookbook.md" | sed 's/\\|/\x01/g' >rows
	[ "$(wc -l <rows)" -ge 20 ]
	while IFS='|' read -r _ left right _; do
		for side in left right; do
			command=$(sed 's/^ *`//; s/` *$//; s/\x01/|/g' <<<"${!side}")
			cp words saved
			bash -c "$command" >$side 2>&1
			case $command in *' -o words '*) cat words >>$side ;; esac
			cp saved words
		done
		cmp left right || { echo "$left:$right"; return 1; }
		[ -s left ]
	done <rows
}

@test "the commands of README.md's first screen do what they say" {
	sed -n '/^```$/,/^```$/p;/^## /q' "$GSORT_SOURCE/README.md" | grep '^[^`#]' >commands
	[ "$(wc -l <commands)" -eq 7 ]
	seq 9 -1 1 >ids.txt
	printf 'b 5\na 5\nc 70\n' >hits.txt
	printf 'id,customer,price\n1,"Ann, B.",2.5\n2,Bo,10\n3,"Ann, B.",1\n' >orders.csv
	printf 'x\nb\na\n' >today.txt
	printf 'a\nx\n' >yesterday.txt
	gen --keys 1000 --type u32 >nums.bin
	bash -ec "$(cat commands)" >printed
	seq 9 | cmp - sorted.txt
	is_sorted sorted.bin u32
	cat >wanted <<-'END'
		c 70
		a 5
		b 5
		id,customer,price
		2,Bo,10
		1,"Ann, B.",2.5
		3,"Ann, B.",1
		0.5	2.5
		0.99	10
		count,customer
		2,"Ann, B."
		1,Bo
		b
	END
	diff wanted printed
}

@test "the Python of README.md runs as printed" {
	[ -e "$GSORT_BUILD/libgsort.so.0" ] || skip "there is no shared library: sanitizer, or --disable-shared"
	for python in python3 /usr/bin/python3 ''; do
		[ -n "$python" ] || skip "no python3 with numpy"
		! "$python" -c 'import numpy' 2>/dev/null || break
	done
	sed -n '/^```python$/,/^```$/p' "$GSORT_SOURCE/README.md" | grep -v '^```' >page.py
	[ "$(wc -l <page.py)" -gt 5 ]
	echo 'assert (numpy.diff(keys) >= 0).all() and (keys == numpy.load("sorted.npy")).all()' >>page.py
	sed -i 's/10\*\*7/10**5/' page.py	# smaller
	GSORT_LIBRARY=$GSORT_BUILD/libgsort.so.0 PYTHONPATH=$GSORT_SOURCE/python PYTHONDONTWRITEBYTECODE=1 \
		"$python" page.py
}
