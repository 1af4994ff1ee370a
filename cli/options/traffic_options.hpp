#pragma once

#include <cli/options/forms.hpp>
#include <cli/options/options.hpp>
#include <tailbound/answers/buffer/sized_buffer.hpp>
#include <tailbound/answers/traffic.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// The options that describe traffic, common to all commands with traffic.
namespace tailbound::cli {

/// As typed; empty if not given.
struct TrafficOptions {
  std::optional<std::string> inputs, load, rates, traffic, burst, on_rate, destination, arrivals, pmf, blocks,
      classes, joint, incast, file, packets_per_slot;
  bool normalize = false, exact = false;  ///< of the probabilities of a file
};

/// Those that were given, by name. A test compares it with add_traffic_options().
[[nodiscard]] std::vector<GivenOption> given_options(const TrafficOptions& options);

/// The names of --traffic.
enum class TrafficName { bernoulli, poisson, onoff, md1 };
[[nodiscard]] constexpr auto names_of(TrafficName) {
  return std::array{"bernoulli", "poisson", "onoff", "md1"};
}

/// N and L of --incast N,L or N,L,RATE.  \throws InvalidArgument
[[nodiscard]] std::pair<std::int64_t, std::int64_t> read_incast(const std::string& text);

/// Typical range of loads and rates.
[[nodiscard]] inline Values load_slider() {
  return slider(0.01, 0.99, 0.01);
}

/// Whether a command supports arrivals that are correlated between slots.
enum class Correlated {
  rejected,
  allowed,
  one_source,  ///< a formula of one on-off source with per-packet destinations
};

/// --inputs --load --rates --traffic --arrivals --pmf --packets-per-slot; except with Correlated::rejected
/// also --burst, --on-rate and --destination, with Correlated::allowed --blocks, --classes, --joint, --incast
/// and --traffic-file. `options` must outlive the parse.
void add_traffic_options(OptionTable& table, TrafficOptions& options,
                         Correlated correlated = Correlated::allowed);

/// The form of traffic that the options describe.
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

/// Are arrivals correlated between slots?
[[nodiscard]] constexpr bool correlated(TrafficForm form) {
  return form == TrafficForm::on_off || form == TrafficForm::blocks;
}

/// The traffic parameter that the command solves for; its option is then rejected.
enum class SolveFor { nothing, load, burst, ports, threshold };

/// Handling of probabilities whose sum is not 1.  \throws InvalidArgument  --normalize with --exact
[[nodiscard]] answers::Normalise read_normalise(const TrafficOptions& options);

/// The form, after checking that all given options act in it. Reads no values, so they may contain symbols.
/// \throws InvalidArgument  nothing describes traffic, something is missing, or two options exclude each
///                          other (the message names both)
[[nodiscard]] TrafficForm traffic_form(const TrafficOptions& options, SolveFor solve_for = SolveFor::nothing);

/// The traffic for each combination of the entries of --inputs, --packets-per-slot, --destination, --on-rate,
/// --burst and --load, the last varying fastest; a single one if none of them is a list. For classes one per
/// selected class. With SolveFor::load it has no load, with SolveFor::burst its bursts are as short as
/// possible.
/// \throws InvalidArgument, ParseError  the options or the file cannot be read
[[nodiscard]] std::vector<answers::Traffic> read_traffics(const TrafficOptions& options,
                                                          SolveFor solve_for = SolveFor::nothing);

/// A class and the load that it and the higher ones offer.
struct OfferedClass {
  int priority = 1;
  numeric::Rational load;
};
/// \return none for other traffic
[[nodiscard]] std::optional<OfferedClass> offered_class(const answers::Traffic& traffic);
[[nodiscard]] OfferedClass offered_class(const std::vector<numeric::Rational>& loads, int priority);

/// Why a class has no answer that offers at least what is served.
/// \param instead  what can be requested
[[nodiscard]] std::string without_answer(const OfferedClass& offered, const char* instead);

/// Removes the points of classes whose infinite queue grows without limit, if others remain: these are served
/// as if the lower ones were not there.
/// \param offered  (point) -> its class, if an infinite queue is requested; none otherwise
/// \return a note for each class
template <class Query, class Offered>
[[nodiscard]] std::vector<std::string> without_overloaded_classes(std::vector<Query>& queries,
                                                                  const Offered& offered,
                                                                  const char* instead) {
  const auto grows = [&](const Query& query) {
    const std::optional<OfferedClass> its = offered(query);
    return its && its->load >= 1;
  };
  std::vector<std::string> notes;
  if (std::all_of(queries.begin(), queries.end(), grows)) return notes;
  for (const Query& query : queries)
    if (grows(query))
      if (std::string note = without_answer(*offered(query), instead);
          std::find(notes.begin(), notes.end(), note) == notes.end())
        notes.push_back(std::move(note));
  std::erase_if(queries, grows);
  return notes;
}

/// Options for the burstiness of a source, for commands that need nothing else of traffic; as typed.
struct BurstOptions {
  std::optional<std::string> traffic, burst, on_rate, destination;
};

/// --traffic --burst --on-rate --destination, in the group of that name.
void add_burst_options(OptionTable& table, BurstOptions& options, const std::string& group);

/// The bursts of a source with this load, for each combination of the entries of --burst and --on-rate, the
/// last varying fastest; a single "none" without --burst.
/// \throws InvalidArgument  naming the option: --on-rate or --traffic onoff without --burst, --traffic
///                          bernoulli with it, an inconsistent load, burst and on-rate
[[nodiscard]] std::vector<std::optional<traffic::Burst>> read_bursts(const BurstOptions& options,
                                                                     const numeric::Rational& load);

/// Of --destination; one for each entry of the list, default per burst.
/// \throws InvalidArgument  an unknown name; --destination without bursts
[[nodiscard]] std::vector<traffic::Destination> read_destinations(
    const std::optional<std::string>& destination, bool bursts);

/// The packets of --sizes: "imix", a list or a file.  \throws InvalidArgument, ParseError
[[nodiscard]] traffic::PacketSizes read_sizes(const std::string& sizes);

}  // namespace tailbound::cli
