# SPDX-License-Identifier: BSD-2-Clause
# A formula for Homebrew on Linux.  make release prints the checksum; whoever publishes the tarball
# sets both lines.  In Homebrew gsort is the sort of coreutils, so the program is installed as numsort.
class GsortNumeric < Formula
  desc "Sort streams of numbers at the speed the bytes can move"
  homepage "https://example.org/gsort"
  url "https://example.org/gsort/gsort-0.2.0.tar.xz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "BSD-2-Clause"

  depends_on "pkgconf" => :build
  depends_on "libarchive"
  depends_on :linux
  depends_on "lz4"
  depends_on "xz"
  depends_on "zlib"
  depends_on "zstd"

  def install
    system "./configure", "--without-cuda", "--enable-all-codecs", "--program-transform-name=s/gsort/numsort/",
           "--disable-silent-rules", *std_configure_args
    system "make", "install"
  end

  test do
    assert_equal "9\n10\n", pipe_output("#{bin}/numsort", "10\n9\n")
    (testpath/"test.c").write <<~C
      #include <gsort.h>
      int main(void)
      {
        int keys[2] = { 2, 1 };
        return gsort_sort(keys, 2, GSORT_I32, NULL) != GSORT_OK || keys[0] != 1;
      }
    C
    system ENV.cc, "test.c", "-o", "test", "-I#{include}", "-L#{lib}", "-lgsort"
    system "./test"
  end
end
