#pragma once

#include <cli/options/options.hpp>
#include <tailbound/answers/buffer/sized_buffer.hpp>
#include <tailbound/answers/traffic.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

/// The options that describe traffic, the same in every command that has traffic.
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct TrafficOptions {
  std::optional<std::string> inputs, load, rates, traffic, burst, on_rate, destination, arrivals, pmf, blocks,
      classes, joint, incast, file, packets_per_slot;
  bool normalize = false, exact = false;  ///< of --pmf
};

/// What --traffic names.
enum class TrafficName { bernoulli, poisson, onoff, md1 };
[[nodiscard]] constexpr auto names_of(TrafficName) {
  return std::array{"bernoulli", "poisson", "onoff", "md1"};
}

/// Loads and rates of interest.
[[nodiscard]] inline Values load_slider() {
  return slider(0.01, 0.99, 0.01);
}

/// Whether a command can answer for arrivals that are correlated from slot to slot.
enum class Correlated {
  refused,
  allowed,
  one_source,  ///< a formula of one on-off source whose packets each draw their output
};

/// --inputs --load --rates --traffic --arrivals --pmf --packets-per-slot; without Correlated::refused also --burst,
/// --on-rate and --destination, with Correlated::allowed --blocks, --classes, --joint, --incast and --traffic-file. `options` must outlive the parse.
void add_traffic_options(OptionTable& table, TrafficOptions& options,
                         Correlated correlated = Correlated::allowed);

/// Which form of traffic the options describe.
enum class TrafficForm {
  equal_inputs,    ///< --inputs K --load R
  unequal_inputs,  ///< --rates p1,p2,..
  poisson,         ///< --traffic poisson --load R
  md1,             ///< --traffic md1 --load R
  expression,      ///< --arrivals EXPR
  pmf,             ///< --pmf FILE
  on_off,          ///< --traffic onoff --inputs K --load R --burst L
  blocks,          ///< --blocks FILE
  classes,         ///< --inputs K --classes R1,R2,..
  joint,           ///< --joint FILE
  incast,          ///< --incast N,L,RATE, or N,L with --load
  file,            ///< --traffic-file FILE
};

/// Are the arrivals of one slot correlated with those of the next?
[[nodiscard]] constexpr bool correlated(TrafficForm form) {
  return form == TrafficForm::on_off || form == TrafficForm::blocks;
}

/// What of the traffic the command looks for, whose option is then refused.
enum class Sought { nothing, load, burst };

/// What becomes of probabilities whose sum is not 1.  \throws InvalidArgument  --normalize with --exact
[[nodiscard]] answers::Normalise read_normalise(const TrafficOptions& options);

/// The form, after a check that the options go together. Reads no values, so symbols may stand in them.
/// \throws InvalidArgument  nothing describes traffic, something is missing, or two options exclude each
///                          other (the message names both)
[[nodiscard]] TrafficForm traffic_form(const TrafficOptions& options, Sought sought = Sought::nothing);

/// The traffic for each combination of the entries of --inputs, --packets-per-slot, --destination, --on-rate, --burst and
/// --load, the last changing fastest; one where none of them is a list. Of classes one for each, of which it is asked. With Sought::load it has no load, with
/// Sought::burst it has bursts, as short as they can be.
/// \throws InvalidArgument, ParseError  the options or the file cannot be read
[[nodiscard]] std::vector<answers::Traffic> read_traffics(const TrafficOptions& options,
                                                          Sought sought = Sought::nothing);

/// How the packets of a source bunch, where that is all that is asked of traffic; as typed.
struct BurstOptions {
  std::optional<std::string> traffic, burst, on_rate, destination;
};

/// --traffic --burst --on-rate --destination, in the group of that name.
void add_burst_options(OptionTable& table, BurstOptions& options, const std::string& group);

/// The bursts of a source of this load: for each combination of the entries of --burst and --on-rate, the last
/// changing fastest; one none without --burst.
/// \throws InvalidArgument  naming the option: --on-rate or --traffic onoff without --burst, --traffic
///                          bernoulli with it, a load, burst and on-rate that do not go together
[[nodiscard]] std::vector<std::optional<traffic::Burst>> read_bursts(const BurstOptions& options,
                                                                     const numeric::Rational& load);

/// Of --destination; one for each entry of the list, per burst unless told.
/// \throws InvalidArgument  none of the names; --destination without bursts
[[nodiscard]] std::vector<traffic::Destination> read_destinations(
    const std::optional<std::string>& destination, bool bursts);

/// The packets of --sizes: "imix", a list or a file.  \throws InvalidArgument, ParseError
[[nodiscard]] traffic::PacketSizes read_sizes(const std::string& sizes);

}  // namespace tailbound::cli
