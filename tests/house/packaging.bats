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
	left_to_slow "a package, which builds all again"
	needs dpkg-buildpackage dh xz
	dpkg-checkbuilddeps -P nocheck "$GSORT_SOURCE/packaging/debian/control" 2>missing ||
		skip "$(cat missing)"
	version=$(sed -n 's/^PACKAGE_VERSION = //p' "$GSORT_BUILD/Makefile")
	make -s -C "$GSORT_BUILD" distdir distdir="$PWD/gsort-$version" >log 2>&1 ||
		{ cat log; false; }
	tar -cJf "gsort-$version.tar.xz" "gsort-$version"
	env -u CC -u CFLAGS -u LDFLAGS DEB_BUILD_OPTIONS="nocheck parallel=2" DEB_BUILD_PROFILES=nocheck \
		"$GSORT_SOURCE/packaging/debian/build" "gsort-$version.tar.xz" >log 2>&1 ||
		{ tail -n 30 log; false; }
	[ -s "gsort-numeric_$version-1.dsc" ]
	dpkg-deb -I gsort-numeric_*.deb | grep -qx ' Conflicts: gsort'
	for deb in gsort-numeric_*.deb gsort-numeric-mpi_*.deb libgsort*_*.deb python3-gsort_*.deb; do dpkg-deb -x "$deb" root; done
	[ "$(printf '2\n1\n' | root/usr/bin/gsort)" = "$(printf '1\n2')" ]
	not grep -rqF "$PWD" root
	if command -v lintian >/dev/null; then	# nobody has asked Debian for this package
		lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs \
			./*.changes >log 2>&1 || { cat log; false; }
	fi
	(cd "gsort-$version/debian/tmp" && find . -type f | sort) >installed
	while read -r file; do
		[ -e "root/$file" ] || [ -e "root/$file.gz" ] || { echo "$file"; false; }
	done <installed
	grep -q 'man3/gsort\.3' installed
	grep -q 'examples/smallest\.c' installed
	# and each package, and a wheel, in a Debian of the same version that has nothing else
	if command -v mmdebstrap >/dev/null && [ "$(id -u)" -eq 0 ] &&
	   mmdebstrap --variant=minbase "$(. /etc/os-release && echo "$VERSION_CODENAME")" chroot >log 2>&1; then
		if /usr/bin/python3 -c 'import setuptools, wheel, pip' 2>/dev/null; then
			GSORT_BUILD=$PWD/gsort-$version/build-debian /usr/bin/python3 -m pip wheel -q --no-deps \
				--no-build-isolation --no-index -w . "./gsort-$version/python" >log 2>&1 || { cat log; false; }
		fi
		"$GSORT_SOURCE/packaging/debian/try" chroot . >log 2>&1 || { cat log; false; }
		[ "$(grep -c . log)" -ge 4 ]
		# debian/tests, each in a copy of its own of a Debian that has nothing else
		if command -v autopkgtest >/dev/null; then
			mmdebstrap --variant=minbase --include=apt-utils "$(. /etc/os-release && echo "$VERSION_CODENAME")" bare >log 2>&1
			# TMPDIR names a folder that the chroot lacks, and mmdebstrap leaves no lists of packages there (-U)
			env -u TMPDIR autopkgtest -U ./*.deb "gsort-$version/" -- chroot "$PWD/bare" >log 2>&1 || { tail -n 40 log; false; }
			# each passes, and stands in the results and in the summary
			[ "$(grep -E '^(program|mpi|library|python) +PASS' log | sort -u | wc -l)" -eq 4 ]
		fi
	fi
}

@test "spec, formula and recipes have the version that configure knows, and options that it has" {
	version=$(sed -n 's/^PACKAGE_VERSION = //p' "$GSORT_BUILD/Makefile")
	cd "$GSORT_SOURCE/packaging"
	grep -qE "^Version: +$version\$" rpm/gsort-numeric.spec
	if command -v rpmspec >/dev/null; then
		rpmspec -q rpm/gsort-numeric.spec | grep -q "^gsort-numeric-mpi-$version-"
	fi
	grep -qF "gsort-$version.tar.xz" homebrew/gsort-numeric.rb
	grep -qF "version = \"$version\"" conda/meta.yaml
	grep -qF "version(\"$version\"" spack/package.py
	grep -qF "gsort-$version.tar.xz" spack/package.py
	python3 -c 'import ast; ast.parse(open("spack/package.py").read())'
	"$GSORT_SOURCE/configure" --help >"$BATS_TEST_TMPDIR/help"
	for option in $(grep -ohE -- '--(enable|disable|with|without)-[a-z-]+' docker/Dockerfile rpm/gsort-numeric.spec homebrew/*.rb \
	              conda/meta.yaml spack/package.py debian/rules |
	                sed -E 's/^--[a-z]+-//' | sort -u); do
		grep -qE -- "--(enable|disable|with|without)-$option" "$BATS_TEST_TMPDIR/help" || { echo "$option"; false; }
	done
}

@test "two tarballs are the same bytes, whatever the folder, the time and the umask; make release adds checksums" {
	left_to_ci "two tarballs"
	needs xz tar sha256sum
	make -s -C "$GSORT_BUILD" dist >log 2>&1 || { cat log; false; }
	version=$(sed -n 's/^PACKAGE_VERSION = //p' "$GSORT_BUILD/Makefile")
	mv "$GSORT_BUILD/gsort-$version.tar.xz" first
	(umask 077 && make -s -C "$GSORT_BUILD" release PYTHON=false) >log 2>&1 || { cat log; false; }
	grep -qF "gsort-$version.spdx.json" "$GSORT_BUILD/SHA256SUMS"
	(cd "$GSORT_BUILD" && sha256sum --quiet -c SHA256SUMS)
	head -n 1 "$GSORT_BUILD/gsort-$version.notes" | grep -q "^\* .* release $version "
	[ "$(grep -c '^\* ' "$GSORT_BUILD/gsort-$version.notes")" -eq 1 ]
	rm "$GSORT_BUILD/gsort-$version.spdx.json" "$GSORT_BUILD/SHA256SUMS" "$GSORT_BUILD/gsort-$version.notes"
	mv "$GSORT_BUILD/gsort-$version.tar.xz" second
	cmp first second
	tar -tvJf first | awk '{ print $1, $2, $4 }' | sort | uniq -c >kinds
	[ "$(awk '{ print $3 }' kinds | sort -u)" = 0/0 ]
	[ "$(awk '{ print $4 }' kinds | sort -u | wc -l)" -eq 1 ]
}

@test "a tarball made of a tarball, and packages built in two folders, are the same bytes" {
	left_to_slow "two packages, which build all again"
	needs dpkg-buildpackage dh xz
	dpkg-checkbuilddeps -P nocheck "$GSORT_SOURCE/packaging/debian/control" 2>missing ||
		skip "$(cat missing)"
	version=$(sed -n 's/^PACKAGE_VERSION = //p' "$GSORT_BUILD/Makefile")
	make -s -C "$GSORT_BUILD" dist >log 2>&1 || { cat log; false; }
	mv "$GSORT_BUILD/gsort-$version.tar.xz" .
	tar -xJf "gsort-$version.tar.xz"
	(cd "gsort-$version" && ./configure -q --without-cuda && make -s dist) >log 2>&1 || { tail -n 30 log; false; }
	cmp "gsort-$version.tar.xz" "gsort-$version/gsort-$version.tar.xz"
	for folder in one two/longer; do
		mkdir -p "$folder"
		(cd "$folder" && env -u CC -u CFLAGS -u LDFLAGS DEB_BUILD_OPTIONS="nocheck parallel=2" DEB_BUILD_PROFILES=nocheck \
			"$GSORT_SOURCE/packaging/debian/build" "$OLDPWD/gsort-$version.tar.xz") >log 2>&1 || { tail -n 30 log; false; }
	done
	for deb in one/*.deb; do cmp "$deb" "two/longer/${deb#one/}"; done
	[ "$(find one -name '*.deb' ! -name '*dbgsym*' | wc -l)" -ge 5 ]
}

# PYTHONS, or those of pyenv and the system's.
@test "the wheel and the source distribution sort in a bare environment of every Python at hand" {
	left_to_slow "a wheel and source distributions, which build all again"
	[ -e "$GSORT_BUILD/libgsort.so.0" ] || skip "there is no shared library: sanitizer, or --disable-shared"
	python3 -c 'import setuptools, pip' || skip "no pip and setuptools"
	make -s -C "$GSORT_BUILD" wheel sdist PYTHON=python3 >log 2>&1 || { tail -n 30 log; false; }
	mkdir release
	mv "$GSORT_BUILD"/gsort-*.whl "$GSORT_BUILD"/gsort-*.tar.gz release
	[ -n "${PYTHONS-}" ] || PYTHONS=$(ls /usr/bin/python3 "$(pyenv root 2>/dev/null)"/versions/3.*/bin/python3 2>/dev/null)
	tried=0
	for python in $PYTHONS; do
		"$python" -c 'import sys, venv, ensurepip; assert sys.version_info >= (3, 9)' 2>/dev/null || continue
		PYTHON=$python "$GSORT_SOURCE/packaging/try" release >log 2>&1 || { "$python" --version; cat log; false; }
		[ "$(grep -c ' commands$' log)" -eq 2 ]
		tried=$((tried + 1))
	done
	[ "$tried" -ge 1 ] || skip "no Python 3.9 with venv"
}

@test "a bill of materials is valid JSON, names the archive, and is the same when made again" {
	needs python3
	echo archive >gsort-1.tar.xz
	"$GSORT_SOURCE/packaging/sbom" 1 1000000000 gsort-1.tar.xz >one
	"$GSORT_SOURCE/packaging/sbom" 1 1000000000 gsort-1.tar.xz | cmp - one
	python3 - <<-'END'
		import hashlib, json
		bom = json.load(open("one"))
		assert bom["spdxVersion"] == "SPDX-2.3" and bom["creationInfo"]["created"] == "2001-09-09T01:46:40Z"
		ids = {package["SPDXID"] for package in bom["packages"]} | {"SPDXRef-DOCUMENT"}
		ends = {r[end] for r in bom["relationships"] for end in ("spdxElementId", "relatedSpdxElement")}
		assert ends <= ids, ends - ids
		archive = bom["packages"][0]
		assert archive["packageFileName"] == "gsort-1.tar.xz"
		assert archive["checksums"][0]["checksumValue"] == hashlib.sha256(b"archive\n").hexdigest()
	END
}

@test "from what make release makes, three commands lead to sorted numbers" {
	left_to_slow "a release, which builds all again"
	needs gzip xz
	local chroot=
	/usr/bin/python3 -c 'import setuptools, wheel, pip, venv' || skip "no setuptools, wheel, pip and venv"
	mkdir build release
	(cd build && "$GSORT_SOURCE/configure" -q --without-cuda --enable-static-program) >log 2>&1 ||
		{ grep -q 'are needed; config.log' log && skip "no static libraries"; cat log; false; }
	make -s -C build -j2 release PYTHON=/usr/bin/python3 >log 2>&1 || { tail -n 30 log; false; }
	cp build/gsort-*.tar.?z build/gsort-*.whl release
	[ "$(find release -type f | wc -l)" -eq 4 ]
	if [ "$(id -u)" -eq 0 ]; then
		if command -v mmdebstrap >/dev/null; then
			mmdebstrap --variant=minbase bookworm chroot >log 2>&1 && chroot=chroot
		elif command -v debootstrap >/dev/null; then
			debootstrap --variant=minbase bookworm chroot >log 2>&1 && chroot=chroot
		fi
	fi
	"$GSORT_SOURCE/packaging/try" release $chroot >tried 2>&1 || { cat tried; false; }
	[ "$(grep -c ' commands$' tried)" -eq $((${#chroot} > 0 ? 4 : 2)) ]
}

@test "with zig the wheel is one for glibc 2.28: the same ABI, and it sorts in an older Debian" {
	left_to_slow "a wheel, which builds all again"
	[ -e "$GSORT_BUILD/libgsort.so.0" ] || skip "there is no shared library: sanitizer, or --disable-shared"
	[ ! -e "$GSORT_SOURCE/config.status" ] || skip "the folder of the sources is configured"
	python3 -c 'import pip, venv, ziglang' || skip "no pip, venv and ziglang"
	local older=
	make -s -C "$GSORT_BUILD" wheel PYTHON=python3 >log 2>&1 || { tail -n 30 log; false; }
	mkdir release
	mv "$GSORT_BUILD"/gsort-*-py3-none-manylinux_2_28_"$(uname -m)".whl release
	python3 -m zipfile -e release/*.whl unpacked
	"$GSORT_SOURCE/tests/house/abi.sh" "$(find unpacked -name libgsort.so.0)" | cmp - "$GSORT_SOURCE/src/libgsort.abi"
	not grep -rqF -e "$GSORT_SOURCE" -e "$(cd "$GSORT_BUILD" && pwd)" unpacked
	if [ "$(id -u)" -eq 0 ] && command -v debootstrap >/dev/null &&
	   debootstrap --variant=minbase --include=python3-venv bullseye older >log 2>&1; then
		older=older
		mkdir -p older/etc/ssl/certs	# pip asks the index that it asks here
		cp /etc/ssl/certs/ca-certificates.crt older/etc/ssl/certs
		[ ! -e /etc/pip.conf ] || cp /etc/pip.conf older/etc
	fi
	"$GSORT_SOURCE/packaging/try" release "" $older >tried 2>&1 || { cat tried; false; }
	[ "$(grep -c ' commands$' tried)" -eq $((1 + (${#older} > 0))) ]
}

@test "a static program decompresses, and spills, where there is nothing else" {
	left_to_slow "a static program, which builds all again"
	[ "$(id -u)" -eq 0 ] || skip "only root may change the root"
	needs xz lz4 zstd bzip2 gzip chroot
	mkdir build
	(cd build && "$GSORT_SOURCE/configure" -q --without-cuda --disable-shared --enable-static-program) >log 2>&1 ||
		{ grep -q 'are needed; config.log' log && skip "no static libraries"; cat log; false; }
	make -s -C build -j2 gsort >log 2>&1 || { cat log; false; }
	mkdir -p root/tmp
	cp build/gsort root
	gen --keys 100000 --type text >root/in
	for program in gzip bzip2 xz zstd; do "$program" -kq root/in; done
	lz4 -q root/in root/in.lz4
	chroot root /gsort --version -v | grep '^Libraries: zlib .*liblz4 [0-9.]* (linked in)$'
	sort -n root/in >sorted
	for suffix in gz bz2 xz zst lz4; do
		chroot root /gsort "in.$suffix" | cmp - sorted
	done
	gen --keys 3000000 --type u64 >root/keys
	for program in zstd lz4; do
		chroot root /gsort -u64 -S 10M -T /tmp --compress-program=$program keys >out
		is_sorted out u64
	done
	not grep -aqF "$GSORT_SOURCE" build/gsort
}

@test "without headers of codecs and pkg-config gsort is built, and reads what is installed" {
	left_to_ci "a build without headers"
	needs gzip bzip2 xz zstd
	mkdir headers build
	for header in archive archive_entry lz4 lzma zlib zstd zstd_errors; do
		echo '#error this host has no such header' >headers/$header.h
	done
	(cd build && "$GSORT_SOURCE/configure" --without-cuda PKG_CONFIG=false CPPFLAGS="-I$PWD/../headers") >log 2>&1 ||
		{ cat log; false; }
	[ "$(grep -c 'no headers: loaded all the same where it is installed' log)" -eq 5 ]
	make -s -C build -j2 gsort >log 2>&1 || { cat log; false; }
	seq 1000 -1 1 >in
	for program in gzip bzip2 xz zstd; do
		"$program" -c in >packed
		build/gsort packed | cmp - <(seq 1000)
	done
	(cd build && not "$GSORT_SOURCE/configure" --enable-all-codecs --without-cuda PKG_CONFIG=false) >log 2>&1
	grep -q 'error: --enable-all-codecs: pkg-config does not find libzstd liblz4 libarchive liblzma zlib' log
}
