#include <tailbound/network/alike_flows.hpp>
#include <tailbound/network/symmetry.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

namespace tailbound::network {
namespace {

constexpr std::uint32_t not_kept = std::numeric_limits<std::uint32_t>::max();

/// Numbers different values from 0.
template <class Value>
class Labelling {
 public:
  std::uint32_t of(const Value& value) {
    return numbers_.try_emplace(value, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }

 private:
  std::map<Value, std::uint32_t> numbers_;
};

enum class Kept {
  all,     ///< every node and link that carries packets
  queues,  ///< links with queues, and nodes whose flows depend on each other; one place stands for all others
};

/// The nodes, links and flows of a network that carry packets. Flows that differ only in their names are one
/// stream, and routes of a flow over the same links are one path. Labels are equal for equal properties.
class CarriedTraffic {
 public:
  struct Place {
    std::size_t node;  ///< position in Network::nodes
    std::uint32_t label;
  };
  struct Channel {
    std::size_t link;        ///< position in Network::links
    std::uint32_t from, to;  ///< places
    std::uint32_t label;
  };
  struct Path {
    std::uint64_t hash;        ///< of its channels
    std::uint32_t share;       ///< a label
    std::uint32_t begin, end;  ///< of its channels
  };
  struct Stream {
    std::uint64_t hash;  ///< of all but the count
    std::uint32_t label, source, destination;
    std::uint32_t begin, end;  ///< of its paths, by ascending hash
    std::uint32_t count;       ///< flows
  };
  /// Where places and channels are mapped to.
  struct Map {
    std::vector<std::uint32_t> place, channel;
  };

  CarriedTraffic(const Network& network, Kept kept) : kept_(kept) {
    number_used(network);
    Labelling<std::tuple<Rational, bool, Rational, Rational, int>> labels;
    std::vector<Stream> all;
    for (const Flow& flow : network.flows) {
      const traffic::Burst burst = flow.burst.value_or(traffic::Burst{0, 0});
      const std::uint32_t label =
          labels.of({flow.rate, flow.burst.has_value(), burst.slots, burst.on_rate, flow.priority});
      all.push_back(stream_of(flow, label));
    }
    merge(all);
  }

  [[nodiscard]] Kept kept() const { return kept_; }
  [[nodiscard]] const std::vector<Place>& places() const { return places_; }
  [[nodiscard]] const std::vector<Channel>& channels() const { return channels_; }
  [[nodiscard]] const std::vector<Stream>& streams() const { return streams_; }
  [[nodiscard]] std::span<const Path> paths_of(const Stream& stream) const {
    return {paths_.data() + stream.begin, paths_.data() + stream.end};
  }
  [[nodiscard]] std::span<const std::uint32_t> channels_of(const Path& path) const {
    return {path_channels_.data() + path.begin, path_channels_.data() + path.end};
  }
  [[nodiscard]] std::size_t path_count() const { return paths_.size(); }
  [[nodiscard]] std::size_t hops() const { return path_channels_.size(); }
  /// Vertices of nodes, links and flows; `not_kept` if they are not kept.
  [[nodiscard]] std::uint32_t vertex_of_node(std::size_t node) const { return place_[node]; }
  [[nodiscard]] std::uint32_t vertex_of_link(std::size_t link) const {
    return channel_[link] == not_kept ? not_kept : channel(channel_[link]);
  }
  [[nodiscard]] std::uint32_t vertex_of_flow(std::size_t flow) const { return stream(stream_of_flow_[flow]); }

  /// Places, channels and streams are numbered together, in this order.
  [[nodiscard]] std::uint32_t channel(std::size_t position) const {
    return number(places_.size() + position);
  }
  [[nodiscard]] std::uint32_t stream(std::size_t position) const {
    return channel(channels_.size() + position);
  }
  [[nodiscard]] std::uint32_t size() const { return stream(streams_.size()); }

  /// The image of each stream under an automorphism; none if the permutation is not one.
  /// \param image  a permutation of the places and channels
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> images(
      const std::vector<std::uint32_t>& image) const {
    const auto map = checked(image);
    if (!map) return std::nullopt;
    std::vector<std::uint32_t> result(streams_.size());
    std::vector<std::uint64_t> hashes;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      const Stream& stream = streams_[i];
      const std::uint64_t hash = hash_of(stream, *map, hashes);
      result[i] = find(hash, [&](const Stream& other) {
        return other.count == stream.count && is_image(stream, *map, hashes, other);
      });
      if (result[i] == not_kept) return std::nullopt;
    }
    return result;
  }

 private:
  static std::uint32_t number(std::size_t position) { return static_cast<std::uint32_t>(position); }

  void number_used(const Network& network) {
    place_.assign(network.nodes.size(), not_kept);
    channel_.assign(network.links.size(), not_kept);
    const std::vector<int> lanes = network.lanes();
    Labelling<std::tuple<bool, bool, int>> nodes;
    Labelling<LinkRate> rates;
    const auto place = [&](std::size_t node) {
      const Node& its = network.nodes[node];
      if (place_[node] == not_kept) {
        place_[node] = number(places_.size());
        places_.push_back({node, nodes.of({its.host, its.shared_memory, lanes[node]})});
      }
      return place_[node];
    };
    if (kept_ == Kept::queues) places_.push_back({network.nodes.size(), nodes.of({false, false, 0})});
    for (const Flow& flow : network.flows) {
      if (kept_ == Kept::queues && !flow.burst) place(flow.source);
      for (const Route& route : flow.routes)
        for (const std::size_t link : route.links) {
          if (channel_[link] != not_kept || (kept_ == Kept::queues && !network.has_queue(link))) continue;
          const Link& its = network.links[link];
          const std::uint32_t from = kept_ == Kept::all ? place(its.from) : 0,
                              to = kept_ == Kept::all ? place(its.to) : 0;
          channel_[link] = number(channels_.size());
          channels_.push_back({link, from, to, rates.of(its.rate)});
        }
    }
    unmoved_.place.resize(places_.size());
    unmoved_.channel.resize(channels_.size());
    std::iota(unmoved_.place.begin(), unmoved_.place.end(), 0U);
    std::iota(unmoved_.channel.begin(), unmoved_.channel.end(), 0U);
  }

  Stream stream_of(const Flow& flow, std::uint32_t label) {
    std::vector<std::pair<Path, Rational>> its;
    for (const Route& route : flow.routes) {
      Path path{0, 0, number(path_channels_.size()), 0};
      for (const std::size_t link : route.links)
        if (channel_[link] != not_kept) path_channels_.push_back(channel_[link]);
      path.end = number(path_channels_.size());
      path.hash = hash_of(path, unmoved_);
      its.emplace_back(path, route.share);
    }
    std::sort(its.begin(), its.end(), [&](const auto& a, const auto& b) { return before(a.first, b.first); });
    const bool all = kept_ == Kept::all;
    Stream result{0,
                  label,
                  all || !flow.burst ? place_[flow.source] : 0,
                  all ? place_[flow.destination] : 0,
                  number(paths_.size()),
                  0,
                  1};
    for (std::size_t i = 0; i < its.size();) {
      Path path = its[i].first;
      Rational share = its[i].second;
      for (++i; i < its.size() && !before(path, its[i].first); ++i) share = share + its[i].second;
      path.share = shares_.of(share);
      paths_.push_back(path);
    }
    result.end = number(paths_.size());
    std::vector<std::uint64_t> hashes;
    result.hash = hash_of(result, unmoved_, hashes);
    return result;
  }

  [[nodiscard]] bool before(const Path& a, const Path& b) const {
    if (a.hash != b.hash) return a.hash < b.hash;
    const auto left = channels_of(a), right = channels_of(b);
    return std::lexicographical_compare(left.begin(), left.end(), right.begin(), right.end());
  }

  void merge(const std::vector<Stream>& all) {
    std::vector<std::uint32_t> order(all.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return all[a].hash != all[b].hash ? all[a].hash < all[b].hash : a < b;
    });
    stream_of_flow_.resize(all.size());
    std::vector<std::uint64_t> hashes;
    for (const std::uint32_t flow : order) {
      const std::uint32_t same = find(all[flow].hash, [&](const Stream& other) {
        (void)hash_of(all[flow], unmoved_, hashes);
        return is_image(all[flow], unmoved_, hashes, other);
      });
      stream_of_flow_[flow] = same != not_kept ? same : number(streams_.size());
      if (same != not_kept)
        ++streams_[same].count;
      else
        streams_.push_back(all[flow]);
    }
  }

  /// The first stream with this hash that is `wanted`.
  template <class Wanted>
  [[nodiscard]] std::uint32_t find(std::uint64_t hash, Wanted&& wanted) const {
    const auto begin =
        std::lower_bound(streams_.begin(), streams_.end(), hash,
                         [](const Stream& stream, std::uint64_t value) { return stream.hash < value; });
    for (auto each = begin; each != streams_.end() && each->hash == hash; ++each)
      if (wanted(*each)) return number(static_cast<std::size_t>(each - streams_.begin()));
    return not_kept;
  }

  [[nodiscard]] std::uint64_t hash_of(const Path& path, const Map& map) const {
    std::uint64_t hash = path.end - path.begin;
    for (const std::uint32_t channel : channels_of(path)) hash = mixed(hash + map.channel[channel]);
    return hash;
  }
  /// \param hashes  receives those of the mapped paths
  [[nodiscard]] std::uint64_t hash_of(const Stream& stream, const Map& map,
                                      std::vector<std::uint64_t>& hashes) const {
    hashes.clear();
    std::uint64_t sum = 0;
    for (const Path& path : paths_of(stream)) {
      hashes.push_back(hash_of(path, map));
      sum += mixed(hashes.back() + path.share);
    }
    return mixed(mixed(stream.label, map.place[stream.source]), sum);
  }

  /// \param hashes  of the mapped paths
  [[nodiscard]] bool is_image(const Stream& stream, const Map& map, const std::vector<std::uint64_t>& hashes,
                              const Stream& other) const {
    const auto its = paths_of(stream), others = paths_of(other);
    if (stream.label != other.label || map.place[stream.source] != other.source ||
        map.place[stream.destination] != other.destination || its.size() != others.size())
      return false;
    for (std::size_t i = 0; i < its.size(); ++i) {
      auto to = std::lower_bound(others.begin(), others.end(), hashes[i],
                                 [](const Path& path, std::uint64_t value) { return path.hash < value; });
      while (to != others.end() && to->hash == hashes[i] && !is_image(its[i], map, *to)) ++to;
      if (to == others.end() || to->hash != hashes[i]) return false;
    }
    return true;
  }
  [[nodiscard]] bool is_image(const Path& path, const Map& map, const Path& other) const {
    const auto its = channels_of(path), others = channels_of(other);
    return path.share == other.share &&
           std::equal(its.begin(), its.end(), others.begin(), others.end(),
                      [&](std::uint32_t from, std::uint32_t to) { return map.channel[from] == to; });
  }

  /// None unless places and channels are mapped to their like, and channels as their ends are.
  [[nodiscard]] std::optional<Map> checked(const std::vector<std::uint32_t>& image) const {
    Map map;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (image[i] >= places_.size() || places_[image[i]].label != places_[i].label) return std::nullopt;
      map.place.push_back(image[i]);
    }
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      const std::uint32_t vertex = image[channel(i)];
      if (vertex < places_.size()) return std::nullopt;
      const Channel &from = channels_[i], &to = channels_[vertex - places_.size()];
      if (from.label != to.label || map.place[from.from] != to.from || map.place[from.to] != to.to)
        return std::nullopt;
      map.channel.push_back(vertex - number(places_.size()));
    }
    return map;
  }

  Kept kept_;
  std::vector<Place> places_;
  std::vector<Channel> channels_;
  std::vector<std::uint32_t> place_, channel_;  ///< of each node and link; `not_kept` if it is not kept
  Map unmoved_;
  std::vector<Stream> streams_;  ///< by ascending hash
  std::vector<Path> paths_;
  std::vector<std::uint32_t> path_channels_;
  std::vector<std::uint32_t> stream_of_flow_;
  Labelling<Rational> shares_;
};

/// Hashed colours of places, channels and streams. Equal under every automorphism.
class Shades {
 public:
  explicit Shades(const CarriedTraffic& traffic) : traffic_(traffic), of_(traffic.size()) {
    for (std::size_t i = 0; i < traffic.places().size(); ++i) of_[i] = mixed(1, traffic.places()[i].label);
    for (std::size_t i = 0; i < traffic.channels().size(); ++i)
      of_[traffic.channel(i)] = mixed(2, traffic.channels()[i].label);
    for (std::size_t i = 0; i < traffic.streams().size(); ++i) {
      const CarriedTraffic::Stream& stream = traffic.streams()[i];
      of_[traffic.stream(i)] = mixed(mixed(3, stream.label), stream.count);
    }
    count_ = counted();
    for (int round = 0; round < max_rounds; ++round) {
      const std::size_t before = count_;
      refine();
      count_ = counted();
      if (count_ == before) break;
    }
  }

  [[nodiscard]] const std::vector<std::uint64_t>& of() const { return of_; }
  /// A lower bound on the number of orbits.
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  static constexpr int max_rounds = 16;

  void refine() {
    std::vector<std::uint64_t> next(of_.size(), 0);
    const auto add = [&](std::size_t at, std::uint64_t what) { next[at] += mixed(what); };
    std::vector<std::uint64_t> hashes;
    for (std::size_t i = 0; i < traffic_.streams().size(); ++i) {
      const CarriedTraffic::Stream& stream = traffic_.streams()[i];
      const std::uint64_t its = hashed(stream, of_[traffic_.stream(i)], hashes);
      next[traffic_.stream(i)] = its;
      add(stream.source, its + 1);
      add(stream.destination, its + 2);
      auto hash = hashes.begin();
      for (const CarriedTraffic::Path& path : traffic_.paths_of(stream)) {
        std::uint64_t hop = mixed(its + *hash++);
        for (const std::uint32_t channel : traffic_.channels_of(path)) add(traffic_.channel(channel), ++hop);
      }
    }
    for (std::size_t i = 0; i < traffic_.channels().size(); ++i) {
      const CarriedTraffic::Channel& channel = traffic_.channels()[i];
      const std::uint32_t vertex = traffic_.channel(i);
      next[vertex] = mixed(next[vertex], mixed(mixed(of_[vertex], of_[channel.from]), of_[channel.to]));
      add(channel.from, next[vertex] + 3);
      add(channel.to, next[vertex] + 4);
    }
    for (std::size_t i = 0; i < traffic_.places().size(); ++i) next[i] = mixed(next[i], of_[i]);
    of_ = std::move(next);
  }

  /// \param hashes  receives those of its paths
  [[nodiscard]] std::uint64_t hashed(const CarriedTraffic::Stream& stream, std::uint64_t before,
                                     std::vector<std::uint64_t>& hashes) const {
    hashes.clear();
    std::uint64_t sum = 0;
    for (const CarriedTraffic::Path& path : traffic_.paths_of(stream)) {
      std::uint64_t hash = path.share;
      for (const std::uint32_t channel : traffic_.channels_of(path))
        hash = mixed(hash + of_[traffic_.channel(channel)]);
      hashes.push_back(hash);
      sum += mixed(hash);
    }
    return mixed(mixed(mixed(before, of_[stream.source]), of_[stream.destination]), sum);
  }

  [[nodiscard]] std::size_t counted() const {
    std::vector<std::uint64_t> all = of_;
    std::sort(all.begin(), all.end());
    return static_cast<std::size_t>(std::unique(all.begin(), all.end()) - all.begin());
  }

  const CarriedTraffic& traffic_;
  std::vector<std::uint64_t> of_;
  std::size_t count_ = 0;
};

void join_both_ways(std::vector<LabelledGraph::Arc>& arcs, std::uint32_t left, std::uint32_t right,
                    std::uint64_t relation) {
  arcs.push_back({left, {right, mixed(relation, 1)}});
  arcs.push_back({right, {left, mixed(relation, 2)}});
}

std::vector<LabelledGraph::Arc> arcs_of_channels(const CarriedTraffic& traffic) {
  std::vector<LabelledGraph::Arc> arcs;
  for (std::size_t i = 0; i < traffic.channels().size(); ++i) {
    join_both_ways(arcs, traffic.channel(i), traffic.channels()[i].from, 1);
    join_both_ways(arcs, traffic.channel(i), traffic.channels()[i].to, 2);
  }
  return arcs;
}

/// Places and channels; streams join their ends.
LabelledGraph graph_of_ends(const CarriedTraffic& traffic, const Shades& shades) {
  auto arcs = arcs_of_channels(traffic);
  for (std::size_t i = 0; i < traffic.streams().size(); ++i) {
    const CarriedTraffic::Stream& stream = traffic.streams()[i];
    join_both_ways(arcs, stream.source, stream.destination, shades.of()[traffic.stream(i)]);
  }
  const auto end = shades.of().begin() + traffic.stream(0);
  return {std::vector(shades.of().begin(), end), arcs};
}

/// Places, channels, streams, and the paths of the streams.
LabelledGraph graph_of_paths(const CarriedTraffic& traffic, const Shades& shades) {
  auto arcs = arcs_of_channels(traffic);
  std::vector<std::uint64_t> labels = shades.of();
  for (std::size_t i = 0; i < traffic.streams().size(); ++i) {
    const CarriedTraffic::Stream& stream = traffic.streams()[i];
    join_both_ways(arcs, traffic.stream(i), stream.source, 3);
    for (const CarriedTraffic::Path& path : traffic.paths_of(stream)) {
      const auto vertex = static_cast<std::uint32_t>(labels.size());
      labels.push_back(mixed(4, path.share));
      join_both_ways(arcs, traffic.stream(i), vertex, 4);
      std::uint64_t hop = 4;
      for (const std::uint32_t channel : traffic.channels_of(path))
        join_both_ways(arcs, vertex, traffic.channel(channel), ++hop);
    }
  }
  return {std::move(labels), arcs};
}

/// Joins what automorphisms map to each other, until there are as many orbits as colours or the search ends.
class OrbitsOfTraffic {
 public:
  explicit OrbitsOfTraffic(const CarriedTraffic& traffic)
      : traffic_(traffic), shades_(traffic), joined_(traffic.size()), fewest_(shades_.count()) {}

  void join(std::uint32_t left, std::uint32_t right) { joined_.join(left, right); }
  /// Without their paths: streams join their ends.
  void search_ends() {
    if (complete()) return;
    const LabelledGraph graph = graph_of_ends(traffic_, shades_);
    ImageSearch search(graph, traffic_.stream(0), tries(graph));
    join_at_random(search);
  }
  void search_paths() {
    if (complete() || traffic_.path_count() + traffic_.hops() > max_hops) return;
    const LabelledGraph graph = graph_of_paths(traffic_, shades_);
    ImageSearch search(graph, traffic_.stream(0), tries(graph));
    fewest_ = std::max(fewest_, colours(search.start()));
    join_at_random(search);
    join_one_by_one(search);
  }
  /// The first of its orbit, for each place, channel and stream.
  [[nodiscard]] std::uint32_t first(std::uint32_t vertex) { return joined_.first(vertex); }

 private:
  static constexpr int max_attempts = 64, max_idle = 6;
  static constexpr std::size_t max_tries = 20'000, max_copied = 10'000'000;  ///< of a search; vertices
  static constexpr std::size_t max_hops = 500'000;                           ///< of a search with paths

  static std::size_t tries(const LabelledGraph& graph) {
    return std::min(max_tries, max_copied / graph.size());
  }
  [[nodiscard]] bool complete() const { return joined_.sets() == fewest_; }

  [[nodiscard]] std::size_t colours(const Colouring& colouring) const {
    std::vector<std::uint32_t> cells;
    for (std::size_t i = 0; i < traffic_.size(); ++i) cells.push_back(colouring.cell_of(i));
    std::sort(cells.begin(), cells.end());
    return static_cast<std::size_t>(std::unique(cells.begin(), cells.end()) - cells.begin());
  }

  bool join_by(const std::vector<std::uint32_t>& image) {
    const auto streams = traffic_.images(image);
    if (!streams) return false;
    for (std::uint32_t i = 0; i < image.size(); ++i) joined_.join(i, image[i]);
    for (std::size_t i = 0; i < streams->size(); ++i)
      joined_.join(traffic_.stream(i), traffic_.stream((*streams)[i]));
    return true;
  }

  void join_at_random(ImageSearch& search) {
    int idle = 0;
    for (int attempt = 0; attempt < max_attempts && idle < max_idle && !complete(); ++attempt) {
      const std::size_t before = joined_.sets();
      if (const auto image = search.random_image()) join_by(*image);
      idle = joined_.sets() < before ? 0 : idle + 1;
    }
  }

  /// Tries to map each vertex to the first of each other orbit of its colour.
  void join_one_by_one(ImageSearch& search) {
    std::map<std::uint32_t, std::vector<std::uint32_t>> apart;  // of each colour: one vertex of each orbit
    for (std::uint32_t vertex = 0; vertex < traffic_.size() && !complete() && !search.exhausted(); ++vertex) {
      auto& others = apart[search.start().cell_of(vertex)];
      const auto found = std::any_of(others.begin(), others.end(), [&](std::uint32_t other) {
        return joined_.first(other) == joined_.first(vertex) ||
               search.image_with(other, vertex, [&](const auto& image) { return join_by(image); });
      });
      if (!found) others.push_back(vertex);
    }
  }

  const CarriedTraffic& traffic_;
  Shades shades_;
  Joined joined_;
  std::size_t fewest_;  ///< orbits
};

/// Equivalence of the nodes, links and flows of a network.
class Alike {
 public:
  explicit Alike(const Network& network)
      : network_(network),
        nodes_(network.nodes.size()),
        links_(network.links.size()),
        flows_(network.flows.size()) {
    const CarriedTraffic all(network, Kept::all);
    OrbitsOfTraffic orbits(all);
    orbits.search_ends();
    orbits.search_paths();
    add(all, orbits);
    join_idle(all);
    if (flows_.sets() == 1) return;
    const CarriedTraffic queues(network, Kept::queues);
    OrbitsOfTraffic apart(queues);
    give(queues, apart);
    apart.search_paths();
    add(queues, apart);
  }

  [[nodiscard]] AlikeFlows classes() {
    AlikeFlows result{numbered(flows_), {}, numbered(links_), numbered(nodes_)};
    for (std::size_t flow = 0; flow < network_.flows.size(); ++flow)
      if (result.flow_class[flow] == result.first.size()) result.first.push_back(flow);
    return result;
  }

 private:
  /// Joins everything of one orbit; `vertex` gives the vertex of an element.
  template <class Vertex>
  static void add(Joined& joined, std::size_t size, OrbitsOfTraffic& orbits, Vertex&& vertex) {
    std::map<std::uint32_t, std::uint32_t> known;
    for (std::uint32_t i = 0; i < size; ++i)
      if (vertex(i) != not_kept) joined.join(i, known.try_emplace(orbits.first(vertex(i)), i).first->second);
  }
  void add(const CarriedTraffic& traffic, OrbitsOfTraffic& orbits) {
    if (traffic.kept() == Kept::all)
      add(nodes_, network_.nodes.size(), orbits, [&](std::size_t i) { return traffic.vertex_of_node(i); });
    add(links_, network_.links.size(), orbits, [&](std::size_t i) { return traffic.vertex_of_link(i); });
    add(flows_, network_.flows.size(), orbits, [&](std::size_t i) { return traffic.vertex_of_flow(i); });
  }
  /// The other way round: tells the search what is known to be equivalent.
  void give(const CarriedTraffic& traffic, OrbitsOfTraffic& orbits) {
    for (std::uint32_t i = 0; i < network_.flows.size(); ++i)
      orbits.join(traffic.vertex_of_flow(i), traffic.vertex_of_flow(flows_.first(i)));
    for (std::uint32_t i = 0; i < network_.links.size(); ++i)
      if (traffic.vertex_of_link(i) != not_kept)
        orbits.join(traffic.vertex_of_link(i), traffic.vertex_of_link(links_.first(i)));
    for (std::uint32_t i = 0; i < network_.nodes.size(); ++i)
      if (traffic.vertex_of_node(i) != not_kept)
        orbits.join(traffic.vertex_of_node(i), traffic.vertex_of_node(nodes_.first(i)));
  }
  /// Joins nodes that carry nothing, and such links.
  void join_idle(const CarriedTraffic& traffic) {
    std::optional<std::uint32_t> node, link;
    for (std::uint32_t i = 0; i < network_.nodes.size(); ++i)
      if (traffic.vertex_of_node(i) == not_kept) nodes_.join(i, *(node = node.value_or(i)));
    for (std::uint32_t i = 0; i < network_.links.size(); ++i)
      if (traffic.vertex_of_link(i) == not_kept) links_.join(i, *(link = link.value_or(i)));
  }

  static std::vector<std::size_t> numbered(Joined& joined) {
    std::map<std::uint32_t, std::size_t> number;
    std::vector<std::size_t> result;
    for (const std::uint32_t first : joined.firsts())
      result.push_back(number.try_emplace(first, number.size()).first->second);
    return result;
  }

  const Network& network_;
  Joined nodes_, links_, flows_;
};

}  // namespace

AlikeFlows alike_flows(const Network& network) {
  return Alike(network).classes();
}

}  // namespace tailbound::network
