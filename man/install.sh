#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# install.sh - install or remove manual pages, completions and README.md under the command's name
#
#     install.sh install|uninstall SRCDIR NAME MPI_NAME PAGE...      (make install calls it)
#
# NAME and MPI_NAME are gsort and gsort-mpi under --program-transform-name; pages of commands and
# completions say NAME where they mean the command.  Pages of the libraries keep their names, as
# functions do, and each function gets a page that includes the one that describes it.
# In:   the environment's mandir, docdir, bashcompdir, zshcompdir and fishcompdir, with DESTDIR; sortdir, where the
#       link called sort is, which texts say is /usr/local/libexec/gsort.

set -eu
action=$1 srcdir=$2 name=$3 mpi_name=$4
shift 4
upper=$(printf %s "$name" | tr '[:lower:]' '[:upper:]')

placed="s,/usr/local/libexec/gsort,$sortdir,g"
# The command's name; not gsort(3), gsort.h, gsort-cuda.so or the folder gsort.
renamed="$placed; s/gsort (3)/KEEP (3)/g; s/gsort\\(\\\\*-cuda\\)/KEEP\\1/g; s/gsort\\(\\.[hp]\\)/KEEP\\1/g; s,/gsort,/KEEP,g
s/gsort\\\\*-mpi/MPI-NAME/g; s/\\<gsort\\>/$name/g; s/MPI-NAME/$mpi_name/g; s/^\\.TH GSORT/.TH $upper/; s/KEEP/gsort/g"
# README.md without the picture, and without links to files that are not installed.
unlinked='/^!\[/d; s/\[\([^]]*\)\](\(bench\|doc\|kernels\|packaging\|python\|tests\|HACKING\)[^)]*)/\1/g'

# put TO COMMAND...: install what the command prints as TO, or remove TO
put() {
	to=$1
	shift
	if [ "$action" = uninstall ]; then
		rm -f "$to"
	else
		mkdir -p "${to%/*}"
		"$@" >"$to"
		chmod 644 "$to"
	fi
}

for page; do
	section=${page##*.} base=${page##*/}
	case $base in
	*.3)	put "$mandir/man3/$base" sed "s/^\\.BR gsort (1)/.BR $name (1)/" "$page"
		for function in $(sed -n 's/^\.SS \(gsort_[a-z_]*\)().*/\1/p' "$page"); do
			put "$mandir/man3/$function.3" echo ".so man3/$base"
		done ;;
	gsort-mpi.1)
		put "$mandir/man1/$mpi_name.1" sed "$renamed" "$page" ;;
	*)	put "$mandir/man$section/$name${base#gsort}" sed "$renamed" "$page" ;;
	esac
done
put "$docdir/README.md" sed "$placed; $unlinked" "$srcdir/README.md"
put "$bashcompdir/$name" sed "s/\\<gsort\\>/$name/g" "$srcdir/completions/gsort.bash"
put "$zshcompdir/_$name" sed "s/\\<gsort\\>/$name/g" "$srcdir/completions/_gsort"
put "$fishcompdir/$name.fish" sed "s/\\<gsort\\>/$name/g" "$srcdir/completions/gsort.fish"
