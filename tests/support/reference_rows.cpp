#include <fstream>
#include <sstream>
#include <stdexcept>
#include <tests/support/reference_rows.hpp>

namespace tailbound::test {
namespace {

/// Half a unit of the last of 40 significant digits: half of 10^(e - 39) for 10^e <= value < 10^(e + 1).
Fraction rounding_of_forty_digits(const Fraction& value) {
  int exponent = 0;
  while (value < power_of_ten(exponent)) --exponent;
  return power_of_ten(exponent - 39) / 2;
}

}  // namespace

std::vector<ReferenceRow> read_reference_rows() {
  const std::string path = std::string(TAILBOUND_DATA_DIR) + "/reference/slotted_queue.csv";
  std::ifstream file(path);
  std::vector<ReferenceRow> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#' || line.rfind("inputs,", 0) == 0) continue;
    std::istringstream cells(line);
    std::string inputs, load, level, tail;
    if (!(std::getline(cells, inputs, ',') && std::getline(cells, load, ',') &&
          std::getline(cells, level, ',') && std::getline(cells, tail)))
      throw std::runtime_error(path + ": " + line);
    const Fraction value = parse_decimal(tail), half = rounding_of_forty_digits(value);
    rows.push_back({.inputs = std::stoll(inputs),
                    .load = parse_decimal(load),
                    .level = std::stoll(level),
                    .tail = {value - half, value + half},
                    .text = line});
  }
  if (rows.empty()) throw std::runtime_error(path + " is missing or empty");
  return rows;
}

}  // namespace tailbound::test
