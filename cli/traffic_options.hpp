#pragma once

#include <cli/option_table.hpp>
#include <tailbound/answers/traffic.hpp>
#include <tailbound/numeric/number_list.hpp>
#include <tailbound/numeric/plain.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The options that describe traffic, the same in every command that has traffic.
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct TrafficOptions {
  std::optional<std::string> inputs, load, rates, traffic, burst, on_rate, destination, arrivals, pmf, blocks,
      packets_per_slot;
};

/// Whether a command can answer for arrivals that are correlated from slot to slot.
enum class Correlated { refused, allowed };

/// --inputs --load --rates --traffic --arrivals --pmf --packets-per-slot, and with Correlated::allowed --burst,
/// --on-rate, --destination and --blocks. `options` must outlive the parse.
void add_traffic_options(OptionTable& table, TrafficOptions& options,
                         Correlated correlated = Correlated::allowed);

/// Which form of traffic the options describe.
enum class TrafficForm {
  equal_inputs,    ///< --inputs K --load R
  unequal_inputs,  ///< --rates p1,p2,..
  poisson,         ///< --traffic poisson --load R
  expression,      ///< --arrivals EXPR
  pmf,             ///< --pmf FILE
  on_off,          ///< --traffic onoff --inputs K --load R --burst L
  blocks,          ///< --blocks FILE
};

/// Are the arrivals of one slot correlated with those of the next?
[[nodiscard]] constexpr bool correlated(TrafficForm form) {
  return form == TrafficForm::on_off || form == TrafficForm::blocks;
}

/// What of the traffic the command looks for, whose option is then refused.
enum class Sought { nothing, load, burst };

/// The form, after a check that the options go together. Reads no values, so symbols may stand in them.
/// \throws InvalidArgument  nothing describes traffic, something is missing, or two options exclude each
///                          other (the message names both)
[[nodiscard]] TrafficForm traffic_form(const TrafficOptions& options, Sought sought = Sought::nothing);

/// The traffic for each combination of the entries of --inputs, --packets-per-slot, --destination, --on-rate, --burst and
/// --load, the last changing fastest; one where none of them is a list. With Sought::load it has no load, with
/// Sought::burst it has bursts, as short as they can be.
/// \throws InvalidArgument, ParseError  the options or the file cannot be read
[[nodiscard]] std::vector<answers::Traffic> read_traffics(const TrafficOptions& options,
                                                          Sought sought = Sought::nothing);

using numeric::is_list;
using numeric::parse_integer;
using numeric::parse_integers;
using numeric::parse_list;
using numeric::parse_percent_list;
using numeric::parse_share;
using numeric::plain;
using numeric::to_integer;

/// Positions in `names` of the names of a list, "overflow,loss". \throws InvalidArgument  naming the first unknown
[[nodiscard]] std::vector<std::size_t> parse_choices(std::string_view text, std::string_view option,
                                                     const std::vector<std::string>& names);

/// The position of `text` in `names`.
/// \throws InvalidArgument  it is none of them
[[nodiscard]] std::size_t parse_choice(std::string_view text, std::string_view option,
                                       const std::vector<std::string>& names);

/// What the names of a list stand for, in its order; the first of `meanings` where the option was not given.
/// \throws InvalidArgument  naming the first unknown
template <class Meaning>
[[nodiscard]] std::vector<Meaning> choices_or_first(
    const std::optional<std::string>& text, std::string_view option,
    const std::vector<std::pair<std::string, Meaning>>& meanings) {
  if (!text) return {meanings.front().second};
  std::vector<std::string> names;
  for (const auto& [name, meaning] : meanings) names.push_back(name);
  std::vector<Meaning> chosen;
  for (const std::size_t choice : parse_choices(*text, option, names))
    chosen.push_back(meanings[choice].second);
  return chosen;
}

/// The integers of a list; `usual` alone where the option was not given.  \throws InvalidArgument
[[nodiscard]] std::vector<std::int64_t> integers_or(std::int64_t usual,
                                                    const std::optional<std::string>& text,
                                                    std::string_view option, std::int64_t least,
                                                    std::int64_t greatest);

/// The text of an option that must be given.
/// \throws InvalidArgument  it was not; `legal` completes "must be ..."
[[nodiscard]] const std::string& required(const std::optional<std::string>& text, const char* option,
                                          const char* legal);

}  // namespace tailbound::cli
