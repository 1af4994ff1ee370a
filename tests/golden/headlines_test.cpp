#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <tailbound/render/document.hpp>
#include <tests/golden/folder.hpp>

#include <cmath>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

// A headline begins with "About" unless each number in it is exact or proved: in every recorded answer.

using nlohmann::json;
using namespace tailbound::render;

namespace {

namespace fs = std::filesystem;

bool unproved(const std::string& kind) {
  static const std::set<std::string> kinds{"approximation", "asymptote", "model", "estimate"};
  return kinds.contains(kind);
}

/// Numbers of an answer, as printed, by whether they are proved. An integer in a row, such as a buffer
/// size, has the
/// kind of the probability next to it.
struct Numbers {
  std::vector<double> proved, other;
};

void collect(const json& node, Numbers& numbers) {
  if (node.is_array()) {
    for (const json& each : node) collect(each, numbers);
    return;
  }
  if (!node.is_object()) return;
  if (node.contains("kind")) {
    const bool of_model = unproved(node["kind"].get<std::string>());
    for (const char* key : {"value", "lower", "upper"})
      if (node.contains(key) && node[key].is_string()) try {
          (of_model ? numbers.other : numbers.proved).push_back(std::stod(node[key].get<std::string>()));
        } catch (const std::exception&) {  // a fraction, or outside the range of a double
        }
      else if (node.contains(key) && node[key].is_number())
        (of_model ? numbers.other : numbers.proved).push_back(node[key].get<double>());
    return;
  }
  const auto depends = [&](const char* probability) {
    return node.contains(probability) && node[probability].is_object() &&
           unproved(node[probability].value("kind", ""));
  };
  const bool approximate = depends("probability") || depends("latency_probability") ||
                           depends("queueing_probability") || depends("reorder_probability");
  for (const auto& [key, value] : node.items()) {
    static const std::set<std::string> decided{"buffer", "latency_slots", "reorder_buffer"};
    if (value.is_number_integer() && decided.contains(key))
      (approximate ? numbers.other : numbers.proved).push_back(value.get<double>());
    else
      collect(value, numbers);
  }
}

/// Does a number printed like this stand for one of these?
bool among(const std::string& text, const std::vector<double>& numbers) {
  const double value = std::stod(text);
  int digits = 0;
  for (const char c : text.substr(0, text.find('e'))) digits += c >= '0' && c <= '9' ? 1 : 0;
  if (text.starts_with("0.")) --digits;
  return std::any_of(numbers.begin(), numbers.end(), [&](double other) {
    return std::abs(other - value) <= 0.6 * std::pow(10, 1 - std::max(digits, 1)) * std::abs(value);
  });
}

}  // namespace

TEST_CASE("headlines: without About only if each number is exact or proved") {
  const std::regex number("(^|[ (])([0-9]+(\\.[0-9]+)?(e-?[0-9]+)?)(?=[ ,.;:)]|$)");
  const std::regex about("^(Incomplete: [^,]*, )?((C|c)ontradicted: )?(A|a)bout ");
  std::size_t seen = 0, with = 0;
  for (const auto& file : fs::recursive_directory_iterator(TAILBOUND_TESTS_DIR "/golden/recorded")) {
    if (file.path().extension() != ".json") continue;
    std::string text = tailbound::golden::content(file.path());
    const std::size_t begin = text.find("\n{"), end = text.rfind("\n}");
    if (begin == std::string::npos || end == std::string::npos) continue;
    const json answer = json::parse(text.substr(begin, end + 2 - begin), nullptr, false);
    if (answer.is_discarded() || !answer.contains("headline") || !answer.contains("results")) continue;
    const auto headline = answer["headline"].get<std::string>();
    INFO(file.path().string());
    INFO(headline);
    ++seen;
    Numbers numbers;
    collect(answer["results"], numbers);
    if (std::regex_search(headline, about)) {
      ++with;
      CHECK_FALSE(numbers.other.empty());
      continue;
    }
    for (auto found = std::sregex_iterator(headline.begin(), headline.end(), number);
         found != std::sregex_iterator(); ++found) {
      const std::string quoted = (*found)[2];
      INFO(quoted);
      if (found->prefix().str().ends_with("load") || found->prefix().str().ends_with("rate"))
        continue;  // a setting, or the measured load of a trace
      // Short numbers are counts, levels and settings; integers decide for themselves above.
      const bool tells = quoted.size() >= 4 || quoted.find('.') == std::string::npos;
      const bool integer = quoted.find_first_of(".e") == std::string::npos;
      if (!tells || (integer && headline.find("suffice") == std::string::npos &&
                     headline.find("latency of at most") == std::string::npos &&
                     headline.find("inimum") == std::string::npos))
        continue;
      CHECK((among(quoted, numbers.proved) || !among(quoted, numbers.other)));
    }
  }
  CHECK(seen > 150);
  CHECK(with > 40);
}

TEST_CASE("headlines: the kinds of the quoted numbers decide the word") {
  const Value proved = Exact{tailbound::numeric::Theorem::input, 3},
              bound = Bound{tailbound::numeric::Theorem::input, tailbound::numeric::Real(3), true},
              model = Model{3.2};
  CHECK(Headline("a 3-packet buffer suffices.", {proved, bound}).text() == "A 3-packet buffer suffices.");
  for (const Value& other : {model, Value(Estimate{3.2, 3, 4}),
                             Value(Approximation{tailbound::numeric::Real(3), 4}), Value(Asymptote{3})}) {
    CHECK(Headline("99.9 % of packets wait 3 slots.", {proved, other}).text() ==
          "About 99.9 % of packets wait 3 slots.");
    CHECK(Headline("Mean occupancy:", "3 packets", "; so", {other}).text() ==
          "About 3 packets is the mean occupancy; so.");
    CHECK(Headline("P(Q > 3)", "0.1", "", {other}).text() == "About 0.1 is P(Q > 3).");
  }
  CHECK(Headline("mean occupancy", "3 packets", "", {proved}).text() == "Mean occupancy 3 packets.");
  CHECK(Headline("P(Q > 3)", "0.1", "", {bound}).text() == "P(Q > 3) = 0.1.");
  CHECK(Headline("99 % wait.", {model}).after("incomplete: 3 of 4 flows, ").text() ==
        "Incomplete: 3 of 4 flows, about 99 % wait.");
  CHECK(Headline::without_numbers("all 3 values agree.").text() == "All 3 values agree.");
}
