#include <catch2/catch.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/core/printable.hpp>

#include <random>
#include <string>

// How untrusted text is shown.

using tailbound::LineEnds;
using tailbound::printable;

TEST_CASE("printable: control characters are escaped, invalid UTF-8 is marked") {
  CHECK(printable("plain, \u00e9\u4e2d\U0001F600 and\ttabs\n") ==
        "plain, \u00e9\u4e2d\U0001F600 and\ttabs\n");
  CHECK(printable("a\nb", LineEnds::shown) == "a\\u000ab");
  CHECK(printable("\x1b[31m\a\r\x7f") == "\\u001b[31m\\u0007\\u000d\\u007f");
  CHECK(printable(std::string("a\0b", 3)) == "a\\u0000b");
  CHECK(printable("\u0085\u202e\u2066\u200f\u2028\ufeff") == "\\u0085\\u202e\\u2066\\u200f\\u2028\\ufeff");
  CHECK(printable("\xff\xc0\xaf|\xe2\x82|\xed\xa0\x80|\xf5") ==
        "\uFFFD\uFFFD\uFFFD|\uFFFD\uFFFD|\uFFFD\uFFFD\uFFFD|\uFFFD");
}

TEST_CASE("printable: idempotent for all bytes") {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (auto n = random() % 40; n > 0; --n)
      text += static_cast<char>(random() % 4 == 0 ? random() : 0xE0 + random() % 32);
    const std::string once = printable(text, LineEnds::shown);
    CHECK(printable(once, LineEnds::shown) == once);
    for (const char c : once) CHECK((static_cast<unsigned char>(c) >= ' ' || c == '\t'));
  }
}

TEST_CASE("printable: messages are complete for any input") {
  const tailbound::InvalidArgument error("--load", std::string("0\0\x1b\n5", 5), "a number");
  CHECK(error.what() == std::string("--load is 0\\u0000\\u001b\\u000a5; it must be a number"));
  CHECK(error.value().size() == 5);
}
