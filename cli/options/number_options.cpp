#include <cli/options/number_options.hpp>
#include <cli/options/options.hpp>

#include <array>

namespace tailbound::cli {

using numeric::Rational;

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

std::vector<bounds::Criterion> read_criteria(const std::optional<std::string>& text) {
  return choices_or_first<bounds::Criterion>(
      text, "--criterion", {{"overflow", bounds::Criterion::overflow}, {"loss", bounds::Criterion::loss}});
}

void add_unit_options(OptionTable& table, UnitOptions& options) {
  const OptionGroup units(table, "Units");
  units.add("--packet-bytes", options.packet_bytes, "N", "size of a packet: shows buffers in bytes");
  units.add("--link-gbps", options.link_gbps, "G", "rate of the link: shows times in ns");
}

answers::Units read_units(const UnitOptions& options) {
  answers::Units units;
  if (options.packet_bytes)
    units.packet_bytes =
        parse_integer(*options.packet_bytes, "--packet-bytes", 1, answers::Units::most_packet_bytes);
  if (options.link_gbps) {
    const Rational gbps = numeric::parse_rational(*options.link_gbps, "--link-gbps");
    if (gbps <= 0 || gbps > Rational(static_cast<long>(answers::Units::most_link_gbps)))
      throw InvalidArgument("--link-gbps", *options.link_gbps, "greater than 0 and at most 1000000 Gbit/s");
    if (!units.packet_bytes)
      throw InvalidArgument("--packet-bytes", "missing",
                            "given with --link-gbps: the size of a packet, such as 64");
    units.link_gbps = gbps;
  }
  return units;
}

}  // namespace tailbound::cli
