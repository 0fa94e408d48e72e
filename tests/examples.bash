# SPDX-License-Identifier: BSD-2-Clause
# Examples of a document: lines "$ COMMAND", each followed by what it prints.

# Run COMMAND; it prints what the page shows, and fails only where that is a message.
try() {
	local command=$1 expected=$2 status=0

	eval "$command" >../printed 2>&1 || status=$?
	if [ $status -ne 0 ] && [[ $expected != *gsort:* ]]; then
		echo "status $status: $command"
		cat ../printed
		return 1
	fi
	printf %s "$expected" | diff - ../printed || { echo "of: $command"; return 1; }
}

# Run the examples of one block, given on standard input.
try_block() {
	local line command='' expected=''

	while IFS= read -r line <&3; do
		if [[ $line != '$ '* ]]; then
			expected+=$line$'\n'
			continue
		fi
		[ -z "$command" ] || try "$command" "$expected" || return
		command=${line#'$ '} expected=''
	done
	[ -z "$command" ] || try "$command" "$expected"
}

# The first block of standard input makes the files that every other one begins with; blocks end
# with the line END.  Sets RAN and FAILED.
try_blocks() {
	local end=$1 line block='' before=''

	ran=0 failed=0
	while IFS= read -r line <&4; do
		if [ "$line" != "$end" ]; then
			block+=$line$'\n'
		elif [ -z "$before" ]; then
			before=$block block=''
		else
			mkdir -p example
			(cd example && try_block 3<<<"${before%$'\n'}" </dev/null &&
				try_block 3<<<"${block%$'\n'}" </dev/null) || failed=$((failed + 1))
			rm -rf example
			ran=$((ran + 1)) block=''
		fi
	done
	echo "$ran examples, $failed failed"
}
