# SPDX-License-Identifier: BSD-2-Clause
# Completion of gsort for fish.

# The columns that the first line of the first input names, if there is a header.
function __gsort_columns
	set -l words (commandline -o)
	set -l separator ' '
	set -l header
	set -l file
	set -l last
	contains -- --csv $words; and set separator ,
	for word in $words[2..-1]
		switch $word
			case '-t?'
				set separator (string sub -s 3 -- $word)
			case '--header*'
				set header yes
			case '*'
				if test -z "$file" -a -f "$word" -a -r "$word"
					string match -qr -- '^(-[a-zA-Z]*o|--output|--files0-from)$' $last; or set file $word
				end
		end
		set last $word
	end
	if test -n "$header" -a -n "$file"
		head -n 1 -- $file | string replace -r '\r$' '' | string replace -a \t $separator |
			string split -n -- $separator | string match -r '^[A-Za-z_][A-Za-z0-9_ ]*$'
	end
end

for width in 8 16 32 64 128
	complete -c gsort -o u$width -d "Binary unsigned integers of $width bits"
	complete -c gsort -o ru$width -d "The same, largest first"
	complete -c gsort -o i$width -d "Binary signed integers of $width bits"
end
for width in 16 32 64
	complete -c gsort -o f$width -d "Binary floats of $width bits, NaN last"
end
for width in 8 16 32 64 128
	complete -c gsort -o ri$width -d 'Largest first'
end
for width in 16 32 64
	complete -c gsort -o rf$width -d 'Largest first'
end
complete -c gsort -o bf16 -d 'Binary bfloat16, NaN last'
complete -c gsort -l type -x -a 'u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 f16 bf16 f32 f64 int float hex ipv4 time raw' -d 'Type of the keys'
complete -c gsort -s n -l numeric-sort -d 'Lines by the number that each begins with'
complete -c gsort -s g -l general-numeric-sort -d 'The same with floats, in any notation'
complete -c gsort -l to -x -a 'u8 u16 u32 u64 i8 i16 i32 i64 f16 bf16 f32 f64 text hex json' -d 'Convert: write keys as this type'
complete -c gsort -l record-size -x -a '8 16 32 100' -d 'Binary records of so many bytes'
complete -c gsort -l argsort -x -a 'u32 u64' -d 'Write input positions in sorted order'
complete -c gsort -s k -l key -x -a '1,1 2,2n 3,3nr u32@0 bytes10@0 (__gsort_columns)' -d 'Sort lines, or records, by a part of them'
complete -c gsort -s t -l field-separator -x -a ', \\; : \\|' -d 'What separates fields'
complete -c gsort -l csv -d 'Fields may be quoted'
complete -c gsort -l lines -d 'Sort whole lines'
complete -c gsort -s b -l ignore-leading-blanks -d 'Blanks at the start of a key do not count'
complete -c gsort -s d -l dictionary-order -d 'Only blanks, letters and digits count'
complete -c gsort -s f -l ignore-case -d 'Lower case counts as upper case'
complete -c gsort -s h -l human-numeric-sort -d 'Numbers with a suffix: 900K, 1.5G'
complete -c gsort -s i -l ignore-nonprinting -d 'Only printable characters count'
complete -c gsort -s M -l month-sort -d 'Names of months'
complete -c gsort -s V -l version-sort -d 'Numbers within text'
complete -c gsort -l locale -d 'In the order of a locale'
complete -c gsort -s s -l stable -d 'Lines with equal keys stay in the order of the input'
complete -c gsort -s r -l reverse -d 'Largest first'
complete -c gsort -s u -d 'Write each key only once'
complete -c gsort -l unique -f -a 'repeated singletons' -d 'Write each key only once, or only those'
complete -c gsort -l count -d 'Write each key once, after its number of occurrences'
complete -c gsort -l keep-order -d 'With -u: the first of equal ones, in input order'
complete -c gsort -l head -x -a '1 10 100 1000' -d 'Write only the first K keys'
complete -c gsort -l tail -x -a '1 10 100 1000' -d 'Write only the last K keys'
complete -c gsort -l sample -x -a '1 10 100 1000' -d 'Write only K random keys, in order'
complete -c gsort -l quantiles -x -a '0.5 0.25,0.5,0.75 0.5,0.95,0.99' -d 'Write quantiles of the keys'
complete -c gsort -l summary -d 'Write count, distinct, min, quartiles, max, mean'
complete -c gsort -l top -x -a '1 10 100 1000' -d 'Write the K most frequent values, with counts'
complete -c gsort -l histogram -f -a '10 20 50 100 log' -d 'Write how many keys are in N intervals'
complete -c gsort -s c -d 'Check whether the input is sorted'
complete -c gsort -l check -f -a 'diagnose-first quiet silent summary' -d 'Check whether the input is sorted'
complete -c gsort -s C -d 'Check, without a message'
complete -c gsort -s m -l merge -d 'Merge files that are already sorted'
complete -c gsort -l union -d 'Write elements of any file'
complete -c gsort -l intersect -d 'Write elements of all files'
complete -c gsort -l difference -d 'Write elements of the first file alone'
complete -c gsort -l symmetric -d 'Write elements of one of two files alone'
complete -c gsort -l verify -d 'Check order, count and checksum of the output'
complete -c gsort -l files0-from -r -F -d 'Read the files whose NUL-terminated names are in this file'
complete -c gsort -l decompress -x -a 'auto no-sandbox none gzip bzip2 xz zstd lz4' -d 'Compression of the input'
complete -c gsort -l invalid -x -a 'abort fail warn ignore skip-blank' -d 'What to do with lines without a number'
complete -c gsort -l header -f -a '1 2 3' -d 'Copy the first lines, or bytes, unsorted'
complete -c gsort -s z -l zero-terminated -d 'Lines end in NUL, not newline'
complete -c gsort -s o -l output -r -F -d 'Write to this file, which may be an input'
complete -c gsort -l split -x -a '2 4 8 16' -d 'Write N files, which -o names with %r'
complete -c gsort -l in-place -d 'Overwrite the file instead of replacing it'
complete -c gsort -l force -d 'Allow terminals, any contents, suffix, order of -m'
complete -c gsort -s S -l buffer-size -x -a '256M 1G 4G 16G 50% 80% gpu:4G' -d 'Limit memory'
complete -c gsort -s T -l temporary-directory -x -a '(__fish_complete_directories)' -d 'Put temporary files in this directory'
complete -c gsort -l compress-program -x -a 'zstd lz4' -d 'Compress temporary files with this program'
complete -c gsort -l batch-size -x -a '2 16 64 256' -d 'Merge at most N inputs at once'
complete -c gsort -l parallel -x -a '1 2 4 8 16' -d 'Number of threads'
complete -c gsort -l device -x -a 'auto cpu gpu gpu:0' -d 'Where to sort'
complete -c gsort -s q -l quiet -d 'No warnings, no progress, only errors'
complete -c gsort -s v -d 'Print a summary and progress; twice: decisions, too'
complete -c gsort -l verbose -f -a 'json' -d 'Print a summary and progress, or statistics'
complete -c gsort -l progress -f -a 'auto always never' -d 'Show progress'
complete -c gsort -l debug -d 'Print plan and decisions on standard error'
complete -c gsort -l plan -f -a 'text json 100G 1T' -d 'Print the plan, then exit without sorting'
complete -c gsort -l help -f -a 'all' -d 'Print the options, then exit'
complete -c gsort -l version -f -a 'json' -d 'Print the version, then exit'
