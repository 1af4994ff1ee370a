#pragma once

#include <cli/options/options.hpp>
#include <tailbound/answers/buffer/buffer.hpp>
#include <tailbound/answers/traffic.hpp>
#include <tailbound/answers/units.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Options for the accuracy and the units of numbers, common to all commands.
namespace tailbound::cli {

/// Rates that a link can have.
template <class T>
[[nodiscard]] Accepted<T> rate_in_gbps(Accepted<T> rates) {
  return std::move(rates).such_that(
      [](const numeric::Rational& gbps) {
        return gbps > 0 && gbps <= numeric::Rational(answers::Units::max_link_gbps);
      },
      "greater than 0 and at most 1000000 Gbit/s");
}

/// Those that users may choose.
[[nodiscard]] const Meanings<queue::Arithmetic>& arithmetics();

struct AccuracyOptions {
  OptionTable rows{};
  OptionGroup numerics{rows, "Numerics"};
  One<queue::Arithmetic> arithmetic{
      numerics, "--arithmetic", "NAME", one_name(arithmetics()).first_by_default(),
      "auto, double, multiprecision, interval or exact.\nDefault {}: the fastest that proves the digits"};
  One<int> digits{numerics, "--digits", "D", integer<int>(1, 10'000).by_default("10").slider(4, 40, 1),
                  "significant digits to prove (default {})"};
};
struct UnitOptions {
  OptionTable rows{};
  OptionGroup units{rows, "Units"};
  Integer packet_bytes{
      units, "--packet-bytes", "N",
      whole_quantity(numeric::Measure::bytes, 1, answers::Units::max_packet_bytes).slider(64, 1536, 64),
      "packet size in bytes, 64 or 9KB; shows bytes too"};
  Number link_gbps{units, "--link-gbps", "G",
                   rate_in_gbps(quantity(numeric::Measure::gbps)).slider(1, 800, 1),
                   "link rate in Gbit/s, 400 or 400G; shows times in ns"};
};

/// --arithmetic and --digits
void add_accuracy_options(OptionTable& table, AccuracyOptions& options);
/// \throws InvalidArgument
[[nodiscard]] queue::Accuracy read_accuracy(const AccuracyOptions& options);

/// Of --criterion, default overflow.  \throws InvalidArgument
[[nodiscard]] std::vector<bounds::Criterion> read_criteria(const std::optional<std::string>& text);

/// Targets: greater than 0 and less than 1.
template <class T>
[[nodiscard]] Accepted<T> as_targets(Accepted<T> shares) {
  return std::move(shares).such_that([](const numeric::Rational& target) { return target > 0 && target < 1; },
                                     "greater than 0 and less than 1");
}
/// One of them.  \throws InvalidArgument
[[nodiscard]] numeric::Rational read_target(const std::string& text, const char* option);

/// Percentiles in percent, "50,99.99", or fractions below 1; as fractions.
[[nodiscard]] Accepted<Rationals> percentiles();

/// --packet-bytes, in which buffers may be given in bytes.
[[nodiscard]] inline options::PacketUnit packet_unit(const UnitOptions& units) {
  return {units.packet_bytes.if_given()};
}

/// --packet-bytes and --link-gbps: the packet size in bytes and the slot time in nanoseconds
void add_unit_options(OptionTable& table, UnitOptions& options);
/// \throws InvalidArgument  out of range, or --link-gbps without --packet-bytes
[[nodiscard]] answers::Units read_units(const UnitOptions& options);

}  // namespace tailbound::cli
