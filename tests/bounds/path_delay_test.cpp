#include <tailbound/bounds/network_delay.hpp>

#include <catch2/catch.hpp>
#include <tests/support/reference_rows.hpp>

#include <fstream>
#include <map>
#include <sstream>
#include <string>

namespace {

using namespace tailbound;
using numeric::Rational;

/// One line of data/reference/path_delay.csv.
struct Row {
  std::string question, radix, levels, load, sources, routing, delay, argument, value;

  [[nodiscard]] std::string model() const {
    return radix + "," + levels + "," + load + "," + sources + "," + routing + "," + delay;
  }
};

std::vector<Row> read_rows(const std::string& name) {
  std::ifstream file(std::string(TAILBOUND_DATA_DIR) + "/reference/" + name);
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#' || line.rfind("question,", 0) == 0) continue;
    std::vector<std::string> fields;
    std::istringstream text(line);
    for (std::string field; std::getline(text, field, ',');) fields.push_back(field);
    REQUIRE(fields.size() == 9);
    rows.push_back({fields[0], fields[1], fields[2], fields[3], fields[4], fields[5], fields[6], fields[7],
                    fields[8]});
  }
  return rows;
}

bounds::TreeDelay tree_of(const Row& row) {
  return bounds::tree_delay({std::stol(row.radix), std::stoi(row.levels)},
                            numeric::parse_rational(row.load, "load"),
                            row.routing == "random-root" ? network::TreeRouting::random_root
                                                         : network::TreeRouting::nearest_ancestor,
                            row.sources == "decoupled" ? network::Sources::decoupled
                                                       : network::Sources::first_hop);
}

}  // namespace

TEST_CASE("Delays through trees: rows computed with PARI/GP", "[bounds][delay]") {
  std::map<std::string, std::vector<Row>> models;
  for (const Row& row : read_rows("path_delay.csv")) models[row.model()].push_back(row);
  REQUIRE(models.size() >= 30);
  int ccdf = 0, percentiles = 0, means = 0;
  for (const auto& [name, rows] : models) {
    INFO(name);
    const bounds::TreeDelay tree = tree_of(rows.front());
    bounds::PathDelay delays(tree.network.queues, rows.front().delay == "wait" ? queue::HopDelay::wait
                                                                               : queue::HopDelay::occupancy);
    bounds::DelayQuestion question;
    for (const Row& row : rows) {
      if (row.question == "ccdf") question.levels.emplace_back(std::stol(row.argument));
      if (row.question == "percentile")
        question.percentiles.push_back(numeric::parse_rational(row.argument, "percentile") / 100);
    }
    const bounds::DelayAnswer answer = delays.answer(tree.ways, question);
    std::size_t level = 0, percentile = 0;
    for (const Row& row : rows) {
      INFO(row.question << " " << row.argument << " " << row.value);
      if (row.question == "ccdf") {
        const Rational reference = numeric::parse_rational(row.value, "value");
        const auto enclosure = numeric::to_enclosure(answer.above[level++].probability);
        const Rational lower = numeric::to_rational(enclosure.lower()), upper = numeric::to_rational(enclosure.upper());
        const Rational slack = reference * numeric::parse_rational("1e-39", "slack");
        CHECK(lower - slack <= reference);
        CHECK(reference <= upper + slack);
        const Rational middle = (lower + upper) / 2;
        CHECK(abs(middle - reference) <= reference * numeric::parse_rational("1e-12", "bar"));
        ++ccdf;
      } else if (row.question == "percentile") {
        CHECK(answer.queueing[percentile++].slots.value == std::stol(row.value));
        ++percentiles;
      } else if (row.question == "mean") {
        const auto* exact = std::get_if<numeric::Exact<unit::Slot>>(&answer.mean_queueing);
        REQUIRE(exact != nullptr);
        CHECK(exact->value == numeric::parse_rational(row.value, "value"));
        ++means;
      }
    }
  }
  CHECK(ccdf >= 200);
  CHECK(percentiles >= 200);
  CHECK(means >= 30);
}
