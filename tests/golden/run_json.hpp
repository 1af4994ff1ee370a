#pragma once

#include <tests/golden/run_command.hpp>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <string>

namespace tailbound::golden {

/// The document of a command line that ends with `status`, and prints a reason exactly if that is not 0.
inline nlohmann::json run_json(const std::string& line, int status = 0) {
  const Outcome outcome = run_line(line + " --format json");
  INFO(line << "\n" << outcome.err);
  REQUIRE(outcome.status == status);
  CHECK(outcome.err.empty() == (status == 0));
  return nlohmann::json::parse(outcome.out);
}

/// The only result of such a document.
inline nlohmann::json run_result(const std::string& line, int status = 0) {
  const nlohmann::json document = run_json(line, status);
  REQUIRE(document["results"].size() == 1);
  return document["results"][0];
}

/// The value of a number with a kind.
[[nodiscard]] inline double value_of(const nlohmann::json& number) {
  return number["value"].get<double>();
}

/// The lower end of an enclosure.
[[nodiscard]] inline double lower_of(const nlohmann::json& number) {
  return std::stod(number["lower"].get<std::string>());
}

}  // namespace tailbound::golden
