#include <catch2/catch.hpp>
#include <tailbound/core/suggest.hpp>

#include <string>
#include <vector>

using tailbound::did_you_mean;
using tailbound::nearest_names;

namespace {
const std::vector<std::string> options{"--inputs",       "--load",   "--rates",  "--packets-per-slot",
                                       "--packet-bytes", "--format", "--output", "--on-rate"};
}

TEST_CASE("suggestions: prefix of one name") {
  CHECK(nearest_names("--in", options) == std::vector<std::string>{"--inputs"});
  CHECK(nearest_names("--input", options) == std::vector<std::string>{"--inputs"});
  CHECK(nearest_names("--packet", options) ==
        std::vector<std::string>{"--packets-per-slot", "--packet-bytes"});
  CHECK(nearest_names("--", options).empty());
}

TEST_CASE("suggestions: up to two typing errors") {
  CHECK(did_you_mean("--laod", options) == "; did you mean --load?");
  CHECK(did_you_mean("--loads", options) == "; did you mean --load?");
  CHECK(did_you_mean("--fromat", options) == "; did you mean --format?");
  CHECK(did_you_mean("--outupt", options) == "; did you mean --output?");
  CHECK(did_you_mean("--depth", options).empty());
  CHECK(did_you_mean("cvs", {"table", "json", "csv"}) == "; did you mean csv?");
  CHECK(did_you_mean("xml", {"table", "json", "csv"}).empty());
  CHECK(did_you_mean("a", {"b", "c"}).empty());
  CHECK(did_you_mean(std::string(100'000, '-') + "load", options).empty());
}

TEST_CASE("suggestions: the same last words, before two typing errors") {
  const std::vector<std::string> shapes{"butterfly-fat-tree", "mesh", "unidirectional-torus", "torus"};
  CHECK(nearest_names("bidirectional-torus", shapes) == std::vector<std::string>{"torus"});
  CHECK(nearest_names("fat-tree", shapes) == std::vector<std::string>{"butterfly-fat-tree"});
  CHECK(nearest_names("--mean-load", options) == std::vector<std::string>{"--load"});
  CHECK(nearest_names("--bytes", options) == std::vector<std::string>{"--packet-bytes"});
  CHECK(nearest_names("--overload", options).empty());
  CHECK(nearest_names("cycles", {"router-cycles", "link-cycles"}).empty());
  CHECK(nearest_names("toru", shapes) == std::vector<std::string>{"torus"});
}
