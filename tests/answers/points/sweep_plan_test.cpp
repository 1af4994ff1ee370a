#include <catch2/catch.hpp>
#include <tailbound/answers/points/sweep_plan.hpp>

namespace {

using namespace tailbound;
using namespace tailbound::answers;

std::vector<std::string> words_of(const char* plan) {
  std::vector<std::string> words;
  for (const SweepPoint& point : read_sweep_plan(plan, "plan").points) words.push_back(point.in_words());
  return words;
}

}  // namespace

TEST_CASE("sweep plan: every combination, the last list varying fastest") {
  CHECK(words_of(R"([[query]]
command = "buffer"
load = [0.5, 0.90]
drop = 1e-15
inputs = [8, 16]
)") == std::vector<std::string>{
           "buffer --load 0.5 --drop 1e-15 --inputs 8", "buffer --load 0.5 --drop 1e-15 --inputs 16",
           "buffer --load 0.90 --drop 1e-15 --inputs 8", "buffer --load 0.90 --drop 1e-15 --inputs 16"});
}

TEST_CASE("sweep plan: ranges, flags, texts; numbers as written") {
  CHECK(words_of(R"toml(# a comment
[[query]]
command = "simulate tree"
load = ["0.1:0.3:0.1", "1/3"] # exact
packets_per_slot = 1_0
reorder = true
buffer = 0.12345678901234567890123
quiet = false
"percentiles" = "50,99"

[[query]]
command = "pgf"
arrivals = "exp(z - 1)"

[picture]
x = "load"
y = "mean"
)toml") == std::vector<std::string>{
               "simulate tree --load 0.1 --packets-per-slot 10 --reorder --buffer 0.12345678901234567890123 "
               "--percentiles 50,99",
               "simulate tree --load 0.2 --packets-per-slot 10 --reorder --buffer 0.12345678901234567890123 "
               "--percentiles 50,99",
               "simulate tree --load 0.3 --packets-per-slot 10 --reorder --buffer 0.12345678901234567890123 "
               "--percentiles 50,99",
               "simulate tree --load 1/3 --packets-per-slot 10 --reorder --buffer 0.12345678901234567890123 "
               "--percentiles 50,99",
               "pgf --arrivals 'exp(z - 1)'"});
  const SweepPlan plan =
      read_sweep_plan("[[query]]\ncommand = \"a\"\nb = [1]\n[picture]\nx = \"b\"\n", "plan");
  CHECK(plan.x == "b");
  CHECK_FALSE(plan.y);
  CHECK(plan.points.front().swept == std::vector<std::string>{"--b"});
}

TEST_CASE("sweep plan: points do not depend on the order of options, and are unique") {
  const SweepPlan one = read_sweep_plan("[[query]]\ncommand = \"a\"\nb = 1\nc = [2, 3, 2]\n", "plan");
  const SweepPlan other = read_sweep_plan("[[query]]\ncommand = \"a\"\nc = 2\nb = 1\n", "plan");
  CHECK(one.points.size() == 2);
  CHECK(one.points[0].key() == other.points[0].key());
  CHECK(one.points[0].key() != one.points[1].key());
  CHECK(mark_of("a") != mark_of("b"));
  CHECK(mark_of("a").size() == 16);
}

TEST_CASE("sweep plan: errors name the position") {
  const auto rejection = [](const char* text) -> std::string {
    try {
      static_cast<void>(read_sweep_plan(text, "plan.toml"));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  CHECK(rejection("") == "plan.toml:1:1: a plan has one or more [[query]] tables");
  CHECK(rejection("[[query]]\nload = 1\n").find("needs the key \"command\"") != std::string::npos);
  CHECK(rejection("[[query]]\ncommand = \"a\"\nload = []\n").find("plan.toml:3:8: the list is empty") == 0);
  CHECK(rejection("[[query]]\ncommand = \"a\"\nload = [[1]]\n").find("plan.toml:3:9") == 0);
  CHECK(rejection("[[query]]\ncommand = \"a\"\nload = \"\"\n").find("plan.toml:3:8") == 0);
  CHECK(rejection("[[query]]\ncommand = \"a\"\nload = [\"1:2:0\"]\n").find("plan.toml:3:9") == 0);
  CHECK(rejection("[[query]]\ncommand = \"a\"\na_b = 1\na-b = 2\n").find("--a-b is given twice") !=
        std::string::npos);
  CHECK(rejection("[[queries]]\ncommand = \"a\"\n").find("no key \"queries\"") != std::string::npos);
  CHECK(rejection("[[query]]\ncommand = \"a\"\n[picture]\nz = \"b\"\n").find("its keys are x, y") !=
        std::string::npos);
  CHECK(rejection("[[query]]\ncommand = \"a\"\nb = [\"1:2000:1\"]\nc = [\"1:2000:1\"]\n") ==
        "a [[query]] has more than 1000000 points");
  CHECK(rejection("not toml").find("plan.toml:1:") == 0);
}
