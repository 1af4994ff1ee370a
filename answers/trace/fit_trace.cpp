#include <tailbound/answers/points/run.hpp>
#include <tailbound/answers/trace/fit_trace.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/queue/markov/markov_queue.hpp>
#include <tailbound/queue/on_off/on_off_tails.hpp>
#include <tailbound/traffic/trace/traffic_file.hpp>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <memory>
#include <sstream>

namespace tailbound::answers {
namespace {

using numeric::Rational;
using traffic::CountDispersion;
using traffic::FittedSources;

constexpr double fit_tail = 1e-4;      ///< the level of interest is where the trace's tail falls below this
constexpr double narrow_enough = 0.5;  ///< half-width over value of a tail that can test a model
constexpr double min_ratio = 0.9,
                 max_ratio = 1.5;  ///< of a model's tail to the trace's if the intervals are narrower
constexpr double dispersion_margin = 0.1, max_growth = 1.2, min_length = 1000;
constexpr double max_packets_per_time = 2;  ///< beyond it, short bursts are invisible
constexpr std::size_t packets_between_reports = 65'536;

/// The distribution of its slots, without correlation.
series::Arrivals slots_of(const std::vector<std::uint64_t>& counts, std::int64_t slots) {
  std::vector<Rational> pmf;
  for (const std::uint64_t count : counts)
    pmf.push_back(Rational(static_cast<std::int64_t>(count)) / Rational(slots));
  return series::Arrivals::from_pmf(std::move(pmf));
}

/// Levels at which tails are shown: a few per power of ten.
std::vector<std::int64_t> levels_to(std::int64_t longest) {
  std::vector<std::int64_t> levels{0};
  for (double level = 1; levels.back() < longest && levels.size() < 40; level *= 1.5)
    if (const auto next = static_cast<std::int64_t>(std::llround(level)); next > levels.back())
      levels.push_back(next);
  return levels;
}

/// Of the fitted sources; empty where it is not computed.
std::vector<std::optional<double>> tails_of(const FittedSources& sources,
                                            const std::vector<std::int64_t>& levels) {
  std::vector<std::optional<double>> result;
  if (sources.count <= queue::max_sources_of_tails) {
    for (const double tail : queue::on_off_tails(sources.source(), sources.count, levels))
      result.emplace_back(tail);
    return result;
  }
  queue::MarkovQueue queue(queue::MarkovArrivals::on_off({{sources.source(), sources.count}}),
                           numeric::Digits{4}, queue::Proof::not_needed);
  for (const std::int64_t level : levels) {
    const queue::ProbabilityClaim claim = queue.tail(level);
    if (const auto* bounds = std::get_if<numeric::Enclosure<unit::Probability>>(&claim))
      result.emplace_back(static_cast<double>(bounds->upper()));
    else if (const auto* near = std::get_if<numeric::Approximation<unit::Probability>>(&claim))
      result.emplace_back(static_cast<double>(near->value));
    else
      result.emplace_back();
  }
  return result;
}

void add_tails(FitAnswer& answer, const traffic::TraceStatistics& statistics) {
  const std::vector<std::int64_t> levels = levels_to(statistics.longest());
  std::vector<Packets> requested;
  for (const std::int64_t level : levels) requested.emplace_back(level);
  const auto independent =
      queue::occupancy_tails({.arrivals = slots_of(answer.counts, answer.slots)}, requested, {.digits = {4}});
  std::vector<std::optional<double>> sources(levels.size());
  if (answer.fit.sources) sources = tails_of(*answer.fit.sources, levels);
  const std::vector<traffic::TraceTail> seen = statistics.tails(levels);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    FittedTail& tail = answer.tails.emplace_back();
    tail.trace = seen[i];
    tail.independent = static_cast<double>(numeric::to_enclosure(independent[i].probability).upper());
    tail.sources = sources[i];
    tail.compared = seen[i].probability > 0 && seen[i].blocks >= 10 &&
                    1.96 * seen[i].error < narrow_enough * seen[i].probability;
  }
  const auto compared =
      std::count_if(answer.tails.begin(), answer.tails.end(), [](const auto& t) { return t.compared; });
  const boost::math::students_t law(19);
  const double z = boost::math::quantile(
      boost::math::complement(law, 0.025 / static_cast<double>(std::max<std::ptrdiff_t>(compared, 1))));
  for (FittedTail& tail : answer.tails) tail.half_width = z * tail.trace.error;
}

double model_of(const FittedDispersion& each) {
  return each.sources.value_or(each.independent);
}
double model_of(const FittedTail& each) {
  return each.sources.value_or(each.independent);
}

/// The worst error of the model's dispersion beyond the interval, around the horizon.
FitTest dispersion_test(const FitAnswer& answer) {
  FitTest test{.kind = FitTest::Kind::dispersion, .passed = true, .allowed = 1};
  const auto near = [&](const FittedDispersion& each) {
    return each.trace.slots * 10 >= answer.fit.horizon && each.trace.slots <= 10 * answer.fit.horizon;
  };
  // 95 % for all compared horizons together.
  const auto compared = std::count_if(answer.dispersion.begin(), answer.dispersion.end(), near);
  const double wider =
      boost::math::quantile(boost::math::complement(
          boost::math::normal(), 0.025 / static_cast<double>(std::max<std::ptrdiff_t>(compared, 1)))) /
      1.96;
  for (const FittedDispersion& each : answer.dispersion) {
    if (!near(each)) continue;
    const double margin = std::max(wider * each.trace.half_width, dispersion_margin * each.trace.value);
    test.measured = std::max(test.measured, std::abs(model_of(each) - each.trace.value) / margin);
  }
  test.passed = test.measured <= 1;
  return test;
}

/// Has the dispersion stopped growing?
FitTest memory_test(const FitAnswer& answer) {
  FitTest test{.kind = FitTest::Kind::memory, .allowed = max_growth};
  const auto at = [&](std::int64_t slots) -> const FittedDispersion* {
    const auto place = std::find_if(answer.dispersion.begin(), answer.dispersion.end(),
                                    [&](const FittedDispersion& each) { return each.trace.slots == slots; });
    return place == answer.dispersion.end() ? nullptr : &*place;
  };
  const FittedDispersion *near = at(answer.fit.horizon), *far = at(10 * answer.fit.horizon);
  test.measured = near != nullptr && far != nullptr ? far->trace.value / near->trace.value
                                                    : std::numeric_limits<double>::infinity();
  // Growth within the interval of the longer windows does not count.
  const double low =
      far != nullptr ? (far->trace.value - far->trace.half_width) / near->trace.value : test.measured;
  test.passed = std::min(test.measured, low) < max_growth;
  return test;
}

FitTest tails_test(const FitAnswer& answer) {
  FitTest test{.kind = FitTest::Kind::tails, .passed = true, .measured = 1, .allowed = max_ratio};
  for (const FittedTail& each : answer.tails) {
    if (!each.compared) continue;
    const double model = model_of(each), ratio = model / each.trace.probability;
    if (std::abs(std::log(ratio)) > std::abs(std::log(test.measured))) test.measured = ratio;
    const bool inside = std::abs(model - each.trace.probability) <= each.half_width;
    test.passed = test.passed && (inside || (ratio >= min_ratio && ratio <= max_ratio));
  }
  return test;
}

FitTest length_test(const FitAnswer& answer) {
  const double horizons = static_cast<double>(answer.slots) / static_cast<double>(answer.fit.horizon);
  return {.kind = FitTest::Kind::length,
          .passed = answer.fit.enough && horizons > min_length,
          .measured = horizons,
          .allowed = min_length};
}

/// Below this load a fit has no sources of a positive rate; the usual cause is the time unit.
constexpr double min_load = 1e-6;

void require_rates(const FitAnswer& answer, std::uint64_t packets) {
  if (packets < 2) throw NoAnswer("the trace has only one packet, so it has no rates");
  if (answer.load >= min_load) return;
  std::ostringstream text;
  text << std::setprecision(3) << "in the time unit used, the trace lasts "
       << static_cast<double>(answer.slots) * answer.slot_ns * 1e-9 << " s and its load is " << answer.load
       << ", too low for a fit; are its times in another unit (--time-unit)?";
  throw NoAnswer(text.str());
}

void require_queue(const FitQuery& query, const FitAnswer& answer, const traffic::TraceSlots& slots) {
  if (answer.load >= 1)
    throw NoAnswer("the trace offers " +
                   numeric::plain(Rational(Rational(std::llround(answer.load * 1e4)) / 10'000)) +
                   " cells per slot to a link of " + numeric::plain(query.link_gbps) +
                   " Gbit/s: the queue is unstable. Give a faster link with --link-gbps");
  if (answer.times.packets_per_time > max_packets_per_time) return;  // what waits is unknown
  // A wait below the resolution of the times is none, but packets of one time wait for each other.
  const double packet = static_cast<double>(answer.stamps.bytes) / static_cast<double>(answer.stamps.packets);
  const double resolution = numeric::nearest_double(answer.stamps.resolution) *
                            static_cast<double>(answer.cell_bytes) / answer.slot_ns;
  if (answer.peak <= 1 || slots.max_wait() <= std::min(1 + resolution, packet / 2))
    throw NoAnswer(
        "no packet of the trace waits: it was captured on one link that is not faster than the output, so "
        "no queue can form. Merge the traces of all inputs by time, or give a slower output with "
        "--link-gbps");
}

void require_times(const FitAnswer& answer) {
  if (answer.stamps.packets > 1 && answer.stamps.first == answer.stamps.last && answer.times.distinct == 1)
    throw NoAnswer("all " + std::to_string(answer.stamps.packets) + " packets have the same time, " +
                   numeric::plain(answer.stamps.first) + " ns: the trace has no times" +
                   (answer.stamps.first == 0 ? ", as in the Simple Packet Blocks of pcapng" : ""));
}

/// Do times of a link say how its packets arrived?
FitTest times_test(const FitAnswer& answer) {
  const double measured = answer.times.packets_per_time;
  return {.kind = FitTest::Kind::times,
          .passed = measured <= max_packets_per_time,
          .measured = measured,
          .allowed = max_packets_per_time};
}

/// The statistics of packets that arrive as they are passed to it.
class Replay {
 public:
  Replay(const traffic::TraceSlotting& slotting, const std::vector<std::int64_t>& capacities,
         const std::string& file)
      : statistics(capacities),
        slots(slotting, [this](std::int64_t slot, std::int64_t cells) { statistics.slot(slot, cells); }),
        file_(file) {}
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;
  ~Replay() = default;
  void packet(const traffic::TracePacket& packet) { slots.packet(packet, file_); }
  void finish() {
    slots.finish();
    statistics.finish(slots.slots());
  }

  traffic::TraceStatistics statistics;
  traffic::TraceSlots slots;

 private:
  std::string file_;
};

/// A trace that has been read.
struct ReadTraffic {
  traffic::TraceSource source;
  traffic::TraceSlotting slotting;
  std::unique_ptr<Replay> replay{};    ///< packets of one link one after another
  std::unique_ptr<Replay> together{};  ///< packets at their times; for buffers only
  FitTimes times;
};

/// \throws NoAnswer, ParseError, Stopped
ReadTraffic read_traffic(const FitQuery& query, const Run& run) {
  std::vector<std::int64_t> capacities;
  for (const Packets capacity : query.buffers) capacities.push_back(capacity.value);
  ReadTraffic result;
  result.times.input_gbps = query.input_gbps.value_or(query.link_gbps);
  traffic::TraceSpacing spacing(
      result.times.input_gbps, [&](const traffic::TracePacket& packet) { result.replay->packet(packet); },
      query.window);
  const traffic::TraceOrder* sizes = nullptr;
  traffic::TraceOrder order(
      [&](const traffic::TracePacket& packet) {
        if (!result.replay) {
          const std::int64_t cell = query.cell_bytes.value_or(sizes->usual_size());
          result.slotting = {Rational(8 * cell) / query.link_gbps, cell, query.arrival};
          result.replay = std::make_unique<Replay>(result.slotting, capacities, query.file);
          if (!capacities.empty())
            result.together = std::make_unique<Replay>(result.slotting, capacities, query.file);
        }
        spacing.packet(packet);
        if (result.together) result.together->packet(packet);
      },
      query.window);
  sizes = &order;
  result.source = query.packets([&](const traffic::TracePacket& packet) {
    order.packet(packet, query.file);
    if (order.packets() % packets_between_reports != 0) return;
    if (run.stop.stop_requested())
      throw Stopped("stopped after " + std::to_string(order.packets()) + " packets");
    if (run.progress && query.read_so_far) run.progress(query.read_so_far(), 0);
  });
  if (order.packets() == 0) throw NoAnswer("the trace has no packets");
  order.finish();
  spacing.finish();
  result.replay->finish();
  if (result.together) result.together->finish();
  FitTimes& times = result.times;
  times.late = order.late();
  times.late_by_ns = numeric::nearest_double(order.max_lateness());
  times.distinct = spacing.times();
  times.spaced = spacing.spaced();
  times.largest = spacing.largest();
  times.packets_per_time = spacing.packets_per_time();
  return result;
}

}  // namespace

bool FitAnswer::trusted() const {
  return std::all_of(tests.begin(), tests.end(), [](const FitTest& test) { return test.passed; });
}

FitAnswer answer(const FitQuery& query, const Run& run) {
  const ReadTraffic read = read_traffic(query, run);
  const traffic::TraceStatistics& statistics = read.replay->statistics;
  const traffic::TraceSlots& slots = read.replay->slots;
  FitAnswer answer;
  answer.source = read.source;
  answer.stamps = slots.stamps();
  answer.times = read.times;
  answer.cell_bytes = read.slotting.cell_bytes;
  answer.slot_ns = numeric::nearest_double(read.slotting.slot_ns);
  answer.slots = statistics.slots();
  answer.cells = statistics.cells();
  answer.load = statistics.load();
  answer.peak = statistics.peak();
  answer.longest = statistics.longest();
  answer.longest_bytes = slots.max_backlog();
  answer.busy_periods = statistics.busy_periods();
  answer.counts = statistics.counts();
  answer.coarse_stamps = answer.stamps.resolution > read.slotting.slot_ns;
  require_times(answer);
  require_rates(answer, answer.stamps.packets);
  require_queue(query, answer, slots);
  for (std::size_t i = 0; i < statistics.buffers().size(); ++i) {
    const traffic::TraceBuffer& each = statistics.buffers()[i];
    answer.played.push_back({Packets(each.capacity), each.lost,
                             static_cast<double>(each.lost) / static_cast<double>(answer.cells)});
    if (answer.times.spaced > 0)
      answer.played.back().lost_together = read.together->statistics.buffers()[i].lost;
  }
  const std::vector<CountDispersion> dispersion = statistics.dispersion();
  if (dispersion.empty())
    throw NoAnswer("the trace has " + std::to_string(answer.slots) +
                   " slots; at least 100 are needed (a smaller --cell-bytes makes more)");
  std::optional<std::int64_t> inputs = query.inputs;
  if (!inputs && answer.stamps.inputs.size() > 1)
    inputs = static_cast<std::int64_t>(answer.stamps.inputs.size());
  answer.fit = traffic::fit(dispersion, answer.load, statistics.level_of(fit_tail), inputs);
  for (const CountDispersion& each : dispersion)
    answer.dispersion.push_back(
        {each, dispersion.front().value,
         answer.fit.sources ? std::optional(answer.fit.sources->dispersion(each.slots)) : std::nullopt});
  add_tails(answer, statistics);
  answer.tests = {dispersion_test(answer), memory_test(answer), tails_test(answer), length_test(answer),
                  times_test(answer)};
  return answer;
}

traffic::ReadTrace csv_packets(const std::string& name, traffic::TimeUnit unit, std::int64_t framing,
                               ReadPieces read) {
  return [name, unit, framing, read = std::move(read)](const traffic::TakePacket& take) {
    traffic::TraceCsvReader reader(name, unit, [&](traffic::TracePacket packet) {
      packet.bytes += framing;
      take(packet);
    });
    read([&](std::string_view bytes) { reader.take(bytes); });
    reader.finish();
    return traffic::TraceSource{.framing = framing};
  };
}

std::string traffic_file(const FitQuery& query, const FitAnswer& answer) {
  traffic::TrafficFile file{.trace = query.file,
                            .slot_ns = answer.slot_ns,
                            .cell_bytes = answer.cell_bytes,
                            .trusted = answer.trusted()};
  if (const auto& sources = answer.fit.sources) {
    file.sources = traffic::TrafficFile::Sources{sources->count, sources->source()};
  } else {
    file.counts = answer.counts;
    file.slots = answer.slots;
  }
  return traffic::to_json(file);
}

Traffic fitted_traffic(const std::string& text, const std::string& name, Normalise normalise) {
  traffic::TrafficFile file = traffic::parse_traffic_file(text, name);
  const std::string shown = name + (file.trusted ? "" : " (fit not trusted)");
  if (file.sources) {
    if (normalise == Normalise::yes)
      throw InvalidArgument("--normalize", name,
                            "omitted: the file has on-off sources, which have no probabilities to sum");
    return {
        .source = Blocks{shown, queue::MarkovArrivals::on_off({{file.sources->source, file.sources->count}})},
        .trusted_fit = file.trusted};
  }
  const std::int64_t sum = traffic::sum_of(file.counts);
  if (sum != file.slots && normalise != Normalise::yes)
    throw ParseError(name, 0, 0,
                     "its counts sum to " + std::to_string(sum) + ", but it has " +
                         std::to_string(file.slots) + " slots; --normalize divides the counts by their sum");
  return {.source = Probabilities{.name = shown,
                                  .arrivals = slots_of(file.counts, sum),
                                  .sum = Rational(sum) / Rational(file.slots)},
          .trusted_fit = file.trusted};
}

}  // namespace tailbound::answers
