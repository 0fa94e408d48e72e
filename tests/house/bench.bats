# SPDX-License-Identifier: BSD-2-Clause
# The scripts of bench/, on tiny inputs: what they print and write.

load ../helpers

@test "crossover compares auto with both devices, and has the worst cell last" {
	needs jq
	needs python3
	command -v gsort-emu >/dev/null || skip "gsort-emu is not built"
	"$GSORT_SOURCE/bench/crossover" --gsort "$(command -v gsort-emu)" \
		--types u32,text --sizes 8,10 --cores 1 --ways file,pipe --runs 1 --least 0 --json grid.json >told
	[ "$(ls)" = "$(printf 'grid.json\ntold')" ]
	jq -e '(.rows | length) == 8 and (.lines | length) == 4 and .benchmark == "crossover" and
		all(.rows[]; .auto_over_better > 0 and .cpu.processor_seconds > 0 and
			(.auto_device == "cpu" or .auto_device == "gpu") and (.auto_rule | length) > 0 and
			(.plan | test("cpu|gpu"))) and
		([.rows[] | select(.type == "u32" and .size == 10)] | all(.bytes == 4096))' grid.json >answer
	grep -q '^8 of 8 cells were measured$' told
	grep -q '^8 of 8 cells take 0.0 s or more' told
	# in the end all cells again, by the ratio
	tail -n 8 told | awk '{ print $9 }' >ratios
	sort -n ratios | cmp - ratios
	jq -r '[.rows[].auto_over_better] | max' grid.json | awk '{ printf "%.3f\n", $1 }' >worst
	tail -n 1 ratios | cmp - worst
}

@test "crossover begins no cell that would not end in time, and says what it lacks" {
	needs python3
	command -v gsort-emu >/dev/null || skip "gsort-emu is not built"
	crossover=$GSORT_SOURCE/bench/crossover
	"$crossover" --gsort "$(command -v gsort-emu)" --types u32 --sizes 30 --cores 1 --ways null \
		--seconds 2 >told
	grep -q '^0 of 1 cells were measured$' told
	GSORT_EMU_DEVICES=0 not "$crossover" --gsort "$(command -v gsort-emu)" --sizes 8 2>err
	grep -q '^crossover: .*CUDA' err
	not "$crossover" --ways sideways 2>err
	grep -q '^crossover: --ways: sideways is none of file, pipe, null$' err
}

@test "crossover names the commit that it is told, or its own, or none" {
	needs git jq python3
	command -v gsort-emu >/dev/null || skip "gsort-emu is not built"
	commit_of() {
		"$@" --gsort "$(command -v gsort-emu)" --types u32 --sizes 8 --cores 1 --ways null --runs 1 \
			--json row.json >told && jq -r .commit row.json
	}
	export GIT_CONFIG_GLOBAL=/dev/null
	# a checkout of something else around the folder that the script was copied to
	git init -q . && git -c user.name=n -c user.email=e commit -q --allow-empty -m other
	mkdir copied && cp "$GSORT_SOURCE/bench/crossover" copied
	[ "$(commit_of copied/crossover)" = unknown ]
	[ "$(GSORT_COMMIT=abcdef0 commit_of copied/crossover)" = abcdef0 ]
	git -C "$GSORT_SOURCE" rev-parse -q --verify HEAD 2>/dev/null || skip "no checkout"
	[ "$(commit_of "$GSORT_SOURCE/bench/crossover")" = "$(git -C "$GSORT_SOURCE" rev-parse --short HEAD)" ]
}

@test "all measures every group, compares outputs, and leaves out by name what is missing" {
	needs jq
	needs python3
	mkdir bin wide && printf '#!/bin/sh\nexit 1\n' >bin/mpirun && chmod +x bin/mpirun
	PATH=$PWD/bin:$PATH "$GSORT_SOURCE/bench/all" --build "$GSORT_BUILD" --dir wide --scale 100000 --runs 1 \
		--only '^(?!ranks)' --json rows.json >told 2>err
	[ "$(grep -c '^| [^|]* | `' told)" -eq 16 ]
	grep -qE '^\| sort 100 integers, one per line \| `gsort in > out`: [0-9.e-]+ s \| `cat in > out`: ' told
	jq -e '([.rows[].group] | unique | length) == 16 and all(.rows[]; .seconds >= 0 and .peak_kib > 0)' rows.json
	[ -z "$(ls wide)" ]		# what it wrote to measure is gone
	# another sort
	printf '#!/bin/sh\n[ "$1" != --version ] || exec echo "sort 42"; exec %s "$@"\n' "$(command -v sort)" >other
	chmod +x other && "$GSORT_SOURCE/bench/all" --build "$GSORT_BUILD" --scale 100000 --runs 1 --only '^column$' \
		--sort ./other >told
	head -n 1 told | grep -q '; sort 42$'
	# a program that is wrong, and one that is not there
	printf '#!/bin/sh\ncat in || echo other\n' >bin/gsort && chmod +x bin/gsort
	ln -s "$GSORT_BUILD"/tests bin && not env PATH="$PWD/bin:$PATH" "$GSORT_SOURCE/bench/all" --build bin \
		--scale 100000 --runs 1 --only '^column$' >told 2>err
	grep -q '^all: wrong: sort$' err
	grep -qE "^all: '?bin2'? is not a build of gsort" <(not "$GSORT_SOURCE/bench/all" --build bin2 2>&1)
}

# is_xml FILE...: Python's parser takes every version, other parsers 1.0 and 1.1 only.
is_xml() {
	python3 -c 'import sys, xml.dom.minidom
for name in sys.argv[1:]:
    version = xml.dom.minidom.parse(name).version
    assert version in (None, "1.0"), f"{name}: version {version}"' "$@"
}

@test "pictures are XML, and so is what plot makes of the drawing of gnuplot" {
	needs python3
	mapfile -t pictures < <(find "$GSORT_SOURCE" -name '*.svg' ! -path '*/.git/*' ! -path "$GSORT_BUILD/*")
	[ "${#pictures[@]}" -ge 2 ]
	is_xml "${pictures[@]}"
	mkdir bin && cat >bin/gnuplot <<-'END'
		#!/bin/sh
		name=$(sed -n 's/^set output "\(.*\)"/\1/p')
		printf '%s\n' '<?xml version="1.0" encoding="utf-8"?>' '<svg><g id="gnuplot_canvas">' '<text>1.0</text>' '' \
			'<path d="M1.000,22.25"/></g></svg>' >"$name"
	END
	chmod +x bin/gnuplot
	PATH=$PWD/bin:$PATH "$GSORT_SOURCE/bench/plot" --out . "$GSORT_SOURCE/bench/results/h200-2026-11-23/ladder-gsort.json"
	is_xml ./*.svg
	grep -qxF '<text>1.0</text>' perkey.svg
	grep -qxF '<path d="M1,22.2"/></g></svg>' perkey.svg
}

@test "the figures of python/README.md about small arrays are in bench/results" {
	needs python3
	(cd "$GSORT_SOURCE" && python3 - <<-'END')
		import re
		page, rows = open("python/README.md").read(), {}
		for line in open("bench/results/2cores-2026-11-29/python.txt"):
		    if re.match("[uif][48] ", line):
		        rows.setdefault(line[:2], []).append([cell.split()[-1] for cell in line[3:].split("|")])
		types = "u4", "i4", "u8", "i8", "f4", "f8"
		for at, keys in enumerate(("64 keys", "256", "1024", "4096", "16384")):
		    wanted = f"| {keys} | " + " | ".join(", ".join(own[at] for own in rows[of]) for of in types) + " |"
		    assert wanted in page, wanted
	END
}

@test "a figure is in the results beside it, and the same in every document that has it" {
	needs python3
	files=$(cd "$GSORT_SOURCE" && find ./*.md doc man src python kernels bench tests packaging -type f \
		\( -name '*.md' -o -name '*.in' -o -name 'gsort*.h' -o -name '_calls.c' -o -path 'bench/results/*' \))
	(cd "$GSORT_SOURCE" && cp --parents $files "$OLDPWD")
	"$GSORT_SOURCE/tests/house/figures.py"
	# planted FILE FROM TO: one figure differs
	planted() {
		cp "$1" kept
		sed -i "0,/$2/s//$3/" "$1"
		not cmp -s "$1" kept
		not "$GSORT_SOURCE/tests/house/figures.py" >told
		[ "$(wc -l <told)" -ge 1 ]
		mv kept "$1"
	}
	planted kernels/README.md 'gsort is 0.99 (u32+u32)' 'gsort is 7.77 (u32+u32)'	# beside the file that has it
	planted src/gsort_cuda.h 'have 160 KB' 'have 164 KB'		# as in gsort_cuda(3)
	planted CONTRIBUTING.md '(8 minutes' '(9 minutes'		# as in README.md
}

@test "the pictures of README.md are drawn from the results that it names" {
	needs python3
	results=$(grep -oE 'bench/results/[^/)]+/all.json' "$GSORT_SOURCE/README.md" | sort -u)
	"$GSORT_SOURCE/doc/draw" "$GSORT_SOURCE/$results" .
	cmp demo.svg "$GSORT_SOURCE/doc/demo.svg"
	cmp compare.svg "$GSORT_SOURCE/doc/compare.svg"
}

@test "bench/results is small, and its README names every file" {
	cd "$GSORT_SOURCE/bench/results"
	find . -type f | sed 's|^\./||' >"$BATS_TEST_TMPDIR/files"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/files")" -gt 20 ]
	[ "$(find . -type f -exec cat {} + | wc -c)" -lt 300000 ]
	wrong=$(grep / "$BATS_TEST_TMPDIR/files" | while IFS=/ read -r folder name; do
		[ "${name##*.}" = svg ] ||
			sed -n "/^## $folder\$/,/^## /p" README.md | grep -qF "\`$name\`" || echo "$folder/$name"
	done)
	[ -z "$wrong" ] || { echo "not in README.md: $wrong"; false; }
}

# The table of "How it compares" is what bench/all prints of its results; the figures beside cat are those of
# rows of bench/results, those of the first screen are in that section.
@test "the figures of README.md are in bench/results" {
	needs python3
	(cd "$GSORT_SOURCE" && python3 - <<-'END')
		import json, re, subprocess
		page = open("README.md").read()
		compared, number = page.split("## How it compares")[1], r"([0-9.]+)"
		like = lambda value, printed: f"{value:.{len(printed.partition('.')[2])}f}" == printed
		shown = subprocess.run(["bench/all", "--show", "bench/results/2cores-2026-11-29/all.json"], check=True,
		                       capture_output=True, text=True).stdout.split("\n\n")[1]
		assert shown.count("\n") == 22 and shown in compared, shown
		rows = json.load(open("bench/results/2cores-2026-11-22/versus-u32.json"))["rows"]
		printed = re.search(rf"2\^28 u32 took {number} s .*`: {number} s.* {number} s from a pipe .*`: {number} s",
		                    " ".join(compared.split()))
		rows = {row["command"]: row["seconds"] for row in rows}
		for command, seconds in zip(("gsort -u32 --device=cpu in > out", "cat in > out",
		                             "cat in | gsort -u32 --device=cpu > out", "cat in | cat > out"), printed.groups()):
		    assert like(rows[command], seconds), (command, seconds)
		first = page[:page.index("![")].replace("*", "")
		for seconds in re.findall(number + r"\s+s\b", first):
		    assert f"{seconds} s" in compared, seconds
		assert len(re.findall(number + r"\s+s\b", first)) == 4
		times = {}
		for group in json.load(open("bench/results/2cores-2026-11-29/all.json"))["rows"]:
		    own = times.setdefault(group["group"], {})
		    own[group["name"]] = group["seconds"] / own.get("seconds", group["seconds"])
		    own.setdefault("seconds", group["seconds"])	# gsort is first
		sort, polars = [[round(own[name]) for own in times.values() if name in own] for name in ("sort", "polars")]
		claim = " ".join(page.split())
		assert f"gsort is {min(sort)} to {max(sort)} times as fast as `sort`" in claim, sort
		assert f"{min(polars)} to {max(polars)} times as fast as polars" in claim, polars
		counters = " ".join(open("bench/results/h200-2026-11-28/counters.txt").read().split())
		cells = [re.search(before + "((?: [0-9.]+)+)", counters)[1].rstrip(".").split() for before in
		         (r"u32, 2\^16 to 2\^30:", r"u64, 2\^18 to 2\^30:")]
		kernels = open("kernels/README.md").read()
		shapes = open("bench/results/h200-2026-11-30/shapes.txt").read()
		for name, row in zip(("u32", "u64"), (cells[0][2::2], cells[1][::2])):
		    few = re.findall(rf"(?m)^{name} +2\^(?:18|20|22|24) +{number}", shapes)
		    row = " | ".join(few[:4] + row[4:])
		    assert f"| {name}, uniform | {row} |" in kernels, (name, row)
		assert "1.9 (u32) and 3.0 (u64) times" in claim and round(float(cells[0][12]), 1) == 1.9 and int(float(cells[1][10])) == 3
		over = {}
		for group in [group for name in ("h200-2026-11-23/jobs-two-queues", "h200-2026-11-26/jobs")
		              for group in json.load(open(f"bench/results/{name}.json"))["groups"]]:
		    jobs = {job["name"]: job["median"] for job in group["jobs"]}
		    if "cat" in jobs:
		        over.setdefault(group["title"], {}).update({n: m / jobs["cat"] for n, m in jobs.items()})
		text = " ".join(page.split())
		for title, job, before in (
		        ("2^30 u64, file to new file, 16 cores, CPU", "cpu", "sorting a file of 8 GiB takes"),
		        ("2^31 u64, file to new file, 16 cores, CPU", "cpu", "several threads. Sorting 16 GiB takes"),
		        ("2^31 u64, file to new file, 16 cores", "auto", "With a GPU, sorting 16 GiB takes"),
		        ("2^31 u64, file to new file, 16 cores", "auto", "sorting 2^31 u64 from file to file takes"),
		        ("2^31 u64, file to new file, 4 cores", "auto", "as long as copying on 16 cores, and")):
		    printed = re.search(re.escape(before) + f" {number} times", text)[1]
		    assert like(over[title][job], printed), (title, over[title][job], printed)
	END
}
