#include <catch2/catch.hpp>
#include <tests/golden/folder.hpp>
#include <tests/golden/run_command.hpp>

#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

// Certificates of guarantees, and their checker, which shares no code with the library. More of both, altered
// at random: tests/certificates/campaign.

using tailbound::golden::content;
using tailbound::golden::Folder;
using tailbound::golden::Outcome;
using tailbound::golden::run_line;

namespace {

const std::string tests = TAILBOUND_TESTS_DIR;
const std::string network_files = tests + "/certificates/networks/";
const std::string plant = std::string(TAILBOUND_DATA_DIR) + "/networks/plant.toml";

/// Exit status of the checker: 0 it holds, 1 a claim does not, 2 it is none.
int check(const std::string& certificate, const std::string& network = {}) {
  std::string line =
      "/usr/bin/python3 -S -B '" + tests + "/../share/check_certificate.py' '" + certificate + "'";
  if (!network.empty()) line += " '" + network + "'";
  return WEXITSTATUS(std::system((line + " >/dev/null").c_str()));
}

std::string certificate_of(const Folder& folder, const std::string& network) {
  const std::string file = folder / "certificate.json";
  const Outcome outcome = run_line("guarantee --network " + network + " --quiet --certificate " + file);
  REQUIRE(outcome.status == 0);
  return file;
}

/// With the first digit after a key changed by `step`.
std::string with_digit(std::string text, const std::string& key, int step) {
  const std::size_t at =
      text.find_first_of(step < 0 ? "123456789" : "12345678", text.find(':', text.find("\"" + key + "\"")));
  REQUIRE(at != std::string::npos);
  text[at] = static_cast<char>(text[at] + step);
  return text;
}

std::string replaced(std::string text, const std::string& old, const std::string& other) {
  const std::size_t at = text.find(old);
  REQUIRE(at != std::string::npos);
  return text.replace(at, old.size(), other);
}

std::string written(const Folder& folder, const std::string& text) {
  std::string file = folder / "changed";
  std::ofstream(file) << text;
  return file;
}

}  // namespace

TEST_CASE("certificates hold, alone and with their network file") {
  const Folder folder;
  for (const char* name :
       {"afdx", "afdx_tree", "clocks", "cut_through", "gates", "goose", "overload", "overrun", "preemption",
        "ring5", "ring8", "ring8b3", "schedulers", "slots", "tandem2", "tandem4", "tandem4b4", "tandem8"}) {
    CAPTURE(name);
    const std::string file = certificate_of(folder, network_files + name + ".toml");
    CHECK(check(file) == 0);
    CHECK(check(file, network_files + name + ".toml") == 0);
  }
  for (const char* name : {"plant", "avionics", "jumbo", "tsn_line"}) {
    CAPTURE(name);
    const std::string network = replaced(plant, "plant", name);
    CHECK(check(certificate_of(folder, network), network) == 0);
  }
}

TEST_CASE("certificates with a better number are invalid") {
  const Folder folder;
  const std::vector<std::pair<const char*, std::vector<const char*>>> claims{
      {"tandem4b4", {"variation", "backlog", "tfa", "sfa", "delay", "outputs", "curves"}},
      {"ring8b3", {"variation", "stages", "delay"}},
      {"afdx_tree", {"variation", "backlog", "tfa", "curve"}},
      {"gates", {"closes", "lost", "unused", "carried", "variation", "backlog"}},
      {"overrun", {"lost", "carried", "variation"}},
      {"preemption", {"variation", "backlog", "curve"}},
      {"overload", {"variation", "backlog", "tfa"}},
      {"cut_through", {"variation", "tfa"}},
      {"schedulers", {"variation", "backlog", "tfa"}},
      {"clocks", {"variation", "tfa"}}};
  for (const auto& [name, keys] : claims) {
    const std::string text = content(certificate_of(folder, network_files + name + ".toml"));
    for (const char* key : keys) {
      CAPTURE(name, key);
      CHECK(check(written(folder, with_digit(text, key, -1))) == 1);
    }
    CAPTURE(name);
    CHECK(check(written(folder, with_digit(text, "least", 1))) == 1);
  }
  const std::string overload = content(certificate_of(folder, network_files + "overload.toml"));
  CHECK(check(written(folder, replaced(overload, "\"tfa\": null", "\"tfa\": \"1000000\""))) == 1);
  const std::string text = content(certificate_of(folder, plant));
  std::string curves = content(certificate_of(folder, network_files + "goose.toml"));
  while (curves.find("\"whole\": true") != std::string::npos)
    curves = replaced(curves, "\"whole\": true", "\"whole\": false");
  CHECK(check(written(folder, curves)) == 1);
  CHECK(check(written(folder, text.substr(0, text.size() / 2))) == 2);
  CHECK(check(written(folder, replaced(text, "\"form\": 2", "\"form\": 1"))) == 2);
  CHECK(check(written(folder, replaced(text, "\"port\": 1", "\"port\": -1"))) == 2);
}

TEST_CASE("a certificate of another network is no proof") {
  const Folder folder;
  using Change = std::pair<const char*, const char*>;
  const std::vector<std::pair<const char*, std::vector<Change>>> changes{
      {"tandem4b4",
       {{"burst = 5000", "burst = 5001"},
        {"rate = 25,", "rate = 26,"},
        {"packet = 1250", "packet = { max = 1250, min = 1249 }"},
        {"rate = 100 }", "rate = 99 }"},
        {"to = \"y0\",", "to = \"y1\","},
        {"i = 0..3", "i = 0..2"},
        {"Mbit/s", "kbit/s"}}},
      {"gates",
       {{"time = 50,", "time = 51,"},
        {"open = \"control\" }", "open = [\"control\", \"files\"] }"},
        {"guard = \"static\"", "guard = \"overrun\""},
        {"video = 1542,", "video = 1543,"},
        {"latency = 2", "latency = 3"},
        {"jitter = 20", "jitter = 21"},
        {"name = \"video\" }, { name = \"files\"", "name = \"files\" }, { name = \"video\""}}},
      {"preemption",
       {{"fragment = 128", "fragment = 256"},
        {"best_effort = 1542", "best_effort = 1543"},
        {"[\"video\", \"files\"]", "[\"files\"]"},
        {"wire = 0.5", "wire = 0.25"},
        {"class = \"video\"", "class = \"files\""}}},
      {"schedulers",
       {{"audio = 4000", "audio = 4001"},
        {"video = \"1/2\"", "video = 0.4"},
        {"reshape = true", "reshape = false"},
        {"\"cbs\", idle_slope", "\"fifo\", idle_slope"}}},
      {"cut_through",
       {{"cut_through = 64", "cut_through = 65"},
        {"[\"c[0..2]\"]", "[\"c[0..1]\"]"},
        {"path = [\"s1\", \"s2\", \"s3\"]", "path = [\"s1\", \"s3\"]"}}},
      {"clocks", {{"offset = 250", "offset = 251"}, {"clock = \"plc\"", "clock = \"other\""}}}};
  for (const auto& [name, all] : changes) {
    const std::string file = certificate_of(folder, network_files + name + ".toml");
    const std::string network = content(network_files + name + ".toml");
    for (const auto& [old, other] : all) {
      CAPTURE(name, old);
      CHECK(check(file, written(folder, replaced(network, old, other))) == 1);
    }
  }
  const std::string file = certificate_of(folder, network_files + "slots.toml");
  const std::string network = content(network_files + "slots.toml");
  CHECK(check(file, written(folder, network + "# the same\n")) == 0);
  CHECK(check(file, written(folder, "name = \"the same\"\n" + network)) == 0);
  // A shorter way.
  CHECK(check(file, written(folder, replaced(network, "link = [",
                                             "link = [{ from = \"leaf0\", to = \"root\" },"))) == 1);
  CHECK(check(file, written(folder, network + "=")) == 2);
}
