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

@test "versus prints processor seconds and writes them" {
	needs jq
	"$GSORT_SOURCE/bench/versus" --build "$GSORT_BUILD" --sizes 1000 \
		--types u32 --ways file --others-most 0 --runs 1 --json rows.json >told
	grep -qE '^u32, 1000 keys .* processor ' told
	jq -e '(.rows | length) == 2 and all(.rows[]; .processor_seconds > 0)' rows.json >answer
}

@test "versus compares lines by key" {
	"$GSORT_SOURCE/bench/versus" --build "$GSORT_BUILD" --sizes '' --lines 2000 --runs 1 >told
	grep -qE '^2000 lines by word n ' told
	[ "$(grep -c '^gsort -t, -k' told)" -eq 2 ]
}

@test "records measures all its rows" {
	needs python3
	"$GSORT_SOURCE/bench/records" --build "$GSORT_BUILD" --records 20000 --lines 1000 --runs 1 >told
	grep -E '^on disk .* of uniform$' told
	grep -E '^16 bytes, --argsort=u64 .* of u64 keys$' told
}
