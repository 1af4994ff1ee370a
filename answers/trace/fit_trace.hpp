#pragma once

#include <tailbound/answers/points/run.hpp>
#include <tailbound/answers/traffic.hpp>
#include <tailbound/traffic/trace/trace_csv.hpp>
#include <tailbound/traffic/trace/trace_fit.hpp>
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
/// RESULT    dispersion and tails of both models and of the trace, and a verdict from four tests
/// (docs/derivations/traces.md)
/// TESTS     tests/answers/trace/fit_trace_test.cpp
namespace tailbound::answers {

struct FitQuery {
  std::string file;  ///< for messages
  /// Passes on all packets in order of time.
  std::function<void(const traffic::TakePacket&)> packets;
  numeric::Rational link_gbps;  ///< of the output, above 0
  std::int64_t cell_bytes = 64;
  traffic::TraceArrival arrival = traffic::TraceArrival::whole;
  std::optional<std::int64_t>
      inputs{};  ///< number of sources of the packets; default: as named in the trace, or from its IDC(1)
  std::vector<Packets> buffers{};  ///< buffers into which the trace is played [cells]

  [[nodiscard]] numeric::Rational slot_ns() const;
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

/// One of the four tests of the model, with a description of the numbers compared.
struct FitTest {
  enum class Kind { dispersion, memory, tails, length };
  Kind kind = Kind::dispersion;
  bool passed = false;
  double measured = 0, allowed = 0;  ///< at the worst place; the limit
};
[[nodiscard]] constexpr auto names_of(FitTest::Kind) {
  return std::array{"dispersion", "memory", "tails", "length"};
}

struct FitAnswer {
  traffic::TraceStamps stamps;
  double slot_ns = 0;
  std::int64_t slots = 0;
  std::uint64_t cells = 0;
  double load = 0;           ///< cells/slot
  std::int64_t peak = 0;     ///< maximum cells in a slot
  std::int64_t longest = 0;  ///< maximum queue [cells]
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
  };
  std::vector<Replay> played;

  [[nodiscard]] bool trusted() const;
};

/// \throws ParseError, InvalidArgument  the trace cannot be read, or its times decrease
/// \throws NoAnswer   no slot has more than one cell, so that no queue forms; or the offered load is 1 cell
///                    per slot or more
[[nodiscard]] FitAnswer answer(const FitQuery& query, const Run& run = {});

/// Passes on a file piece by piece.
using ReadPieces = std::function<void(const std::function<void(std::string_view bytes)>& take)>;
/// The packets of a CSV file, for FitQuery::packets.
[[nodiscard]] std::function<void(const traffic::TakePacket&)> csv_packets(const std::string& name,
                                                                          traffic::TimeUnit unit,
                                                                          ReadPieces read);

/// A file for --traffic-file.
[[nodiscard]] std::string traffic_file(const FitQuery& query, const FitAnswer& answer);

/// \param name  of the file, for messages
/// \throws ParseError
[[nodiscard]] Traffic fitted_traffic(const std::string& text, const std::string& name,
                                     Normalise normalise = Normalise::rounding);

}  // namespace tailbound::answers
