#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <tailbound/bounds/path/path_delay.hpp>
#include <tailbound/bounds/sizing/buffer_size.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tests/golden/csv_rows.hpp>
#include <tests/golden/folder.hpp>
#include <tests/golden/run_command.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using tailbound::Packets;
using tailbound::golden::content;
using tailbound::golden::Folder;
using tailbound::golden::Outcome;
using tailbound::golden::run_command;
using tailbound::golden::run_line;
using tailbound::numeric::parse_rational;
using tailbound::numeric::Rational;

Outcome reproduced(const std::string& name, const std::string& folder, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments{"reproduce", name, "--output", folder};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_command(arguments);
}

/// The rows of a CSV file, each field by the name of its column.
std::vector<std::map<std::string, std::string>> named_rows(const std::string& csv) {
  std::istringstream lines(csv);
  std::vector<std::string> header;
  std::vector<std::map<std::string, std::string>> rows;
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> fields = tailbound::golden::fields_of(line);
    if (header.empty()) {
      header = fields;
      continue;
    }
    REQUIRE(fields.size() == header.size());
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (i == 0) rows.emplace_back();
      rows.back()[header[i]] = fields[i];
    }
  }
  return rows;
}

/// The finding on a subject, from the JSON of one figure.
json finding(const std::string& document, const std::string& subject) {
  const json parsed = json::parse(document);
  for (const json& figure : parsed["results"])
    for (const json& entry : figure["findings"])
      if (entry["subject"] == subject) return entry;
  FAIL("no finding on " << subject);
  return {};
}

const char* verdict(bool agrees) {
  return agrees ? "agrees" : "does not agree";
}

tailbound::queue::SlottedQueue inputs(std::int64_t count, const Rational& load) {
  return {tailbound::series::Arrivals::equal_inputs(count, load)};
}

const tailbound::bounds::DropTarget& target() {
  static const tailbound::bounds::DropTarget value{parse_rational("1e-15", "target")};
  return value;
}

bool encloses(const std::map<std::string, std::string>& row, const std::string& name, const Rational& value) {
  return parse_rational(row.at(name + "_lower"), "lower") <= value &&
         value <= parse_rational(row.at(name + "_upper"), "upper");
}

Rational middle(const tailbound::numeric::Proved<tailbound::unit::Probability>& probability) {
  const auto enclosure = tailbound::numeric::to_enclosure(probability, {256});
  return (tailbound::numeric::to_rational(enclosure.lower()) +
          tailbound::numeric::to_rational(enclosure.upper())) /
         2;
}

/// Every number of `csv` is printed by one of the commands in the README: enclosures of ten digits overlap,
/// simulated numbers agree to the last digit, although run on one thread.
void check_commands_give(const std::string& csv, const std::string& readme, const std::string& column) {
  std::vector<std::pair<Rational, Rational>> printed;
  std::set<std::string> simulated, texts;
  std::istringstream lines(readme);
  for (std::string line; std::getline(lines, line);) {
    const std::string start = "    tailbound ";
    if (line.rfind(start, 0) != 0) continue;
    INFO(line);
    const bool simulates = line.rfind(start + "simulate", 0) == 0;
    const Outcome outcome =
        run_line(line.substr(start.size()) + (simulates ? " --threads 1 --format csv" : " --format csv"));
    REQUIRE(outcome.status == 0);
    if (simulates)
      for (const auto& row : named_rows(outcome.out)) {
        const std::string& table = row.at("table");
        if (table != "tail" && table != "ccdf") continue;
        simulated.insert(
            (table == "tail" ? row.at("tail_hop") + " " + row.at("tail_level") : " " + row.at("ccdf_slots")) +
            " " + row.at(table + "_probability") + " " + row.at(table + "_probability_lower") + " " +
            row.at(table + "_probability_upper"));
      }
    if (simulates) continue;
    for (const auto& row : named_rows(outcome.out))
      for (const auto& [name, text] : row) {
        texts.insert(text);
        if (name.size() > 6 && name.substr(name.size() - 6) == "_lower" && !text.empty())
          printed.emplace_back(parse_rational(text, "lower"),
                               parse_rational(row.at(name.substr(0, name.size() - 6) + "_upper"), "upper"));
      }
  }
  const auto rows = named_rows(csv);
  CHECK(!texts.empty());
  for (const auto& row : rows) {
    INFO(row.at(column));
    if (row.count("sources") == 1 && row.at("sources") == "first-hop")
      continue;                               // the paper's, without a command
    if (row.at(column + "_lower").empty()) {  // neither exact nor enclosed: the same digits
      CHECK(texts.count(row.at(column)) == 1);
    } else {
      const Rational lower = parse_rational(row.at(column + "_lower"), "lower");
      const Rational upper = parse_rational(row.at(column + "_upper"), "upper");
      CHECK(std::any_of(printed.begin(), printed.end(),
                        [&](const auto& number) { return number.first <= upper && lower <= number.second; }));
    }
    if (row.count("simulated") == 0) continue;
    const bool delay = row.count("queueing_slots") != 0;
    const std::string words =
        (delay ? " " + row.at("queueing_slots") : row.at("hop") + " " + row.at("level")) + " " +
        row.at("simulated") + " " + row.at("simulated_lower") + " " + row.at("simulated_upper");
    INFO(words);
    CHECK(simulated.count(words) == 1);
    CHECK(row.at("simulated_kind") == "estimate");
    CHECK(row.at("seed") == "1");
  }
}

}  // namespace

TEST_CASE("figures: figure 5 has the library's tails, also in 40 digits, and its commands print them") {
  const Folder folder;
  const Outcome outcome = reproduced("singh-dally-5", folder / "new/folder", {"--quick"});
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.err.empty());
  const fs::path made = folder / "new/folder";
  CHECK(std::distance(fs::directory_iterator(made), fs::directory_iterator()) == 4);
  CHECK(content(made / "singh-dally-5.svg").find("</svg>") != std::string::npos);

  const std::string csv = content(made / "singh-dally-5.csv");
  std::map<std::string, int> hops;
  for (const auto& row : named_rows(csv)) {
    ++hops[row.at("hop") + " by " + row.at("inputs")];
    const auto tail = tailbound::queue::occupancy_tail(
        inputs(std::stoll(row.at("inputs")), parse_rational("3/5", "load")),
        Packets(std::stoll(row.at("level"))),
        {.digits = {40}, .arithmetic = tailbound::queue::Arithmetic::multiprecision});
    INFO(row.at("inputs") << " inputs, level " << row.at("level"));
    CHECK(encloses(row, "probability", middle(tail.probability)));
  }
  REQUIRE(hops.size() == 5);
  CHECK(hops.at("1 by 16") >= 8);
  CHECK(hops.at("2 by 256") == hops.at("1 by 16"));
  for (const char* later : {"3 by 4096", "4 by 4096", "5 by 4096"})
    CHECK(hops.at(later) == hops.at("1 by 16"));
  check_commands_give(csv, content(made / "README.md"), "probability");
}

TEST_CASE("figures: figure 5 states whether the buffer of hop 1 suffices for all hops") {
  const Folder folder;
  const Outcome outcome = reproduced("singh-dally-5", folder.path(), {"--quick", "--format", "json"});
  const json found = finding(outcome.out, "one distribution for all hops");
  const Rational load = parse_rational("3/5", "load");
  const std::int64_t first = tailbound::bounds::buffer_size(inputs(16, load), target()).buffer.value;
  bool enough = true;
  for (const int count : {256, 4096})
    enough = enough && tailbound::bounds::meets_target(inputs(count, load), Packets(first), target());
  CHECK(found["verdict"] == verdict(enough));
  CHECK(found["computed"].get<std::string>().find("hop 1 needs 35 packets") == 0);  // 60-digit reference

  // Hop 1 is exact; with independent source arrivals the tail exceeds the simulated one, hop 1's tail is
  // below it: P(Q > 5), k = 16, 0.6.
  for (const auto& row : named_rows(content(folder / "singh-dally-5.csv"))) {
    if (row.at("level") != "5") continue;
    const double lower = std::stod(row.at("simulated_lower")), upper = std::stod(row.at("simulated_upper"));
    const double analysis = std::stod(row.at("probability_upper"));
    INFO("hop " << row.at("hop") << ": " << lower << " to " << upper << ", analysis " << analysis);
    if (row.at("hop") == "1") {
      CHECK((lower < analysis && analysis < upper));
    } else {
      CHECK(0.00498 < lower);  // hop 1 has 0.004974
      CHECK(upper < analysis);
    }
  }
  CHECK(finding(outcome.out, "simulated curves")["verdict"] == "does not agree");
  const std::string against_hop_1 = finding(outcome.out, "simulated curves")["computed"];
  CHECK(std::regex_search(against_hop_1, std::regex("hop 1: inside at n = 0 to 1?[0-9] \\(")));
  CHECK(
      std::regex_search(against_hop_1, std::regex("hop 3: inside at n = 0, .*below at n = 1 to [0-9]+ \\(")));
  const std::string independent_sources = finding(outcome.out, "upstream queues neglected")["computed"];
  CHECK(std::regex_search(independent_sources,
                          std::regex("hop 3: inside at n = 0, [^;]*above at n = 1 to [0-9]+ \\(")));
  CHECK(independent_sources.find("below") == std::string::npos);
}

TEST_CASE("figures: figure 4 has five simulated hops of four trees, and its findings follow from its table") {
  const Folder folder;
  const Outcome outcome = reproduced("singh-dally-4", folder.path(), {"--quick", "--format", "json"});
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const std::string csv = content(folder / "singh-dally-4.csv");
  const std::string readme = content(folder / "README.md");
  CHECK(readme.find("seed 1") != std::string::npos);
  check_commands_give(csv, readme, "first_hop_probability");

  std::map<std::string, int> levels;
  std::map<std::string, std::map<std::string, std::string>> at;  // by radix, hop and level
  for (const auto& row : named_rows(csv)) {
    ++levels[row.at("radix") + " " + row.at("hop")];
    at[row.at("radix") + " " + row.at("hop") + " " + row.at("level")] = row;
    // The published formula by the library's own recurrence in 40 digits.
    if (row.at("hop") != "1") continue;
    const auto tail = tailbound::queue::occupancy_tail(
        inputs(std::stoll(row.at("radix")), parse_rational("3/5", "load")),
        Packets(std::stoll(row.at("level"))),
        {.digits = {40}, .arithmetic = tailbound::queue::Arithmetic::multiprecision});
    CHECK(encloses(row, "first_hop_probability", middle(tail.probability)));
  }
  CHECK(levels.size() == 20);
  for (const char* radix : {"2", "4", "8", "16"})
    for (int hop = 2; hop <= 5; ++hop) {
      const std::string tree(radix);
      CHECK(levels.at(tree + " " + std::to_string(hop)) == levels.at(tree + " 1"));
      // Every queue has the same load; later ones are fuller than hop 1, increasingly so for small radices.
      const auto& idle = at.at(tree + " " + std::to_string(hop) + " 0");
      CHECK(std::stod(idle.at("simulated")) == Approx(0.6).epsilon(0.005));
      const auto& deep = at.at(tree + " " + std::to_string(hop) + " 4");
      CHECK(std::stod(deep.at("simulated_lower")) > std::stod(deep.at("first_hop_probability_upper")));
    }

  CHECK(finding(outcome.out, "hop 1")["verdict"] == "agrees");
  const json identical = finding(outcome.out, "identical hops at radix 16");
  // Where hop 1's tail is reported to be below, the table's interval lies above it.
  const std::string computed = identical["computed"];
  const std::regex pattern("hop ([2-5]): inside at n = [^;]*below at n = ([0-9]+) to ([0-9]+) ");
  int judged = 0;
  for (std::sregex_iterator found(computed.begin(), computed.end(), pattern), end; found != end;
       ++found, ++judged)
    for (int level = std::stoi((*found)[2]); level <= std::stoi((*found)[3]); ++level) {
      const auto& row = at.at("16 " + (*found)[1].str() + " " + std::to_string(level));
      INFO("hop " << row.at("hop") << ", level " << level);
      CHECK(std::stod(row.at("simulated_lower")) > std::stod(row.at("first_hop_probability_upper")));
      CHECK(std::stoi(row.at("seen")) >= 50);
    }
  CHECK(judged == 4);
}

TEST_CASE("figures: figure 6 has the sums of five delays, and its commands print them") {
  const Folder folder;
  const Outcome outcome = reproduced("singh-dally-6", folder.path(), {"--quick", "--format", "json"});
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const std::string csv = content(folder / "singh-dally-6.csv");
  check_commands_give(csv, content(folder / "README.md"), "probability");

  // The same model assembled by hand: five queues, each with its own binomial arrivals.
  std::map<std::string, int> seen;
  for (const auto& row : named_rows(csv)) {
    const Rational load = parse_rational(row.at("load"), "load");
    const std::string model = row.at("load") + row.at("sources") + row.at("delay") + row.at("hops");
    if (row.at("hops") != "independent") {
      // Relation to the simulation: the bound exceeds it, the chain is close.
      ++seen[model];
      CHECK(row.at("probability_kind") == (row.at("hops") == "bound" ? "bound" : "approximation"));
      if (std::stoi(row.at("seen")) < 1000) continue;
      const double computed = std::stod(row.at("probability"));
      if (row.at("hops") == "bound")
        CHECK(computed >= std::stod(row.at("simulated_lower")));
      else
        CHECK(computed == Approx(std::stod(row.at("simulated"))).epsilon(0.15));
      continue;
    }
    const bool independent_sources = row.at("sources") == "independent";
    const std::int64_t m2 = independent_sources ? 256 : 16, m3 = independent_sources ? 4096 : 16;
    ++seen[model];
    CHECK(std::stoll(row.at("latency_slots")) == std::stoll(row.at("queueing_slots")) + 5);
    if (seen[model] != 4) continue;
    tailbound::bounds::PathDelay delays(
        {inputs(16, load), inputs(m2, load), inputs(m3, load), inputs(m3, load), inputs(m3, load)},
        row.at("delay") == "wait" ? tailbound::queue::HopDelay::wait : tailbound::queue::HopDelay::occupancy,
        {20});
    const tailbound::bounds::Route route{.queues = {0, 1, 2, 3, 4}};
    const auto answer = delays.answer(
        std::span(&route, 1),
        {.levels = {tailbound::Slots(std::stoll(row.at("queueing_slots")))}, .percentiles = {}});
    // Added as if independent: the digits of the sum, without proof.
    CHECK(row.at("probability_kind") == "approximation");
    CHECK(std::stod(row.at("probability")) ==
          Approx(tailbound::numeric::nearest_double(middle(answer.above.front().probability))).epsilon(1e-9));
  }
  CHECK(seen.size() == 15);

  // E[Q] = 0.8 + 0.64 (15/16) / 0.4 = 2.3 at load 0.8, so 11.5 of five queues; waits 5 (2.3/0.8 - 1).
  const json little = finding(outcome.out, "occupancy as delay");
  CHECK(little["verdict"] == "does not agree");
  CHECK(little["computed"].get<std::string>().find("0.8: 11.5 slots") != std::string::npos);
  CHECK(little["computed"].get<std::string>().find(
            "9.375 if it is the wait; Little's law requires 9.375, which "
            "the wait satisfies") != std::string::npos);
  CHECK(finding(outcome.out, "hops")["verdict"] == "agrees");

  // The model contradicted by Little's law exceeds the simulation by more than any interval.
  CHECK(finding(outcome.out, "literal reading against simulation")["verdict"] == "does not agree");
  for (const auto& row : named_rows(csv))
    if (row.at("load") == "0.2" && row.at("delay") == "occupancy" && std::stoi(row.at("seen")) >= 1000) {
      INFO("D > " << row.at("queueing_slots"));
      CHECK(std::stod(row.at("simulated_upper")) < std::stod(row.at("probability")));
    }
  const std::string ours = finding(outcome.out, "our reading against simulation")["computed"];
  CHECK(ours.find("load 0.2: ") < ours.find("load 0.6: "));
  CHECK(ours.find("load 0.6: ") < ours.find("load 0.8: "));
  CHECK(ours.find("below") == std::string::npos);
  CHECK(finding(outcome.out, "bound against simulation")["verdict"] == "agrees");
}

TEST_CASE("figures: figure 7 has the minimum buffers; its findings are consistent") {
  const Folder folder;
  const Outcome outcome = reproduced("singh-dally-7", folder.path(), {"--quick", "--format", "json"});
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const std::string csv = content(folder / "singh-dally-7.csv");
  const std::string readme = content(folder / "README.md");
  check_commands_give(csv, readme, "overflow");

  std::int64_t largest = 0;
  int losing = 0, loads = 0;
  for (const auto& row : named_rows(csv)) {
    const auto queue = inputs(std::stoll(row.at("inputs")), parse_rational(row.at("load"), "load"));
    const std::int64_t buffer = std::stoll(row.at("buffer"));
    INFO(row.at("load") << ", " << row.at("inputs") << " inputs: " << buffer);
    CHECK(tailbound::bounds::meets_target(queue, Packets(buffer), target()));
    CHECK_FALSE(tailbound::bounds::meets_target(queue, Packets(buffer - 1), target()));
    if (row.at("load") == "0.9") largest = std::max(largest, buffer);
    if (row.at("load") == "0.9" && row.at("hops") == "1") CHECK(buffer == 157);  // 60-digit reference
    if (row.at("load") == "0.2" && row.at("hops") == "1") CHECK(buffer == 13);
    if (row.at("hops") != "1") continue;
    ++loads;
    const auto loss =
        tailbound::bounds::drop_probability(queue, Packets(buffer), tailbound::bounds::Criterion::loss);
    CHECK(encloses(row, "loss", middle(loss.probability)));
    if (tailbound::numeric::surely_above(loss.probability, target().probability)) ++losing;
  }
  CHECK(loads == 9);

  CHECK(finding(outcome.out, "buffer at 0.9")["verdict"] == "agrees");
  CHECK(finding(outcome.out, "buffer of later hops")["verdict"] == verdict(largest <= 160));
  const json drops = finding(outcome.out, "overflow as drop rate");
  const auto lost = tailbound::bounds::drop_probability(inputs(16, parse_rational("0.9", "load")),
                                                        Packets(160), tailbound::bounds::Criterion::loss);
  CHECK(drops["verdict"] ==
        verdict(tailbound::numeric::surely_at_most(lost.probability, target().probability)));
  CHECK(drops["computed"].get<std::string>().find("at " + std::to_string(losing) + " of 9 loads") !=
        std::string::npos);

  // The printed speedups are minimal: sufficient, and a thousandth less is not.
  const json speedup = finding(outcome.out, "speedup");
  CHECK(speedup["verdict"] == "agrees");
  const std::string computed = speedup["computed"];
  std::smatch words;
  REQUIRE(std::regex_search(computed, words,
                            std::regex("160 packets need a speedup of ([0-9.]+) at hop 1 and ([0-9.]+) "
                                       "at hops 3 to 5; 64 packets need ([0-9.]+) and ([0-9.]+);")));
  for (const auto& [group, count, buffer] :
       {std::tuple{1U, 16, 160}, {2U, 4096, 160}, {3U, 16, 64}, {4U, 4096, 64}}) {
    const Rational minimum = parse_rational(words[group].str(), "speedup");
    INFO(words[group].str());
    CHECK(tailbound::bounds::meets_target(inputs(count, 1 / minimum), Packets(buffer), target()));
    CHECK_FALSE(tailbound::bounds::meets_target(
        inputs(count, 1 / (minimum - parse_rational("1/1000", "step"))), Packets(buffer), target()));
  }
}

TEST_CASE("figures: without --quick there are more points") {
  const Folder folder;
  REQUIRE(reproduced("singh-dally-7", folder / "full").status == 0);
  REQUIRE(reproduced("singh-dally-7", folder / "quick", {"--quick"}).status == 0);
  CHECK(named_rows(content(folder / "full/singh-dally-7.csv")).size() >
        3 * named_rows(content(folder / "quick/singh-dally-7.csv")).size());
}
