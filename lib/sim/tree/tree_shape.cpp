#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/tree/tree_shape.hpp>

namespace tailbound::sim::tree_engine {
namespace {

constexpr int max_flows = 4096;

void check(const TreeModel& model) {
  network::require_valid(model.tree);
  std::int64_t leaves = 1;
  for (int i = 0; i < model.tree.levels; ++i) leaves *= model.tree.radix;
  if (model.load <= 0 || model.load > 1)
    throw InvalidArgument("load", numeric::to_fraction(model.load), "above 0 and at most 1 packet per slot");
  if (!model.buffer && model.load == 1) throw Unstable("1");
  if (model.buffer && (*model.buffer < 1 || *model.buffer > longest_queue))
    throw InvalidArgument("buffer", std::to_string(*model.buffer),
                          "from 1 to " + std::to_string(longest_queue) + " packets");
  if (model.ring_slots && (*model.ring_slots < 128 || *model.ring_slots > 4096 ||
                           !std::has_single_bit(static_cast<std::uint64_t>(*model.ring_slots))))
    throw InvalidArgument("ring slots", std::to_string(*model.ring_slots), "a power of two from 128 to 4096");
  if (model.observed_flows < 0 || model.observed_flows > std::min<std::int64_t>(leaves, max_flows))
    throw InvalidArgument("observed flows", std::to_string(model.observed_flows),
                          "from 0 to " + std::to_string(std::min<std::int64_t>(leaves, max_flows)));
  if (model.observed_flows > 0 && model.buffer)
    throw InvalidArgument(
        "buffer", std::to_string(*model.buffer),
        "unlimited to observe reorder buffers, where packets would wait for a lost packet without end");
}

/// Excess variance of a queue's arrivals over many slots, compared with traffic without bursts.
double burstiness(const TreeModel& model) {
  return 1 + source_memory(model).variance / numeric::nearest_double(model.load);
}

std::int64_t ring_slots(const TreeModel& model) {
  if (model.ring_slots) return *model.ring_slots;
  const double load = numeric::nearest_double(model.load);
  // For reflected Brownian motion the probability beyond is e^-24. With long per-burst routes the streams
  // would be long as well: a thousandth of the packets may then take the slower code path.
  const double relaxations = model.keeps_paths() ? 2.5 : 12;
  double wanted = std::max(128.0, 64 + relaxations * burstiness(model) / std::max(1 - load, 1e-6));
  if (model.buffer) wanted = std::min(wanted, std::max(128.0, 64.0 + static_cast<double>(*model.buffer) + 1));
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::min(wanted, 4096.0))));
}

}  // namespace

Shape::Shape(const TreeModel& model)
    : radix(model.tree.radix),
      levels(model.tree.levels),
      stages(stage_count(model.tree)),
      switches((check(model), power(levels - 1))),
      leaves(switches * radix),
      turning(model.routing == network::TreeRouting::nearest_ancestor),
      binary(std::has_single_bit(static_cast<std::uint64_t>(radix)) && radix <= 256),
      digit_bits(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(radix - 1)))),
      ring(ring_slots(model)),
      stream_stride(static_cast<std::size_t>(ring) + line),
      array_size(static_cast<std::size_t>(radix) * stream_stride + line),
      threshold(0),
      capacity(model.buffer ? static_cast<std::int32_t>(*model.buffer) : unlimited),
      flows(model.observed_flows),
      flow_spacing(flows == 0 ? 0 : leaves / flows),
      keeps_paths(model.keeps_paths()),
      longest_likely_wait(wait_limit()) {
  for (int digit = 0; digit < levels - 1; ++digit) {
    switch_stride[static_cast<std::size_t>(digit)] = array_size;
    array_size = static_cast<std::size_t>(radix) * array_size + line;
  }
  const auto scaled = numeric::floor(model.load * numeric::pow(numeric::Integer(2), 64));
  if (model.load < 1) threshold = numeric::to_uint64(scaled);
  if (model.burst) {
    bursts.emplace(traffic::on_off(model.load, *model.burst));
    // Reflected Brownian motion exceeds it with probability 1e-12.
    const double load = numeric::nearest_double(model.load);
    longest_likely_wait = std::max(longest_likely_wait, 14 * burstiness(model) / (1 - load));
  }
}

}  // namespace tailbound::sim::tree_engine
