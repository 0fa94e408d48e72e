# SPDX-License-Identifier: BSD-2-Clause
# What messages advise: it works as they print it.

load ../helpers

# Hints without a command, and why.
no_command=(
	'byte [0-9]+ is '			# whether to remove or replace the character only its author knows
	'write dates in the form 2026-11-22'	# whether the day or the month is first, too
)

# follow OPTIONS: sort the file "in" with these, and do what the message says until that works.
# The hints that were followed are in "hints".  Status 3: the options work; 4: nothing is said.
follow() {
	local options=$1 filter='cat in' hint='' step found reason

	for step in 1 2 3 4 5; do
		if bash -o pipefail -c "$filter | gsort $options" >out 2>err; then
			[[ -s out || $options == *=ignore* ]] || return 1
			[ $step -gt 1 ] || return 3
			return 0
		fi
		hint=$(sed -E '1!d; s/^.*"; |^[^;]*; /; /' err)
		[[ $hint == '; '* ]] || return 4
		echo "$hint" >>hints
		for reason in "${no_command[@]}"; do
			if [[ $hint =~ $reason ]]; then return 0; fi
		done
		found=yes
		if [[ $hint =~ :\ ((tr|tail|jq|sed)\ .*)$ ]]; then filter+=" | ${BASH_REMATCH[1]}"
		elif [[ $hint =~ gsort\ (-[^\(]*) ]]; then options=${BASH_REMATCH[1]}
		elif [[ $hint =~ (\?\ sort\ by|as\ text:)\ (-k.*)$ ]]; then
			options="$(sed -E 's/(^| )-k *[^ ]+//g; s/--type=[a-z0-9]+//' <<<"$options") ${BASH_REMATCH[2]}"
		elif [[ $hint =~ needs?\ (:?(ip|time|[ghMnV]))$ ]]; then
			options=$(sed -E "s/(-k *[^ :]*[^ :a-zA-Z])(:?[a-zA-Z]+)?( |$)/\1${BASH_REMATCH[1]}\3/
				s/(-k *[a-z]+)(:[a-z]+)/\1${BASH_REMATCH[1]}/" <<<"$options")
		elif [[ $hint == *'need no --type' ]]; then options=${options/--type=+([a-z0-9])/}
		elif [[ $hint == *'of words --lines' ]] && ! grep -q '^[0-9]' in; then options+=" --lines"
		elif [[ $hint =~ needs?\ (-[^ ,;]+) ]]; then options="${options/--type=+([a-z0-9])/} ${BASH_REMATCH[1]}"
		elif [[ $hint =~ such\ as\ (-[^ ]+)$ ]]; then options+=" ${BASH_REMATCH[1]}"
		elif [[ $hint =~ (--[a-z]+(=[a-z]+)?)\ (leaves|sorts) ]]; then options+=" ${BASH_REMATCH[1]}"
		elif [[ $hint == *'leave -z out' ]]; then options=${options/-z/}
		else found=
		fi
		[ -n "$found" ] || { cat err; return 1; }
	done
	echo "$options"
	cat err
	return 1
}

@test "what is advised for a line that is not a number works as printed" {
	shopt -s extglob
	: >hints
	while IFS='~' read -r options lines; do
		printf -- "$lines" >in
		follow "$options" || { echo "$options: $lines"; false; }
	done <<-'END'
	~id,customer,price\n1,"ACME, Inc.",10.5\n2,Bob,7\n
	~the id,price\n2,3\n
	~id\tprice\n2\t3\n
	~3,4\n1,2\n
	~abc,4.5\nb,1\n
	~"a,b",4\nc,3\n
	~a;b\n3;4\n
	~3|4\n2|1\n
	~x\t3\ny\t2\n
	~4\t./file.txt\n12\t./other.txt\n
	~x  3\ny  2\n
	~root:x:0:0:root:/root:/bin/bash\nbin:x:2:2:bin:/bin:/sbin/nologin\n
	~# Network services, Internet style\n#\ntcpmux 1/tcp\n
	~# gsort\n\n"x, y"\n
	~<a>1</a>\n<b c="x, y">\n
	~10.0.0.9 - - [10/Nov/2026:10:00:00] "GET /" 200\n10.0.0.10 - - [10/Nov/2026:09:00:00] "GET /" 404\n
	~2026-10-28 09:49:17,928 DEBUG x\n2026-10-28 09:49:17,900 INFO "y"\n
	-k 4,4:time~10.0.0.9 - - [10/Nov/2026:10:00:00 +0100] "GET"\n9.0.0.1 - - [10/Nov/2026:09:00:00 +0100] "GET"\n
	-k 2,2:time~x [01/Feb/2025:10:00:00] a\ny [10/Jan/2025:09:00:00] b\n
	--type=ipv4~10.0.0.9 GET\n10.0.0.10 GET\n
	--type=ipv4~fe80::10\n10.0.0.10\n
	--type=time~1700000000\n5\n
	~0.5\n1.25\n
	~0x1F\n3\n
	~1f\n3\n
	~2026-11-22\n2026-01-02T10:00:00Z\n
	~22.11.2026\n21.12.2025\n
	~1/2/2026\n21/12/2025\n
	~2026/11/22\n2025/12/01\n
	~Jan 3\nFeb  2\n
	~Nov 22, 2026\nDec 21, 2025\n
	~22 Nov 2026\n1 December 2025\n
	~Jan\nAugust\n
	~10.0.0.1\n9.9.9.9\n
	~10.0.0.0/8\n9.0.0.0/8\n
	~2001:db8::1\n2001:db8::2\n
	~12:30\n9:15\n
	~123e4567-e89b-12d3-a456-426614174000\n023e4567-e89b-12d3-a456-426614174000\n
	~01:23:45:67:89:ab\n01:23:45:67:89:aa\n
	~2026-11\n2026-10\n
	~v1.10.2\nv1.9.0\n
	~1,000\n-1,000,000.50\n
	~1.234,5\n7\n
	~1.000.000,50\n2.000.000,25\n
	~1.000.000\n
	~1_000\n2\n
	~1 000 000\n2\n
	~1'000\n2\n
	~"3"\n"1"\n
	~3,\n1,\n
	~- 3\n1\n
	~5%%\n1%%\n
	~$3.50\n$1,200\n
	~5 €\n7 €\n
	~10K\n5M\n
	~5 MB\n10 kb\n
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
	~1\302\2402\n
	END
	seq -s, 10000 >in
	follow ""
	cp hints lines
	fields
	# every hint was followed
	sed -n '/^} notations/,/^};/p' "$GSORT_SOURCE/src/text/hint.c" | grep -oE '"([^"\\]|\\.)*"' |
		grep -E '^"(--)?[A-Za-z]{2,}([ ,:?][^|]*)?"$' | sed 's/^"//; s/[@"\\].*//' >all
	grep -oE '"; ([^"\\]|\\.)*' "$GSORT_SOURCE/src/text/hint.c" | sed 's/^"//; s/[%\\].*//' | sort -u >>all
	[ "$(wc -l <all)" -gt 45 ]
	while IFS= read -r hint; do
		case $hint in '; JSON?'* | JSON?* | ip | time) continue ;; esac
		grep -qF -- "$hint" hints lines || { echo "not tried: $hint"; false; }
	done <all
}

# The same tokens and more as fields of a column, behind numbers: between commas with quotes, semicolons and blanks;
# by name and by position.
fields() {
	local token status options line

	while IFS= read -r token; do
		for options in '--csv --header -k v:n' '--csv -k2,2n' "-t ';' --header -k v:n" \
		               "-t ';' --csv -k2,2h" '--header -k v:n' '--csv --header -k v:time' '--csv -k2,2:ip'; do
			line=$token
			case $options in
			*';'*)		case $token in *';'*) continue ;; esac ;;
			*--csv*)	case $token in *,*) line="\"$token\"" ;; esac ;;
			*)		case $token in *[' "']*) continue ;; esac ;;
			esac
			case $options in
			*--header*)	printf 'w,v\n' ;;
			*)		: ;;
			esac >in
			printf 'b,%s\n' "$line" >>in
			case $options in
			*';'*)		sed -i 's/,/;/' in ;;
			*--csv*)	;;
			*)		sed -i 's/,/ /' in ;;
			esac
			status=0
			follow "$options" || status=$?
			# no key reads a word
			case $status,$token,$options in
			0,* | 3,* | 4,score,*) ;;
			*)	echo "$options: $token"; cat err; return 1 ;;
			esac
		done
	done <<-'END'
	+3
	0x1F
	1e3
	nan
	2026-11-22
	2026-11-22T10:00:00Z
	2026/11/22
	2026-11
	22.11.2026
	22/11/2026
	1/2/2026
	Nov
	1700000000
	10.0.0.1
	10.0.0.0/8
	fe80::10
	123e4567-e89b-12d3-a456-426614174000
	01:23:45:67:89:ab
	12:30
	v1.10.2
	1.2.3
	1,234
	-1,234,567.5
	1,5
	1.234,5
	-1.000.234,5
	1_000
	1'000
	1 234
	12.5%
	12.5 %
	$99
	-$1,234.50
	5 €
	£7
	10K
	5 MB
	5MiB
	N/A
	-
	 -
	- 3
	"3"
	−3
	score
	END
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

@test "a column whose name differs in capitals or blanks is named as it is" {
	for header in Price 'id, price' ' PRICE ,id' '"Price",id' 'id,"PRICE "'; do
		printf '%s\n3,2\n1,4\n' "$header" >in
		fails "did you mean '.*'\?$" gsort --csv --header -k 'price:n' in
		gsort --csv --header -k "$(sed "s/.*did you mean '//; s/'?$//" fails-err):n" in >out
		[ "$(wc -l <out)" -eq 3 ]
	done
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
			--device=gpu | --to=json) ;;	# need a GPU, and figures
			*=*)	gsort "$option" </dev/null >out 2>err ||
					{ echo "$word: $option"; cat err; false; } ;;
			esac
		done
	done <all
}

@test "-t takes a tab by its usual name" {
	printf 'a\t3\nb\t1\n' | gsort -t '\t' -k2,2n | cmp - <(printf 'b\t1\na\t3\n')
	fails 'the separator .* has more than one byte' gsort -t '\n' -k2 /dev/null
}
