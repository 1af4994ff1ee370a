#include <tailbound/answers/points/run.hpp>
#include <tailbound/answers/trace/fit_trace.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/queue/markov/markov_queue.hpp>
#include <tailbound/traffic/trace/traffic_file.hpp>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
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

std::optional<double> tail_of(queue::MarkovQueue& queue, std::int64_t level) {
  const queue::ProbabilityClaim claim = queue.tail(level);
  if (const auto* bounds = std::get_if<numeric::Enclosure<unit::Probability>>(&claim))
    return static_cast<double>(bounds->upper());
  if (const auto* near = std::get_if<numeric::Approximation<unit::Probability>>(&claim))
    return static_cast<double>(near->value);
  return std::nullopt;
}

void add_tails(FitAnswer& answer, const traffic::TraceStatistics& statistics) {
  const std::vector<std::int64_t> levels = levels_to(statistics.longest());
  std::vector<Packets> requested;
  for (const std::int64_t level : levels) requested.emplace_back(level);
  const auto independent =
      queue::occupancy_tails({.arrivals = slots_of(answer.counts, answer.slots)}, requested, {.digits = {4}});
  std::optional<queue::MarkovQueue> sources;
  if (answer.fit.sources)
    sources.emplace(
        queue::MarkovArrivals::on_off({{answer.fit.sources->source(), answer.fit.sources->count}}),
        numeric::Digits{4});
  const std::vector<traffic::TraceTail> seen = statistics.tails(levels);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    FittedTail& tail = answer.tails.emplace_back();
    tail.trace = seen[i];
    tail.independent = static_cast<double>(numeric::to_enclosure(independent[i].probability).upper());
    if (sources) tail.sources = tail_of(*sources, levels[i]);
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

void require_queue(const FitQuery& query, const FitAnswer& answer) {
  if (answer.load >= 1)
    throw NoAnswer("the trace offers " +
                   numeric::plain(Rational(Rational(std::llround(answer.load * 1e4)) / 10'000)) +
                   " cells per slot to a link of " + numeric::plain(query.link_gbps) +
                   " Gbit/s: the queue is unstable. Give a faster link with --link-gbps");
  if (answer.peak <= 1)
    throw NoAnswer(
        "no slot of the trace has more than one cell: it was captured on one link that is not faster than "
        "the output, so no queue can form. Merge the traces of all inputs by time, or give a slower output "
        "with --link-gbps");
}

}  // namespace

Rational FitQuery::slot_ns() const {
  return Rational(8 * cell_bytes) / link_gbps;
}

bool FitAnswer::trusted() const {
  return std::all_of(tests.begin(), tests.end(), [](const FitTest& test) { return test.passed; });
}

FitAnswer answer(const FitQuery& query, const Run& run) {
  std::vector<std::int64_t> capacities;
  for (const Packets capacity : query.buffers) capacities.push_back(capacity.value);
  traffic::TraceStatistics statistics(capacities);
  const traffic::TraceSlotting slotting{query.slot_ns(), query.cell_bytes, query.arrival};
  traffic::TraceSlots slots(slotting,
                            [&](std::int64_t slot, std::int64_t cells) { statistics.slot(slot, cells); });
  std::uint64_t packets = 0;
  query.packets([&](const traffic::TracePacket& packet) {
    slots.packet(packet, query.file);
    if (++packets % 65'536 == 0 && run.stop.stop_requested())
      throw Stopped("stopped after " + std::to_string(packets) + " packets");
  });
  slots.finish();
  statistics.finish(slots.slots());
  FitAnswer answer;
  answer.stamps = slots.stamps();
  answer.slot_ns = numeric::nearest_double(slotting.slot_ns);
  answer.slots = statistics.slots();
  answer.cells = statistics.cells();
  answer.load = statistics.load();
  answer.peak = statistics.peak();
  answer.longest = statistics.longest();
  answer.busy_periods = statistics.busy_periods();
  answer.counts = statistics.counts();
  answer.coarse_stamps = answer.stamps.resolution > slotting.slot_ns;
  require_rates(answer, packets);
  require_queue(query, answer);
  for (const traffic::TraceBuffer& each : statistics.buffers())
    answer.played.push_back({Packets(each.capacity), each.lost,
                             static_cast<double>(each.lost) / static_cast<double>(answer.cells)});
  const std::vector<CountDispersion> dispersion = statistics.dispersion();
  if (dispersion.empty())
    throw NoAnswer("the trace has " + std::to_string(answer.slots) + " slots; at least 100 are needed");
  std::optional<std::int64_t> inputs = query.inputs;
  if (!inputs && answer.stamps.inputs.size() > 1)
    inputs = static_cast<std::int64_t>(answer.stamps.inputs.size());
  answer.fit = traffic::fit(dispersion, answer.load, statistics.level_of(fit_tail), inputs);
  for (const CountDispersion& each : dispersion)
    answer.dispersion.push_back(
        {each, dispersion.front().value,
         answer.fit.sources ? std::optional(answer.fit.sources->dispersion(each.slots)) : std::nullopt});
  add_tails(answer, statistics);
  answer.tests = {dispersion_test(answer), memory_test(answer), tails_test(answer), length_test(answer)};
  return answer;
}

std::function<void(const traffic::TakePacket&)> csv_packets(const std::string& name, traffic::TimeUnit unit,
                                                            ReadPieces read) {
  return [name, unit, read = std::move(read)](const traffic::TakePacket& take) {
    traffic::TraceCsvReader reader(name, unit, take);
    read([&](std::string_view bytes) { reader.take(bytes); });
    reader.finish();
  };
}

std::string traffic_file(const FitQuery& query, const FitAnswer& answer) {
  traffic::TrafficFile file{.trace = query.file,
                            .slot_ns = answer.slot_ns,
                            .cell_bytes = query.cell_bytes,
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
