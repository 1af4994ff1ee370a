#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <tests/golden/run_command.hpp>

#include <array>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace {

tailbound::golden::Outcome pgf(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "pgf");
  return tailbound::golden::run_command(arguments);
}

}  // namespace

TEST_CASE("pgf: the example in the help is the actual output") {
  const std::string help = pgf({"--help"}).out;
  std::istringstream lines(pgf({"--inputs", "k", "--load", "k*p", "--moments"}).out);
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK(help.find(line) != std::string::npos);
  }
}

TEST_CASE("pgf: every run prints the same") {
  // GiNaC's internal order depends on addresses, which differ between processes.
  const auto output_of_a_process = [] {
    const std::string command = std::string(TAILBOUND_EXECUTABLE) + " pgf --inputs k --load 'k*p' --moments";
    std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    REQUIRE(pipe);
    std::string text;
    std::array<char, 4096> part{};
    while (const std::size_t count = fread(part.data(), 1, part.size(), pipe.get()))
      text.append(part.data(), count);
    return text;
  };
  const std::string first = output_of_a_process();
  CHECK(first.find("Var[Q] = ") != std::string::npos);
  for (int run = 0; run < 24; ++run) CHECK(output_of_a_process() == first);
}

TEST_CASE("pgf: JSON has the keys, with symbols and with numbers") {
  const auto free = nlohmann::json::parse(pgf({"--inputs", "k", "--load", "rho", "--format", "json"}).out);
  for (const char* key : {"command", "version", "query", "results"}) CHECK(free.contains(key));
  const nlohmann::json& result = free["results"][0];
  for (const char* key : {"expression", "mean", "variance", "p0"}) CHECK(result.contains(key));
  CHECK(result["p0"] == "1 - rho");
  CHECK(result["parameters"] == nlohmann::json({"k", "rho"}));
  CHECK(free["query"]["inputs"] == "k");
  const auto fixed =
      nlohmann::json::parse(pgf({"--inputs", "16", "--load", "0.9", "--of", "wait", "--format", "json"}).out);
  CHECK(fixed["results"][0]["mean"] == "135/32");  // (0.9 + 0.81 * 15/16 / 0.2) / 0.9 - 1
}

TEST_CASE("pgf: lists of quantities and languages") {
  const auto outcome = pgf({"--inputs", "k", "--load", "rho", "--of", "occupancy,wait", "--as", "maple,gp"});
  CHECK(outcome.status == 0);
  for (const char* language : {"maple", "gp"})
    for (const char* of : {"occupancy", "wait"})
      CHECK(outcome.out.find(pgf({"--inputs", "k", "--load", "rho", "--of", of, "--as", language}).out) !=
            std::string::npos);
  const auto both = nlohmann::json::parse(
      pgf({"--inputs", "k", "--load", "rho", "--of", "occupancy,wait", "--format", "json"}).out);
  CHECK(both["results"].size() == 2);
  CHECK(both["query"]["of"] == nlohmann::json({"occupancy", "wait"}));
}

TEST_CASE("pgf: bad input is status 2, an unstable queue 1; no standard output") {
  const std::vector<std::pair<std::vector<std::string>, int>> rows{
      {{"--inputs", "16"}, 2},
      {{"--inputs", "0", "--load", "0.5"}, 2},
      {{"--inputs", "k", "--load", "2z"}, 2},
      {{"--inputs", "k", "--load", "z"}, 2},
      {{"--inputs", "4", "--load", "5"}, 2},
      {{"--rates", "0.1,,0.2"}, 2},
      {{"--rates", "1.5"}, 2},
      {{"--arrivals", "9/8-z^3/8"}, 2},
      {{"--arrivals", "z/2"}, 2},
      {{"--arrivals", "1/2+z/2", "--load", "0.5"}, 2},
      {{"--arrivals", "1/2+z/2", "--of", "everything"}, 2},
      {{"--arrivals", "1/2+z/2", "--as", "fortran"}, 2},
      {{"--arrivals", "1/2+z/2", "--packets-per-slot", "65"}, 2},
      {{"--arrivals", "1/2+z/2", "--packets-per-slot", "2", "--of", "wait"}, 2},
      {{"--pmf", "/nonexistent"}, 2},
      {{"--inputs", "16", "--load", "1"}, 1},
      {{"--traffic", "poisson", "--load", "rho", "--cancel"}, 1},
  };
  for (const auto& [arguments, status] : rows) {
    const tailbound::golden::Outcome outcome = pgf(arguments);
    INFO(arguments[0] << " " << arguments[1] << ": " << outcome.err);
    CHECK(outcome.status == status);
    CHECK(outcome.out.empty());
    CHECK_FALSE(outcome.err.empty());
  }
}
