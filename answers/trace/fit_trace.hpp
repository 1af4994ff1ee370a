#pragma once

#include <tailbound/answers/points/run.hpp>
#include <tailbound/answers/traffic.hpp>
#include <tailbound/traffic/trace/trace_csv.hpp>
#include <tailbound/traffic/trace/trace_fit.hpp>
#include <tailbound/traffic/trace/trace_order.hpp>
#include <tailbound/traffic/trace/trace_pcap.hpp>
#include <tailbound/traffic/trace/trace_slots.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

/// Traffic models fitted to a packet trace, and whether a model predicts the trace's queue.
///
/// MODEL     traffic/trace: the queue of the trace itself; independent slots with the trace's distribution of
/// cells per slot;
///           on-off sources with its index of dispersion
/// RESULT    dispersion and tails of both models and of the trace, and a verdict from five tests
/// (docs/derivations/traces.md)
/// TESTS     tests/answers/trace/fit_trace_test.cpp
namespace tailbound::answers {

struct FitQuery {
  std::string file;                               ///< for messages
  traffic::ReadTrace packets;                     ///< roughly in order of time (traffic::TraceOrder)
  numeric::Rational link_gbps;                    ///< of the output, above 0
  std::optional<numeric::Rational> input_gbps{};  ///< of the links of the trace; default: as the output
  std::optional<std::int64_t> cell_bytes{};       ///< default: traffic::TraceOrder::usual_size()
  traffic::TraceArrival arrival = traffic::TraceArrival::whole;
  std::optional<std::int64_t>
      inputs{};  ///< number of sources of the packets; default: as named in the trace, or from its IDC(1)
  std::vector<Packets> buffers{};                          ///< buffers into which the trace is played [cells]
  std::function<double()> read_so_far{};                   ///< fraction of the file, for the progress
  std::size_t window = traffic::TraceOrder::usual_window;  ///< packets held to sort them
};

/// One horizon.
struct FittedDispersion {
  traffic::CountDispersion trace;
  double independent = 0;
  std::optional<double> sources{};
};

/// One level.
struct FittedTail {
  traffic::TraceTail trace;
  double half_width = 0;  ///< of a 95 % interval for all compared levels together
  bool compared = false;  ///< narrow enough to test a model
  double independent = 0;
  std::optional<double> sources{};
};

/// One of the five tests of the model, with a description of the numbers compared.
struct FitTest {
  enum class Kind { dispersion, memory, tails, length, times };
  Kind kind = Kind::dispersion;
  bool passed = false;
  double measured = 0, allowed = 0;  ///< at the worst place; the limit
};
[[nodiscard]] constexpr auto names_of(FitTest::Kind) {
  return std::array{"dispersion", "memory", "tails", "length", "times"};
}

/// What was done to the times of a trace.
struct FitTimes {
  std::size_t late = 0;   ///< packets whose time was before that of an earlier one
  double late_by_ns = 0;  ///< maximum distance from the latest time before
  std::size_t distinct = 0;
  std::size_t spaced = 0;            ///< packets that were moved, as others of their link have the same time
  std::size_t largest = 0;           ///< maximum packets of one link and one time
  double packets_per_time = 0;       ///< of the links; 0 if they are unknown
  numeric::Rational input_gbps = 0;  ///< rate at which they were spaced
};

struct FitAnswer {
  traffic::TraceSource source;
  traffic::TraceStamps stamps;
  FitTimes times;
  std::int64_t cell_bytes = 0;
  double slot_ns = 0;
  std::int64_t slots = 0;
  std::uint64_t cells = 0;
  double load = 0;           ///< cells/slot
  std::int64_t peak = 0;     ///< maximum cells in a slot
  std::int64_t longest = 0;  ///< maximum queue [cells]
  double longest_bytes = 0;  ///< the same in continuous time, without cells
  std::uint64_t busy_periods = 0;
  bool coarse_stamps = false;  ///< the timestamp resolution is coarser than a slot
  std::vector<std::uint64_t> counts;
  traffic::TraceFit fit;
  std::vector<FittedDispersion> dispersion;
  std::vector<FittedTail> tails;
  std::vector<FitTest> tests;
  struct Replay {
    Packets buffer;
    std::uint64_t lost = 0;
    double loss = 0;
    std::optional<std::uint64_t> lost_together{};  ///< if packets of one time arrived together
  };
  std::vector<Replay> played;

  [[nodiscard]] bool trusted() const;
};

/// \throws ParseError, InvalidArgument  the trace cannot be read, or its times decrease too far
/// \throws NoAnswer   no packet waits, so that no queue forms; the offered load is 1 cell per slot or more;
///                    the packets have no times
[[nodiscard]] FitAnswer answer(const FitQuery& query, const Run& run = {});

/// Passes on a file piece by piece.
using ReadPieces = std::function<void(const std::function<void(std::string_view bytes)>& take)>;
/// The packets of a CSV file, for FitQuery::packets.
/// \param framing  bytes added to each packet
[[nodiscard]] traffic::ReadTrace csv_packets(const std::string& name, traffic::TimeUnit unit,
                                             std::int64_t framing, ReadPieces read);

/// A file for --traffic-file.
[[nodiscard]] std::string traffic_file(const FitQuery& query, const FitAnswer& answer);

/// \param name  of the file, for messages
/// \throws ParseError
[[nodiscard]] Traffic fitted_traffic(const std::string& text, const std::string& name,
                                     Normalise normalise = Normalise::rounding);

}  // namespace tailbound::answers
