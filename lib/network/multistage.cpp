#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/multistage.hpp>
#include <tailbound/numeric/text/plain.hpp>

namespace tailbound::network {
namespace {

constexpr std::int64_t max_stage_nodes = std::int64_t{1} << 20;
constexpr std::int64_t largest_switch = 512;
constexpr std::int64_t largest_buffer = 10'000;
constexpr std::int64_t largest_combining = 1'000'000;

/// Blocks of `block` ports; output o of each switch of a block leads into part o of the block.
StageWiring baseline_stage(std::int64_t nodes, std::int64_t size, std::int64_t block) {
  StageWiring stage;
  stage.stride = static_cast<std::uint32_t>(block / size);
  for (std::int64_t port = 0; port < nodes; ++port)
    stage.first.push_back(static_cast<std::uint32_t>(port - port % block + port % block / size));
  return stage;
}

/// The perfect s-shuffle: the digits of a port's number rotated left by one.
std::int64_t shuffled(std::int64_t port, std::int64_t nodes, std::int64_t size) {
  return port * size % nodes + port * size / nodes;
}

StageWiring omega_stage(std::int64_t nodes, std::int64_t size, bool last) {
  StageWiring stage;
  stage.stride = static_cast<std::uint32_t>(last ? 1 : size);
  for (std::int64_t port = 0; port < nodes; ++port) {
    const std::int64_t output = port - port % size;
    stage.first.push_back(static_cast<std::uint32_t>(last ? output : shuffled(output, nodes, size)));
  }
  return stage;
}

}  // namespace

int stage_count(const Multistage& network) {
  if (network.switch_size < 2 || network.switch_size > largest_switch)
    throw InvalidArgument("switch", std::to_string(network.switch_size),
                          "a whole number of ports from 2 to " + std::to_string(largest_switch));
  if (network.nodes < 2 || network.nodes > max_stage_nodes)
    throw InvalidArgument("nodes", std::to_string(network.nodes),
                          "a whole number from 2 to 2^20 = " + std::to_string(max_stage_nodes));
  int stages = 0;
  std::int64_t power = 1;
  for (; power < network.nodes; power *= network.switch_size) ++stages;
  if (power != network.nodes) {
    const std::int64_t below = power / network.switch_size;
    std::string legal = "a power of the switch size " + std::to_string(network.switch_size);
    if (below >= network.switch_size) legal += ", such as " + std::to_string(below);
    if (power <= max_stage_nodes)
      legal += (below >= network.switch_size ? " or " : ", such as ") + std::to_string(power);
    throw InvalidArgument("nodes", std::to_string(network.nodes), legal);
  }
  return stages;
}

void check(const CombiningMultistage& network) {
  static_cast<void>(stage_count(network.network));
  if (network.buffer < 1 || network.buffer > largest_buffer)
    throw InvalidArgument("buffer", std::to_string(network.buffer),
                          "a whole number of waiting requests from 1 to " + std::to_string(largest_buffer));
  if (network.hot < 0 || network.hot > 1)
    throw InvalidArgument("hot", numeric::plain(network.hot),
                          "from 0 to 1, the fraction of requests to the hot memory");
  if (network.combining && (*network.combining < 1 || *network.combining > largest_combining))
    throw InvalidArgument(
        "combining", std::to_string(*network.combining),
        "a whole number from 1 (none combine) to " + std::to_string(largest_combining) + ", or unlimited");
}

void check_load(const Rational& load) {
  if (!(load > 0 && load <= 1))
    throw InvalidArgument("load", numeric::plain(load), "above 0 and at most 1 request per service time");
}

Rational saturation_bound(const CombiningMultistage& network) {
  check(network);
  const Rational& h = network.hot;
  if (!network.combining) return 1;  // all hot requests may combine into one
  const Rational size = static_cast<long>(network.network.switch_size);
  const Rational degree = static_cast<long>(*network.combining);
  // Hot messages at stage 0, those of `size` inputs together if a link carries them all.
  Rational hot = network.links == Links::one ? size / degree : 1 / degree;
  const Rational growth = size / degree;
  Rational busiest = 1;
  for (int stage = stage_count(network.network); stage > 0; --stage, hot = hot * growth) {
    const Rational busy = 1 - h + h * hot;
    if (busy > busiest) busiest = busy;
  }
  return 1 / busiest;
}

std::string describe(const CombiningMultistage& network) {
  const std::string size = std::to_string(network.network.switch_size);
  return std::to_string(network.network.nodes) + " nodes, " + size + " x " + size + " switches, buffer " +
         std::to_string(network.buffer) + ", hot " + numeric::to_fraction(network.hot) + ", combining " +
         (network.combining ? std::to_string(*network.combining) : "unlimited") + ", links " +
         name_of(network.links);
}

std::vector<StageWiring> wire(const Multistage& network, Wiring wiring) {
  const int stages = stage_count(network);
  std::vector<StageWiring> result;
  std::int64_t block = network.nodes;
  for (int stage = 0; stage < stages; ++stage, block /= network.switch_size)
    result.push_back(wiring == Wiring::baseline
                         ? baseline_stage(network.nodes, network.switch_size, block)
                         : omega_stage(network.nodes, network.switch_size, stage + 1 == stages));
  return result;
}

}  // namespace tailbound::network
