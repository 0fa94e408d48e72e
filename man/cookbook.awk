# SPDX-License-Identifier: BSD-2-Clause
# cookbook.awk - doc/cookbook.md as gsort-cookbook(7)
#
# In:   the page, in the subset of Markdown that it uses; version and date, as -v.
# Out:  a manual page.

function roff(text) {
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	sub(/^[.']/, "\\\\\\&&", text)
	return text
}

# A line of prose: **bold**, `literal` and [links](to).
function prose(line,   out) {
	line = roff(line)
	while (match(line, /\[[^]]*\]\([^)]*\)/)) {
		out = substr(line, RSTART + 1, RLENGTH - 1)
		sub(/\].*/, "", out)
		line = substr(line, 1, RSTART - 1) out substr(line, RSTART + RLENGTH)
	}
	while (match(line, /\*\*[^*]*\*\*/))
		line = substr(line, 1, RSTART - 1) "\\fB" substr(line, RSTART + 2, RLENGTH - 4) "\\fP" \
			substr(line, RSTART + RLENGTH)
	while (match(line, /`[^`]*`/))
		line = substr(line, 1, RSTART - 1) "\\fB" substr(line, RSTART + 1, RLENGTH - 2) "\\fP" \
			substr(line, RSTART + RLENGTH)
	return line
}

/^<!--/		{ print ".\\\" SPDX-License-Identifier: BSD-2-Clause"; next }
/^```/		{ code = !code; print code ? ".PP\n.EX" : ".EE"; next }
code		{ print roff($0); next }
/^# /		{ print ".TH GSORT\\-COOKBOOK 7 \"" date "\" \"gsort " version "\" \"Miscellaneous\""
		  print ".SH NAME\ngsort\\-cookbook \\- jobs for gsort, each with its command\n.SH DESCRIPTION"; first = 1; next }
/^## /		{ print ".SH " toupper(roff(substr($0, 4))); first = 1; next }
/^\|[- |]*$/	{ next }
/^\| /		{ gsub(/\\\|/, "\001"); split($0, cells, / *\| */)
		  left = prose(cells[2]); right = prose(cells[3]); gsub(/\001/, "|", left); gsub(/\001/, "|", right)
		  print ".TP\n" left "\n" right; blank = 0; next }
/^$/		{ blank = 1; next }
		{ if (blank && !first) print ".PP"
		  blank = first = 0; print prose($0) }
END		{ print ".SH SEE ALSO\n.BR gsort (1)" }
