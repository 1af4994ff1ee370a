#include <catch2/catch.hpp>
#include <cli/run.hpp>
#include <nlohmann/json.hpp>

#include <sstream>
#include <string>
#include <vector>

namespace {

struct Outcome {
  int status;
  std::string out, err;
};

Outcome pgf(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"tailbound", "pgf"});
  std::vector<const char*> argv;
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  std::ostringstream out, err;
  const int status = tailbound::cli::run(static_cast<int>(argv.size()), argv.data(), out, err);
  return {status, out.str(), err.str()};
}

}  // namespace

TEST_CASE("pgf: the help's example is what the command prints") {
  const std::string help = pgf({"--help"}).out;
  std::istringstream lines(pgf({"--inputs", "k", "--load", "k*p", "--moments"}).out);
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK(help.find(line) != std::string::npos);
  }
}

TEST_CASE("pgf: JSON has the keys, with symbols and with numbers") {
  const auto free = nlohmann::json::parse(pgf({"--inputs", "k", "--load", "rho", "--format", "json"}).out);
  for (const char* key : {"command", "version", "inputs", "expression", "mean", "variance", "p0"})
    CHECK(free.contains(key));
  CHECK(free["p0"] == "1 - rho");
  CHECK(free["inputs"]["parameters"] == nlohmann::json({"k", "rho"}));
  const auto fixed =
      nlohmann::json::parse(pgf({"--inputs", "16", "--load", "0.9", "--of", "wait", "--format", "json"}).out);
  CHECK(fixed["mean"] == "135/32");  // (0.9 + 0.81 * 15/16 / 0.2) / 0.9 - 1
}

TEST_CASE("pgf: bad input is status 2, an unstable queue 1; nothing on standard output") {
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
    const Outcome outcome = pgf(arguments);
    INFO(arguments[0] << " " << arguments[1] << ": " << outcome.err);
    CHECK(outcome.status == status);
    CHECK(outcome.out.empty());
    CHECK_FALSE(outcome.err.empty());
  }
}
