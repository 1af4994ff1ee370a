#pragma once

#include <CLI/App.hpp>
#include <nlohmann/json_fwd.hpp>
#include <tailbound/answers/traffic.hpp>
#include <tailbound/queue/markov_queue.hpp>
#include <tailbound/queue/slotted_queue.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The options that describe traffic, the same in every command that has traffic.
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct TrafficOptions {
  std::optional<std::string> inputs, load, rates, traffic, burst, on_rate, arrivals, pmf, blocks,
      packets_per_slot;
};

/// Whether a command can answer for arrivals that remember.
enum class Memory { none, allowed };

/// --inputs --load --rates --traffic --arrivals --pmf --packets-per-slot, and with Memory::allowed --burst,
/// --on-rate and --blocks. `options` must outlive the parse.
void add_traffic_options(CLI::App& command, TrafficOptions& options, Memory memory = Memory::none);

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

/// Does the form have arrivals that remember?
[[nodiscard]] constexpr bool remembers(TrafficForm form) {
  return form == TrafficForm::on_off || form == TrafficForm::blocks;
}

/// Whether --load may be left out where the form of traffic has one.
enum class LoadOption {
  required,
  forbidden,  ///< the load is what the command looks for
};

/// The form, after a check that the options go together. Reads no values, so symbols may stand in them.
/// \throws InvalidArgument  nothing describes traffic, something is missing, or two options exclude each
///                          other (the message names both)
[[nodiscard]] TrafficForm traffic_form(const TrafficOptions& options, LoadOption load = LoadOption::required);

/// The traffic for each combination of the entries of --inputs, --packets-per-slot, --on-rate, --burst and --load, the
/// last changing fastest; one where none of them is a list. With LoadOption::forbidden it has no load.
/// \throws InvalidArgument, ParseError  the options or the file cannot be read
[[nodiscard]] std::vector<answers::Traffic> read_traffics(const TrafficOptions& options,
                                                          LoadOption load = LoadOption::required);

/// One queue, and the load it was asked for.
struct LoadedQueue {
  std::string load;  ///< as a fraction; empty if irrational
  queue::SlottedQueue queue;
};

/// The queue for each entry of --load (one where the form has no --load), in the order given. With
/// LoadOption::forbidden, the queue at a positive load that stands for the form of the traffic only.
/// \throws InvalidArgument, ParseError  the options or the file cannot be read
[[nodiscard]] std::vector<LoadedQueue> read_queues(const TrafficOptions& options,
                                                   LoadOption load = LoadOption::required);

/// Arrivals that remember, and what they were asked for.
struct LoadedMarkovArrivals {
  std::string load;   ///< as a fraction
  std::string burst;  ///< mean burst in slots, as a fraction; empty for --blocks
  queue::MarkovArrivals arrivals;
};

/// For each entry of --burst those for each entry of --load, in the order given.
/// \throws InvalidArgument, ParseError  the options or the file cannot be read
[[nodiscard]] std::vector<LoadedMarkovArrivals> read_markov_arrivals(const TrafficOptions& options);

/// The same where only one load makes sense.
/// \throws InvalidArgument  --load is a list
[[nodiscard]] LoadedQueue read_queue(const TrafficOptions& options);

/// The traffic as understood, for the "inputs" of a JSON document: {"traffic": "bernoulli", "inputs": 16,
/// "load": "9/10", "packets_per_slot": 1}.
[[nodiscard]] nlohmann::ordered_json describe_traffic(const TrafficOptions& options,
                                                      LoadOption load = LoadOption::required);

/// Whether --load is written as a list ("0.1,0.2" or "0.1:0.9:0.1"; also one of a single entry, "0.5:0.5:1").
[[nodiscard]] bool is_list(const std::optional<std::string>& text);

/// Exact numbers of a list: "0.1,1/5" or "0.1:0.9:0.1" (first : last : step, the last included where the
/// steps meet it), or both mixed; at most `limit` entries. Entries may repeat and come in any order. \throws
/// InvalidArgument
[[nodiscard]] std::vector<numeric::Rational> parse_list(std::string_view text, std::string_view option,
                                                        std::size_t limit = 10'000);

/// An integer in [least, greatest]; "1e6" and "12/3" count as integers.
/// \throws InvalidArgument
[[nodiscard]] std::int64_t parse_integer(std::string_view text, std::string_view option, std::int64_t least,
                                         std::int64_t greatest);

/// Whole numbers of a list. \throws InvalidArgument  an entry is none, or out of range
[[nodiscard]] std::vector<std::int64_t> parse_integers(std::string_view text, std::string_view option,
                                                       std::int64_t least, std::int64_t greatest);
/// Positions in `names` of the names of a list, "overflow,loss". \throws InvalidArgument  naming the first unknown
[[nodiscard]] std::vector<std::size_t> parse_choices(std::string_view text, std::string_view option,
                                                     const std::vector<std::string>& names);

/// The position of `text` in `names`.
/// \throws InvalidArgument  it is none of them
[[nodiscard]] std::size_t parse_choice(std::string_view text, std::string_view option,
                                       const std::vector<std::string>& names);

/// The text of an option that must be given.
/// \throws InvalidArgument  it was not; `legal` completes "must be ..."
[[nodiscard]] const std::string& required(const std::optional<std::string>& text, const char* option,
                                          const char* legal);

}  // namespace tailbound::cli
