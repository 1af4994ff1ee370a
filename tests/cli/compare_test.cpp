#include <cli/options/files.hpp>
#include <nlohmann/json.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/real.hpp>
#include <tailbound/series/files/coefficient_list.hpp>

#include <catch2/catch.hpp>
#include <tests/golden/run_command.hpp>
#include <tests/support/rational.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace tailbound;
using golden::Outcome;
using golden::run_command;
using nlohmann::json;
using tailbound::test::rational;

namespace {

series::CoefficientList list_of(const std::string& text) {
  return series::parse_coefficient_list(text, "list");
}

std::string sample(const std::string& name) {
  return std::string(TAILBOUND_DATA_DIR) + "/reference/maple/" + name;
}

/// The result of `tailbound compare FILE --inputs 16 --load 0.9` and more.
json compare(const std::string& file, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments{"compare", file, "--inputs", "16", "--load", "0.9", "--format", "json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome outcome = run_command(arguments);
  INFO(outcome.err);
  REQUIRE(outcome.status <= 1);
  const json document = json::parse(outcome.out);
  CHECK(outcome.status == (document["results"][0]["first_disagreement"].is_null() ? 0 : 1));
  CHECK(document["command"] == "compare");
  CHECK(document["query"]["file"] == file);
  REQUIRE(document["results"].size() == 1);
  return document["results"][0];
}

/// A file deleted at the end of the scope.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content) {
    static int count = 0;
    path_ = (std::filesystem::temp_directory_path() /
             ("tailbound_compare_" + std::to_string(::getpid()) + "_" + std::to_string(++count)))
                .string();
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The standard output of the program; empty if it is not installed.
std::string output_of(const std::string& command) {
  std::string output;
  std::FILE* pipe = ::popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return output;
  std::array<char, 4096> block{};
  while (const std::size_t size = std::fread(block.data(), 1, block.size(), pipe))
    output.append(block.data(), size);
  ::pclose(pipe);
  return output;
}

bool installed(const std::string& program) {
  return !output_of("command -v " + program).empty();
}

/// The first index at which `low` differs by more than one unit in its last place from `high`, a longer list
/// from another program.
std::int64_t first_difference(const series::CoefficientList& low, const series::CoefficientList& high) {
  for (std::size_t i = 0; i < low.coefficients.size(); ++i) {
    const auto& entry = low.coefficients[i];
    if (numeric::abs(entry.value - high.coefficients[i].value) > series::unit_in_last_place(entry))
      return entry.index;
  }
  return -1;
}

}  // namespace

TEST_CASE("long expansions agree in all digits", "[cli][compare]") {
  for (const char* file : {"gp_slotted_queue.txt", "gp_slotted_queue_exact.txt"}) {
    CAPTURE(file);
    const json answer = compare(sample(file));
    CHECK(answer["agreeing"] == answer["compared"]);
    CHECK(answer["coefficients"].size() == answer["compared"]);
    CHECK(answer["compared"] == list_of(cli::read_file(sample(file), "FILE")).coefficients.size());
    // Decimals of 40 digits, and fractions, of which all digits are compared.
    CHECK(answer["agreed_digits_min"].get<int>() >= 40);
    CHECK(answer["first_disagreement"].is_null());
  }
}

TEST_CASE("a last digit off by more than one unit is detected", "[cli][compare]") {
  // Giac's conversion of the exact fraction: ...70661, where ...70659834 is correct.
  const json answer = compare(sample("giac_slotted_queue.txt"));
  CHECK(answer["compared"] == 61);
  CHECK(answer["agreed_digits_min"] == 39);
  CHECK(answer["first_disagreement"] == 4);
  const Outcome table =
      run_command({"compare", sample("giac_slotted_queue.txt"), "--inputs", "16", "--load", "0.9"});
  CHECK_THAT(table.out, Catch::Contains("Only the last digits differ") && Catch::Contains("of 61 values"));
  CHECK(compare(sample("giac_slotted_queue.txt"), {"--require", "39"})["first_disagreement"].is_null());
}

TEST_CASE("the index at which 38 digits lose the tail", "[cli][compare]") {
  const auto reference = list_of(cli::read_file(sample("gp_slotted_queue.txt"), "FILE"));
  for (const char* name : {"gp_slotted_queue_38_digits.txt", "giac_slotted_queue_38_digits.txt"}) {
    CAPTURE(name);
    const auto low = list_of(cli::read_file(sample(name), "FILE"));
    const json answer = compare(sample(name));
    CHECK(answer["compared"] == 401);
    CHECK(answer["agreed_digits_min"] == 0);
    CHECK(answer["first_disagreement"] == first_difference(low, reference));
    const json& first = answer["coefficients"][answer["first_disagreement"].get<std::size_t>()];
    CHECK(first["expected"]["kind"].is_string());
    CHECK(first["agrees"] == false);
    CHECK(answer["agreeing"] == std::count_if(answer["coefficients"].begin(), answer["coefficients"].end(),
                                              [](const json& one) { return one["agrees"].get<bool>(); }));

    // With a required number of digits, the error names the first level with fewer.
    const auto lost = [&](const char* relative_error) {
      for (std::size_t i = 0; i < low.coefficients.size(); ++i) {
        const auto& value = reference.coefficients[i].value;
        if (numeric::abs(low.coefficients[i].value - value) >= rational(relative_error) * value) return i;
      }
      return low.coefficients.size();
    };
    const Outcome rejected =
        run_command({"compare", sample(name), "--inputs", "16", "--load", "0.9", "--require", "10"});
    CHECK(rejected.status == 1);
    CHECK(rejected.out.empty());
    CHECK_THAT(rejected.err, Catch::Contains("n = " + std::to_string(lost("1e-9")) + ","));

    const Outcome table = run_command({"compare", sample(name), "--inputs", "16", "--load", "0.9"});
    CHECK(table.status == 1);
    CHECK_THAT(table.out,
               Catch::Contains("values disagree") &&
                   (Catch::Contains("Digits := 38") || Catch::Contains("amplifies its rounding errors")));
  }
}

TEST_CASE("a list of settings keeps the row of one without an answer", "[cli][compare]") {
  const TemporaryFile right("[5/9, 35/108, 385/3888]\n");  // wrong at both loads
  std::map<std::string, std::string> also{{"json", ""}, {"csv", ""}};
  const Outcome table = golden::run_command(
      {"compare", right.path(), "--inputs", "2", "--load", "0.5,1,0.6", "--of", "tail"}, &also);
  CHECK(table.status == 1);
  CHECK_THAT(table.err,
             Catch::Contains("1 of 3 points has no answer; the first: load 1: the queue is unstable"));
  CHECK_THAT(table.err, Catch::Contains("2 of 2 settings disagree"));
  const json rows = json::parse(also["json"])["results"];
  REQUIRE(rows.size() == 3);
  CHECK(rows[0]["status"] == "answered");
  CHECK(rows[1]["status"] == "no answer");
  CHECK_THAT(rows[1]["reason"].get<std::string>(), Catch::Contains("unstable"));
  CHECK(rows[2]["compared"] == 3);
  CHECK_THAT(also["csv"], Catch::Contains("no answer,the queue is unstable"));
}

TEST_CASE("a list of doubles agrees to double precision", "[cli][compare]") {
  // P(Q = n) of one input at 1/10 and 9/10 of two: Python's output for the nearest doubles.
  const TemporaryFile python("[0.5, 0.3888888888888889, 0.09876543209876543, 0.010973936899862825]\n");
  const Outcome good = run_command({"compare", python.path(), "--inputs", "2", "--load", "0.5"});
  CHECK(good.status == 0);
  CHECK_THAT(good.out, Catch::StartsWith("All 4 values agree."));
  CHECK_THAT(good.out, Catch::Contains("all that are printed") && !Catch::Contains("fewest digits      1,"));
  const TemporaryFile wrong("[0.5, 0.3888888888888889, 0.09876543209876643, 0.010973936899862825]\n");
  const Outcome bad = run_command({"compare", wrong.path(), "--inputs", "2", "--load", "0.5"});
  CHECK(bad.status == 1);
  CHECK_THAT(bad.out,
             Catch::StartsWith("1 of 4 values disagrees, at n = 2.") && Catch::Contains("3 of 4 values"));
  const TemporaryFile tenth("0.1\n");
  CHECK(run_command({"compare", tenth.path(), "--traffic", "poisson", "--load", "0.9", "--require", "10"})
            .status == 0);
}

TEST_CASE("one printed digit must be the first of the true value", "[cli][compare]") {
  // P(Q = 0) = 1 - load = 0.2
  const auto compared = [](const std::string& list) {
    const TemporaryFile file(list);
    return run_command({"compare", file.path(), "--inputs", "16", "--load", "0.8"});
  };
  CHECK_THAT(compared("0.2\n").out, Catch::StartsWith("The value agrees."));
  for (const char* wrong : {"0.1\n", "0.3\n"}) {
    const Outcome off = compared(wrong);
    CHECK(off.status == 1);
    CHECK_THAT(off.out,
               Catch::StartsWith("The value, at n = 0, disagrees.") && Catch::Contains("0 digits agree"));
  }
  // P(Q = 2) = 0.195..: rounded and truncated.
  CHECK_THAT(compared("[0.20, 0.4, 0.2]").out,
             Catch::StartsWith("1 of 3 values disagrees, at n = 1.") && Catch::Contains("0 digits agree"));
  const Outcome mixed = compared("[0.2000000, 0.2544, 0.1]");
  CHECK(mixed.status == 0);
  CHECK_THAT(mixed.out, Catch::Contains("7, or all that are printed, up to n = 2"));
}

TEST_CASE("tails, columns and invalid queries", "[cli][compare]") {
  // Tails of data/reference/slotted_queue.csv are given to 40 digits; here as occupancies.
  const auto occupancy = list_of(cli::read_file(sample("gp_slotted_queue.txt"), "FILE"));
  std::string tails = "level,tail\n";
  numeric::Rational tail = 1;
  for (int n = 0; n <= 60; ++n) {
    tail = tail - occupancy.coefficients[static_cast<std::size_t>(n)].value;
    if (n % 7 == 0)
      tails += std::to_string(n) + "," + numeric::to_decimal(tail, 20, numeric::Rounding::nearest) + "\n";
  }
  const TemporaryFile file(tails);
  const json answer = compare(file.path(), {"--of", "tail"});
  CHECK(answer["compared"] == 9);
  CHECK(answer["agreed_digits_min"] == 20);
  CHECK(answer["first_disagreement"].is_null());

  const json wrong = compare(file.path(), {"--of", "occupancy"});
  CHECK(wrong["first_disagreement"] == 0);
  const Outcome table = run_command({"compare", file.path(), "--inputs", "16", "--load", "0.9"});
  CHECK_THAT(table.out, Catch::Contains("All 9 values agree as P(Q > n) (--of tail)"));

  const Outcome csv = run_command(
      {"compare", file.path(), "--inputs", "16", "--load", "0.9", "--of", "tail", "--format", "csv"});
  CHECK(csv.status == 0);
  CHECK(std::count(csv.out.begin(), csv.out.end(), '\n') == 10);
}

TEST_CASE("errors of compare", "[cli][compare]") {
  const auto rejected = [](std::vector<std::string> arguments, int status, const std::string& expected) {
    arguments.insert(arguments.begin(), "compare");
    const Outcome outcome = run_command(arguments);
    CAPTURE(outcome.err);
    CHECK(outcome.status == status);
    CHECK(outcome.out.empty());
    CHECK_THAT(outcome.err, Catch::Contains(expected));
  };
  const TemporaryFile bad("[0.1,\n0.2,,]");
  const TemporaryFile deep("2000000 0.1\n");
  const TemporaryFile good("0.1\n");
  const std::vector<std::string> traffic{"--inputs", "16", "--load", "0.9"};
  const auto with = [&](const std::string& path, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{path};
    arguments.insert(arguments.end(), traffic.begin(), traffic.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  rejected(with("/nonexistent/list.txt"), 2, "No such file");
  rejected(with("/"), 2, "directory");
  rejected(with("/dev/zero"), 2, "at most 64 MiB");
  rejected(with(bad.path()), 2, ":2:5: expected a number");
  rejected(with(deep.path()), 1, "the last index is 2000000");
  const TemporaryFile two_dimensional(
      "                     2           3\n0.1 + 0.09 z + 0.081 z  + 0.0729 z\n");
  rejected(with(two_dimensional.path()), 2, "lprint");
  rejected(with(good.path(), {"--of", "delay"}), 2, "--of");
  rejected(with(good.path(), {"--require", "0"}), 2, "--require");
  rejected(with(good.path(), {"--digits", "x"}), 2, "--digits");
  rejected({good.path()}, 2, "traffic");
  rejected({good.path(), "--inputs", "16", "--load", "1"}, 1, "unstable");
  rejected({"--inputs", "16", "--load", "0.9"}, 2, "FILE");
}

TEST_CASE("formulas printed for Maple and PARI/GP run there, and compare agrees", "[cli][compare][live]") {
  const std::vector<std::string> traffic{"--inputs", "5", "--load", "4/5"};
  const auto formula = [&](const char* language) {
    std::vector<std::string> arguments{"pgf", "--of", "occupancy", "--as", language};
    arguments.insert(arguments.end(), traffic.begin(), traffic.end());
    const Outcome outcome = run_command(arguments);
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return outcome.out;
  };
  const auto agree_throughout = [&](const std::string& output, int digits) {
    const TemporaryFile file(output);
    std::vector<std::string> arguments{"compare", file.path(), "--format", "json"};
    arguments.insert(arguments.end(), traffic.begin(), traffic.end());
    const Outcome outcome = run_command(arguments);
    INFO(output.substr(0, 500) << outcome.err);
    REQUIRE(outcome.status == 0);
    const json answer = json::parse(outcome.out)["results"][0];
    CHECK(answer["compared"] == 31);
    CHECK(answer["agreed_digits_min"] >= digits);
  };

  if (installed("giac")) {
    const TemporaryFile script("maple_mode(1);\nDigits := 50:\n" + formula("maple") +
                               "\ns := convert(series(Q(z), z = 0, 31), polynom):\n"
                               "[seq(evalf(coeff(s, z, n)), n = 0 .. 30)];\n");
    // Giac leaves a file in its working folder.
    const std::string folder = std::filesystem::temp_directory_path().string();
    agree_throughout(output_of("cd '" + folder + "' && giac " + script.path()),
                     49);  // its last digit is not always correct
  } else {
    WARN("giac is not installed (Debian package xcas): the Maple formula was not run");
  }
  if (installed("gp")) {
    const TemporaryFile script(formula("gp") + "\nprint(Vec(Q(z + O(z^32)), 31));\n");
    agree_throughout(output_of("gp -q -f " + script.path() + " < /dev/null"), 40);
  } else {
    WARN("gp is not installed (Debian package pari-gp): the PARI/GP formula was not run");
  }
}
