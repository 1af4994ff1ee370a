#include <tailbound/core/error.hpp>
#include <tailbound/queue/arrivals/blocks_file.hpp>

#include <catch2/catch.hpp>
#include <string>
#include <tests/support/random_models.hpp>
#include <tests/support/rational.hpp>
#include <vector>

using namespace tailbound;
using queue::parse_blocks;
using queue::RationalBlocks;
using test::Random;
using test::ratio;

namespace {

/// The error for `text` with its position: "line:column: ...".
std::string fault(const std::string& text) {
  try {
    (void)parse_blocks(text, "blocks");
  } catch (const ParseError& error) {
    CHECK(error.source() == "blocks");
    return std::string(error.what()).substr(std::string("blocks:").size());
  }
  return "no error";
}

auto starts(const std::string& text) {
  return Catch::StartsWith(text);
}

/// D_0 = (1/2 1/4; 1/3 0), D_1 = (0 1/4; 0 2/3).
RationalBlocks two_phases() {
  return {{{ratio(1, 2), ratio(1, 4)}, {ratio(1, 3), 0}}, {{0, ratio(1, 4)}, {0, ratio(2, 3)}}};
}

/// Writes JSON or CSV with random white space and number formats. Decimals where they are exact.
class RandomWriter {
 public:
  explicit RandomWriter(Random& random) : random_(random) {}

  std::string json(const RationalBlocks& blocks) {
    const bool bare = random_.one_in(2);
    const std::string list = json_list(blocks, [this](const auto& matrix) {
      return json_list(matrix, [this](const auto& row) {
        return json_list(row, [this](const numeric::Rational& entry) { return json_number(entry); });
      });
    });
    return bare ? list : space() + "{" + space() + "\"blocks\"" + space() + ":" + list + "}" + space();
  }

  std::string csv(const RationalBlocks& blocks) {
    std::string text = random_.one_in(3) ? "# matrices\n\n" : "";
    for (const auto& matrix : blocks) {
      for (const auto& row : matrix) {
        for (std::size_t j = 0; j < row.size(); ++j)
          text += (j == 0 ? "" : ",") + blanks() + number(row[j]) + blanks();
        text += random_.one_in(4) ? "# a row, 1/2\n" : random_.one_in(4) ? "\r\n" : "\n";
        if (random_.one_in(6)) text += blanks() + "# between\n";
      }
      text += random_.one_in(3) ? " \t\n\n" : "\n";
    }
    return text;
  }

 private:
  template <class List, class Write>
  std::string json_list(const List& list, const Write& write) {
    std::string text = space() + "[";
    for (std::size_t i = 0; i < list.size(); ++i) text += (i == 0 ? "" : ",") + write(list[i]);
    return text + "]" + space();
  }

  std::string json_number(const numeric::Rational& value) {
    const std::string text = number(value);
    const bool quotes = text.find('/') != std::string::npos || random_.one_in(4);
    return space() + (quotes ? '"' + text + '"' : text) + space();
  }

  /// Denominators are 2^a 5^b with a, b <= 12, or anything.
  std::string number(const numeric::Rational& value) {
    const auto scaled = value * numeric::pow(numeric::Integer(10), 12);
    if (!numeric::is_integer(scaled) || random_.one_in(3)) return numeric::to_fraction(value);
    std::string digits = numeric::to_fraction(scaled);
    if (random_.one_in(2)) return digits + "e-12";
    if (digits.size() < 13) digits.insert(0, 13 - digits.size(), '0');
    return digits.insert(digits.size() - 12, ".");
  }

  std::string space() { return random_.one_in(5) ? " \n\t" : ""; }
  std::string blanks() { return random_.one_in(5) ? " \t" : ""; }

  Random& random_;
};

RationalBlocks random_matrices(Random& random) {
  const auto size = static_cast<std::size_t>(random.between(1, 6));
  RationalBlocks blocks(static_cast<std::size_t>(random.between(1, 6)));
  for (auto& matrix : blocks) {
    matrix.resize(size);
    for (auto& row : matrix)
      for (std::size_t j = 0; j < size; ++j) {
        const std::int64_t denominator =
            random.one_in(2) ? std::int64_t{1} << random.between(0, 12) : random.between(1, 1000);
        row.push_back(random.one_in(3) ? 0 : ratio(random.between(0, denominator), denominator));
      }
  }
  return blocks;
}

}  // namespace

TEST_CASE("blocks: all formats read the same", "[queue][blocks_file]") {
  for (const std::string text : {
           R"({"blocks": [[[0.5, 0.25], ["1/3", 0]], [[0, 0.25], [0, "2/3"]]]})",
           R"([[[5e-1,25E-2],["1/3",0.0]],[[-0,"0.25"],["0/7"," 2 / 3 "]]])",
           "\xEF\xBB\xBF \n[ [ [\"1\\/2\", 2.50e-1], [\"\\u0031/3\", 0]],\r\n[[0,0.25],[0,\"2/3\"]]]\n\n",
           "0.5,0.25\n1/3,0\n\n0,0.25\n0,2/3\n",
           "# D_0\n 1/2 ,\t.25 # 0.75 in all\n\"1/3\",\"0\"\n# D_1 follows\n\n\n  \n0,1/4\r\n0,4/6",
           "\xEF\xBB\xBF\n\n0.50,0.25\n#\n1/3,0\n \n0e5,0.25\n0,2/3\n\n\n",
       }) {
    CAPTURE(text);
    CHECK(parse_blocks(text, "blocks") == two_phases());
  }
  CHECK(queue::MarkovArrivals::blocks(two_phases()).load() == ratio(1, 2));
}

TEST_CASE("blocks: numbers are read exactly", "[queue][blocks_file]") {
  const auto number = [](const std::string& text) { return parse_blocks(text, "blocks").at(0).at(0).at(0); };
  CHECK(number("[[[0.1]]]") == ratio(1, 10));
  CHECK(number("[[[0.30000000000000000000000000000000000001]]]") ==
        numeric::parse_rational("0.30000000000000000000000000000000000001", "number"));
  CHECK(number("[[[1e-999]]]") == numeric::parse_rational("1e-999", "number"));  // a double has 0 there
  CHECK(number("[[[123456789012345678901234567890e-30]]]") ==
        numeric::parse_rational("0.123456789012345678901234567890", "number"));
  CHECK(number("1e-999") == number("[[[\"1e-999\"]]]"));
  CHECK(number("1") == 1);
  CHECK(number("[[[1.0]]]") == 1);
}

TEST_CASE("blocks: random blocks round-trip in both formats", "[queue][blocks_file]") {
  Random random(23);
  RandomWriter writer(random);
  for (int round = 0; round < 300; ++round) {
    const RationalBlocks blocks = random_matrices(random);
    const std::string json = writer.json(blocks), csv = writer.csv(blocks);
    INFO(json << "\n" << csv);
    REQUIRE(parse_blocks(json, "json") == blocks);
    REQUIRE(parse_blocks(csv, "csv") == blocks);
  }
}

TEST_CASE("blocks: JSON errors have positions", "[queue][blocks_file]") {
  CHECK_THAT(fault("[[[0.5, 0.5],\n  [0.5]]]"),
             starts("2:3: row 2 of D_0 has 1 numbers; it must have 2, as the first row of D_0"));
  CHECK_THAT(fault("[[[0.5, 0.5]]]"), starts("1:2: D_0 has only 1 of 2 rows"));
  CHECK_THAT(fault("[[[0.5]],\n [[0.5], [0]]]"), starts("2:10: D_1 has more than 1 rows"));
  CHECK_THAT(fault("[[[0.5]],\n []]"), starts("2:2: D_1 has only 0 of 1 rows"));
  CHECK_THAT(fault("[[[]]]"), starts("1:3: a row without numbers"));
  CHECK_THAT(fault("[[]]"), starts("1:2: D_0 has only 0 rows"));
  CHECK_THAT(fault("[]"), starts("1:1: no matrices found"));
  CHECK_THAT(fault("[[[0.5, 1.5]]]"), starts("1:9: an entry is \"1.5\"; it must be a probability"));
  CHECK_THAT(fault("[[[0.5, -1e-9]]]"), starts("1:9: an entry is \"-1e-9\"; it must be a probability"));
  CHECK_THAT(fault("[[[18446744073709551616]]]"), starts("1:4: an entry is \"18446744073709551616\""));
  CHECK_THAT(fault("[[[0.5, \"half\"]]]"), starts("1:9: an entry is \"half\"; it must be a decimal,"));
  CHECK_THAT(fault("[[[\"1/0\"]]]"), starts("1:4: an entry is \"1/0\""));
  CHECK_THAT(fault(R"([[["\"", 2]]])"), starts("1:4: an entry is"));
  CHECK_THAT(fault("[[[\"\"]]]"), starts("1:4: an entry is \"\""));
  CHECK_THAT(fault("[[[\"\\n\xC3\xA9\"]]]"), starts("1:4: an entry is \"???\""));
  CHECK_THAT(fault("[[[0.5, null]]]"), starts("1:9: expected a number, found null"));
  CHECK_THAT(fault("[[[true]]]"), starts("1:4: expected a number, found true or false"));
  CHECK_THAT(fault("[[[[1]]]]"), starts("1:4: expected a number, found a list"));
  CHECK_THAT(fault("[[[{}]]]"), starts("1:4: expected a number, found an object"));
  CHECK_THAT(fault("[[1]]"), starts("1:3: expected a row: a list of numbers, found a number"));
  CHECK_THAT(fault("[\"D_0\"]"), starts("1:2: expected a matrix: a list of rows, found a string"));
  CHECK_THAT(fault("{\"blocks\": 1}"), starts("1:12: expected a list of matrices, found a number"));
  CHECK_THAT(fault("{\"blocks\": {}}"), starts("1:12: expected a list of matrices, found an object"));
  CHECK_THAT(fault("{\"D_0\": [[1]]}"), starts("1:2: the key \"D_0\"; only \"blocks\" is known"));
  CHECK_THAT(fault("{\"blocks\": [[[1]]],\n \"blocks\": []}"), starts("2:2: a second \"blocks\""));
  CHECK_THAT(fault("{}"), starts("1:2: the object has no \"blocks\""));
  CHECK_THAT(fault("[[[1 1]]]"), starts("1:6: JSON: syntax error"));
  CHECK_THAT(fault("[[[1,\n,1]]]"), starts("2:1: JSON: syntax error"));
  CHECK_THAT(fault("[[[.5]]]"), starts("1:4: JSON: syntax error"));
  CHECK_THAT(fault("[[[1]]"), starts("1:7: JSON: syntax error"));
  CHECK_THAT(fault("[[[1]]] 2"), starts("1:9: JSON: syntax error"));
  CHECK_THAT(fault("[[[1e999]]]"), starts("1:8: JSON: a number outside 0 to 1, so not a probability"));
  CHECK_THAT(fault("[[[\"\xFF\"]]]"), starts("1:5: JSON: syntax error"));
  CHECK(fault("[[[\"" + std::string(1'000'000, 'x')).size() < 300);
}

TEST_CASE("blocks: CSV errors have positions", "[queue][blocks_file]") {
  CHECK_THAT(fault(""), starts("1:1: no matrices found"));
  CHECK_THAT(fault("# nothing\n\n"), starts("1:1: no matrices found"));
  CHECK_THAT(fault("0.5,0.5\n 0.5\n"), starts("2:2: row 2 of D_0 has 1 numbers; it must have 2"));
  CHECK_THAT(fault("0.5\n0.5\n"),
             starts("2:1: D_0 has more than 1 rows") && Catch::EndsWith("separate matrices by a blank line"));
  CHECK_THAT(fault("0.5,0.5\n\n0.5,0.5\n"), starts("1:1: D_0 has only 1 of 2 rows"));
  CHECK_THAT(fault("1,0\n0,1\n\n\n 0,0\n"), starts("5:2: D_1 has only 1 of 2 rows"));
  CHECK_THAT(fault("0.5, 0.5x\n"), starts("1:6: an entry is \"0.5x\"; it must be a decimal,"));
  CHECK_THAT(fault("0.5,\n"), starts("1:5: an entry is \"\""));
  CHECK_THAT(fault("0.5,,0\n"), starts("1:5: an entry is \"\""));
  CHECK_THAT(fault("0.5 0.5\n"), starts("1:1: an entry is \"0.5 0.5\""));
  CHECK_THAT(fault("\"0.5\n"), starts("1:1: an entry is"));
  CHECK_THAT(fault("0,\xC3\xA9,2\n"), starts("1:3: an entry is \"??\""));
  CHECK_THAT(fault("0,1.01"), starts("1:3: an entry is \"1.01\"; it must be a probability, from 0 to 1"));
  CHECK_THAT(fault("0,-1/3"), starts("1:3: an entry is \"-1/3\"; it must be a probability"));
}

TEST_CASE("blocks: limits hold in both formats", "[queue][blocks_file]") {
  std::string many = "1\n", many_json = "[[[1]]";
  for (int i = 1; i < 1024; ++i) {
    many += "\n0\n";
    many_json += ",[[0]]";
  }
  CHECK(parse_blocks(many, "blocks").size() == 1024);
  CHECK(parse_blocks(many_json + "]", "blocks").size() == 1024);
  CHECK_THAT(fault(many + "\n0\n"), starts("2049:1: more than 1024 matrices"));
  CHECK_THAT(fault(many_json + ",[[0]]]"), Catch::Contains(": more than 1024 matrices"));

  std::string wide = "0";
  for (int i = 1; i < 256; ++i) wide += ",0";
  CHECK_THAT(fault(wide), Catch::Contains("D_0 has only 1 of 256 rows"));
  CHECK_THAT(fault(wide + ",0"), starts("1:513: more than 256 numbers in a row"));
  CHECK_THAT(fault("[[[" + wide + ",0]]]"), starts("1:516: more than 256 numbers in a row"));

  CHECK_THAT(fault("1e-1000"),
             starts("1:1: an entry is \"1e-1000\"; it must be") && Catch::Contains("exponent within +-999"));
  CHECK_THAT(fault("[[[0e-100000]]]"), starts("1:4: an entry is"));
  CHECK_THAT(fault("0." + std::string(2499, '0')), Catch::Contains("at most 2500 characters"));
  CHECK_THAT(fault("0." + std::string(1240, '0') + "1"), Catch::Contains("more than 4096 bits"));
  CHECK_THAT(fault("1e-999,1/3e-999\n"), starts("1:8: an entry"));
  CHECK_THAT(fault("1e-999,1/" + std::string(400, '7') + "\n"),
             starts("1:8: the common denominator of all numbers up to here has more than 4096 bits"));
  CHECK_THAT(fault(std::string(64'000'001, '\n')), Catch::Contains("at most 64000000 are read"));
}

TEST_CASE("blocks: random text gives blocks or an error with a position within the text",
          "[queue][blocks_file]") {
  Random random(29);
  RandomWriter writer(random);
  const std::string bytes = "[]{},:\"\\#/.eE+-0123456789 \n\t\rblockstrue\xC3\xFF";
  int read = 0;
  for (int round = 0; round < 4000; ++round) {
    const RationalBlocks blocks = random_matrices(random);
    std::string text = random.one_in(2) ? writer.json(blocks) : writer.csv(blocks);
    for (std::int64_t changes = random.between(1, 4); changes > 0 && !text.empty(); --changes) {
      const auto at = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(text.size()) - 1));
      const char byte =
          bytes[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(bytes.size()) - 1))];
      if (random.one_in(3))
        text.erase(at, static_cast<std::size_t>(random.between(1, 9)));
      else if (random.one_in(2))
        text[at] = byte;
      else
        text.insert(at, 1, byte);
    }
    try {
      const RationalBlocks again = parse_blocks(text, "noise");
      REQUIRE(!again.empty());
      ++read;
    } catch (const ParseError& error) {
      INFO(text << '\n' << error.what());
      std::size_t lines = 1;
      for (const char c : text) lines += c == '\n' ? 1U : 0U;
      REQUIRE(error.line() >= 1);
      REQUIRE(error.line() <= lines);
      REQUIRE(error.column() >= 1);
      REQUIRE(error.column() <= text.size() + 1);
    }
  }
  CHECK(read > 200);
}
