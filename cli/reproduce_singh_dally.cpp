#include <cln/integer.h>
#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/formats.hpp>
#include <cli/reproduce_singh_dally.hpp>
#include <tailbound/bounds/buffer_size.hpp>
#include <tailbound/bounds/max_load.hpp>
#include <tailbound/bounds/network_delay.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

namespace tailbound::cli::reproduce {
namespace {

using network::Sources;
using numeric::Rational;
using queue::HopDelay;

constexpr numeric::Digits kDigits{10};
constexpr network::Tree kTree{16, 3};  // all three figures: a 16-ary 3-tree, random-root routing
const char* const kNoSimulation = "not compared: this run has the analysis alone, no simulation";

Rational exactly(const char* text) {
  return numeric::parse_rational(text, "constant");
}
const Rational& target() {
  static const Rational value = exactly("1e-15");
  return value;
}
bounds::DropTarget overflow_target() {
  return {.probability = target(), .criterion = bounds::Criterion::overflow};
}

bounds::TreeDelay tree_at(const Rational& load, Sources sources) {
  return bounds::tree_delay(kTree, load, network::TreeRouting::random_root, sources);
}

/// The queues of a tree that differ, each with the hops that have it: "1", "2", "3 to 5".
struct HopQueue {
  std::string hops;
  queue::SlottedQueue queue;
  std::int64_t inputs;
};

std::vector<HopQueue> hop_queues(const bounds::TreeDelay& tree) {
  std::vector<HopQueue> result;
  const std::vector<std::size_t>& way = tree.ways.front().queues;
  for (std::size_t hop = 0; hop < way.size();) {
    std::size_t last = hop;
    while (last + 1 < way.size() && way[last + 1] == way[hop]) ++last;
    std::int64_t inputs = 0;
    for (const network::SourceRate& source : tree.network.traffic[way[hop]].sources) inputs += source.count;
    result.push_back({last == hop ? fmt::format("{}", hop + 1) : fmt::format("{} to {}", hop + 1, last + 1),
                      tree.network.queues[way[hop]], inputs});
    hop = last + 1;
  }
  return result;
}

/// "hop 2", "hops 3 to 5"
std::string in_words(const HopQueue& hop) {
  return (hop.hops.size() > 1 ? "hops " : "hop ") + hop.hops;
}

std::string in_brief(const numeric::Proved<unit::Probability>& probability) {
  return show(probability, {4}).brief;
}

double log10_of(const numeric::Proved<unit::Probability>& probability) {
  return plots::log10(numeric::to_enclosure(probability).upper());
}

std::vector<std::string> with_number_columns(std::vector<std::string> header, const std::string& name) {
  const std::vector<std::string> columns = csv_columns(name);
  header.insert(header.end(), columns.begin(), columns.end());
  return header;
}

/// A level across the picture from x = `from` to `to`.
plots::Curve rule(std::string title, double from, double to, double y) {
  return {.title = std::move(title), .style = plots::Style::rule, .points = {{from, y}, {to, y}}};
}

// --- figure 5
// -----------------------------------------------------------------------------------------------------

Finding one_hop_for_all(const std::vector<HopQueue>& hops) {
  const bounds::BufferSize first = bounds::buffer_size(hops.front().queue, overflow_target());
  std::string computed = fmt::format("hop 1 needs {} packets for {}", first.buffer.value, plain(target()));
  bool enough = true;
  for (std::size_t i = 1; i < hops.size(); ++i) {
    const std::int64_t least = bounds::buffer_size(hops[i].queue, overflow_target()).buffer.value;
    const auto there =
        bounds::drop_probability(hops[i].queue, first.buffer, bounds::Criterion::overflow).probability;
    enough = enough && numeric::surely_at_most(there, target());
    computed += fmt::format(", {} {} packets (P(Q > {}) there is {}, at hop 1 {})", in_words(hops[i]), least,
                            first.buffer.value, in_brief(there), in_brief(first.at.probability));
  }
  return {.subject = "one distribution for all hops",
          .claim = "The distribution of hop 1 serves all five hops, which behave almost identically.",
          .published = "curves only, at radix 16",
          .computed = computed + "; agrees if the buffer of hop 1 meets the target at every hop",
          .agrees = enough};
}

Result figure_5(const Request& request) {
  const Rational load = exactly("0.6");
  const std::vector<HopQueue> hops = hop_queues(tree_at(load, Sources::decoupled));
  std::int64_t last = 0;
  for (const HopQueue& hop : hops)
    last = std::max(last, bounds::buffer_size(hop.queue, overflow_target()).buffer.value);
  std::vector<Packets> levels;
  const std::int64_t step = request.quick ? 5 : 1;
  for (std::int64_t level = 0; level < last + step; level += step) levels.emplace_back(level);

  Result result;
  result.csv = csv_line(with_number_columns({"hops", "inputs", "level"}, "probability"));
  for (std::size_t i = 0; i < hops.size(); ++i) {
    plots::Curve curve{.title = fmt::format("{}, {} sources", in_words(hops[i]), hops[i].inputs),
                       .style = plots::Style::line,
                       .points = {}};
    for (const queue::LevelProbability& tail :
         queue::occupancy_tails(hops[i].queue, levels, {.digits = kDigits})) {
      std::vector<std::string> fields{hops[i].hops, std::to_string(hops[i].inputs),
                                      std::to_string(tail.level.value)};
      append_csv(fields, show(tail.probability, kDigits));
      result.csv += csv_line(fields);
      curve.points.emplace_back(static_cast<double>(tail.level.value), log10_of(tail.probability));
    }
    result.picture.curves.push_back(std::move(curve));
    result.commands.push_back(fmt::format("tailbound occupancy --inputs {} --load {} --levels 0:{}:{}",
                                          hops[i].inputs, plain(load), levels.back().value, step));
    request.report(i + 1, hops.size());
  }
  result.picture.title = fmt::format("Occupancy of each hop, 16-ary 3-tree, load {}", plain(load));
  result.picture.x_label = "n [packets]";
  result.picture.y_label = "P(Q > n)";
  result.picture.note =
      "analysis alone; the published figure also has simulated curves; hop 2 lies under the later ones";
  result.picture.powers_of_ten = true;
  result.picture.curves.push_back(
      rule("target " + plain(target()), 0, static_cast<double>(levels.back().value), -15));
  result.computed = fmt::format(
      "P(Q > n) of the queue at each hop, by the renewal recurrence, certified to {} digits. Hop 1 is fed by "
      "{} sources: the published analysis. The later hops are fed by all sources whose packets pass them "
      "(decoupled); that is an approximation, hop 1 is not.",
      kDigits.count, hops.front().inputs);

  const bounds::BufferSize first = bounds::buffer_size(hops.front().queue, overflow_target());
  result.findings = {
      one_hop_for_all(hops),
      {.subject = "depth for 1e-15",
       .claim = "The depth for an overflow of the order of 1e-15 follows from the analysis; simulation does "
                "not reach it.",
       .published = "no depth is printed",
       .computed = fmt::format("{} packets at hop 1: P(Q > {}) = {}, P(Q > {}) = {}", first.buffer.value,
                               first.buffer.value, in_brief(first.at.probability), first.buffer.value - 1,
                               first.before ? in_brief(first.before->probability) : "1"),
       .agrees = std::nullopt},
      {.subject = "simulated curves",
       .claim = "The analysis lies almost exactly on the simulated curves.",
       .published = "curves only",
       .computed = kNoSimulation,
       .agrees = std::nullopt}};
  return result;
}

// --- figure 6
// -----------------------------------------------------------------------------------------------------

struct DelayModel {
  const char *sources_name, *delay_name;
  Sources sources;
  HopDelay delay;
  bool drawn;
};

constexpr DelayModel kDelayModels[] = {
    {"decoupled", "wait", Sources::decoupled, HopDelay::wait, true},
    {"first-hop", "occupancy", Sources::first_hop, HopDelay::occupancy, true},
    {"first-hop", "wait", Sources::first_hop, HopDelay::wait, false},
};
constexpr std::size_t kOurs = 0, kLiteral = 1, kPublishedWait = 2;
constexpr const char* kDelayLoads[] = {"0.2", "0.6", "0.8"};

/// One load by one model.
struct DelayCurve {
  bounds::TreeDelay tree;
  std::shared_ptr<bounds::PathDelay> delays;
  bounds::DelayAnswer percentiles;  ///< of figure_6's list

  [[nodiscard]] std::size_t hops() const { return tree.ways.front().queues.size(); }
};

struct DelayLoad {
  Rational load;
  std::vector<DelayCurve> curves;  ///< in the order of kDelayModels
};

/// At the first one models are compared; the last one is the depth of the picture.
const char* const kPercentiles[] = {"0.999999", "0.9999999999"};
constexpr std::size_t kCompared = 0;

DelayCurve delay_curve(const Rational& load, const DelayModel& model) {
  DelayCurve curve{tree_at(load, model.sources), nullptr, {}};
  curve.delays = std::make_shared<bounds::PathDelay>(curve.tree.network.queues, model.delay, kDigits);
  bounds::DelayQuestion question;
  for (const char* percentile : kPercentiles) question.percentiles.push_back(exactly(percentile));
  curve.percentiles = curve.delays->answer(curve.tree.ways, question);
  return curve;
}

std::string in_percent(const char* probability) {
  return plain(exactly(probability) * 100) + " %";
}

/// Each hop's mean wait by Little's law, E[Q]/rho - 1, summed over the way; empty if not rational.
std::optional<Rational> mean_wait_by_little(const DelayCurve& curve) {
  Rational sum = 0;
  for (const std::size_t hop : curve.tree.ways.front().queues) {
    const queue::SlottedQueue& queue = curve.tree.network.queues[hop];
    const auto mean = queue::mean_occupancy(queue);
    const auto* exact = std::get_if<numeric::Exact<unit::Packet>>(&mean);
    if (exact == nullptr || !queue.arrivals.load()) return std::nullopt;
    sum = sum + exact->value / *queue.arrivals.load() - 1;
  }
  return sum;
}

Finding little(const DelayLoad& at) {
  const DelayCurve& literal = at.curves[kLiteral];
  const numeric::Proved<unit::Slot>& occupancy = literal.percentiles.mean_queueing;
  const numeric::Proved<unit::Slot>& wait = at.curves[kPublishedWait].percentiles.mean_queueing;
  const std::optional<Rational> law = mean_wait_by_little(literal);
  const auto same = [&](const numeric::Proved<unit::Slot>& mean) {
    return !numeric::surely_above(mean, *law) && numeric::to_enclosure(mean).contains(*law);
  };
  return {
      .subject = "occupancy as delay",
      .claim = "A hop's delay follows from its occupancy; the distributions of the hops are convolved.",
      .published = "no number; wait or occupancy is not said",
      .computed = fmt::format("mean queueing delay at load {}: {} slots if a hop's delay is its occupancy "
                              "(the text read literally), {} if it is the wait; Little's law asks for "
                              "{}{}; agrees if the literal reading meets the law",
                              plain(at.load), show(occupancy, kDigits).brief, show(wait, kDigits).brief,
                              law ? show(*law, kDigits).brief : "an irrational number",
                              law && same(wait) ? ", which the wait meets" : ""),
      .agrees = law ? std::optional<bool>(same(occupancy)) : std::nullopt};
}

Finding hop_count(const DelayLoad& at) {
  constexpr std::size_t published = 5;
  const DelayCurve& curve = at.curves[kOurs];
  return {.subject = "hops",
          .claim = "Latency is hops and queueing, T = H + D.",
          .published = fmt::format("H = {}", published),
          .computed = fmt::format(
              "{} queues on every way through the tree, P(T > {}) = {} and P(T > {}) = 1", curve.hops(),
              curve.hops(),
              in_brief(curve.delays->answer(curve.tree.ways, {.levels = {Slots(0)}, .percentiles = {}})
                           .above.front()
                           .probability),
              curve.hops() - 1),
          .agrees = curve.hops() == published && curve.tree.ways.size() == 1};
}

/// P(T > t) with hop 1 for all hops against the decoupled model, t the percentile of the former.
Finding first_hop_suffices(const std::vector<DelayLoad>& loads) {
  constexpr double tolerance = 0.1;
  std::string computed;
  double worst = 0;
  for (const DelayLoad& at : loads) {
    const DelayCurve &ours = at.curves[kOurs], &theirs = at.curves[kPublishedWait];
    const bounds::Percentile& percentile = theirs.percentiles.queueing[kCompared];
    const auto there = ours.delays->answer(ours.tree.ways, {.levels = {percentile.slots}, .percentiles = {}})
                           .above.front()
                           .probability;
    const double ratio = std::pow(10, log10_of(there) - log10_of(percentile.at.probability));
    worst = std::max(worst, std::abs(ratio - 1));
    const std::int64_t latency = theirs.percentiles.latency[kCompared].slots.value;
    computed += fmt::format("; load {}: {} slots, P(T > {}) = {} against {} ({:.2f} times)", plain(at.load),
                            latency, latency, in_brief(percentile.at.probability), in_brief(there), ratio);
  }
  return {.subject = "hop 1 for all hops",
          .claim = "Five times the distribution of hop 1 gives the delay of the whole way.",
          .published = "curves only",
          .computed = fmt::format("{} of latency with hop 1 for all hops, and the tail there against the "
                                  "decoupled model (waits in both){}; agrees if the tails differ by at most "
                                  "{:.0f} %",
                                  in_percent(kPercentiles[kCompared]), computed, 100 * tolerance),
          .agrees = worst <= tolerance};
}

/// The rows and curves of one load down to the last percentile of any model.
void add_load(const DelayLoad& at, bool quick, Result& result) {
  std::int64_t last = 1;
  for (const DelayCurve& curve : at.curves)
    last = std::max(last, curve.percentiles.queueing.back().slots.value);
  const std::int64_t step = quick ? 1 + last / 20 : 1;
  bounds::DelayQuestion question;
  for (std::int64_t slots = 0; slots < last + step; slots += step) question.levels.emplace_back(slots);
  for (std::size_t i = 0; i < at.curves.size(); ++i) {
    const DelayModel& model = kDelayModels[i];
    const auto hops = static_cast<std::int64_t>(at.curves[i].hops());
    plots::Curve drawn{.title = i == kOurs ? fmt::format("load {}", plain(at.load)) : std::string(),
                       .style = i == kOurs ? plots::Style::line : plots::Style::dashed,
                       .points = {}};
    for (const bounds::SlotProbability& above :
         at.curves[i].delays->answer(at.curves[i].tree.ways, question).above) {
      const std::int64_t latency = above.slots.value + hops;
      std::vector<std::string> fields{plain(at.load), model.sources_name, model.delay_name,
                                      std::to_string(above.slots.value), std::to_string(latency)};
      append_csv(fields, show(above.probability, kDigits));
      result.csv += csv_line(fields);
      const double y = log10_of(above.probability);
      if (y >= -11) drawn.points.emplace_back(static_cast<double>(latency), y);
    }
    if (model.drawn) result.picture.curves.push_back(std::move(drawn));
    result.commands.push_back(
        fmt::format("tailbound delay --radix {} --levels {} --load {} --sources {} --delay {} --ccdf 0:{}:{}",
                    kTree.radix, kTree.levels, plain(at.load), model.sources_name, model.delay_name,
                    question.levels.back().value, step));
  }
}

Result figure_6(const Request& request) {
  Result result;
  result.csv = csv_line(
      with_number_columns({"load", "sources", "delay", "queueing_slots", "latency_slots"}, "probability"));
  std::vector<DelayLoad> loads;
  for (const char* load : kDelayLoads) {
    DelayLoad& at = loads.emplace_back(DelayLoad{exactly(load), {}});
    for (const DelayModel& model : kDelayModels) at.curves.push_back(delay_curve(at.load, model));
    add_load(at, request.quick, result);
    request.report(loads.size(), std::size(kDelayLoads));
  }
  // Ours for each load, a rule, the literal ones: so both curves of a load have one colour of the four.
  std::vector<plots::Curve>& curves = result.picture.curves;
  std::stable_partition(curves.begin(), curves.end(),
                        [](const plots::Curve& curve) { return curve.style == plots::Style::line; });
  double last = 0;
  for (const plots::Curve& curve : curves) last = std::max(last, curve.points.back().first);
  curves.insert(curves.begin() + std::size(kDelayLoads),
                rule("1e-6", static_cast<double>(loads.front().curves[kOurs].hops()), last, -6));
  result.picture.title = "End-to-end delay, 16-ary 3-tree, random-root routing";
  result.picture.x_label = "t [slots], hops counted";
  result.picture.y_label = "P(T > t)";
  result.picture.note =
      "lines: decoupled sources, waits; dashes: the published text read literally (hop 1 for all hops, "
      "occupancies). Analysis alone; hops are taken as independent, though successive waits are positively "
      "correlated";
  result.picture.powers_of_ten = true;
  result.computed = fmt::format(
      "P(T > t) by convolution of the five hops' delays, certified to {} digits, by three models: the text "
      "read literally (every hop as hop 1, a hop's delay is its occupancy), the same with the wait of a "
      "packet instead, and our own (decoupled sources, wait). All three take the hops as independent. The "
      "picture leaves out the second.",
      kDigits.count);
  result.findings = {hop_count(loads.back()),
                     little(loads.back()),
                     first_hop_suffices(loads),
                     {.subject = "simulated curves",
                      .claim = "Analysis and simulation almost match at load 0.8 and are close below.",
                      .published = "curves only",
                      .computed = kNoSimulation,
                      .agrees = std::nullopt}};
  return result;
}

// --- figure 7
// -----------------------------------------------------------------------------------------------------

constexpr std::int64_t kPublishedBuffer = 160;  // packets at kPublishedLoad, read off the published curve
const char* const kPublishedLoad = "0.9";
constexpr double kReading = 0.05;  // how exactly a curve can be read

/// The buffers of one load, hop by hop.
struct BufferLoad {
  Rational load;
  std::vector<HopQueue> hops;
  std::vector<bounds::BufferSize> sizes;
};

BufferLoad buffers_at(const Rational& load) {
  BufferLoad result{load, hop_queues(tree_at(load, Sources::decoupled)), {}};
  for (const HopQueue& hop : result.hops)
    result.sizes.push_back(bounds::buffer_size(hop.queue, overflow_target(), {.digits = kDigits}));
  return result;
}

/// The hop at which the buffer is greatest.
std::size_t greatest(const BufferLoad& at) {
  return static_cast<std::size_t>(
      std::max_element(at.sizes.begin(), at.sizes.end(),
                       [](const auto& a, const auto& b) { return a.buffer < b.buffer; }) -
      at.sizes.begin());
}

Finding buffer_reading(const BufferLoad& at) {
  const bounds::BufferSize& first = at.sizes.front();
  const double difference =
      static_cast<double>(first.buffer.value) / static_cast<double>(kPublishedBuffer) - 1;
  const auto there =
      bounds::drop_probability(at.hops.front().queue, Packets(kPublishedBuffer), bounds::Criterion::overflow);
  return {.subject = "buffer at 0.9",
          .claim = "At load 0.9 an overflow below 1e-15 needs a buffer of 160 packets.",
          .published = fmt::format("{} packets", kPublishedBuffer),
          .computed = fmt::format(
              "{} packets (P(Q > {}) = {}, P(Q > {}) = {}); {:+.1f} %, agrees if {} packets "
              "meet the target and the least is within {:.0f} %, the reading of a curve",
              first.buffer.value, first.buffer.value, in_brief(first.at.probability), kPublishedBuffer,
              in_brief(there.probability), 100 * difference, kPublishedBuffer, 100 * kReading),
          .agrees = numeric::surely_at_most(there.probability, target()) && std::abs(difference) <= kReading};
}

Finding buffer_of_later_hops(const BufferLoad& at) {
  std::string computed;
  for (std::size_t i = 1; i < at.hops.size(); ++i)
    computed += fmt::format("{}{}: {} packets", computed.empty() ? "" : ", ", in_words(at.hops[i]),
                            at.sizes[i].buffer.value);
  return {.subject = "buffer of later hops",
          .claim = "The same buffer serves every hop.",
          .published = fmt::format("{} packets at load {}", kPublishedBuffer, kPublishedLoad),
          .computed = computed + " by the decoupled model; agrees if none needs more",
          .agrees = at.sizes[greatest(at)].buffer <= Packets(kPublishedBuffer)};
}

Finding speedup(const BufferLoad& at) {
  const Rational published = 1 / exactly(kPublishedLoad);
  const auto least = [](const queue::SlottedQueue& queue, std::int64_t buffer) {
    const queue::SlottedQueue full{queue.arrivals.at_load(1)};
    return numeric::to_enclosure(bounds::min_speedup(full, Packets(buffer), overflow_target())).upper();
  };
  const auto text = [](const numeric::Real& value) {
    return numeric::to_decimal(value, 5, numeric::Rounding::up);
  };
  constexpr std::int64_t small = 64;
  const std::size_t last = greatest(at);
  const numeric::Real first_hop = least(at.hops.front().queue, kPublishedBuffer);
  return {.subject = "speedup",
          .claim = "A speedup of 1/0.9 makes the buffer of load 0.9 enough for every admissible load.",
          .published = numeric::to_decimal(published, 3, numeric::Rounding::nearest),
          .computed = fmt::format(
              "at load 1, {} packets need a speedup of {} at hop 1 and {} at {}; {} packets need {} and {}; "
              "agrees if the least at hop 1 is at most {} and within {:.0f} %",
              kPublishedBuffer, text(first_hop), text(least(at.hops[last].queue, kPublishedBuffer)),
              in_words(at.hops[last]), small, text(least(at.hops.front().queue, small)),
              text(least(at.hops[last].queue, small)),
              numeric::to_decimal(published, 5, numeric::Rounding::nearest), 100 * kReading),
          .agrees = numeric::compare(first_hop, published) <= 0 &&
                    static_cast<double>(first_hop) >= (1 - kReading) * numeric::nearest_double(published)};
}

Finding growth() {
  const char* const loads[] = {"0.98", "0.99", "0.995", "0.9975"};
  std::string computed;
  std::int64_t former = 0;
  bool doubles = true;
  for (const char* load : loads) {
    const queue::SlottedQueue queue{series::Arrivals::equal_inputs(kTree.radix, exactly(load))};
    const std::int64_t buffer = bounds::buffer_size(queue, overflow_target()).buffer.value;
    computed += fmt::format("{}{} packets at load {}", former == 0 ? "" : ", ", buffer, load);
    doubles = doubles && (former == 0 || static_cast<double>(buffer) >= 1.9 * static_cast<double>(former));
    former = buffer;
  }
  return {.subject = "growth towards load 1",
          .claim = "Buffers grow without bound as the load nears 1.",
          .published = "curve only",
          .computed = computed + "; agrees if each halving of 1 - load multiplies the buffer by 1.9 or more",
          .agrees = doubles};
}

queue::LevelProbability loss_of_first_hop(const BufferLoad& at, Packets buffer) {
  return bounds::drop_probability(at.hops.front().queue, buffer, bounds::Criterion::loss,
                                  {.digits = kDigits});
}

/// P(Q > B) is taken for a drop probability; here is the fraction of packets that such a buffer loses.
Finding overflow_as_drops(const BufferLoad& at_published, const std::vector<BufferLoad>& loads) {
  const auto published = loss_of_first_hop(at_published, Packets(kPublishedBuffer)).probability;
  std::size_t above = 0;
  std::string worst = "none";
  double greatest_log10 = -15;
  for (const BufferLoad& at : loads) {
    const auto loss = loss_of_first_hop(at, at.sizes.front().buffer).probability;
    if (!numeric::surely_above(loss, target())) continue;
    ++above;
    if (log10_of(loss) <= greatest_log10) continue;
    greatest_log10 = log10_of(loss);
    worst = fmt::format("{} of the packets at load {} with room for {}", in_brief(loss), plain(at.load),
                        at.sizes.front().buffer.value);
  }
  return {.subject = "overflow as drop rate",
          .claim = "With 160 packets at load 0.9 the drop probability is below 1e-15.",
          .published = fmt::format("below {}", plain(target())),
          .computed = fmt::format("hop 1 with room for {} loses {} of the packets at load {}, which decides; "
                                  "but along the curve P(Q > B) is no safe drop rate: the buffer of hop 1 "
                                  "loses more than {} at {} of {} loads, the greatest: {}",
                                  kPublishedBuffer, in_brief(published), kPublishedLoad, plain(target()),
                                  above, loads.size(), worst),
          .agrees = numeric::surely_at_most(published, target())};
}

Result figure_7(const Request& request) {
  const Rational step = exactly(request.quick ? "0.1" : "0.01");
  const Rational end = exactly(request.quick ? "0.9" : "0.98");
  const auto count = static_cast<std::size_t>(cln::cl_I_to_long(cln::floor1(end / step)));
  Result result;
  std::vector<std::string> header = with_number_columns({"load", "hops", "inputs", "buffer"}, "overflow");
  result.csv = csv_line(with_number_columns(header, "loss"));
  std::vector<BufferLoad> loads;
  for (Rational load = step; load <= end; load = load + step) {
    const BufferLoad& at = loads.emplace_back(buffers_at(load));
    if (result.picture.curves.empty())
      for (const HopQueue& hop : at.hops)
        result.picture.curves.push_back({.title = fmt::format("{}, {} sources", in_words(hop), hop.inputs),
                                         .style = plots::Style::line,
                                         .points = {}});
    for (std::size_t i = 0; i < at.hops.size(); ++i) {
      std::vector<std::string> fields{plain(load), at.hops[i].hops, std::to_string(at.hops[i].inputs),
                                      std::to_string(at.sizes[i].buffer.value)};
      append_csv(fields, show(at.sizes[i].at.probability, kDigits));
      append_csv(fields, show(bounds::drop_probability(at.hops[i].queue, at.sizes[i].buffer,
                                                       bounds::Criterion::loss, {.digits = kDigits})
                                  .probability,
                              kDigits));
      result.csv += csv_line(fields);
      result.picture.curves[i].points.emplace_back(numeric::nearest_double(load),
                                                   static_cast<double>(at.sizes[i].buffer.value));
    }
    request.report(loads.size(), count);
  }
  const double published_load = numeric::nearest_double(exactly(kPublishedLoad));
  result.picture.curves.push_back(
      {.title = fmt::format("published: {} at {}", kPublishedBuffer, kPublishedLoad),
       .style = plots::Style::points_and_line,
       .points = {{published_load, static_cast<double>(kPublishedBuffer)}}});
  result.picture.title = fmt::format("Least buffer B with P(Q > B) ≤ {}, 16-ary 3-tree", plain(target()));
  result.picture.x_label = "load [packets/slot]";
  result.picture.y_label = "buffer B [packets]";
  result.picture.note = "hop 1: the published analysis; the later hops decoupled, hop 2 under hops 3 to 5";
  result.computed =
      "The least buffer B with P(Q > B) <= 1e-15 at each load and hop, proved at B and B - 1. Hop 1 is the "
      "published analysis; the later hops are decoupled, which is an approximation.";
  for (const HopQueue& hop : loads.front().hops)
    result.commands.push_back(fmt::format("tailbound buffer --inputs {} --load {}:{}:{} --drop 1e-15",
                                          hop.inputs, plain(step), plain(end), plain(step)));
  result.commands.push_back(
      fmt::format("tailbound buffer --inputs {} --load 1 --capacity {} --drop 1e-15 --solve speedup",
                  loads.front().hops.front().inputs, kPublishedBuffer));
  const BufferLoad at_published = buffers_at(exactly(kPublishedLoad));
  result.findings = {buffer_reading(at_published), buffer_of_later_hops(at_published), speedup(at_published),
                     growth(), overflow_as_drops(at_published, loads)};
  return result;
}

}  // namespace

std::vector<Figure> singh_dally_figures() {
  const std::string paper = "singh-dally";
  const auto source = [](const char* section) {
    return std::string(
               "A. Singh and W. J. Dally, Buffer and Delay Bounds in High Radix Interconnection Networks, "
               "IEEE "
               "Computer Architecture Letters, 2004, section ") +
           section;
  };
  return {
      {.name = "singh-dally-5",
       .paper = paper,
       .title = "Figure 5: occupancy at each hop of a 16-ary 3-tree, load 0.6",
       .source = source("IV.B"),
       .shows = "The queue depth's complementary distribution from the generating function of hop 1, against "
                "the depths measured at the five hops by two days of simulation. The two are said to match "
                "almost exactly.",
       .compute = figure_5},
      {.name = "singh-dally-6",
       .paper = paper,
       .title = "Figure 6: end-to-end delay of a 16-ary 3-tree at loads 0.2, 0.6 and 0.8",
       .source = source("IV.C"),
       .shows = "The delay's complementary distribution, from the five hops' distributions convolved as if "
                "independent and 5 slots added, against simulation. The two are said to almost match at load "
                "0.8 and to be reasonably close at the lower loads.",
       .compute = figure_6},
      {.name = "singh-dally-7",
       .paper = paper,
       .title = "Figure 7: buffer for an overflow of 1e-15 against the load, 16-ary 3-tree",
       .source = source("V"),
       .shows =
           "The buffer grows without bound towards load 1; 160 packets are read off at load 0.9, so that "
           "a speedup of 1/0.9 = 1.11 is said to make flow control unnecessary.",
       .compute = figure_7},
  };
}

}  // namespace tailbound::cli::reproduce
