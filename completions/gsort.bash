# SPDX-License-Identifier: BSD-2-Clause
# Completion of gsort for bash.

# The columns that the first line of the first input on the command line names, if there is a header.
_gsort_columns() {
	local word last='' separator='' header='' file='' names

	[[ " ${COMP_WORDS[*]} " != *" --csv "* ]] || separator=,
	for word in "${COMP_WORDS[@]:1}"; do
		case $word in
		-t?)        separator=${word#-t} ;;
		--header*)  header=yes ;;
		*)          [[ -n $file || ! -f $word || ! -r $word ||
		               $last == @(-*([a-zA-Z])o|--output|--files0-from|=) ]] || file=$word ;;
		esac
		last=$word
	done
	[[ -n $header && -n $file ]] || return
	IFS= read -r names <"$file"
	names=${names%$'\r'}
	printf '%s\n' "${names//${separator:-[ $'\t']}/$'\n'}" | grep -xE '[A-Za-z_][A-Za-z0-9_ ]*'
}

_gsort() {
	local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} word='' i
	local types='u8 u16 u32 u64 i8 i16 i32 i64 f16 bf16 f32 f64'
	local options='-u8 -u16 -u32 -u64 -u128 -i8 -i16 -i32 -i64 -i128 -f16 -f32 -f64 -bf16
		--type=
		-n --numeric-sort -g --general-numeric-sort --to=
		--record-size= --argsort= -k --key= -t --field-separator= --csv --lines
		-b --ignore-leading-blanks -d --dictionary-order -f --ignore-case -h --human-numeric-sort
		-i --ignore-nonprinting -M --month-sort -V --version-sort --locale -s --stable
		-r --reverse -u --unique --count --keep-order --head=
		--tail= --sample= --quantiles= --summary --top= --histogram
		-c --check -C -m --merge --union --intersect --difference --symmetric --verify
		--files0-from= --decompress= --invalid= --header -z --zero-terminated
		-o --output= --split= --in-place --force
		-S --buffer-size= -T --temporary-directory= --compress-program= --batch-size=
		--parallel= --device=
		-q --quiet -v --verbose --progress --debug --plan
		--help --version'
	local values=''

	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then	# only files from here on
			mapfile -t COMPREPLY < <(compgen -f -- "$current")
			return
		fi
	done
	# "--type=u" comes as the words "--type" "=" "u", where = breaks words
	if [[ $current == = ]]; then
		word=$previous current=''
	elif [[ $previous == = ]]; then
		word=${COMP_WORDS[COMP_CWORD-2]}
	elif [[ $current == --*=* ]]; then
		word=${current%%=*} current=${current#*=}
	elif [[ $previous != --@(check|header|histogram|unique|verbose|progress|plan|help|version) ]]; then
		word=$previous		# those take a value only after "="
	fi
	case $word in
	--type)         values="$types u128 i128 int float hex ipv4 time raw" ;;
	--to)           values="$types text hex json" ;;
	--unique)       values='repeated singletons' ;;
	--head|--tail|--sample|--top) values='1 10 100 1000' ;;
	--quantiles)    values='0.5 0.25,0.5,0.75 0.5,0.95,0.99' ;;
	--histogram)    values='10 20 50 100 log' ;;
	--check)        values='diagnose-first quiet silent summary' ;;
	--decompress)   values='auto no-sandbox none gzip bzip2 xz zstd lz4' ;;
	--invalid)      values='abort fail warn ignore skip-blank' ;;
	--header)       values='1 2 3' ;;
	--record-size)  values='8 16 32 100' ;;
	-k|--key)	# a name may have blanks, which -o filenames quotes
		mapfile -t COMPREPLY < <(compgen -W '1,1 2,2n 3,3nr u32@0 bytes10@0' -- "$current"
			_gsort_columns 2>/dev/null | while IFS= read -r word; do
				[[ $word != "$current"* ]] || printf '%s\n' "$word"
			done)
		return ;;
	-t|--field-separator) values=', ; : |' ;;
	--argsort)      values='u32 u64' ;;
	-S|--buffer-size) values='256M 1G 4G 16G 50% 80% gpu:4G' ;;
	--compress-program) values='zstd lz4' ;;
	--split)        values='2 4 8 16' ;;
	--batch-size)   values='2 16 64 256' ;;
	--parallel)     values='1 2 4 8 16' ;;
	--device)       values='auto cpu gpu gpu:0' ;;
	--progress)     values='auto always never' ;;
	--verbose | --version) values='json' ;;
	--plan)         values='text json 100G 1T' ;;
	--help)         values='all' ;;
	-o|--output|--files0-from)
		mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
	-T|--temporary-directory)
		mapfile -t COMPREPLY < <(compgen -d -- "$current"); return ;;
	esac
	if [[ -n $values ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current")
	elif [[ $current =~ ^-([a-zA-Z]*[a-tv-zA-Z])([uif])$ ]]; then	# -ru: types behind other letters
		mapfile -t COMPREPLY < <(compgen -W "$options" -- "-${BASH_REMATCH[2]}" |
			grep -xE -- '-[uif][0-9]*' | sed "s/^-/-${BASH_REMATCH[1]}/")
	elif [[ $current == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
		[[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$current")
	fi
}
complete -o filenames -F _gsort gsort
