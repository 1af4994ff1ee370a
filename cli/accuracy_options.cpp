#include <cli/accuracy_options.hpp>
#include <cli/traffic_options.hpp>

#include <array>

namespace tailbound::cli {

void add_accuracy_options(OptionTable& table, AccuracyOptions& options) {
  const OptionGroup numbers(table, "Numbers");
  numbers.add("--arithmetic", options.arithmetic, "NAME",
              "auto (the default: the cheapest that proves the digits), double,\nmultiprecision, interval or "
              "exact");
  numbers.add("--digits", options.digits, "D", "significant digits to prove (10)");
}

queue::Accuracy read_accuracy(const AccuracyOptions& options) {
  static const std::vector<std::string> names{"auto", "double", "multiprecision", "interval", "exact"};
  static constexpr std::array kinds{queue::Arithmetic::automatic, queue::Arithmetic::double_precision,
                                    queue::Arithmetic::multiprecision, queue::Arithmetic::interval,
                                    queue::Arithmetic::exact};
  queue::Accuracy accuracy;
  if (options.arithmetic)
    accuracy.arithmetic = kinds[parse_choice(*options.arithmetic, "--arithmetic", names)];
  if (options.digits)
    accuracy.digits = {static_cast<int>(parse_integer(*options.digits, "--digits", 1, 10'000))};
  return accuracy;
}

}  // namespace tailbound::cli
