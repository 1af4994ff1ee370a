#include <tailbound/network/channels/buffer_cycle.hpp>

#include <algorithm>
#include <utility>

namespace tailbound::network {
namespace {

/// [link]: the links on which its buffer depends, each once.
std::vector<std::vector<std::size_t>> buffer_dependencies(const Network& network) {
  std::vector<std::vector<std::size_t>> next(network.links.size());
  for (const Flow& flow : network.flows)
    for (const Route& route : flow.routes)
      for (std::size_t step = 0; step + 2 < route.links.size(); ++step)  // the last link delivers
        next[route.links[step]].push_back(route.links[step + 1]);
  for (auto& links : next) {
    std::sort(links.begin(), links.end());
    links.erase(std::unique(links.begin(), links.end()), links.end());
  }
  return next;
}

}  // namespace

std::vector<std::size_t> buffer_cycle(const Network& network) {
  enum class Seen : char { never, on_path, done };
  const auto next = buffer_dependencies(network);
  std::vector<Seen> seen(next.size(), Seen::never);
  std::vector<std::pair<std::size_t, std::size_t>> path;  // a link, and the next of its dependencies
  for (std::size_t start = 0; start < next.size(); ++start) {
    if (seen[start] != Seen::never) continue;
    path.emplace_back(start, 0);
    seen[start] = Seen::on_path;
    while (!path.empty()) {
      auto& [link, at] = path.back();
      if (at == next[link].size()) {
        seen[link] = Seen::done;
        path.pop_back();
        continue;
      }
      const std::size_t to = next[link][at++];
      if (seen[to] == Seen::on_path) {
        std::vector<std::size_t> cycle;
        while (path.back().first != to) {
          cycle.push_back(path.back().first);
          path.pop_back();
        }
        cycle.push_back(to);
        std::reverse(cycle.begin(), cycle.end());
        return cycle;
      }
      if (seen[to] == Seen::done) continue;
      seen[to] = Seen::on_path;
      path.emplace_back(to, 0);
    }
  }
  return {};
}

std::string link_names(const Network& network, const std::vector<std::size_t>& links) {
  std::string names;
  for (const std::size_t link : links) names += (names.empty() ? "" : ", ") + network.link_name(link);
  return names;
}

}  // namespace tailbound::network
