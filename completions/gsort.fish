# SPDX-License-Identifier: BSD-2-Clause
# Completion of gsort for fish.

for width in 8 16 32 64
	complete -c gsort -o u$width -d "Binary unsigned integers of $width bits"
	complete -c gsort -o i$width -d "Binary signed integers of $width bits"
end
for width in 32 64
	complete -c gsort -o f$width -d "Binary floats of $width bits, in totalOrder"
end
complete -c gsort -l type -x -a 'u8 u16 u32 u64 i8 i16 i32 i64 f32 f64 text' -d 'Keys are of this type'
complete -c gsort -s n -l numeric-sort -d 'Decimal integers as text, the default'
complete -c gsort -s r -l reverse -d 'Largest first'
complete -c gsort -s u -l unique -d 'Of equal keys only one'
complete -c gsort -s o -l output -r -F -d 'Write to this file'
complete -c gsort -l decompress -x -a 'auto none gzip bzip2 xz zstd lz4' -d 'How the input is compressed'
complete -c gsort -l force -d 'Let binary keys come from or go to a terminal'
complete -c gsort -l device -x -a 'auto cpu gpu gpu:0' -d 'Where to sort'
complete -c gsort -l gpu-memory -x -a '50% 80% 1G 4G 16G' -d 'Most GPU memory to use'
complete -c gsort -l parallel -x -a '1 2 4 8 16' -d 'Threads to use'
complete -c gsort -s q -l quiet -d 'No warnings, only errors'
complete -c gsort -s v -l verbose -d 'A summary at the end; twice: decisions, too'
complete -c gsort -l debug -d 'Tell plan and decisions on standard error'
complete -c gsort -l plan -d 'Print the plan and sort nothing'
complete -c gsort -l help -d 'Print a summary of the options'
complete -c gsort -l version -d 'Print the version'
complete -c gsort -s b -l ignore-leading-blanks -d 'Without effect'
complete -c gsort -s f -l ignore-case -d 'Without effect'
complete -c gsort -s s -l stable -d 'Without effect'
