#include <tailbound/network/fabric/fabric_listing.hpp>
#include <tailbound/network/fabric/fabric_symmetry.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <utility>

namespace tailbound::network {
namespace {

/// Mixes its input (the finalizer of splitmix64).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}
std::uint64_t mixed(std::uint64_t x, std::uint64_t y) {
  return mixed(mixed(x) + y);
}

/// Vertices, and one more element for each group of a demand and, for Valiant routes, of switches; with
/// labelled adjacency.
class Places {
 public:
  explicit Places(const FabricGraph& graph) : graph_(graph) {
    const Fabric& fabric = graph.fabric();
    const std::size_t vertices = graph.size();
    labels_.resize(vertices);
    std::vector<Touch> all;
    for (std::uint32_t vertex = 0; vertex < vertices; ++vertex) {
      labels_[vertex] = graph.forwards(vertex) ? 1 : 2;
      for (const FabricGraph::Arc& arc : graph.leaving(vertex)) {
        const std::uint64_t kind =
            mixed(static_cast<std::uint64_t>(fabric.network.links[arc.link].rate.packets), arc.weight);
        all.push_back({vertex, {arc.other, mixed(kind, 1)}});
        all.push_back({arc.other, {vertex, mixed(kind, 2)}});
      }
      for (const FabricGraph::Bundle& bundle : graph.bundles_at(vertex)) add_bundle(bundle, all);
      if (graph.groups() && graph.group(vertex) != SwitchGroups::none) {
        const std::uint64_t relation = mixed(fabric.demands.size(), 5);
        join({of_switches(), graph.group(vertex)}, vertex, relation, all);
      }
    }
    begin_.assign(size() + 1, 0);
    for (const Touch& touch : all) ++begin_[touch.from + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    neighbours_.resize(all.size());
    for (const Touch& touch : all) neighbours_[next[touch.from]++] = touch.to;
  }

  struct Neighbour {
    std::uint32_t place;
    std::uint64_t relation;
  };

  [[nodiscard]] std::size_t size() const { return labels_.size(); }
  [[nodiscard]] const std::vector<std::uint64_t>& labels() const { return labels_; }
  [[nodiscard]] std::span<const Neighbour> of(std::size_t place) const {
    return {neighbours_.data() + begin_[place], begin_[place + 1] - begin_[place]};
  }
  /// Of a group of a demand; none if it is empty.
  [[nodiscard]] std::uint32_t of_group(std::size_t demand, std::uint32_t group) const {
    const auto found = group_.find({demand, group});
    return found == group_.end() ? FabricGraph::none : found->second;
  }
  [[nodiscard]] const std::map<std::pair<std::size_t, std::uint32_t>, std::uint32_t>& groups() const {
    return group_;
  }
  /// In place of a demand: groups of switches.
  [[nodiscard]] std::size_t of_switches() const { return graph_.fabric().demands.size(); }

 private:
  struct Touch {
    std::uint32_t from;
    Neighbour to;
  };

  /// The properties of a bundle, except for its groups, go into the label of its vertex, which is joined to
  /// the groups.
  void add_bundle(const FabricGraph::Bundle& bundle, std::vector<Touch>& all) {
    const FabricGraph::Signature& signature = graph_.signatures()[bundle.signature];
    std::uint64_t what = mixed(bundle.count, bundle.own ? 1 : 2);
    what = mixed(what, static_cast<std::uint64_t>(signature.link_rate) << 32U |
                           static_cast<std::uint64_t>(signature.lanes));
    for (const auto& part : signature.parts) what = mixed(mixed(what, part.out), part.in);
    labels_[bundle.vertex] += mixed(what);
    for (std::size_t demand = 0; demand < signature.parts.size(); ++demand) {
      const auto& part = signature.parts[demand];
      const auto* product = std::get_if<ProductDemand>(&graph_.fabric().demands[demand].rates);
      if (product == nullptr || product->group.empty() || (part.out == 0 && part.in == 0)) continue;
      join({demand, part.group}, bundle.vertex, mixed(what, demand), all);
    }
  }

  void join(std::pair<std::size_t, std::uint32_t> group, std::uint32_t vertex, std::uint64_t relation,
            std::vector<Touch>& all) {
    const auto [place, is_new] = group_.try_emplace(group, static_cast<std::uint32_t>(labels_.size()));
    if (is_new) labels_.push_back(mixed(group.first, 3));
    all.push_back({vertex, {place->second, relation}});
    all.push_back({place->second, {vertex, relation}});
  }

  const FabricGraph& graph_;
  std::vector<std::uint64_t> labels_;
  std::vector<std::size_t> begin_;
  std::vector<Neighbour> neighbours_;
  std::map<std::pair<std::size_t, std::uint32_t>, std::uint32_t> group_;
};

/// An ordered partition of the elements, refined until elements of one cell have the same number of
/// neighbours in each cell. The order of the cells, and the trace, depend only on the structure and on the
/// elements singled out.
class Colouring {
 public:
  explicit Colouring(const Places& places)
      : places_(&places),
        element_(places.size()),
        position_(places.size()),
        cell_(places.size()),
        length_(places.size(), 0),
        waiting_(places.size(), 0),
        sum_(places.size(), 0),
        touched_(places.size(), 0) {
    std::iota(element_.begin(), element_.end(), 0U);
    const auto& labels = places.labels();
    std::sort(element_.begin(), element_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return labels[a] != labels[b] ? labels[a] < labels[b] : a < b;
    });
    std::uint32_t start = 0;
    for (std::uint32_t i = 0; i < element_.size(); ++i) {
      if (i > 0 && labels[element_[i]] != labels[element_[i - 1]]) start = i;
      if (start == i) {
        queue_.push_back(i);
        waiting_[i] = 1;
        ++cells_;
      }
      position_[element_[i]] = i;
      cell_[element_[i]] = start;
      ++length_[start];
    }
    refine();
  }

  [[nodiscard]] std::size_t cells() const { return cells_; }
  [[nodiscard]] bool discrete() const { return cells_ == element_.size(); }
  [[nodiscard]] std::uint64_t trace() const { return trace_; }
  [[nodiscard]] std::uint32_t cell_of(std::size_t place) const { return cell_[place]; }
  [[nodiscard]] std::uint32_t length(std::uint32_t cell) const { return length_[cell]; }
  [[nodiscard]] std::uint32_t at(std::size_t position) const { return element_[position]; }

  /// Separates one element from the others of its cell, and refines.
  void single_out(std::uint32_t place) {
    const std::uint32_t cell = cell_[place], length = length_[cell];
    swap_to(place, cell + length - 1);
    const std::uint32_t last = cell + length - 1;
    cell_[place] = last;
    length_[last] = 1;
    --length_[cell];
    ++cells_;
    trace_ = mixed(trace_, cell);
    enqueue(last);
    refine();
  }

 private:
  void swap_to(std::uint32_t place, std::uint32_t to) {
    const std::uint32_t from = position_[place], other = element_[to];
    element_[from] = other;
    position_[other] = from;
    element_[to] = place;
    position_[place] = to;
  }
  void enqueue(std::uint32_t cell) {
    if (waiting_[cell] != 0) return;
    waiting_[cell] = 1;
    queue_.push_back(cell);
  }

  void refine() {
    for (std::size_t next = 0; next < queue_.size() && !discrete(); ++next) {
      const std::uint32_t splitter = queue_[next];
      waiting_[splitter] = 0;
      split_by(splitter);
    }
    for (const std::uint32_t cell : queue_) waiting_[cell] = 0;
    queue_.clear();
  }

  void split_by(std::uint32_t splitter) {
    met_.clear();
    for (std::uint32_t i = splitter; i < splitter + length_[splitter]; ++i)
      for (const Places::Neighbour& neighbour : places_->of(element_[i])) {
        if (touched_[neighbour.place] == 0) {
          touched_[neighbour.place] = 1;
          met_.push_back(neighbour.place);
        }
        sum_[neighbour.place] += neighbour.relation;
      }
    // Single elements are not split further; their neighbour sums remain part of the trace.
    std::uint64_t lone = 0;
    std::erase_if(met_, [&](std::uint32_t place) {
      if (length_[cell_[place]] > 1) return false;
      lone += mixed(cell_[place], sum_[place]);
      touched_[place] = 0;
      sum_[place] = 0;
      return true;
    });
    trace_ = mixed(trace_, lone);
    std::sort(met_.begin(), met_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return cell_[a] != cell_[b] ? cell_[a] < cell_[b] : sum_[a] < sum_[b];
    });
    for (std::size_t first = 0; first < met_.size();) {
      std::size_t end = first;
      const std::uint32_t cell = cell_[met_[first]];
      while (end < met_.size() && cell_[met_[end]] == cell) ++end;
      split_cell(cell, first, end);
      first = end;
    }
    for (const std::uint32_t place : met_) {
      touched_[place] = 0;
      sum_[place] = 0;
    }
  }

  /// Elements of met_[first .. end) with the same sum become cells after the rest of theirs.
  void split_cell(std::uint32_t cell, std::size_t first, std::size_t end) {
    const std::uint32_t length = length_[cell];
    const auto met = static_cast<std::uint32_t>(end - first);
    trace_ = mixed(mixed(trace_, cell), met);
    trace_ = mixed(trace_, sum_[met_[first]]);
    if (met == length && sum_[met_[first]] == sum_[met_[end - 1]]) return;
    for (std::size_t i = end; i-- > first;)
      swap_to(met_[i], cell + length - static_cast<std::uint32_t>(end - i));
    fragments_.clear();
    if (met < length) fragments_.push_back(cell);
    for (std::size_t i = first; i < end; ++i)
      if (i == first || sum_[met_[i]] != sum_[met_[i - 1]]) {
        fragments_.push_back(cell + length - static_cast<std::uint32_t>(end - i));
        trace_ = mixed(mixed(trace_, fragments_.back()), sum_[met_[i]]);
      }
    if (fragments_.size() == 1) return;
    const bool was_waiting = waiting_[cell] != 0;
    std::uint32_t longest = fragments_.front();
    for (std::size_t f = 0; f < fragments_.size(); ++f) {
      const std::uint32_t start = fragments_[f];
      const std::uint32_t stop = f + 1 < fragments_.size() ? fragments_[f + 1] : cell + length;
      length_[start] = stop - start;
      for (std::uint32_t i = start; i < stop; ++i) cell_[element_[i]] = start;
      if (length_[start] > length_[longest]) longest = start;
    }
    cells_ += fragments_.size() - 1;
    for (const std::uint32_t start : fragments_)
      if (was_waiting || start != longest) enqueue(start);
  }

  const Places* places_;
  std::vector<std::uint32_t> element_, position_, cell_, length_;
  std::vector<char> waiting_;
  std::vector<std::uint64_t> sum_;
  std::vector<char> touched_;
  std::vector<std::uint32_t> queue_, met_, fragments_;
  std::size_t cells_ = 0;
  std::uint64_t trace_ = 0;
};

/// Disjoint sets; the first element of each set represents it.
class Joined {
 public:
  explicit Joined(std::size_t size) : parent_(size), sets_(size) {
    std::iota(parent_.begin(), parent_.end(), 0U);
  }
  std::uint32_t first(std::uint32_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = first(a);
    b = first(b);
    if (a == b) return;
    parent_[std::max(a, b)] = std::min(a, b);
    --sets_;
  }
  [[nodiscard]] std::size_t sets() const { return sets_; }
  [[nodiscard]] std::vector<std::uint32_t> firsts() {
    std::vector<std::uint32_t> all(parent_.size());
    for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = first(i);
    return all;
  }

 private:
  std::vector<std::uint32_t> parent_;
  std::size_t sets_;
};

class Search {
 public:
  explicit Search(const FabricGraph& graph)
      : graph_(graph),
        places_(graph),
        vertices_(graph.size()),
        arcs_(graph.arcs()),
        bundles_(graph.bundles().size()) {}

  [[nodiscard]] FabricOrbits orbits() {
    Colouring start(places_);
    const std::size_t min_arcs = coloured_arcs(start);
    const std::size_t colours = coloured_vertices(start);
    std::size_t automorphisms = 0;
    if (!start.discrete()) {
      index_arcs();
      find_path(start);
      int idle = 0;
      for (int attempt = 0; attempt < max_attempts && idle < max_idle; ++attempt) {
        if (vertices_.sets() == colours && arcs_.sets() == min_arcs) break;
        const std::size_t before = vertices_.sets() + arcs_.sets() + bundles_.sets();
        const auto image = random_image(start);
        if (image && join_by(*image)) ++automorphisms;
        idle = vertices_.sets() + arcs_.sets() + bundles_.sets() < before ? 0 : idle + 1;
      }
    }
    return {vertices_.firsts(), arcs_.firsts(), bundles_.firsts(), colours, automorphisms};
  }

 private:
  static constexpr int max_attempts = 64, max_idle = 6, max_tries = 8;

  /// Single elements chosen one after the other, until all cells are single: the steps on one side.
  struct Step {
    std::uint32_t cell, place;
    std::uint64_t trace;
  };

  [[nodiscard]] std::size_t coloured_vertices(const Colouring& colouring) const {
    std::vector<std::uint32_t> cells;
    for (std::size_t vertex = 0; vertex < graph_.size(); ++vertex) cells.push_back(colouring.cell_of(vertex));
    std::sort(cells.begin(), cells.end());
    return static_cast<std::size_t>(std::unique(cells.begin(), cells.end()) - cells.begin());
  }
  /// Pairs of colours that arcs join: a lower bound on the number of orbits of arcs.
  [[nodiscard]] std::size_t coloured_arcs(const Colouring& colouring) const {
    std::vector<std::uint64_t> pairs;
    pairs.reserve(graph_.arcs());
    for (std::size_t vertex = 0; vertex < graph_.size(); ++vertex)
      for (const FabricGraph::Arc& arc : graph_.leaving(vertex))
        pairs.push_back((std::uint64_t{colouring.cell_of(vertex)} << 32U) | colouring.cell_of(arc.other));
    std::sort(pairs.begin(), pairs.end());
    return static_cast<std::size_t>(std::unique(pairs.begin(), pairs.end()) - pairs.begin());
  }

  void index_arcs() {
    by_other_.resize(graph_.arcs());
    for (std::size_t vertex = 0; vertex < graph_.size(); ++vertex) {
      const auto arcs = graph_.leaving(vertex);
      const std::size_t first = graph_.first_arc(vertex);
      for (std::size_t i = 0; i < arcs.size(); ++i)
        by_other_[first + i] = {arcs[i].other, static_cast<std::uint32_t>(first + i)};
      std::sort(by_other_.begin() + static_cast<std::ptrdiff_t>(first),
                by_other_.begin() + static_cast<std::ptrdiff_t>(first + arcs.size()));
    }
  }

  void find_path(Colouring colouring) {
    std::uint32_t from = 0;
    while (!colouring.discrete()) {
      while (colouring.length(colouring.cell_of(colouring.at(from))) == 1) ++from;
      const std::uint32_t place = colouring.at(from);
      const std::uint32_t cell = colouring.cell_of(place);
      colouring.single_out(place);
      path_.push_back({cell, place, colouring.trace()});
    }
    for (std::size_t i = 0; i < places_.size(); ++i) end_.push_back(colouring.at(i));
  }

  /// The other side: any element of each cell in turn; none if the steps differ.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> random_image(const Colouring& start) {
    Colouring colouring = start;
    for (const Step& step : path_) {
      const std::uint32_t length = colouring.length(step.cell);
      std::optional<Colouring> before;
      for (int tries = 0;; ++tries) {
        const std::uint32_t place = colouring.at(step.cell + static_cast<std::uint32_t>(random_() % length));
        if (tries == 0 && rigid_) before = colouring;
        colouring.single_out(place);
        if (colouring.trace() == step.trace) break;
        if (!before || tries == max_tries) {
          // From here on backtracking states are kept, at the cost of a copy per step.
          rigid_ = true;
          return std::nullopt;
        }
        colouring = *before;
      }
    }
    std::vector<std::uint32_t> image(places_.size());
    for (std::size_t i = 0; i < end_.size(); ++i) image[end_[i]] = colouring.at(i);
    return image;
  }

  [[nodiscard]] std::uint32_t arc_between(std::uint32_t from, std::uint32_t to) const {
    const auto begin = by_other_.begin() + static_cast<std::ptrdiff_t>(graph_.first_arc(from));
    const auto end = begin + static_cast<std::ptrdiff_t>(graph_.leaving(from).size());
    const auto found = std::lower_bound(begin, end, std::pair<std::uint32_t, std::uint32_t>{to, 0});
    return found == end || found->first != to ? FabricGraph::none : found->second;
  }

  /// The image of each signature if groups are mapped by `image`; none if there is no such signature.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> signature_images(
      const std::vector<std::uint32_t>& image) const {
    std::map<std::uint32_t, std::pair<std::size_t, std::uint32_t>> group_at;
    for (const auto& [group, place] : places_.groups()) group_at.emplace(place, group);
    std::map<std::vector<std::uint32_t>, std::uint32_t> known;
    const auto key_of = [&](const FabricGraph::Signature& signature, bool moved) {
      std::vector<std::uint32_t> key{static_cast<std::uint32_t>(signature.link_rate),
                                     static_cast<std::uint32_t>(signature.lanes)};
      for (std::size_t demand = 0; demand < signature.parts.size(); ++demand) {
        const auto& part = signature.parts[demand];
        std::uint32_t group = part.group;
        const std::uint32_t place = places_.of_group(demand, group);
        if (moved && place != FabricGraph::none && (part.out != 0 || part.in != 0)) {
          const auto to = group_at.find(image[place]);
          group = to == group_at.end() || to->second.first != demand ? FabricGraph::none : to->second.second;
        }
        key.insert(key.end(), {part.out, part.in, group});
      }
      return key;
    };
    const auto& signatures = graph_.signatures();
    for (std::uint32_t i = 0; i < signatures.size(); ++i) known.emplace(key_of(signatures[i], false), i);
    std::vector<std::uint32_t> images;
    for (const FabricGraph::Signature& signature : signatures) {
      const auto found = known.find(key_of(signature, true));
      if (found == known.end()) return std::nullopt;
      images.push_back(found->second);
    }
    return images;
  }

  /// Is the image of a vertex in the image of its group of switches?
  [[nodiscard]] bool keeps_group(std::uint32_t vertex, const std::vector<std::uint32_t>& image) const {
    const std::uint32_t from = places_.of_group(places_.of_switches(), graph_.group(vertex)),
                        to = places_.of_group(places_.of_switches(), graph_.group(image[vertex]));
    return from == FabricGraph::none ? to == FabricGraph::none : image[from] == to;
  }

  /// Is the permutation an automorphism? If so, joins the orbits.
  [[nodiscard]] bool join_by(const std::vector<std::uint32_t>& image) {
    const auto signatures = signature_images(image);
    if (!signatures) return false;
    const auto& links = graph_.fabric().network.links;
    std::vector<std::uint32_t> arc_image(graph_.arcs()), bundle_image(graph_.bundles().size());
    for (std::uint32_t vertex = 0; vertex < graph_.size(); ++vertex) {
      const std::uint32_t to = image[vertex];
      if (to >= graph_.size() || graph_.forwards(vertex) != graph_.forwards(to)) return false;
      if (graph_.groups() && !keeps_group(vertex, image)) return false;
      const auto arcs = graph_.leaving(vertex);
      if (arcs.size() != graph_.leaving(to).size()) return false;
      for (std::size_t i = 0; i < arcs.size(); ++i) {
        const std::uint32_t other = arc_between(to, image[arcs[i].other]);
        if (other == FabricGraph::none) return false;
        const FabricGraph::Arc& its = graph_.leaving(to)[other - graph_.first_arc(to)];
        if (its.weight != arcs[i].weight || links[its.link].rate != links[arcs[i].link].rate) return false;
        arc_image[graph_.first_arc(vertex) + i] = other;
      }
      const auto here = graph_.bundles_at(vertex), there = graph_.bundles_at(to);
      if (here.size() != there.size()) return false;
      for (const FabricGraph::Bundle& bundle : here) {
        const auto found = std::find_if(there.begin(), there.end(), [&](const FabricGraph::Bundle& other) {
          return other.signature == (*signatures)[bundle.signature] && other.own == bundle.own &&
                 other.count == bundle.count;
        });
        if (found == there.end()) return false;
        bundle_image[static_cast<std::size_t>(&bundle - graph_.bundles().data())] =
            static_cast<std::uint32_t>(&*found - graph_.bundles().data());
      }
    }
    for (std::uint32_t i = 0; i < graph_.size(); ++i) vertices_.join(i, image[i]);
    for (std::uint32_t i = 0; i < arc_image.size(); ++i) arcs_.join(i, arc_image[i]);
    for (std::uint32_t i = 0; i < bundle_image.size(); ++i) bundles_.join(i, bundle_image[i]);
    return true;
  }

  const FabricGraph& graph_;
  Places places_;
  Joined vertices_, arcs_, bundles_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>>
      by_other_;  ///< the arcs of each vertex by their other end
  std::vector<Step> path_;
  std::vector<std::uint32_t> end_;
  bool rigid_ = false;  ///< a choice has failed before
  std::mt19937_64 random_{20'260'101};
};

bool looked_at(const Demand& demand) {
  return demand.route != RouteRule::shortest && std::holds_alternative<ProductDemand>(demand.rates);
}

}  // namespace

FabricOrbits fabric_orbits(const FabricGraph& graph) {
  require_no_hashes(graph.fabric());
  const auto& demands = graph.fabric().demands;
  if (std::all_of(demands.begin(), demands.end(), looked_at)) return Search(graph).orbits();
  const auto alone = [](std::size_t size) { return Joined(size).firsts(); };
  return {alone(graph.size()), alone(graph.arcs()), alone(graph.bundles().size()), graph.size(), 0};
}

}  // namespace tailbound::network
