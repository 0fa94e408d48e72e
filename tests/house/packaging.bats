# SPDX-License-Identifier: BSD-2-Clause
# The Debian packages that packaging/debian makes of a tarball.

load ../helpers

prepare() {
	[ -e "$GSORT_BUILD/Makefile" ] || skip "$GSORT_BUILD is no build folder"
	unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR
}

@test "the changelog begins with the version that configure knows" {
	version=$(sed -n 's/^PACKAGE_VERSION = //p' "$GSORT_BUILD/Makefile")
	[ "$(sed -n '1s/^gsort-numeric (\(.*\)-1).*/\1/p' "$GSORT_SOURCE/packaging/debian/changelog")" \
		= "$version" ]
}

# Without the tests, which run already.
@test "a tarball becomes packages, which hold all that is installed" {
	[ -n "${GSORT_SLOW:-}" ] || skip "it builds all again: make check-slow, or set GSORT_SLOW=1"
	needs dpkg-buildpackage dh xz
	dpkg-checkbuilddeps -P nocheck "$GSORT_SOURCE/packaging/debian/control" 2>missing ||
		skip "$(cat missing)"
	version=$(sed -n 's/^PACKAGE_VERSION = //p' "$GSORT_BUILD/Makefile")
	make -s -C "$GSORT_BUILD" distdir distdir="$PWD/gsort-$version" >log 2>&1 ||
		{ cat log; false; }
	tar -cJf "gsort-$version.tar.xz" "gsort-$version"
	env -u CC -u CFLAGS -u LDFLAGS DEB_BUILD_OPTIONS="nocheck parallel=2" \
		"$GSORT_SOURCE/packaging/debian/build" "gsort-$version.tar.xz" >log 2>&1 ||
		{ tail -n 30 log; false; }
	[ -s "gsort-numeric_$version-1.dsc" ]
	dpkg-deb -I gsort-numeric_*.deb | grep -qx ' Conflicts: gsort'
	for deb in gsort-numeric_*.deb libgsort-dev_*.deb; do dpkg-deb -x "$deb" root; done
	[ "$(printf '2\n1\n' | root/usr/bin/gsort)" = "$(printf '1\n2')" ]
	(cd "gsort-$version/debian/tmp" && find . -type f | sort) >installed
	while read -r file; do
		[ -e "root/$file" ] || [ -e "root/$file.gz" ] || { echo "$file"; false; }
	done <installed
	grep -q 'man3/gsort\.3' installed && grep -q 'examples/smallest\.c' installed
}
