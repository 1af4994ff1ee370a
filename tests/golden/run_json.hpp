#pragma once

#include <tests/golden/run_command.hpp>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <string>

namespace tailbound::golden {

/// The document of a command line that ends with `status` and has nothing to complain of.
inline nlohmann::json run_json(const std::string& line, int status = 0) {
  const Outcome outcome = run_line(line + " --format json");
  INFO(line << "\n" << outcome.err);
  REQUIRE(outcome.status == status);
  CHECK(outcome.err.empty());
  return nlohmann::json::parse(outcome.out);
}

}  // namespace tailbound::golden
