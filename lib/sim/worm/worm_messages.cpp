#include <tailbound/core/error.hpp>
#include <tailbound/sim/worm/worm_messages.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace tailbound::sim {
namespace {

constexpr std::int64_t max_message_flits = 1'000'000;

std::vector<network::WormFlow> sorted_flows(const network::WormTraffic& traffic) {
  std::vector<network::WormFlow> flows = traffic.flows;
  std::stable_sort(flows.begin(), flows.end(),
                   [](const auto& a, const auto& b) { return a.source < b.source; });
  return flows;
}

/// Number of failures before the first success; each trial fails with probability exp(log_failure).
std::uint64_t failures(double log_failure, std::uint64_t word) {
  const double uniform = static_cast<double>((word >> 11U) + 1) * 0x1p-53;
  return static_cast<std::uint64_t>(std::min(std::floor(std::log(uniform) / log_failure), 0x1p62));
}

double unit_interval(std::uint64_t word) {
  return static_cast<double>(word >> 11U) * 0x1p-53;
}

}  // namespace

void check(const WormModel& model) {
  require(model.network != nullptr, "network", "missing", "given");
  require(model.load > 0 && model.load <= 1, "load", numeric::to_fraction(model.load),
          "above 0 and at most 1 flit/cycle/node");
  require(model.flits >= 1 && model.flits <= max_message_flits, "flits", std::to_string(model.flits),
          "from 1 to 1000000");
  require(model.buffer_flits >= 1 && model.buffer_flits <= max_message_flits, "buffer [flits]",
          std::to_string(model.buffer_flits), "from 1 to 1000000");
  check(model.timing);
  require(model.network->layout().nodes >= 2, "nodes", std::to_string(model.network->layout().nodes),
          "at least 2");
  double sum = 0;
  for (const network::WormFlow& flow : model.traffic.flows) {
    require(flow.source < model.network->layout().nodes && flow.destination < model.network->layout().nodes &&
                flow.source != flow.destination,
            "flow", std::to_string(flow.source) + " -> " + std::to_string(flow.destination),
            "between two different nodes of the network");
    require(flow.rate > 0 && std::isfinite(flow.rate), "rate of a flow", std::to_string(flow.rate),
            "above 0");
    sum += flow.rate;
  }
  const double senders = sender_count(model);
  require(model.traffic.flows.empty() || std::abs(sum - senders) <= 1e-9 * senders, "sum of the flows' rates",
          std::to_string(sum), "the number of nodes that send");
}

std::string describe(const WormModel& model) {
  std::string text = "wormhole " + model.network->layout().name + ", load " +
                     numeric::to_fraction(model.load) + ", " + std::to_string(model.flits) + " flits" +
                     (model.lengths == WormLengths::geometric ? " (geometric)" : "") + ", " +
                     (model.arrivals == WormArrivals::poisson ? "Poisson" : "Bernoulli") + " messages, " +
                     std::to_string(model.network->layout().channels.size()) + " channels with buffers of " +
                     std::to_string(model.buffer_flits) + model.timing.in_words();
  for (const network::WormFlow& flow : model.traffic.flows)
    text += "; " + std::to_string(flow.source) + ">" + std::to_string(flow.destination) + ":" +
            std::to_string(flow.rate);
  return text;
}

double sender_count(const WormModel& model) {
  if (model.traffic.flows.empty()) return model.network->layout().nodes;
  std::set<std::uint32_t> senders;
  for (const network::WormFlow& flow : model.traffic.flows) senders.insert(flow.source);
  return static_cast<double>(senders.size());
}

double message_rate(const WormModel& model) {
  return numeric::nearest_double(model.load) / static_cast<double>(model.flits) * sender_count(model);
}

WormMessages::WormMessages(const WormModel& model, RandomKey key)
    : network_(*model.network),
      key_(key),
      arrivals_(model.arrivals),
      flits_(static_cast<std::uint32_t>(model.flits)),
      flows_(sorted_flows(model.traffic)),
      clock_(message_rate(model)) {
  if (model.lengths == WormLengths::geometric && flits_ > 1) log_longer_ = std::log1p(-1.0 / flits_);
  std::vector<double> rates;  // of the senders
  for (std::size_t i = 0; i < flows_.size(); ++i) {
    up_to_.push_back((up_to_.empty() ? 0 : up_to_.back()) + flows_[i].rate);
    if (i == 0 || flows_[i].source != flows_[i - 1].source) {
      first_flow_.push_back(i);
      rates.push_back(0);
    }
    rates.back() += flows_[i].rate;
  }
  first_flow_.push_back(flows_.size());
  senders_ = flows_.empty() ? network_.layout().nodes : rates.size();
  const double largest = rates.empty() ? 1 : *std::max_element(rates.begin(), rates.end());
  for (const double rate : rates) kept_.push_back(rate / largest);
  const double all = up_to_.empty() ? 1 : up_to_.back();
  for (double& sum : up_to_) sum /= all;
  const double probability = largest * numeric::nearest_double(model.load) / static_cast<double>(flits_);
  if (arrivals_ == WormArrivals::bernoulli && probability > 1)
    throw InvalidArgument("load", numeric::to_fraction(model.load),
                          "low enough that no node sends more than one message per cycle");
  log_failure_ = std::log1p(-std::min(probability, 1.0));
  pop();
}

std::uint32_t WormMessages::length(std::uint64_t word) const {
  if (log_longer_ == 0) return flits_;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(1 + failures(log_longer_, word), 1'000'000'000));
}

/// The flow of first .. last - 1 at the given position in the interval up to up_to_[last - 1].
const network::WormFlow& WormMessages::flow_at(double place, std::size_t first, std::size_t last) const {
  const double before = first == 0 ? 0 : up_to_[first - 1];
  const double at = before + place * (up_to_[last - 1] - before);
  const auto begin = up_to_.begin();
  const auto found = std::upper_bound(begin + static_cast<std::ptrdiff_t>(first),
                                      begin + static_cast<std::ptrdiff_t>(last - 1), at);
  return flows_[static_cast<std::size_t>(found - begin)];
}

void WormMessages::pop() {
  const std::uint32_t nodes = network_.layout().nodes;
  RandomWords words{};
  std::uint64_t sender = 0;
  if (arrivals_ == WormArrivals::poisson) {
    words = random_words(key_, 1, 0, drawn_++);
    clock_.step(words[0]);
    message_.born = (clock_.time() + PoissonClock::ticks - 1) / PoissonClock::ticks;
  } else {
    do {
      words = random_words(key_, 1, 0, drawn_++);
      if (log_failure_ > -std::numeric_limits<double>::infinity())
        trials_ += failures(log_failure_, words[0]);
      message_.born = trials_ / senders_;
      sender = trials_++ % senders_;
    } while (!kept_.empty() && unit_interval(words[3]) >= kept_[sender]);
  }
  const bool poisson = arrivals_ == WormArrivals::poisson;
  if (!flows_.empty()) {
    const network::WormFlow& flow =
        poisson ? flow_at(unit_interval(words[1]), 0, flows_.size())
                : flow_at(unit_interval(words[1]), first_flow_[sender], first_flow_[sender + 1]);
    message_.source = flow.source;
    message_.destination = flow.destination;
  } else {
    message_.source = poisson ? below(nodes, static_cast<std::uint32_t>(words[1] >> 32U))
                              : static_cast<std::uint32_t>(sender);
    message_.destination = below(nodes - 1, static_cast<std::uint32_t>(words[1]));
    if (message_.destination >= message_.source) ++message_.destination;
  }
  message_.flits = length(words[2]);
  const std::uint32_t variants = network_.layout().variants;
  if (variants > 1)
    message_.variant = below(variants, static_cast<std::uint32_t>(random_words(key_, 1, 1, drawn_ - 1)[0]));
}

void WormMessages::save(ByteWriter& writer) const {
  clock_.save(writer);
  writer.put(trials_);
  writer.put(drawn_);
  put(writer, message_);
}

void WormMessages::load(ByteReader& reader) {
  clock_.load(reader);
  trials_ = reader.get<std::uint64_t>();
  drawn_ = reader.get<std::uint64_t>();
  message_ = get_message(reader, network_.layout());
}

}  // namespace tailbound::sim
