#include <tailbound/core/error.hpp>
#include <tailbound/network/demands/draws.hpp>
#include <tailbound/network/demands/failures.hpp>
#include <tailbound/network/demands/uniform_traffic.hpp>
#include <tailbound/network/reading/file_text.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tailbound::network {
namespace {

/// "3 random 7"
struct RandomFailures {
  std::size_t count;
  std::uint64_t seed;
};

std::optional<std::uint64_t> whole(const std::string& text) {
  const bool digits = std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (text.empty() || text.size() > 15 || !digits) return {};
  return std::stoull(text);
}

std::optional<RandomFailures> random_failures(const std::string& text) {
  const std::size_t word = text.find(" random");
  if (word == std::string::npos) return {};
  const auto count = whole(text.substr(0, word));
  const std::string rest = text.substr(word + 7);
  const auto seed = rest.empty() ? std::optional<std::uint64_t>(1) : whole(rest.substr(1));
  if (!count || *count == 0 || !seed || (!rest.empty() && rest[0] != ' ')) return {};
  return RandomFailures{*count, *seed};
}

class Breaker {
 public:
  explicit Breaker(Network& network) : network_(network), gone_(network.links.size(), false) {
    for (std::size_t node = 0; node < network.nodes.size(); ++node)
      node_of_.emplace(network.nodes[node].name, node);
  }

  void remove_failed(const std::string& what) {
    if (const auto node = node_of_.find(what); node != node_of_.end())
      return remove_matching(
          [&](const Link& link) { return link.from == node->second || link.to == node->second; });
    if (remove_wire(what)) return;
    const auto random = random_failures(what);
    if (!random)
      throw InvalidArgument("without", in_quotes(what),
                            "a node of the network, a link such as \"left -> right\", or a number of random "
                            "links such as \"3 random\"");
    remove_random(*random, what);
  }

  void finish() {
    std::size_t kept = 0;
    for (std::size_t link = 0; link < gone_.size(); ++link)
      if (!gone_[link]) network_.links[kept++] = network_.links[link];
    network_.links.resize(kept);
  }

 private:
  template <class Fails>
  void remove_matching(Fails fails) {
    for (std::size_t link = 0; link < gone_.size(); ++link)
      if (fails(network_.links[link])) gone_[link] = true;
  }

  /// Names may contain arrows: each arrow is tried as the separator.
  [[nodiscard]] bool remove_wire(const std::string& what) {
    constexpr std::string_view arrow = " -> ";
    for (std::size_t at = what.find(arrow); at != std::string::npos; at = what.find(arrow, at + 1)) {
      const auto from = node_of_.find(what.substr(0, at)), to = node_of_.find(what.substr(at + arrow.size()));
      if (from == node_of_.end() || to == node_of_.end()) continue;
      const std::size_t a = from->second, b = to->second;
      const auto is_it = [&](const Link& link) { return link.from == a && link.to == b; };
      if (std::none_of(network_.links.begin(), network_.links.end(), is_it))
        throw InvalidArgument("without", in_quotes(what), "a link of the network");
      remove_matching([&](const Link& link) { return is_it(link) || (link.from == b && link.to == a); });
      return true;
    }
    return false;
  }

  void remove_random(const RandomFailures& random, const std::string& what) {
    std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> found;  // both directions
    for (std::size_t link = 0; link < gone_.size(); ++link) {
      const std::size_t from = network_.links[link].from, to = network_.links[link].to;
      if (!gone_[link] && !network_.nodes[from].host && !network_.nodes[to].host)
        found[std::minmax(from, to)].push_back(link);
    }
    std::vector<std::vector<std::size_t>> wires;
    for (auto& [ends, links] : found) wires.push_back(std::move(links));
    if (random.count > wires.size())
      throw InvalidArgument("without", in_quotes(what),
                            "at most " + std::to_string(wires.size()) + " links between switches");
    Draws draws(random.seed, Draws::failures);
    for (std::size_t i = 0; i < random.count; ++i) {
      std::swap(wires[i], wires[i + draws.below(static_cast<std::uint32_t>(wires.size() - i))]);
      for (const std::size_t link : wires[i]) gone_[link] = true;
    }
  }

  Network& network_;
  std::vector<bool> gone_;
  std::unordered_map<std::string, std::size_t> node_of_;
};

}  // namespace

std::vector<std::string> failures_of(std::string_view list) {
  std::vector<std::string> entries;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string_view entry = list.substr(begin, end - begin);
    const std::size_t first = entry.find_first_not_of(' ');
    if (first != std::string_view::npos)
      entries.emplace_back(entry.substr(first, entry.find_last_not_of(' ') + 1 - first));
    begin = end + 1;
  }
  if (entries.empty())
    throw InvalidArgument("without", in_quotes(std::string(list)),
                          "a list such as s3, \"a -> b\", \"3 random\"");
  return entries;
}

void remove_failed(Network& network, std::span<const std::string> failed) {
  if (failed.empty()) return;
  if (!network.flows.empty())
    throw InvalidArgument("without", "given for a network with flows", "given for a network without flows");
  Breaker breaker(network);
  for (const std::string& what : failed) breaker.remove_failed(what);
  breaker.finish();
}

std::vector<bool> linked_nodes(const Network& network) {
  std::vector<bool> linked(network.nodes.size(), false);
  for (const Link& link : network.links) linked[link.from] = linked[link.to] = true;
  return linked;
}

std::vector<std::uint32_t> linked_ends(const Network& network, const std::vector<bool>& linked) {
  std::vector<std::uint32_t> ends;
  for (const std::size_t end : ends_of(network))
    if (linked[end]) ends.push_back(static_cast<std::uint32_t>(end));
  return ends;
}

}  // namespace tailbound::network
