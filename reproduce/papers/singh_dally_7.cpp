#include <fmt/format.h>
#include <reproduce/papers/singh_dally.hpp>
#include <tailbound/bounds/sizing/max_load.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::figures::singh_dally {
namespace {

using bounds::Criterion;
using numeric::plain;
using render::CurveStyle;
using render::Shape;

constexpr std::int64_t kPublishedBuffer = 160;  // packets at kPublishedLoad, read off the published curve
constexpr const char* kPublishedLoad = "0.9";
constexpr double kReading = 0.05;  // accuracy of reading a curve

/// The buffers of one load, hop by hop.
struct BufferLoad {
  Rational load;
  std::vector<HopQueue> hops;
  std::vector<bounds::BufferSize> sizes;

  /// Position of the hop with the largest buffer.
  [[nodiscard]] std::size_t largest() const {
    return static_cast<std::size_t>(
        std::max_element(sizes.begin(), sizes.end(),
                         [](const auto& a, const auto& b) { return a.buffer < b.buffer; }) -
        sizes.begin());
  }
  /// The fraction of packets that a hop loses with a buffer of the given size.
  [[nodiscard]] numeric::Proved<unit::Probability> loss(std::size_t hop, Packets buffer) const {
    return bounds::drop_probability(hops[hop].queue, buffer, Criterion::loss, {.digits = kDigits})
        .probability;
  }
};

BufferLoad buffers_at(const Rational& load) {
  BufferLoad result{load, hop_queues(tree_at(load, network::Sources::independent_sources)), {}};
  for (const HopQueue& hop : result.hops)
    result.sizes.push_back(bounds::buffer_size(hop.queue, target(), {.digits = kDigits}));
  return result;
}

Finding buffer_reading(const BufferLoad& at) {
  const bounds::BufferSize& first = at.sizes.front();
  const double difference =
      static_cast<double>(first.buffer.value) / static_cast<double>(kPublishedBuffer) - 1;
  const auto there =
      bounds::drop_probability(at.hops.front().queue, Packets(kPublishedBuffer), Criterion::overflow)
          .probability;
  return {.subject = "buffer at 0.9",
          .claim = "At load 0.9 an overflow below 1e-15 needs a buffer of 160 packets.",
          .published = fmt::format("{} packets", kPublishedBuffer),
          .computed = fmt::format(
              "{} packets (P(Q > {}) = {}, P(Q > {}) = {}); {:+.1f} %, agrees if {} packets "
              "meet the target and the minimum is within {:.0f} %, the precision of reading a curve",
              first.buffer.value, first.buffer.value, in_brief(first.at.probability), kPublishedBuffer,
              in_brief(there), 100 * difference, kPublishedBuffer, 100 * kReading),
          .agrees = numeric::surely_at_most(there, target().probability) && std::abs(difference) <= kReading};
}

Finding buffer_of_later_hops(const BufferLoad& at) {
  std::string computed;
  for (std::size_t i = 1; i < at.hops.size(); ++i)
    computed += fmt::format("{}{}: {} packets", computed.empty() ? "" : ", ", in_words(at.hops[i]),
                            at.sizes[i].buffer.value);
  return {.subject = "buffer of later hops",
          .claim = "The same buffer suffices at every hop.",
          .published = fmt::format("{} packets at load {}", kPublishedBuffer, kPublishedLoad),
          .computed = computed + " with independent source arrivals; agrees if none needs more",
          .agrees = at.sizes[at.largest()].buffer <= Packets(kPublishedBuffer)};
}

Finding speedup(const BufferLoad& at) {
  const Rational published = 1 / exactly(kPublishedLoad);
  const auto minimum = [](const queue::SlottedQueue& queue, std::int64_t buffer) {
    const queue::SlottedQueue full{queue.arrivals.at_load(1)};
    return numeric::to_enclosure(bounds::min_speedup(full, Packets(buffer), target())).upper();
  };
  const auto text = [](const numeric::Real& value) {
    return numeric::to_decimal(value, 5, numeric::Rounding::up);
  };
  constexpr std::int64_t small = 64;
  const HopQueue &first = at.hops.front(), &last = at.hops[at.largest()];
  const numeric::Real first_hop = minimum(first.queue, kPublishedBuffer);
  return {.subject = "speedup",
          .claim = "With a speedup of 1/0.9, the buffer for load 0.9 suffices for every admissible load.",
          .published = numeric::to_decimal(published, 3, numeric::Rounding::nearest),
          .computed = fmt::format(
              "at load 1, {} packets need a speedup of {} at hop 1 and {} at {}; {} packets need {} and {}; "
              "agrees if the minimum at hop 1 is at most {} and within {:.0f} %",
              kPublishedBuffer, text(first_hop), text(minimum(last.queue, kPublishedBuffer)), in_words(last),
              small, text(minimum(first.queue, small)), text(minimum(last.queue, small)),
              numeric::to_decimal(published, 5, numeric::Rounding::nearest), 100 * kReading),
          .agrees = numeric::compare(first_hop, published) <= 0 &&
                    static_cast<double>(first_hop) >= (1 - kReading) * numeric::nearest_double(published)};
}

Finding growth() {
  std::string computed;
  std::int64_t former = 0;
  bool doubles = true;
  for (const char* load : {"0.98", "0.99", "0.995", "0.9975"}) {
    const queue::SlottedQueue queue{series::Arrivals::equal_inputs(kTree.radix, exactly(load))};
    const std::int64_t buffer = bounds::buffer_size(queue, target()).buffer.value;
    computed += fmt::format("{}{} packets at load {}", former == 0 ? "" : ", ", buffer, load);
    doubles = doubles && (former == 0 || static_cast<double>(buffer) >= 1.9 * static_cast<double>(former));
    former = buffer;
  }
  return {.subject = "growth towards load 1",
          .claim = "Buffers grow without bound as the load approaches 1.",
          .published = "curve only",
          .computed = computed + "; agrees if each halving of 1 - load multiplies the buffer by 1.9 or more",
          .agrees = doubles};
}

/// The paper takes P(Q > B) for a drop probability; this is the fraction of packets that such a buffer loses.
Finding overflow_as_drops(const BufferLoad& at_published, const std::vector<BufferLoad>& loads) {
  const Rational& drop = target().probability;
  const auto published = at_published.loss(0, Packets(kPublishedBuffer));
  std::size_t above = 0;
  std::string worst = "none";
  double max_log10 = -15;
  for (const BufferLoad& at : loads) {
    const auto loss = at.loss(0, at.sizes.front().buffer);
    if (!numeric::surely_above(loss, drop)) continue;
    ++above;
    if (height(loss) <= max_log10) continue;
    max_log10 = height(loss);
    worst = fmt::format("{} of the packets at load {} with a buffer of {}", in_brief(loss), plain(at.load),
                        at.sizes.front().buffer.value);
  }
  return {.subject = "overflow as drop rate",
          .claim = "With 160 packets at load 0.9 the drop probability is below 1e-15.",
          .published = fmt::format("below {}", plain(drop)),
          .computed = fmt::format(
              "hop 1 with a buffer of {} loses {} of the packets at load {}, which decides. Along the curve, "
              "however, P(Q > B) is not a conservative drop rate: the buffer of hop 1 loses more than {} at "
              "{} of {} loads, at most {}",
              kPublishedBuffer, in_brief(published), kPublishedLoad, plain(drop), above, loads.size(), worst),
          .agrees = numeric::surely_at_most(published, drop)};
}

/// The rows of one load, and its points of the curves, one curve per hop.
void add_load(const BufferLoad& at, Result& result) {
  for (std::size_t i = 0; i < at.hops.size(); ++i) {
    add_row(result,
            {{"load", render::Given{at.load}},
             {"hops", render::Text{at.hops[i].hops}},
             {"inputs", render::Whole{at.hops[i].inputs}}},
            {{"buffer", render::shown(at.sizes[i].buffer)},
             {"overflow", render::shown(at.sizes[i].at.probability)},
             {"loss", render::shown(at.loss(i, at.sizes[i].buffer))}});
    if (result.picture.curves.size() == i)
      result.picture.curves.push_back(curve_of(at.hops[i], static_cast<int>(i)));
    result.picture.curves[i].points.emplace_back(numeric::nearest_double(at.load),
                                                 static_cast<double>(at.sizes[i].buffer.value));
  }
}

}  // namespace

Result figure_7(const Request& request) {
  const Rational step = exactly(request.quick ? "0.1" : "0.01");
  const Rational end = exactly(request.quick ? "0.9" : "0.98");
  Result result =
      new_result({{"load", "", "packets/slot", Shape::given, "of each leaf"},
                  {"hops", "", "", Shape::text, "with this queue"},
                  {"inputs", "", "", Shape::whole, "sources whose packets pass it"}},
                 {{"buffer", "", "packets", Shape::whole, "minimum B with P(Q > B) at most 1e-15"},
                  {"overflow", "", "", Shape::proved, "P(Q > B)"},
                  {"loss", "", "", Shape::proved, "fraction of the packets lost with buffer B"}},
                 {.title = fmt::format("Minimum buffer B with P(Q > B) ≤ {}, 16-ary 3-tree",
                                       plain(target().probability)),
                  .x_label = "load [packets/slot]",
                  .y_label = "buffer B [packets]",
                  .note = "hop 1: the published analysis; later hops: independent source arrivals, hop 2 "
                          "below hops 3 to 5"});
  std::vector<BufferLoad> loads;
  for (Rational load = step; load <= end; load = load + step) {
    add_load(loads.emplace_back(buffers_at(load)), result);
    if (request.run.progress) request.run.progress(numeric::nearest_double(load / end), 0);
  }
  result.picture.curves.push_back(
      {.title = fmt::format("published: {} at {}", kPublishedBuffer, kPublishedLoad),
       .points = {
           {numeric::nearest_double(exactly(kPublishedLoad)), static_cast<double>(kPublishedBuffer)}}});
  result.computed =
      "The minimum buffer B with P(Q > B) <= 1e-15 at each load and hop, proved at B and B - 1. Hop 1 is the "
      "published analysis. At the later hops source arrivals are independent, which is an approximation.";
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

}  // namespace tailbound::figures::singh_dally
