#include <tailbound/network/mix/message_kinds.hpp>

#include <set>

namespace tailbound::network {

using numeric::Rational;

Rational mean_flits(const std::vector<MessageKind>& kinds) {
  Rational mean = 0;
  for (const MessageKind& kind : kinds) mean = mean + kind.share * kind.lengths.mean();
  return mean;
}

std::size_t sender_count(const WormTraffic& traffic, std::uint32_t nodes) {
  if (traffic.flows.empty()) return nodes;
  std::set<std::uint32_t> senders;
  for (const WormFlow& flow : traffic.flows) senders.insert(flow.source);
  return senders.size();
}

std::vector<std::uint32_t> senders(const std::vector<MessageKind>& kinds, std::uint32_t nodes) {
  std::set<std::uint32_t> all;
  for (const MessageKind& kind : kinds) {
    if (kind.traffic.flows.empty())
      for (std::uint32_t node = 0; node < nodes; ++node) all.insert(all.end(), node);
    for (const WormFlow& flow : kind.traffic.flows) all.insert(flow.source);
  }
  return {all.begin(), all.end()};
}

double rate_scale(const std::vector<MessageKind>& kinds, std::size_t kind, std::uint32_t nodes) {
  return numeric::nearest_double(kinds[kind].share) * static_cast<double>(senders(kinds, nodes).size()) /
         static_cast<double>(sender_count(kinds[kind].traffic, nodes));
}

}  // namespace tailbound::network
