#include <tailbound/core/error.hpp>
#include <tailbound/network/mix/virtual_networks.hpp>
#include <tailbound/sim/sources/coin.hpp>
#include <tailbound/sim/worm/worm_messages.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tailbound::sim {
namespace {

using numeric::Rational;

constexpr std::int64_t max_message_flits = 1'000'000;
/// Entities of the random numbers: messages; the kinds and variants of messages; answers.
constexpr std::uint64_t of_messages = 0, of_variants = 1, of_answers = 2;

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

/// Thresholds of 64-bit words for the sums of shares, which end at 1. The last one always holds.
std::vector<std::uint64_t> share_thresholds(const std::vector<Rational>& shares) {
  std::vector<std::uint64_t> thresholds;
  Rational sum = 0;
  for (const Rational& share : shares) {
    sum = sum + share;
    thresholds.push_back(Coin(sum).threshold);
  }
  return thresholds;
}

/// The first place whose threshold is above the word, or the last.
std::size_t place_of(const std::vector<std::uint64_t>& thresholds, std::uint64_t word) {
  const auto last = thresholds.end() - 1;
  return static_cast<std::size_t>(std::upper_bound(thresholds.begin(), last, word) - thresholds.begin());
}

const network::VirtualNetworks* several_networks(const WormModel& model) {
  return dynamic_cast<const network::VirtualNetworks*>(model.network.get());
}

std::size_t virtual_network_count(const WormModel& model) {
  const auto* several = several_networks(model);
  return several != nullptr ? several->count() : 1;
}

void check_traffic(const network::MessageKind& kind, const WormModel& model) {
  const std::uint32_t nodes = model.network->layout().nodes;
  double sum = 0;
  for (const network::WormFlow& flow : kind.traffic.flows) {
    require(flow.source < nodes && flow.destination < nodes && flow.source != flow.destination, "flow",
            std::to_string(flow.source) + " -> " + std::to_string(flow.destination),
            "between two different nodes of the network");
    require(flow.rate > 0 && std::isfinite(flow.rate), "rate of a flow", std::to_string(flow.rate),
            "above 0");
    sum += flow.rate;
  }
  const auto senders = static_cast<double>(network::sender_count(kind.traffic, nodes));
  require(kind.traffic.flows.empty() || std::abs(sum - senders) <= 1e-9 * senders, "sum of the flows' rates",
          std::to_string(sum), "the number of nodes that send");
}

void check_answers(const std::vector<network::MessageKind>& kinds, std::size_t kind) {
  std::size_t at = kind;
  for (std::size_t steps = 0; kinds[at].answers; ++steps) {
    const std::size_t answered = *kinds[at].answers;
    require(answered < kinds.size() && steps < kinds.size(), "answers", std::to_string(answered),
            "another class, and not in a circle");
    require(kinds[at].share == kinds[answered].share, "share", numeric::to_fraction(kinds[at].share),
            "that of the class that it answers");
    at = answered;
  }
}

void check_kinds(const WormModel& model) {
  require(!model.kinds.empty(), "class", "none", "at least one");
  Rational sum = 0;
  for (std::size_t k = 0; k < model.kinds.size(); ++k) {
    const network::MessageKind& kind = model.kinds[k];
    require(kind.share > 0, "share", numeric::to_fraction(kind.share), "above 0");
    sum = sum + kind.share;
    require(kind.lengths.largest() <= max_message_flits, "flits", std::to_string(kind.lengths.largest()),
            "from 1 to 1000000");
    require(kind.virtual_network < virtual_network_count(model), "virtual network",
            std::to_string(kind.virtual_network), "one of the network");
    check_traffic(kind, model);
    check_answers(model.kinds, k);
  }
  require(sum == 1, "share", numeric::to_fraction(sum), "1 in total");
}

std::string lengths_in_words(const network::MessageLengths& lengths) {
  if (lengths.is_geometric()) return std::to_string(lengths.largest()) + " flits (geometric)";
  return lengths.text() + " flits";
}

std::string flows_in_words(const network::WormTraffic& traffic) {
  std::string text;
  for (const network::WormFlow& flow : traffic.flows)
    text += "; " + std::to_string(flow.source) + ">" + std::to_string(flow.destination) + ":" +
            std::to_string(flow.rate);
  return text;
}

/// What kinds have beyond one kind in one virtual network.
std::string kinds_in_words(const WormModel& model) {
  std::string text;
  for (const network::MessageKind& kind : model.kinds)
    text += "; class " + kind.name + ", share " + numeric::to_fraction(kind.share) + ", " +
            lengths_in_words(kind.lengths) + ", virtual network " + std::to_string(kind.virtual_network) +
            (kind.answers ? ", answers " + std::to_string(*kind.answers) : "") + flows_in_words(kind.traffic);
  return text + "; think " + std::to_string(model.think);
}

}  // namespace

void check(const WormModel& model) {
  require(model.network != nullptr, "network", "missing", "given");
  require(model.load > 0 && model.load <= 1, "load", numeric::to_fraction(model.load),
          "above 0 and at most 1 flit/cycle/node");
  require(model.buffer_flits >= 1 && model.buffer_flits <= max_message_flits, "buffer [flits]",
          std::to_string(model.buffer_flits), "from 1 to 1000000");
  check(model.timing);
  require(model.think >= 0 && model.think <= 1'000'000, "think [cycles]", std::to_string(model.think),
          "from 0 to 1000000");
  require(model.network->layout().nodes >= 2, "nodes", std::to_string(model.network->layout().nodes),
          "at least 2");
  check_kinds(model);
}

std::string describe(const WormModel& model) {
  const bool one = model.kinds.size() == 1;
  return "wormhole " + model.network->layout().name + ", load " + numeric::to_fraction(model.load) + ", " +
         (one ? lengths_in_words(model.kinds.front().lengths) : "several classes") + ", " +
         (model.arrivals == WormArrivals::poisson ? "Poisson" : "Bernoulli") + " messages, " +
         std::to_string(model.network->layout().channels.size()) + " channels with buffers of " +
         std::to_string(model.buffer_flits) + model.timing.in_words() +
         (one ? flows_in_words(model.kinds.front().traffic) : kinds_in_words(model));
}

double sender_count(const WormModel& model) {
  return static_cast<double>(network::senders(model.kinds, model.network->layout().nodes).size());
}

double mean_flits(const WormModel& model) {
  return numeric::nearest_double(network::mean_flits(model.kinds));
}

double message_rate(const WormModel& model) {
  return numeric::nearest_double(model.load) / mean_flits(model) * sender_count(model);
}

std::uint32_t variants_of(const WormModel& model) {
  const auto* several = several_networks(model);
  return several != nullptr ? several->variants() : model.network->layout().variants;
}

std::uint32_t virtual_network_of(const WormModel& model, std::uint32_t station) {
  const auto* several = several_networks(model);
  return several != nullptr ? several->of_station(station) : 0;
}

WormParts parts_of(const WormModel& model) {
  std::size_t lengths = 0;
  for (const network::MessageKind& kind : model.kinds) lengths += kind.lengths.lengths().size();
  const bool each = lengths <= WormParts::most_lengths;
  WormParts parts;
  for (std::size_t k = 0; k < model.kinds.size(); ++k) {
    const network::MessageLengths& law = model.kinds[k].lengths;
    parts.first.push_back(parts.lengths.size());
    if (law.single() || (each && !law.is_geometric()))
      for (const network::MessageLength& one : law.lengths()) parts.lengths.push_back(one.flits);
    else
      parts.lengths.push_back(0);
    parts.kinds.resize(parts.lengths.size(), k);
  }
  parts.first.push_back(parts.lengths.size());
  return parts;
}

// --- Messages --------------------------------------------------------------------------------------------

WormMessages::Lengths WormMessages::lengths_of(const network::MessageLengths& law, bool counted) {
  Lengths lengths;
  lengths.flits = static_cast<std::uint32_t>(law.largest());
  lengths.counted = counted;
  if (law.is_geometric()) lengths.log_longer = std::log1p(-1.0 / lengths.flits);
  if (law.is_geometric() || law.single()) return lengths;
  std::vector<Rational> shares;
  for (const network::MessageLength& one : law.lengths()) {
    lengths.values.push_back(static_cast<std::uint32_t>(one.flits));
    shares.push_back(one.share);
  }
  lengths.thresholds = share_thresholds(shares);
  return lengths;
}

WormMessages::WormMessages(const WormModel& model, RandomKey key)
    : network_(*model.network),
      key_(key),
      arrivals_(model.arrivals),
      variants_(variants_of(model)),
      think_(static_cast<std::uint64_t>(model.think)),
      kind_of_part_(parts_of(model).kinds),
      clock_(1) {
  const WormParts parts = parts_of(model);
  Rational generated = 0;
  for (std::uint32_t k = 0; k < model.kinds.size(); ++k) {
    const network::MessageKind& its = model.kinds[k];
    kinds_.push_back({.lengths = lengths_of(its.lengths, parts.first[k + 1] - parts.first[k] > 1),
                      .part = parts.first[k],
                      .variant = its.virtual_network * variants_,
                      .flows = sorted_flows(its.traffic),
                      .up_to = {},
                      .answered_by = {}});
    Kind& kind = kinds_.back();
    for (const network::WormFlow& flow : kind.flows)
      kind.up_to.push_back((kind.up_to.empty() ? 0 : kind.up_to.back()) + flow.rate);
    const double all = kind.up_to.empty() ? 1 : kind.up_to.back();
    for (double& sum : kind.up_to) sum /= all;
    has_answers_ = has_answers_ || its.answers.has_value();
    if (its.answers) continue;
    generated = generated + its.share;
    generated_.push_back(k);
    add_senders(model, k);
  }
  std::vector<Rational> shares;
  for (const std::uint32_t k : generated_) shares.push_back(model.kinds[k].share / generated);
  kind_up_to_ = share_thresholds(shares);
  for (std::size_t k = 0; k < kinds_.size(); ++k)
    if (model.kinds[k].answers) kinds_[*model.kinds[k].answers].answered_by.push_back(k);
  clock_ = PoissonClock(message_rate(model) * numeric::nearest_double(generated));
  double largest = 0;  // messages per cycle at a load of one message per sending node
  for (const Sender& sender : senders_) largest = std::max(largest, sender.kept);
  for (Sender& sender : senders_) sender.kept /= largest;
  const double probability = largest * numeric::nearest_double(model.load) / mean_flits(model);
  if (arrivals_ == WormArrivals::bernoulli && probability > 1)
    throw InvalidArgument("load", numeric::to_fraction(model.load),
                          kinds_.size() == 1
                              ? "low enough that no node sends more than one message per cycle"
                              : "low enough that no node sends more than one message of a class per cycle");
  log_failure_ = std::log1p(-std::min(probability, 1.0));
  draw();
}

/// With the rates of the senders, not yet relative to each other.
void WormMessages::add_senders(const WormModel& model, std::uint32_t kind) {
  if (arrivals_ != WormArrivals::bernoulli) return;
  const double scale = network::rate_scale(model.kinds, kind, network_.layout().nodes);
  const std::vector<network::WormFlow>& flows = kinds_[kind].flows;
  if (flows.empty())
    for (std::uint32_t node = 0; node < network_.layout().nodes; ++node)
      senders_.push_back({.kind = kind, .node = node, .kept = scale});
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (i == 0 || flows[i].source != flows[i - 1].source)
      senders_.push_back({.kind = kind, .node = flows[i].source, .first = i, .kept = 0});
    senders_.back().kept += flows[i].rate * scale;
    senders_.back().last = i + 1;
  }
}

void WormMessages::draw_length(WormMessage& message, const Kind& kind, std::uint64_t word) const {
  const Lengths& lengths = kind.lengths;
  message.flits = lengths.flits;
  message.tag = static_cast<std::uint32_t>(kind.part);
  if (lengths.log_longer != 0) {
    message.flits = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(1 + failures(lengths.log_longer, word), 1'000'000'000));
  } else if (!lengths.values.empty()) {
    const std::size_t place = place_of(lengths.thresholds, word);
    message.flits = lengths.values[place];
    if (lengths.counted) message.tag += static_cast<std::uint32_t>(place);
  }
}

/// The flow of first .. last - 1 at the given position in the interval up to up_to[last - 1].
const network::WormFlow& WormMessages::flow_at(const Kind& kind, double place, std::size_t first,
                                               std::size_t last) {
  const std::vector<double>& up_to = kind.up_to;
  const double before = first == 0 ? 0 : up_to[first - 1];
  const double at = before + place * (up_to[last - 1] - before);
  const auto begin = up_to.begin();
  const auto found = std::upper_bound(begin + static_cast<std::ptrdiff_t>(first),
                                      begin + static_cast<std::ptrdiff_t>(last - 1), at);
  return kind.flows[static_cast<std::size_t>(found - begin)];
}

void WormMessages::pop() {
  if (answer_is_next())
    answers_.pop_front();
  else
    draw();
}

void WormMessages::draw() {
  const std::uint32_t nodes = network_.layout().nodes;
  RandomWords words{}, more{};
  const Sender* sender = nullptr;
  if (arrivals_ == WormArrivals::poisson) {
    words = random_words(key_, 1, of_messages, drawn_++);
    clock_.step(words[0]);
    message_.born = (clock_.time() + PoissonClock::ticks - 1) / PoissonClock::ticks;
  } else {
    do {
      words = random_words(key_, 1, of_messages, drawn_++);
      if (log_failure_ > -std::numeric_limits<double>::infinity())
        trials_ += failures(log_failure_, words[0]);
      message_.born = trials_ / senders_.size();
      const std::size_t place = trials_++ % senders_.size();
      // Every other cycle backwards: no kind is always the first at a node.
      const bool backwards = generated_.size() > 1 && message_.born % 2 == 1;
      sender = &senders_[backwards ? senders_.size() - 1 - place : place];
    } while (unit_interval(words[3]) >= sender->kept);
  }
  if (variants_ > 1 || generated_.size() > 1) more = random_words(key_, 1, of_variants, drawn_ - 1);
  const std::uint32_t k = sender != nullptr       ? sender->kind
                          : generated_.size() > 1 ? generated_[place_of(kind_up_to_, more[1])]
                                                  : generated_.front();
  const Kind& kind = kinds_[k];
  if (!kind.flows.empty()) {
    const network::WormFlow& flow = sender == nullptr
                                        ? flow_at(kind, unit_interval(words[1]), 0, kind.flows.size())
                                        : flow_at(kind, unit_interval(words[1]), sender->first, sender->last);
    message_.source = flow.source;
    message_.destination = flow.destination;
  } else {
    message_.source =
        sender == nullptr ? below(nodes, static_cast<std::uint32_t>(words[1] >> 32U)) : sender->node;
    message_.destination = below(nodes - 1, static_cast<std::uint32_t>(words[1]));
    if (message_.destination >= message_.source) ++message_.destination;
  }
  draw_length(message_, kind, words[2]);
  message_.variant = kind.variant;
  if (variants_ > 1) message_.variant += below(variants_, static_cast<std::uint32_t>(more[0]));
}

void WormMessages::arrived(const WormDelivery& delivery) {
  for (const std::size_t k : kinds_[kind_of_part_[delivery.message.tag]].answered_by) {
    const Kind& kind = kinds_[k];
    const RandomWords words = random_words(key_, 1, of_answers, answered_++);
    WormMessage answer{.born = delivery.ended + think_,
                       .source = delivery.message.destination,
                       .destination = delivery.message.source,
                       .variant = kind.variant};
    draw_length(answer, kind, words[0]);
    if (variants_ > 1) answer.variant += below(variants_, static_cast<std::uint32_t>(words[1] >> 32U));
    answers_.push_back(answer);
  }
}

void WormMessages::save(ByteWriter& writer) const {
  clock_.save(writer);
  writer.put(trials_);
  writer.put(drawn_);
  put(writer, message_);
  if (!has_answers_) return;
  writer.put(answered_);
  writer.put<std::uint64_t>(answers_.size());
  for (const WormMessage& answer : answers_) put(writer, answer);
}

void WormMessages::load(ByteReader& reader) {
  clock_.load(reader);
  trials_ = reader.get<std::uint64_t>();
  drawn_ = reader.get<std::uint64_t>();
  const auto get = [&] { return get_message(reader, network_.layout(), kind_of_part_.size()); };
  message_ = get();
  answers_.clear();
  if (!has_answers_) return;
  answered_ = reader.get<std::uint64_t>();
  for (auto left = reader.get<std::uint64_t>(); left > 0; --left) answers_.push_back(get());
}

}  // namespace tailbound::sim
