# SPDX-License-Identifier: BSD-2-Clause
# Completion of gsort for bash.

_gsort() {
	local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} word i
	local types='u8 u16 u32 u64 i8 i16 i32 i64 f32 f64 text'
	local options='-u8 -u16 -u32 -u64 -i8 -i16 -i32 -i64 -f32 -f64 --type=
		-n --numeric-sort -r --reverse -u --unique -o --output= --decompress= --force
		--device= --gpu-memory= --parallel= -q --quiet -v --verbose --debug --plan
		--help --version -b --ignore-leading-blanks -f --ignore-case -s --stable'
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
	else
		word=$previous
	fi
	case $word in
	--type)         values=$types ;;
	--decompress)   values='auto none gzip bzip2 xz zstd lz4' ;;
	--device)       values='auto cpu gpu gpu:0' ;;
	--gpu-memory)   values='50% 80% 1G 4G 16G' ;;
	--parallel)     values='1 2 4 8 16' ;;
	-o|--output)    mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
	esac
	if [[ -n $values ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current")
	elif [[ $current == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
		[[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$current")
	fi
}
complete -o filenames -F _gsort gsort
