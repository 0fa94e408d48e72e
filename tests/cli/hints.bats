# SPDX-License-Identifier: BSD-2-Clause
# What messages advise: it works as they print it.

load ../helpers

# follow OPTIONS: sort the file "in" with these, and do what the message says until that works.
# The hints that were followed are in ../hints.
follow() {
	local options=$1 filter='cat in' hint step found

	for step in 1 2 3 4; do
		if bash -o pipefail -c "$filter | gsort $options" >out 2>err; then
			[ -s out ] || return
			[ $step -gt 1 ]		# there was something to follow
			return
		fi
		hint=$(sed -E '1!d; s/^.*"; |^[^;]*; /; /' err)
		echo "$hint" >>hints
		found=
		if [[ $hint =~ :\ ((tr|tail|jq)\ .*)$ ]]; then filter+=" | ${BASH_REMATCH[1]}" found=yes; fi
		if [[ $hint =~ gsort\ (-.*)$ ]]; then options=${BASH_REMATCH[1]} found=yes
		elif [[ $hint == *'of words --lines' ]] && ! grep -q '^[0-9]' in; then options+=" --lines" found=yes
		elif [[ $hint =~ needs?\ (-[^ ,;]+) ]]; then options+=" ${BASH_REMATCH[1]}" found=yes
		elif [[ $hint =~ such\ as\ (-[^ ]+)$ ]]; then options+=" ${BASH_REMATCH[1]}" found=yes
		elif [[ $hint =~ (--[a-z]+(=[a-z]+)?)\ (leaves|sorts) ]]; then options+=" ${BASH_REMATCH[1]}" found=yes
		elif [[ $hint == *'leave -z out' ]]; then options=${options/-z/} found=yes
		fi
		[ -n "$found" ] || { cat err; return 1; }
	done
	cat err
	return 1
}

@test "what is said of a line that is no number works as printed" {
	: >hints
	while IFS='~' read -r options lines; do
		printf -- "$lines" >in
		follow "$options" || { echo "$lines"; false; }
	done <<-'END'
	~id,customer,price\n1,"ACME, Inc.",10.5\n2,Bob,7\n
	~the id,price\n2,3\n
	~3,4\n1,2\n
	~abc,4.5\nb,1\n
	~"a,b",4\nc,3\n
	~a;b\n3;4\n
	~3|4\n2|1\n
	~x\t3\ny\t2\n
	~4\t./file.txt\n12\t./other.txt\n
	~x  3\ny  2\n
	~10.0.0.9 - - [10/Nov/2026:10:00:00] "GET /" 200\n10.0.0.10 - - [10/Nov/2026:09:00:00] "GET /" 404\n
	-k 4,4:time~10.0.0.9 - - [10/Nov/2026:10:00:00 +0100] "GET"\n9.0.0.1 - - [10/Nov/2026:09:00:00 +0100] "GET"\n
	-k 2,2:time~x [01/Feb/2025:10:00:00] a\ny [10/Jan/2025:09:00:00] b\n
	--type=ipv4~10.0.0.9 GET\n10.0.0.10 GET\n
	~0.5\n1.25\n
	~0x1F\n3\n
	~1f\n3\n
	~2026-11-22\n2026-01-02T10:00:00Z\n
	~10.0.0.1\n9.9.9.9\n
	~10.0.0.0/8\n9.0.0.0/8\n
	~2001:db8::1\n2001:db8::2\n
	~12:30\n9:15\n
	~123e4567-e89b-12d3-a456-426614174000\n023e4567-e89b-12d3-a456-426614174000\n
	~01:23:45:67:89:ab\n01:23:45:67:89:aa\n
	~2026-11\n2026-10\n
	~v1.10.2\nv1.9.0\n
	~1,000\n-1,000,000.50\n
	~1.000.000,50\n2.000.000,25\n
	~1.000.000\n
	~1_000\n2\n
	~1 000 000\n2\n
	~1'000\n2\n
	~"3"\n"1"\n
	~3,\n1,\n
	~- 3\n1\n
	~5%%\n1%%\n
	~$3.50\n$1\n
	~10K\n5M\n
	~5 MB\n10 KB\n
	~1\nN/A\n2\n
	~1\r2\n
	~2\r\r\n1\r\r\n
	--type=float~1,5\n2,5\n
	-z~1\n2\n
	~2\0001\000
	~\357\273\2772\n1\n
	~\001\002\003\004\000\002\003\004
	~1st\n2nd\n
	~score\n30\n4\n
	~pear\napple\n
	END
	seq -s, 10000 >in
	follow ""
	# every hint that has a command was followed
	grep -oE '"; ([^"\\]|\\.)*' "$GSORT_SOURCE/src/format/text/hint.c" | sed 's/^"//; s/[%\\].*//' | sort -u >all
	[ "$(wc -l <all)" -gt 35 ]
	while IFS= read -r hint; do
		case $hint in
		'; byte '* | '; dates are sorted as'* | '; gsort reads decimal'* | '; JSON?'*) continue ;;
		esac
		grep -qF -- "$hint" hints || { echo "not tried: $hint"; false; }
	done <all
}

@test "what is said of JSON works as printed" {
	needs jq
	: >hints
	for lines in '{"id":3,"price":2.5}\n{"id":1,"price":1.5}\n' '{"name":"x","price":2.5}\n{"name":"y","price":1}\n' \
	             '[3, 1, 2]\n'; do
		printf -- "$lines" >in
		follow "" || { echo "$lines"; false; }
	done
	grep -q 'jq \.id$' hints
	# of a key by name: its name stands for KEY
	printf '{"id":3,"price":2.5}\n{"id":1,"price":1.5}\n' >in
	fails "JSON? put the key of each line before it: jq -r '\[.KEY, tojson\] | @tsv'$" gsort --csv --header -k price:n in
	jq -r '[.price, tojson] | @tsv' in | gsort -t '\t' -k1,1g | cut -f2- | cmp - <(tac in)
	grep -q "jq '.\\[\\]'\$" hints
}

# What other programs call an option: the one that is named exists, and takes what is named with it.
@test "each option that is named for one of another program is accepted" {
	sed -n '/^} synonyms/,/^};/s/^\t{ "\(.*\)", "\(.*\)" },$/\1=\2/p' "$GSORT_SOURCE/src/cli/near.c" >all
	[ "$(wc -l <all)" -gt 50 ]
	gsort --help=all >help
	while IFS='=' read -r words meant; do
		for word in $words; do
			if [ ${#word} -eq 1 ]; then word=-$word; else word=--$word; fi
			[ "$word" != "-|" ] || continue
			! gsort "$word" </dev/null >out 2>err || continue	# an option after all, or the start of one
			grep -qE 'unrecognized option|invalid option' err || continue
			[[ $(head -n 1 err) =~ \'(--[a-z0-9=.-]+)\'\?$ ]] || { grep -q '; ' err || { cat err; false; }; continue; }
			option=${BASH_REMATCH[1]}
			grep -qE -- "(^|[ ,])${option%%=*}([= []|$)" help || { echo "$word: $option"; false; }
			case $option in
			--device=gpu | --type=npy | --to=json) ;;	# need a GPU, such a file, and figures
			*=*)	gsort "$option" </dev/null >out 2>err ||
					{ echo "$word: $option"; cat err; false; } ;;
			esac
		done
	done <all
}

@test "a file of NumPy is refused with a command that works" {
	printf '\223NUMPY\1\0v\0' >f.npy
	printf "%-117s\n" "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }" >>f.npy
	printf '\0\0\0\0\0\0\b@\0\0\0\0\0\0\360?' >>f.npy
	gsort f.npy >sorted.npy
	for options in --to=text --to=f32 --count; do
		not gsort f.npy $options >out 2>err
		command=$(sed -n 's/.*\(tail -c .*\)/\1/p' err)
		[ -n "$command" ] || { cat err; false; }
		bash -o pipefail -c "$command" >out
		[ -s out ]
	done
	cat f.npy | gsort --type=npy | cmp - sorted.npy
}

@test "-t takes a tab by its usual name" {
	printf 'a\t3\nb\t1\n' | gsort -t '\t' -k2,2n | cmp - <(printf 'b\t1\na\t3\n')
	fails 'the separator .* has more than one byte' gsort -t '\n' -k2 /dev/null
}
