#include <cli/options/number_options.hpp>
#include <cli/options/options.hpp>

namespace tailbound::cli {

using numeric::Rational;

namespace {

/// Those that users may choose.
const Meanings<queue::Arithmetic>& arithmetics() {
  static const Meanings<queue::Arithmetic> all{{"auto", queue::Arithmetic::automatic},
                                               {"double", queue::Arithmetic::double_precision},
                                               {"multiprecision", queue::Arithmetic::multiprecision},
                                               {"interval", queue::Arithmetic::interval},
                                               {"exact", queue::Arithmetic::exact}};
  return all;
}

}  // namespace

void add_accuracy_options(OptionTable& table, AccuracyOptions& options) {
  const OptionGroup numbers(table, "Numerics");
  numbers.add(
      "--arithmetic", options.arithmetic, "NAME",
      "auto, double, multiprecision, interval or exact.\nDefault auto: the fastest that proves the digits",
      choices(arithmetics()));
  numbers.add("--digits", options.digits, "D", "significant digits to prove (default 10)", slider(4, 40, 1));
}

queue::Accuracy read_accuracy(const AccuracyOptions& options) {
  queue::Accuracy accuracy;
  if (options.arithmetic) accuracy.arithmetic = choice_of(*options.arithmetic, "--arithmetic", arithmetics());
  if (options.digits)
    accuracy.digits = {static_cast<int>(parse_integer(*options.digits, "--digits", 1, 10'000))};
  return accuracy;
}

std::vector<bounds::Criterion> read_criteria(const std::optional<std::string>& text) {
  return choices_or_first<bounds::Criterion>(text, "--criterion");
}

numeric::Rational read_target(const std::string& text, const char* option) {
  const numeric::Rational target = numeric::parse_share(text, option);
  if (target <= 0 || target >= 1) throw InvalidArgument(option, text, "greater than 0 and less than 1");
  return target;
}

void add_unit_options(OptionTable& table, UnitOptions& options) {
  const OptionGroup units(table, "Units");
  units.add("--packet-bytes", options.packet_bytes, "N",
            "packet size in bytes, 64 or 9KB; shows buffers in bytes", slider(64, 1536, 64));
  units.add("--link-gbps", options.link_gbps, "G", "link rate in Gbit/s, 400 or 400G; shows times in ns",
            slider(1, 800, 1));
}

answers::Units read_units(const UnitOptions& options) {
  answers::Units units;
  if (options.packet_bytes)
    units.packet_bytes = parse_whole_quantity(*options.packet_bytes, "--packet-bytes",
                                              numeric::Measure::bytes, 1, answers::Units::max_packet_bytes);
  if (options.link_gbps) {
    const Rational gbps = numeric::parse_quantity(*options.link_gbps, "--link-gbps", numeric::Measure::gbps);
    if (gbps <= 0 || gbps > Rational(static_cast<long>(answers::Units::max_link_gbps)))
      throw InvalidArgument("--link-gbps", *options.link_gbps, "greater than 0 and at most 1000000 Gbit/s");
    if (!units.packet_bytes)
      throw missing("--packet-bytes",
                    "--link-gbps needs the packet size in bytes, such as --packet-bytes 64");
    units.link_gbps = gbps;
  }
  return units;
}

}  // namespace tailbound::cli
