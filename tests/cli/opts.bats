# SPDX-License-Identifier: BSD-2-Clause
# What the command line means, and what it refuses.

load ../helpers

prepare() {
	printf '2\n10\n2\n' >text
}

# gives EXPECTED COMMAND...: this output, status 0
gives() {
	local expected=$1 out
	shift
	out=$("$@" 2>err | od -An -v -tx1 | tr -d ' \n') || return 1
	expected=$(printf "$expected" | od -An -v -tx1 | tr -d ' \n')
	[ "$out" = "$expected" ] || { echo "$*: $out, not $expected"; cat err; return 1; }
}

# --- key types in clusters ------------------------------------------------------

@test "a size of 0, of an empty file, is one" {
	: >in
	gsort --plan=0 | grep -q '^needs '
	gsort --progress=0 in
	gsort --plan="$(stat -c %s in)" --progress=0 >plan
}

@test "-un and -nu are unique and numeric" {
	gives '2\n10\n' gsort -un text
	gives '2\n10\n' gsort -nu text
}

@test "-ur and -ru are unique and reverse" {
	gives '10\n2\n' gsort -ur text
	gives '10\n2\n' gsort -ru text
}

@test "-ru64 is reverse and 64-bit keys" {
	printf '\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0' >keys
	gives '\2\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0' gsort -ru64 keys
	gives '\2\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0' gsort -u64r keys
}

@test "-uu32 is unique and 32-bit keys" {
	printf '\2\0\0\0\1\0\0\0\2\0\0\0' >keys
	gives '\1\0\0\0\2\0\0\0' gsort -uu32 keys
	gives '\1\0\0\0\2\0\0\0' gsort -u32u keys
	gives '\2\0\0\0\1\0\0\0' gsort -ru32u keys
}

@test "a width that does not exist names the ones that do" {
	fails "'-u256'.*-u8, -u16, -u32, -u64, -u128" gsort -u256 text
	fails "'-i7'.*-i8, -i16, -i32, -i64" gsort -i7 text
	fails "'-f8'.*-f16, -f32, -f64" gsort -f8 text
	fails "'-u320'.*-u8" gsort -u320 text
	fails "'-u08'.*-u8" gsort -u08 text
	fails "'-nru31r'" gsort -nru31r text
}

@test "-u 32 is a file 32, and without such a file -u32 is suggested" {
	fails "32.*No such file.*did you mean -u32?" gsort -u 32 text
	fails "64.*did you mean -f64?" gsort -f 64
	fails "32.*did you mean -f32?" gsort -f 32
	fails "16.*did you mean -u16?" gsort -f 16
	printf '5\n' >32
	gives '5\n' gsort -u 32
}

@test "a type after -o, attached or not, is a file name" {
	gives '' gsort -o-u32 text
	[ "$(cat ./-u32)" = "$(printf '2\n2\n10')" ]
	rm ./-u32
	gives '' gsort -uo -u32 text
	[ "$(cat ./-u32)" = "$(printf '2\n10')" ]
	gives '' gsort --out -i8 text
	[ "$(cat ./-i8)" = "$(printf '2\n2\n10')" ]
}

@test "-uo out is unique and an output" {
	gives '' gsort -uo out text
	[ "$(cat out)" = "$(printf '2\n10')" ]
	gives '' gsort -nruoout2 text
	[ "$(cat out2)" = "$(printf '10\n2')" ]
}

@test "after -- words are operands" {
	cp text ./-u32
	gives '2\n2\n10\n' gsort -- -u32
	fails "No such file" gsort -- -r
}

@test "options may follow operands, unless POSIXLY_CORRECT is set" {
	gives '10\n2\n2\n' gsort text -r
	export POSIXLY_CORRECT=1
	gives '2\n2\n10\n' gsort -n text
	fails "-r.*No such file" gsort text -r
	fails "-u32.*No such file" gsort text -u32
	gives '10\n2\n2\n' gsort -r text
}

@test "--type names all types" {
	for type in u8 i8 u16 i16 u32 i32 u64 i64 f32 f64; do
		gen --keys 100 --type $type >keys
		gsort --type=$type keys >long
		gsort -$type keys | cmp - long
		gsort --type $type keys | cmp - long
	done
	gives '2\n2\n10\n' gsort --type=text text
	fails "'u33' for --type.*u8, u16" gsort --type=u33 text
}

# --- options that do not go together ----------------------------------------------

@test "-n and a binary type are incompatible, in any order" {
	fails "options '-n' and '-u32' are incompatible" gsort -n -u32 text
	fails "options '-n' and '-u64' are incompatible" gsort -ru64n text
	fails "options '-n' and '-f32' are incompatible" gsort --type=f32 --numeric-sort text
	gives '2\n2\n10\n' gsort -n --type=text text
}

@test "two key types are incompatible, the same twice is fine" {
	fails "options '-u32' and '-i32' are incompatible" gsort -u32 -i32 text
	fails "options '--type=text' and '-u8' are incompatible" gsort --type=text -u8 text
	gen --keys 4 >keys
	gsort -u32 -u32 --type=u32 keys >out
	fails "options '--type=text' and '--type=hex' are incompatible" gsort --type=text --type=hex text
	fails "options '--to=hex' and '--to=text' are incompatible" gsort -u32 --to=hex --to=text keys
	gsort --type=hex --type=hex text >out
}

@test "two outputs are an error, the same twice is fine" {
	fails "multiple output files" gsort -o a -o b text
	[ ! -e a ]
	[ ! -e b ]
	gives '' gsort -o a --output=a text
}

@test "two devices, formats or amounts of memory are an error" {
	fails "incompatible" gsort --device=cpu --device=auto text
	fails "incompatible" gsort --decompress=gzip --decompress=xz text
	fails "two different limits of GPU memory" gsort -Sgpu:1G -Sgpu:2G text
	gives '2\n2\n10\n' gsort --device=cpu --device=cpu -Sgpu:1G -Sgpu:1024M text
}

@test "of two --parallel the last counts, as in sort" {
	gives '2\n2\n10\n' gsort --parallel=1 --parallel=2 text
}

@test "what excludes what, in the words of sort" {
	for pair in '-c -C' '-c -o' '-C -o' '-g -u32' '-g --type=text' '-c --count' \
	            '-c --unique=repeated' '-c --unique=singletons' '-c --head' '-c --verify' \
	            '-c --device=gpu' '-c --keep-order' '-m --device=gpu' '--unique=repeated --unique=singletons' '-z -u32' \
	            '--invalid -i8' '--header --to=u8' '--check=summary -C' \
	            '-c --to=u8'; do
		read -r one other <<<"$pair"
		typed=()
		for option in $one $other; do
			case $option in
			-o)           typed+=(-o out) ;;
			--head) typed+=(--head=3) ;;
			--invalid)    typed+=(--invalid=warn) ;;
			*)            typed+=("$option") ;;
			esac
		done
		fails "options '$one' and '$other' are incompatible$" gsort "${typed[@]}" text
	done
	fails "options '-gn' are incompatible$" gsort -g -n text
	fails "options '--header' and '--to=text' are" gsort -u8 --header=1 --to=text text
	[ ! -e out ]
}

@test "an option that needs another one names it" {
	fails "option '--in-place' needs '-o'" gsort --in-place text
	fails "option '--split' needs '-o'" gsort --split=2 text
}

@test "two different values are an error, except where sort has a rule" {
	for pair in '--invalid=warn --invalid=fail' '--to=u8 --to=i8' '--header=1 --header=2' \
	            '--head=1 --head=2' '--sample=1 --sample=2' '--sample=1:2 --sample=1:3' \
	            '--decompress=xz --decompress=lz4' '--verbose=json --verbose=json:stats'; do
		fails "options '${pair% *}' and '${pair#* }' are incompatible" gsort $pair text
		fails "" gsort $pair text
	done
	fails "multiple compress programs" gsort --compress-program=a --compress-program=b text
	gives '2\n2\n10\n' gsort --invalid=warn --invalid=warn --progress=1K --progress=1024b --sample=3:1 --sample=3:1 text
	gives '2\n2\n10\n' gsort -S 1b -S 100M -S 1 -T . -T . --batch-size=2 --batch-size=3 text
	gives '2\n2\n10\n' gsort --progress --progress=never text
}

@test "-mc checks, as in sort" {
	gives '' gsort -mc /dev/null
	run gsort -mc text
	[ "$status" -eq 1 ]
}

# --- values -----------------------------------------------------------------------

@test "sizes are as in sort, and KiB MiB GiB TiB" {
	for size in 100000 1000000000b 512K 512k 1M 1m 3G 3g 1T 1t 1P 1E 1KiB 1MiB 1GiB 1TiB 1% 100%; do
		gives '2\n2\n10\n' gsort -Sgpu:$size text
	done
}

@test "what is not a size is refused" {
	for size in '' x 1.5G 1p 1e 1KB 1kib 1PiB 1GG -1 ' 1' 1b1 b % 1%%; do
		fails "\(invalid\|suffix in\) -S argument 'gpu:$size': must be " \
			gsort -Sgpu:"$size" text
	done
	for size in 1Z 1Y 1R 1Q 99999999999999999999 16E; do	# more than there is: no limit
		gives '2\n2\n10\n' gsort -Sgpu:$size text
	done
	fails "too small" gsort -Sgpu:0 text
	fails "between 1% and 100%" gsort -Sgpu:0% text
	fails "between 1% and 100%" gsort -Sgpu:101% text
}

@test "-S takes what sort takes" {
	for size in 0 1 0% 1% 200% 1T 9999999999P 512b 1G 1g 1Z 1Q 16E 99999999999999999999; do
		gives '2\n2\n10\n' gsort -S $size -S 64M text
	done
	for options in "-S +64M" "-S ' 5K'" "--parallel=' +2'" "--batch-size=+16" "-k ' 1'" "-k +1,+1" "-k 1.' 1',1"; do
		eval "gsort --lines $options text" | cmp - <(eval "LC_ALL=C sort $options text")
	done
	run gsort --check=s text	# silent: sort has no summary
	[ "$status$output" = 1 ]
	gsort -S 32M -S 1G -S 64M --plan=1T | grep '^memory  *1.0 GiB in all'	# the largest
	gsort -S 1 --plan </dev/null | grep '^memory  *16.0 MiB in all'
	fails "invalid suffix in -S argument '1KB'" gsort -S1KB text
	fails "invalid suffix in --buffer-size argument '1.5G'" gsort --buffer-size=1.5G text
	fails "invalid -S argument '': must be a size" gsort -S '' text
}

@test "--batch-size is at least 2, and at most what may be open" {
	for n in 0 1 x ''; do
		fails "invalid --batch-size argument '$n'" gsort --batch-size=$n text
	done
	run bash -c 'ulimit -n 50; gsort --batch-size=48 text'
	[ "$status" -eq 2 ]
	[[ $output == *"'48' is too large: the maximum with the current limit on open files is 47" ]]
	run bash -c 'ulimit -n 50; gsort --batch-size=47 text'
	[ "$status" -eq 0 ]
}

@test "counts take the suffixes of sizes" {
	seq 3000 >in
	[ "$(gsort --head=1K in | tail -n 1)" = 1024 ]
	[ "$(gsort --head=2k in | wc -l)" = 2048 ]
	[ "$(gsort --head=99999999999999999999 in | wc -l)" = 3000 ]
	[ "$(gsort --header=1K -r in | sed -n '1024p;1025p' | tr '\n' ' ')" = "1024 3000 " ]
	(ulimit -n 2000; gives '2\n2\n10\n' gsort --batch-size=1K text)
}

@test "types have the names of C and numpy, too" {
	gen --seed 3 --keys 100 --type u32 >in
	for name in uint32 uint32_t u4 '<u4' '=u4' UINT32 U32 'unsigned int'; do
		gsort --type="$name" in | cmp - <(gsort -u32 in)
	done
	gsort --type='>i2' in | cmp - <(gsort -i16be in)
	gsort --type='<u8' in | cmp - <(gsort -u64 in)	# numpy counts bytes
	gsort --type=single in | cmp - <(gsort -f32 in)
	gsort --type=double in | cmp - <(gsort -f64 in)
	seq 30 | gsort --type=int -r | cmp - <(seq 30 -1 1)		# text: C's int has no size
	printf '2.50\n.5\n' | gsort --type=float | cmp - <(printf '0.5\n2.5\n')
	printf '1f\na\n' | gsort --type=HEX | cmp - <(printf 'a\n1f\n')
	gsort -u32 --to=double in | cmp - <(gsort -u32 --to=f64 in)
	gsort --type='>u4' --to=u32be in | cmp - <(gsort -u32be in)
	fails "in another byte order" gsort --to=u32le --type='>u4' in
	for options in "-u32 --argsort=u32be" "--to=u64be -u32" "--record-size=8 -k u32@0 --argsort=u32be"; do
		fails "u32.* is little-endian input, but the output would be big-endian: add 'be' to both types or to neither" gsort $options in
	done
	numbers() { od -An -v -tu"$1" -w"$1" "${@:2}"; }
	gsort -u32be --argsort=u32 in | cmp - <(gsort -u32be --argsort=u32be in)
	gsort -u8 --to=u16be in | numbers 2 --endian=big | cmp - <(gsort -u8 --to=u16 in | numbers 2)
	for name in uint33 '<u3' '<' '<text' u5 ''; do
		fails "invalid argument '$name' for --type" gsort --type="$name" in
	done
}

@test "numbers are whole, and words may be cut short" {
	for option in --head=x --head=1KB --head=-1 --head= --header=0 --header=x \
	              --header= --sample=x --sample=1:x; do
		fails "invalid ${option%%=*} argument '${option#*=}'" gsort -u8 "$option" text
	done
	for option in --check=x --invalid=x --unique=x --verbose=xml --version=x --progress=x --progress=a \
	              --plan=1% --sort=x --to=x; do
		fails "invalid argument '${option#*=}' for ${option%%=*}: must be " gsort "$option" text
	done
	gives '2\n2\n10\n' gsort --invalid=ab --sort=num --progress=nev text
	gives '.5\n2.0\n' gsort --sort=general-numeric <(printf '2.0\n.5\n')
	gives '2\n' gsort --head=1 --head=1 text
	gives '' gsort --head=0 text
	gives '10\n2\n2\n' gsort --sort=month text
	gives '2\n2\n10\n' gsort --sort=version text
	gives '2\n2\n10\n' gsort --sort=human-numeric text
	fails "--sort=random is not supported; use shuf(1)" gsort --sort=random text
}

@test "--parallel takes 1 and more, and cuts a huge number down" {
	gives '2\n2\n10\n' gsort --parallel=1 text
	gives '2\n2\n10\n' gsort --parallel=99999999999999999999999 text
	for n in 0 -1 x 1x ''; do
		fails "invalid --parallel argument '$n'" gsort --parallel="$n" text
	done
}

@test "--device takes auto, cpu, gpu and gpu:N; a list is for ranks" {
	gives '2\n2\n10\n' gsort --device=auto text
	gives '2\n2\n10\n' gsort --device=cpu text
	for device in '' CPU gpu: gpu:x gpu:-1 gpu1 gpu:99999999999 cpu:0 gpu:0, gpu:0,0 gpu:,1 gpu:all,1 \
		gpu:0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16; do
		fails "invalid argument '$device' for --device" gsort --device="$device" text
	done
	for device in gpu:0,1 gpu:all; do
		fails "one process sorts on one GPU; 'mpirun -n N gsort-mpi' has one for each of N ranks" \
			gsort --device=$device text
		GSORT_DEVICE=$device fails "one process sorts on one GPU" gsort text
	done
}

@test "--decompress takes its words" {
	gives '2\n2\n10\n' gsort --decompress=auto text
	gives '2\n2\n10\n' gsort --decompress=none text
	fails "'zip' for --decompress.*gzip" gsort --decompress=zip text
}

@test "GSORT_DEVICE is the device if none is given, and a bad one is ignored" {
	export GSORT_DEVICE=tpu
	gives '2\n2\n10\n' gsort text
	grep -q '^gsort: warning: GSORT_DEVICE' err
	gives '2\n2\n10\n' gsort -q text
	[ ! -s err ]
	gives '2\n2\n10\n' gsort --device=cpu text
	[ ! -s err ]
	GSORT_DEVICE=gpu:77 fails "" gsort text
	GSORT_DEVICE=gpu:77 gives '2\n2\n10\n' gsort --device=cpu text
}

# --- what is refused ---------------------------------------------------------------

@test "random orders are refused, with the reason" {
	fails "-R (random order) is not supported; use shuf(1)$" gsort -R text
	fails "--random-sort (random order) is not supported" gsort --random-sort text
	fails "--random-source (random order) is not supported" gsort --random-source=x text
}

@test "it is refused before any input is read" {
	mkfifo never		# opening it would block
	run timeout 60 "$(command -v gsort)" -R never
	[ "$status" -eq 2 ]
	run timeout 60 "$(command -v gsort)" never -u32 -n
	[ "$status" -eq 2 ]
}

@test "the letters without effect are accepted" {
	gives '2\n2\n10\n' gsort -b -s text
	gives '2\n2\n10\n' gsort -n -f text
	gives '10\n2\n' gsort -bsfnru text
	gives '2\n2\n10\n' gsort --ignore-leading-blanks --stable --numeric-sort --ignore-case text
}

@test "unknown options name --help, and perhaps what was meant" {
	fails "invalid option -- 'X'" gsort -X text
	grep -q "^Try 'gsort --help'" fails-err
	fails "unrecognized option '--frobnicate'" gsort --frobnicate text
	grep -q "^Try 'gsort --help'" fails-err
	fails "'--revrese'; did you mean '--reverse'" gsort --revrese text
	fails "'--ouput=x'; did you mean '--output'" gsort --ouput=x text
	fails "'--reverse' doesn't allow an argument" gsort --reverse=yes text
	fails "'--output' requires an argument" gsort --output
	fails "requires an argument -- 'o'" gsort text -o
	fails "ambiguous; possibilities: .--decompress. .--device. .--debug." gsort --de text
}

@test "the abbreviations that people type stay unambiguous" {
	gives '2\n10\n' gsort --uniq text
	gives '10\n2\n2\n' gsort --rev text
	gives '2\n2\n10\n' gsort --num --par=1 --stab text
	gives '' gsort --out=o text
	gives '2\n2\n10\n' gsort --deb text
	gives '2\n2\n10\n' gsort --temp=. --buf=1G --batch=2 --comp=zstd text
	printf 'text' >names
	gives '2\n2\n10\n' gsort --files0=names
	printf '2\0' >zeros
	gives '2\0' gsort --zero zeros
	not gsort --chec text 2>err
	grep -q 'text:3: disorder: 2$' err
}

@test "locales have no influence" {
	local locale
	printf '%s\n' 1.5 -2e3 .25 >floats
	echo 1,5 >commas
	for locale in C.UTF-8 en_US.UTF-8 de_DE.UTF-8 tr_TR.UTF-8 nowhere; do	# there or not: nothing asks for them
		export LC_ALL=$locale LANG=$locale
		gives '2\n2\n10\n' gsort text
		gives '\0552000\n0.25\n1.5\n' gsort --type=float floats
		gives '\0552e3\n.25\n1.5\n' gsort -g floats
		fails 'commas:1: not a number: "1,5"' gsort --type=float commas
	done
	not grep -rqw setlocale "$GSORT_SOURCE/src"	# without that call there is none but C
}

# --- what is said --------------------------------------------------------------------

@test "a check reports its result by status, message and figures" {
	printf '1\n3\n3\n2\n' >four
	gives '' gsort -c /dev/null
	run gsort -c four
	[ "$status" -eq 1 ]
	[ "$output" = "gsort: four:4: disorder: 2" ]
	for quiet in -C --check=quiet --check=silent; do
		run gsort $quiet four
		[ "$status" -eq 1 ]
		[ -z "$output" ]
	done
	run gsort --check=summary four
	[ "$status" -eq 1 ]
	[ "$output" = "$(printf 'records\t4\nbreaks\t1\nduplicates\t1')" ]
	gives 'records\t2\nbreaks\t0\nduplicates\t0\n' gsort --check=summary <(seq 2)
}

@test "--verbose=json is one object on the last line, whatever else is said" {
	needs jq
	gsort -v -u --verbose=json text >out 2>err
	tail -n 1 err | jq -e '.records == 3 and .records_out == 2 and .bytes_in == 7 and
		.bytes_out == 5 and .type == "text" and .status == 0 and .peak_rss > 100000 and
		.verified == false and (.device | startswith("cpu")) and .read_ms > 0 and .write_ms > 0 and
		.total_ms >= .read_ms + .sort_ms + .write_ms' >answer
	[ "$(wc -l <err)" = 2 ]
	gsort -q --verbose=json --verify -g text >out 2>err
	jq -e '.verified and .type == "text-float"' err >answer
	gsort --verbose=json -C text 2>err || [ $? = 1 ]
	jq -e '.status == 1' err >answer
	echo x | not gsort --verbose=json 2>err
	tail -n 1 err | jq -e '.status == 2' >answer
	not gsort --verbose=json missing 2>err
	tail -n 1 err | jq -e '.status == 2 and .records == 0' >answer
	[ -z "$(command -v strace)" ] || {	# in one write, so that no message of another program gets in between
		strace -o calls -e trace=write gsort --verbose=json text >out 2>err
		[ "$(grep -c '^write(2' calls)" = 1 ]
	}
}

@test "--verbose=json and -v report the processor time of all threads" {
	needs jq
	# some 100 ms of work, so that clocks of 4 ms can see it
	seq 2000000 -1 1 >many
	measure took gsort -v --verbose=json --parallel=2 many -o out 2>err
	read -r seconds _ processor <took
	tail -n 1 err >json
	jq -e ".user_ms + .system_ms > 10 and .user_ms >= 0 and .system_ms >= 0 and
		.user_ms + .system_ms <= $processor * 1000 + 1 and
		$processor <= 4 * $seconds" json >answer || { cat took err; false; }
	grep -qE '; processor time [0-9]+\.[0-9]{3} s; device cpu' err
	# a second job that does next to nothing takes far less
	gsort --verbose=json <<<1 2>small
	jq -es '.[0] as $large | .[1] as $small |
		$small.user_ms + $small.system_ms < $large.user_ms + $large.system_ms' json small >answer
}

# stages CONDITION: of the stages of the job whose object is in err, in ms; $all is the time of
# all threads
stages() {
	jq -e "(.threads * .total_ms) as \$all | .total_ms as \$total | .stages_ms | $1" err >answer ||
		{ cat err; return 1; }
}

@test "--verbose=json and -vv print where the time goes" {
	needs jq
	gen --keys 12500000 >in
	gsort -u32 --device=cpu -vv --verbose=json in >sorted 2>all
	grep -E '^gsort: [0-9]+ threads: ([a-z]+ [0-9.]+,? )*s$' all
	tail -n 1 all >err
	stages 'keys == ["d2h", "decode", "encode", "h2d", "idle", "merge", "read", "sort", "spill",
		"write"]'
	stages '.read > 0 and .sort > 0 and .write > 0 and .merge + .spill + .h2d + .d2h == 0'
	stages '.sort > .decode + .encode and add > .9 * $all and add < 1.1 * $all'
	# text has a thread more that reads
	gsort -u32 --to=text --device=cpu sorted >in
	gsort --device=cpu --verbose=json in 2>err >out
	stages '.read > 0 and .decode > 0 and .sort > 0 and .encode > 0 and .write > 0'
	stages '.merge + .spill == 0 and add > .9 * $all and add < 1.1 * ($all + $total)'
	gsort -S 16M --device=cpu --verbose=json in 2>err >out
	stages '.sort > 0 and .merge > 0 and .spill > 0 and add > .9 * $all'
	gsort -m --verbose=json in in 2>err >out
	stages '.read > 0 and .decode > 0 and .merge > 0 and .write > 0 and .spill == 0'
	gsort -c --verbose=json in 2>err
	stages '.read > 0 and .decode > 0 and .merge + .spill + .encode + .write == 0'
	gsort -c -u32 --verbose=json sorted 2>err
	stages '.read > 0 and .sort > 0 and .merge + .spill + .encode + .write == 0'
}

@test "--version -vv describes the machine, with or without a GPU" {
	gsort --version -vv -T . >info 2>err
	[ ! -s err ]
	for what in gsort cpu memory -S temp; do
		grep -q -- "^$what  *[^ ]" info
	done
	grep -qE '^(gpu|driver)' info
	grep -q '^temp  *\.: .* free' info
}

@test "--version and --plan describe a GPU, several, and none" {
	command -v gsort-emu >/dev/null || skip "gsort-emu is not built"
	GSORT_EMU_DEVICES=2 gsort-emu --version -vv >info
	grep -q '^driver  *CUDA [0-9.]*$' info
	grep -q '^gpu:1  *emulated GPU 1, sm_[0-9]*, 1.0 GiB, 1.0 GiB free$' info
	GSORT_EMU_DEVICES=0 gsort-emu --version -vv | grep '^gpu  *none: no CUDA-capable device'
	GSORT_EMU_DEVICES=2 gsort-emu --version=json | grep -qE '"gpus":\["gpu:0  [^"]*","gpu:1  [^"]*"\],"gpu_driver":"CUDA [0-9.]*","no_gpu":null'
	GSORT_EMU_DEVICES=0 gsort-emu --version=json | grep -q '"gpus":\[\],.*"no_gpu":"no CUDA-capable device'
	GSORT_EMU_FAIL=2:999 gsort-emu --version -vv | grep '^gpu:0  *not usable: .* asking the GPU what it is'
	gsort-emu --version -v | grep '^GPU module: CUDA runtime [0-9.]*, [^ ]'
	gsort -u64 --plan </dev/null | grep -qE '^buckets  [0-9]+, in blocks of [0-9]+ bytes; each thread sorts up to '
	gsort -u64 --plan </dev/null | grep -q '^memory  .* at most, as the input needs it, '
	gsort -u64 -S 64M --plan </dev/null | grep -q '^memory   64.0 MiB in all at most, as the input needs it, '
	gsort -u64 -S 1M --plan </dev/null | grep -q '^memory   16.0 MiB in all, the least that will do, '
	[ -e /dev/nvidiactl ] || [ -e /dev/dxg ] || [ ! -e "$(built gsort-cuda.so)" ] ||
		gsort --plan text | grep '^device  *cpu: this machine has no NVIDIA driver'
	gsort-emu -u8 --plan </dev/null | grep '^device  *cpu: keys of 8 and 16 bits are counted'
	gsort-emu --plan text | grep '^device  *gpu if there is one, else cpu: the input is large enough'
	gsort-emu --plan --parallel=100 text | grep '^device  *gpu if there is one, else cpu: the input is large enough'
	gsort-emu --device=gpu --plan text | grep '^device  *gpu: as requested'
}

@test "--plan and --verbose=json name the rule that chose the device" {
	needs jq
	command -v gsort-emu >/dev/null || skip "gsort-emu is not built"
	GSORT_EMU_OPEN_MS=310 gsort-emu --parallel=4 --plan text >plan
	grep '^device  *cpu: the input is too small' plan
	grep -E '^rule  *with 4 threads a GPU pays from [0-9.]+ [MG]iB of input on$' plan
	: | GSORT_EMU_OPEN_MS=310 gsort-emu -u32 --parallel=1 --plan | grep '^rule .* 1 thread a GPU'
	GSORT_EMU_OPEN_MS=310 gsort-emu --device=cpu --plan text | not grep '^rule '
	# rule OPTIONS...: of a job that has run
	rule() {
		gsort-emu "$@" --verbose=json text 2>err >out
		tail -n 1 err | jq -r .device_rule
	}
	[ "$(rule --device=gpu)" = "as requested" ]
	[ "$(rule --parallel=2)" = "the input is large enough for a GPU to pay" ]
	[ "$(GSORT_EMU_DEVICES=0 rule --parallel=2)" = "the GPU could not be opened" ]
	[ "$(GSORT_EMU_OPEN_MS=310 rule --parallel=2)" = "the input is too small for a GPU to pay" ]
	[ "$(rule --head=1)" = "only the first keys are wanted" ]
}

@test "messages have the name under which gsort runs" {
	ln -s "$(command -v gsort)" numsort
	run ./numsort --frobnicate
	[ "${lines[0]}" = "numsort: unrecognized option '--frobnicate'" ]
	[ "${lines[1]}" = "Try 'numsort --help' for more information." ]
	./numsort --help | grep -q '^Usage: numsort '
	./numsort --version | grep -q '^gsort [0-9]'
}

@test "--debug prints ignored options and can be used with every option" {
	gives '2\n2\n10\n' gsort --debug -bs -y1 text
	grep -q '^gsort: ignored  -b, -s, -y: no effect on numbers$' err
	gives '' gsort --debug -c <(seq 3)
	gives '' gsort --debug -o out text
	gsort --debug text 2>&1 >out | not grep '^gsort: bytes '
	gsort --debug --to=u16 text 2>&1 >out | grep -q '^gsort: bytes    little endian, as this'
	gsort --debug --to=u16be text 2>&1 >out | grep -q '^gsort: bytes    big endian$'
}

@test "-q keeps warnings back" {
	printf '1\nx\n' >bad
	gives '1\n' gsort --invalid=warn bad
	grep -q '^gsort: warning: bad:2' err
	gives '1\n' gsort -q --invalid=warn bad
	[ ! -s err ]
}

@test "--help goes to standard output, within 80 columns" {
	for help in --help --help=all; do
		gsort $help >help 2>err
		[ ! -s err ]
		grep -q '^Usage: gsort ' help
		[ "$(awk 'length > 79' help)" = "" ]
		gsort $help text -r >again
		cmp help again
	done
}

@test "--help fits a screen, and --help=all has every option" {
	gsort --help >few
	gsort --help=all >all
	[ "$(wc -l <few)" -le 50 ]
	grep -oE '(^|[ ,])--?[a-z][a-z0-9-]*' few | tr -d ' ,' | sort -u >named
	[ "$(wc -l <named)" -ge 40 ]
	while read -r option; do
		grep -qE -- "(^|[ ,])$option\>" all || { echo "$option"; false; }
	done <named
	[ "$(grep -cE '^ +-' all)" -gt "$(($(grep -cE '^ +-' few) + 22))" ]
	gives '2\n2\n10\n' gsort --sort=numeric text	# options without a line in either
	gives '2\n2\n10\n' gsort -y -n text
}

@test "an option that is gone names what replaces it" {
	fails "'--head-count=1'; did you mean '--head'" gsort --head-count=1 text
	fails "'--no-progress'; did you mean '--progress=never'" gsort --no-progress text
	fails "--field (to sort by) is -k here: -k2,2 is the second field" gsort --field=2 text
	while IFS='|' read -r old new; do
		fails "unrecognized option '$old'; .*$new" gsort "$old" text
	done <<-'END'
		--base=16|--type=hex
		--endian=big|-u32be, --type=u32be, -k u32be@8
		--format=raw|--type=raw
		--seed=7|--sample=10:SEED
		--nocheck-order|--force
		--check-order|-m checks
		--skip-bytes=4|--header=BYTES
		--no-sandbox|--decompress=no-sandbox
		--info=json|--version -vv, as JSON by --version=json
		--size-hint=1T|--plan=SIZE, --progress=SIZE
		--repeated|--unique=repeated
		--singletons|--unique=singletons
		--json|--to=json
		--stats=json|--verbose=json
		--gpu-memory=4G|-S gpu:SIZE
	END
}

@test "--version begins with a line of name and number, and is not GNU" {
	gsort --version >version 2>err
	[ ! -s err ]
	head -n 1 version | grep -qx 'gsort [0-9]*\.[0-9]*\.[0-9]*'
	not grep -q GNU version
	gsort --version -v >build
	[ "$(wc -l <build)" -gt "$(wc -l <version)" ]
	for library in zlib libarchive liblzma libzstd liblz4; do
		grep "^Libraries: " build | grep -q "$library [0-9]"
	done
}

@test "--help to a full disk is an error" {
	[ -c /dev/full ] || skip "no /dev/full"
	run bash -c 'gsort --help >/dev/full'
	[ "$status" -eq 2 ]
	[[ $output == "gsort: "*"No space left"* ]]
}

@test "-v prints one line at the end, on standard error" {
	gen --keys 1000 >keys
	gsort -u32 -v --device=cpu keys >out 2>err
	[ "$(wc -l <err)" = 1 ]
	grep -qE '^gsort: 1000 keys \(u32\) in [0-9.]+ s: [0-9.]+ Mkeys/s, [0-9.]+ GB/s; read [0-9.]+, sort [0-9.]+, write [0-9.]+ s; processor time [0-9.]+ s; device cpu' err
	gsort -uv text >out 2>err
	grep -q '^gsort: 3 keys (text), 2 different in ' err
	# of lines, what each stage took, as they are sorted while they are read and written
	gen --keys 200000 --type text >many
	gsort -v --lines many 2>err >out
	grep -qE '^gsort: 200000 lines in [0-9.]+ s: [0-9.]+ Mlines/s, .*; of threads: read [0-9.]+, decode ' err
	sed -E 's/.*, decode ([0-9.]+), sort ([0-9.]+),.*/\1 \2/' err | awk '{ exit !($1 > 0 && $2 > 0) }'
}

@test "without -v nothing is said" {
	gsort text >out 2>err
	[ ! -s err ]
}

@test "--debug prints the plan on standard error only" {
	gsort --debug text >out 2>err
	printf '2\n2\n10\n' | cmp - out
	[ -s err ]
	not grep -qv '^gsort: ' err
}

# of FILE, a JSON object: the value of its member
member() {
	python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$1" "$2"
}

# The same of a whole number, in the shell: one row asks for a hundred, and a Python takes as long as a job.
number() {
	[[ $(<"$1") =~ \"$2\":([0-9]+) ]] && echo "${BASH_REMATCH[1]}"
}

@test "plan and machine as JSON, which agree with the text" {
	needs python3
	gen --keys 1000 --type u32 >in
	gsort -u32 --plan=json in >plan
	[ "$(wc -l <plan)" = 1 ]
	[ "$(member plan keys)" = 1000 ]
	[ "$(member plan type)" = u32 ]
	[ "$(member plan input_bytes)" = 4000 ]
	gsort -u32 --plan=json --plan=1T -S 64M -T . </dev/null >plan
	[ "$(member plan memory_bytes)" = $((64 << 20)) ]
	[ "$(member plan may_spill)" = True ]
	[ "$(member plan temporary_directories)" = "['.']" ]
	(cat in | gsort -u32 --plan=json) >plan
	[ "$(member plan keys)" = None ]
	gsort --version=json -T . -T "$(printf 'no\n\"where')" -T "$(printf 'b\\s\177~')" >info
	[ "$(member info version)" = "$(gsort --version | sed -n '1s/gsort //p')" ]
	[ "$(member info temporary_directories | grep -o "'writable': [A-Z][a-z]*" | tr '\n' ' ')" = \
	  "'writable': True 'writable': False 'writable': False " ]
	member info temporary_directories | grep -qF "'b\\\\s\\x7f~'"
	# of what is free at this moment, to a few percent
	gsort --plan=json text >plan
	awk -v plan="$(member plan memory_bytes)" -v info="$(member info memory_bytes)" \
		'BEGIN { exit !(plan > 0.9 * info && plan < 1.1 * info) }'
	gsort --plan=text text | diff - <(gsort --plan text)
	# folders are used in turn: twice as much is free in one that is named twice
	for folders in '-T .' '-T . -T .'; do
		gsort -u32 --plan=json $folders </dev/null >plan
		number plan disk_free_bytes
	done | awk '{ free[NR] = $1 } END { exit !(free[2] > 1.9 * free[1] && free[2] < 2.1 * free[1]) }'
	gsort --version -vv -T . -T text >lines
	gsort --version=json -T . -T text >info
	grep -qx "cpu  *$(member info threads | sed '1 s/$/ thread/; /^1 /! s/$/s/'), $(member info simd)" lines
	grep -qx "memory  *$(number info ram_bytes | awk '{ if (($1 /= 2^30) < 1024) printf "%.1f GiB", $1
	                     else printf "%.1f TiB", $1 / 1024 }')" lines
	[ "$(grep -c '^limit ' lines)" = $(($(member info room_bytes) < $(member info ram_bytes))) ]
	(ulimit -v 2000000; gsort --version -vv) | grep -qx 'limit  *control groups and resource limits leave 1\.9 GiB'
	grep -qx 'temp  *\.: [0-9.]* [KMGTP]iB free, [^ ]*' lines
	grep -qx 'temp  *text: cannot be written to' lines
	[ "$(grep -c '^temp ' lines)" = 2 ]
}

@test "--plan=json and --version=json print as much JSON as there is" {
	local i
	set --
	for ((i = 0; i < 300; i++)); do set -- "$@" -T "/tmp/$(printf '%0240d' $i)"; done
	gsort -u32 --plan=json "$@" </dev/null >plan
	gsort --version=json "$@" >machine
	for i in plan machine; do
		python3 -c 'import json, sys; assert len(json.load(open(sys.argv[1]))["temporary_directories"]) == 300' $i
	done
}

@test "--plan says what a job of any kind takes, about" {
	local rss expected used seconds
	gen --keys 3000000 --type u64 >keys
	gen --keys 2000000 --type text >numbers
	gen --keys 300000 --type text | awk '{ print NR ",name " $1 % 99 "," $1 }' >lines.csv
	set -- "-u64 keys" "-u64 -S 16M -T . keys" "-u16 keys" numbers "--type=float numbers" "--lines lines.csv" \
		"--csv -k3,3n lines.csv" "--csv -k3,3n -S 16M -T . lines.csv" "--record-size=16 -k u64@0 keys" \
		"--csv -k3,3n --quantiles=0.5 lines.csv" "-c -u64 keys" \
		"--union -u64 keys keys" "--union --lines lines.csv lines.csv" "-m -u64 sorted sorted" "--head=9 -u64 keys" \
		"--lines --head=9 numbers" "-u64 -u --keep-order keys" "--argsort=u64 -u64 keys" "-m --lines --force lines.csv lines.csv"
	gsort -u64 keys -o sorted
	gsort numbers -o ordered
	for job; do
		gsort --plan $job >plan
		grep -qE '^needs    about [0-9.]+ [MG]iB of memory, (no|[0-9.]+ [MG]iB of) temporary files and [0-9.]+ s$' plan
		seconds=$(sed -n 's/^needs .* \([0-9.]*\) s$/\1/p' plan)
		gsort --plan=json $job >plan
		awk -v s="$seconds" -v ms="$(number plan expected_ms)" 'BEGIN { d = ms - 1000 * s; exit !(d > -101 && d < 101) }' ||
			{ echo "$job: $seconds s and $(number plan expected_ms) ms"; false; }
		expected=$(number plan expected_memory_bytes)
		gsort --verbose=json:stats $job >/dev/null || [ $? = 1 ]
		rss=$(number stats peak_rss)
		[ $((expected * 10)) -gt $((rss * 5)) ] && [ "$expected" -lt $((rss * 3 + (4 << 20))) ] ||
			{ echo "$job: $expected bytes expected, $rss used"; false; }
		# where temporary files are expected, there are some
		[ $(($(number plan expected_disk_bytes) > 0)) = $(($(number stats spilled_bytes) > 0)) ] ||
			{ echo "$job: $(number plan expected_disk_bytes), $(number stats spilled_bytes) on disk"; false; }
	done
	# as much as there are, or none, if memory is little: of a head and of figures nothing else is kept
	set -- "--union -u64 -S 24M keys keys" "--lines --head=9 -S 16M numbers" "--lines --tail=9 -S 16M numbers" \
		"--record-size=8 -k u32@0 --head=9 -S 16M keys" "--record-size=64 -k u32@0 --quantiles=.4 -S 16M keys" \
		"--record-size=4 -k u32@0 --quantiles=.4 -S 16M keys" "--csv -k3,3n --quantiles=.4 -S 16M lines.csv" \
		"--argsort=u64 -u64 -S 16M keys" "-u64 -u --keep-order -S 16M keys" "-m -u64 --batch-size=2 sorted sorted" \
		"-m --batch-size=2 ordered ordered ordered" "-m -u64 --batch-size=2 sorted sorted sorted"
	for job; do
		gsort --plan=json -T . $job >plan
		gsort --verbose=json:stats -T . $job >/dev/null
		expected=$(number plan expected_disk_bytes)
		used=$(number stats spilled_bytes)
		[[ $job != *--lines* && $job != *--quantiles* ]] || [ "$(number plan disk_bytes)" = "$expected" ]
		[ $((expected * 2)) -ge "$used" ] && [ "$expected" -le $((used * 2)) ] ||
			{ echo "$job: $expected bytes on disk expected, $used used"; false; }
	done
	gsort --csv -k3,3n --plan=10G -S 64G -T . </dev/null | grep -q '^disk     \., if they do not fit: as much as the input'
	for job in -u64 --lines '--csv -k3,3n' '--record-size=16 -k u64@0'; do	# the same bytes as "needs" has
		gsort $job --plan=1E -S 64M -T . </dev/null >plan
		grep -qE '^disk     \.: 1.0 EiB at a time, .* are free, which is NOT ENOUGH: name other directories with -T$' plan
		grep -q '^needs    .* 1.0 EiB of temporary files' plan
	done
	gsort -u64 --plan=1E -S 64M -T . --compress-program=zstd </dev/null |
		grep -q ' are free, enough only if they compress well$'
	gsort -u64 --plan=1T keys | grep -qx 'input    about 1.0 TiB: 137438953472 keys'	# in place of the file's
	(cat keys | gsort -u64 --plan) | grep -qx 'needs    unknown, as the input size is unknown; use --plan=SIZE'
	gsort -u64 --plan=1T -S 1G -T . </dev/null | grep -qE '^needs    about [0-9.]+ [MG]iB of memory, 1.0 TiB of .* [0-9]+ (min|h)$'
	for time in '1M 0\.[1-9] s' '10G [1-9][0-9] s' '1T [1-9][0-9] min' '100T [1-9][0-9] h'; do
		gsort -u64 --plan="${time%% *}" -S 1G -T . --parallel=2 </dev/null | grep -qE " and ${time#* }\$"
	done
	[ "$(cat keys | gsort -u64 --plan=json | grep -o '"expected_ms":null')" ]
}

# compare_plans FILE: runs its jobs, and compares what --plan prints.  Numbers may differ by a sixteenth, as some depend
# on how much memory gsort itself takes; what is free is left out.  PLANS=new writes the file again.
compare_plans() {
	python3 - "$1" <<-'END_OF_PYTHON'
		import os, re, shutil, subprocess, sys
		jobs, wrong = re.split(r"^\$ (.*)\n", open(sys.argv[1]).read(), flags=re.M), 0
		new = jobs[0]
		for job, expected in zip(jobs[1::2], jobs[2::2]):
		    more = [option for option, begin in (("--plan", "--plan"), ("-S200M", "-S"), ("-T.", "-T"),
		            ("--parallel=4", "--parallel"), ("--device=cpu", "--device")) if not re.search(f"(^| ){begin}", job)]
		    program = "gsort-emu" if "--device=gpu" in job else "gsort"
		    if shutil.which(program) is None:	# gsort-emu was not built
		        new += f"$ {job}\n{expected}"
		        continue
		    found = subprocess.run([program, *job.split(), *more], text=True, stdin=subprocess.DEVNULL,
		                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout
		    found = re.sub(r'"version":"[^"]*",|"disk_free_bytes":\d+,|[;:] [^;:\n]* are free.*', "", found)
		    number = r"\d+(?:\.\d+)?"
		    right = re.split(number, found) == re.split(number, expected) and all(
		        abs(float(a) - float(b)) <= float(b) / 16 + ("." in b) / 10
		        for a, b in zip(re.findall(number, found), re.findall(number, expected)))
		    if not right:
		        print(f"{job}:\n{found}not:\n{expected}")
		    wrong += not right
		    new += f"$ {job}\n{found}"
		if os.environ.get("PLANS") == "new":
		    open(sys.argv[1], "w").write(new)
		sys.exit(wrong > 0 or len(jobs) < 100)
	END_OF_PYTHON
}

@test "--plan prints what plans.txt has for a job of each kind" {
	needs python3
	not grep -aqm1 -e __asan_init -e __tsan_init "$GSORT" || skip "a sanitizer takes more memory"
	gen --keys 100000 --type u64 >keys
	gsort -u64 keys -o sorted
	seq 100000 >numbers
	seq 5000 | awk '{ print $1 ",name" $1 % 7 "," $1 * 3 }' >lines.csv
	truncate -s 30M large		# nothing is read
	compare_plans "$GSORT_SOURCE/tests/cli/plans.txt"
}

@test "statistics go to a file if wanted, which is opened before anything is read" {
	needs python3
	gives '2\n2\n10\n' gsort --verbose=json:stats text
	[ "$(member stats records)" = 3 ]
	[ "$(member stats inputs)" = "['text']" ]
	gsort --verbose=json:stats -v -o out text 2>err
	not grep -q records err
	[ "$(member stats output)" = out ]
	fails "open failed: no/stats: No such file" gsort --verbose=json:no/stats -o out2 text
	[ ! -e out2 ]
	[ ! -w /dev/full ] || fails "write failed: /dev/full: No space left" gsort --verbose=json:/dev/full -o out text
}

@test "--plan prints the plan on standard output and sorts nothing" {
	gen --keys 1000 >keys
	gsort -u32 --plan -o out keys >plan 2>err
	[ -s plan ]
	[ ! -s err ]
	[ ! -e out ]
	gsort -u32 --plan -o out keys | cmp - plan	# the same again
	cp keys before
	gsort -u32 --plan -o keys keys >plan
	cmp keys before
}

@test "what is not printable in a message is escaped" {
	fails 'a\\x1b\[2J\\nb' gsort "$(printf 'a\033[2J\nb')"
}

# --- standard descriptors ---------------------------------------------------------------

@test "closed standard input is an error, if it is needed" {
	run bash -c 'gsort <&-'
	[ "$status" -eq 2 ]
	[[ $output == "gsort: "* ]]
	run bash -c 'gsort text <&-'
	[ "$status" -eq 0 ]
	[ "$output" = "$(printf '2\n2\n10')" ]
}

@test "closed standard output is an error, if it is needed" {
	run bash -c 'gsort text >&-'
	[ "$status" -eq 2 ]
	[[ $output == "gsort: "* ]]
	run bash -c 'gsort -o out text >&-'
	[ "$status" -eq 0 ]
	[ "$(cat out)" = "$(printf '2\n2\n10')" ]
}

@test "closed standard error harms no output" {
	run bash -c 'gsort -v -o out text 2>&-'
	[ "$status" -eq 0 ]
	[ "$(cat out)" = "$(printf '2\n2\n10')" ]
}

@test "a closed pipe ends gsort silently with SIGPIPE" {
	gen --type text --keys 200000 >many
	run bash -c 'gsort many | head -n 1 >first; echo "${PIPESTATUS[0]}"'
	[ "$output" = 141 ]
}

@test "a closed pipe with SIGPIPE ignored is a write error" {
	gen --type text --keys 200000 >many
	run bash -c 'trap "" PIPE; gsort many | :; echo "${PIPESTATUS[0]}"'
	[[ ${lines[0]} == "gsort: "*"Broken pipe" ]]
	[ "${lines[1]}" = 2 ]
}

@test "an empty name is an error" {
	fails "the name of an input is empty" gsort ""
	fails "the name of the output is empty" gsort -o "" keys
	fails "the name of a temporary directory is empty" gsort -T "" text
}

@test "OMP_NUM_THREADS and OMP_THREAD_LIMIT are how many threads there are at most" {
	OMP_NUM_THREADS=3 gsort --plan text | grep -q '^threads  *3$'
	OMP_NUM_THREADS=3 OMP_THREAD_LIMIT=2 gsort --plan text | grep -q '^threads  *2$'
	OMP_THREAD_LIMIT=1 gsort --plan --parallel=5 text | grep -q '^threads  *5$'
	# fewer where a control group has less
	OMP_NUM_THREADS=17 gsort --plan text |
		grep -qE '^threads  *(16 of 17, as more would make this no faster|[1-9]|1[0-5])$'
}

@test "--help names the home page that configure.ac names, if it does" {
	url=$(sed -n 's/^#define PACKAGE_URL "\(.*\)"$/\1/p' "$GSORT_BUILD/config.h")
	[ "$(gsort --help | sed -n 's/^Home page: //p')" = "$url" ]
}
