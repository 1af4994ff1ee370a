#include <cli/options/number_options.hpp>
#include <cli/options/options.hpp>

namespace tailbound::cli {

using numeric::Rational;

const Meanings<queue::Arithmetic>& arithmetics() {
  static const Meanings<queue::Arithmetic> all{{"auto", queue::Arithmetic::automatic},
                                               {"double", queue::Arithmetic::double_precision},
                                               {"multiprecision", queue::Arithmetic::multiprecision},
                                               {"interval", queue::Arithmetic::interval},
                                               {"exact", queue::Arithmetic::exact}};
  return all;
}

void add_accuracy_options(OptionTable& table, AccuracyOptions& options) {
  add_rows(table, options);
}

queue::Accuracy read_accuracy(const AccuracyOptions& options) {
  return {.digits = {options.digits.value()}, .arithmetic = options.arithmetic.value()};
}

std::vector<bounds::Criterion> read_criteria(const std::optional<std::string>& text) {
  return choices_or_first<bounds::Criterion>(text, "--criterion");
}

Rational read_target(const std::string& text, const char* option) {
  return as_targets(share()).read(text, option);
}

Accepted<Rationals> percentiles() {
  const char* const legal = "in percent, above 0 and below 100, such as 99.9999 (below 1: a fraction of 1)";
  const auto read = [legal](const std::string& text, const std::string& option) {
    Rationals fractions = parse_list(text, option, 100);
    for (Rational& entry : fractions) {
      const Rational fraction = entry < 1 ? entry : Rational(entry / 100);
      if (!(fraction > 0 && fraction < 1)) throw InvalidArgument(option, plain(entry), legal);
      entry = fraction;
    }
    return fractions;
  };
  return {.read = read, .values = must_be(legal)};
}

void add_unit_options(OptionTable& table, UnitOptions& options) {
  add_rows(table, options);
}

answers::Units read_units(const UnitOptions& options) {
  if (options.link_gbps && !options.packet_bytes)
    throw missing("--packet-bytes", "--link-gbps needs the packet size in bytes, such as --packet-bytes 64");
  return {.packet_bytes = options.packet_bytes.if_given(), .link_gbps = options.link_gbps.if_given()};
}

}  // namespace tailbound::cli
