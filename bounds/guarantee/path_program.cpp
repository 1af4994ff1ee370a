#include <tailbound/bounds/guarantee/path_program.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

namespace tailbound::bounds {
namespace {

using network::PolicedFlow;
using network::PolicedPort;
using Terms = std::vector<LinearProgram::Term>;

/// A variable, or none for one that is 0.
using Variable = std::optional<std::size_t>;

/// May its packets be interrupted at the port?
bool preemptable(const PolicedFlow& flow, const PolicedPort& port) {
  return flow.traffic_class < port.preemptable.size() && port.preemptable[flow.traffic_class];
}

class Builder {
 public:
  Builder(const PolicedNetwork& network, const NetworkGuarantee& facts, std::size_t flow,
          const std::vector<std::size_t>& route);

  [[nodiscard]] bool applies() const;
  PathProgram built() {
    add_rows();
    return std::move(all_);
  }
  /// Rows times columns.
  std::size_t size() {
    counts_ = true;
    add_rows();
    return count_ * all_.program.columns;
  }

 private:
  [[nodiscard]] const QueueGuarantee& queue(std::size_t j) const { return facts_.queues[queues_[j]]; }
  [[nodiscard]] const PolicedPort& port(std::size_t j) const { return network_.ports[queue(j).port]; }

  void add_flow(std::size_t flow);
  void add_to_set(const PathSet& part, std::size_t flow, std::size_t hop);
  void name_variables();

  void add_rows();
  void add_dates();
  void add_service();
  void add_data();
  void add_groups();
  void add_links();
  /// The amount of the sets in every window at queue j is at most the curve.
  void add_curve(PathRow name, const std::vector<std::size_t>& sets, const ArrivalCurve& curve);
  void add_row(const PathRow& name, Terms terms, Rational limit);

  static void add(Terms& terms, const Variable& variable, const Rational& factor) {
    if (variable) terms.push_back({*variable, factor});
  }
  /// one - other
  static Terms difference(const Variable& one, const Variable& other, const Rational& factor = 1) {
    Terms terms;
    add(terms, one, factor);
    add(terms, other, -factor);
    return terms;
  }
  /// Data of the sets in [x[j][later], x[j][k]].
  void add_amount(Terms& terms, const std::vector<std::size_t>& sets, std::size_t k, std::size_t later,
                  const Rational& factor) const {
    for (const std::size_t set : sets) {
      add(terms, data_[set][k], factor);
      add(terms, data_[set][later], -factor);
    }
  }
  /// Positions of the sets that pass queue j.
  [[nodiscard]] std::vector<std::size_t> sets_at(std::size_t j) const;
  /// The port over which a set arrives at queue j.
  [[nodiscard]] std::optional<std::size_t> in_port(const PathSet& set, std::size_t j) const {
    if (j > set.first) return queue(j - 1).port;
    return set.from ? std::optional(facts_.queues[*set.from].port) : std::nullopt;
  }

  const PolicedNetwork& network_;
  const NetworkGuarantee& facts_;
  const PolicedFlow& flow_;
  std::vector<std::size_t> queues_;              ///< of the route, in NetworkGuarantee::queues
  std::map<std::size_t, std::size_t> position_;  ///< on the route, of these
  std::size_t n_ = 0;
  std::vector<Rational> longest_, shortest_;  ///< [j]: packet of all flows
  PathProgram all_;
  std::vector<std::vector<Variable>> dates_, data_;  ///< [j][k]; [set][k]
  bool counts_ = false;                              ///< does it only count the rows?
  std::size_t count_ = 0;
};

Builder::Builder(const PolicedNetwork& network, const NetworkGuarantee& facts, std::size_t flow,
                 const std::vector<std::size_t>& route)
    : network_(network),
      facts_(facts),
      flow_(network.flows[flow]),
      n_(route.size()),
      longest_(n_, flow_.longest),
      shortest_(n_, flow_.shortest) {
  for (const std::size_t hop : route) {
    position_.emplace(facts.flows[flow].queues[hop], queues_.size());
    queues_.push_back(facts.flows[flow].queues[hop]);
  }
  for (std::size_t f = 0; f < network.flows.size(); ++f) add_flow(f);
  name_variables();
  all_.after = flow_.shortest / port(n_ - 1).rate + port(n_ - 1).wire;
}

bool Builder::applies() const {
  for (std::size_t j = 0; j < n_; ++j)
    if (!queue(j).none.empty() || port(j).cut_through || (port(j).reshaped && j + 1 < n_) ||
        preemptable(flow_, port(j)))
      return false;
  return true;
}

/// Adds the flow to a set for each part of the route that it follows.
void Builder::add_flow(std::size_t flow) {
  const FlowGuarantee& its = facts_.flows[flow];
  struct Part {
    PathSet set;
    std::size_t joins, leaves;  ///< positions in the flow's path
  };
  std::vector<std::pair<std::size_t, std::size_t>> passed;  // (j, position in its path)
  for (std::size_t hop = 0; hop < its.queues.size(); ++hop)
    if (const auto j = position_.find(its.queues[hop]); j != position_.end())
      passed.emplace_back(j->second, hop);
  std::sort(passed.begin(), passed.end());
  std::vector<Part> parts;
  for (const auto& [j, hop] : passed) {
    longest_[j] = std::max(longest_[j], network_.flows[flow].longest);
    shortest_[j] = std::min(shortest_[j], network_.flows[flow].shortest);
    std::optional<std::size_t> from;
    if (hop != 0) from = network_.flows[flow].hop_before(hop);
    if (!parts.empty() && parts.back().set.last + 1 == j && from == parts.back().leaves) {
      parts.back().set.last = j;
      parts.back().leaves = hop;
    } else {
      if (from) from = its.queues[*from];
      parts.push_back({{.first = j, .last = j, .from = from}, hop, hop});
    }
  }
  for (const Part& part : parts) add_to_set(part.set, flow, part.joins);
}

void Builder::add_to_set(const PathSet& part, std::size_t flow, std::size_t hop) {
  auto set = std::find_if(all_.sets.begin(), all_.sets.end(), [&](const PathSet& one) {
    return std::tie(one.first, one.last, one.from) == std::tie(part.first, part.last, part.from);
  });
  if (set == all_.sets.end()) set = all_.sets.insert(set, part);
  set->flows.push_back(flow);
  set->curve += facts_.flows[flow].curves[hop];
}

/// x[0][0] is 0, as is the data of each set by its last date: only differences occur.
void Builder::name_variables() {
  for (std::size_t j = 0; j <= n_; ++j) {
    dates_.emplace_back();
    for (std::size_t k = 0; k + j <= n_; ++k)
      dates_[j].push_back(j + k == 0 ? Variable() : all_.program.columns++);
  }
  for (const PathSet& set : all_.sets) {
    data_.emplace_back();
    for (std::size_t k = 0; k + set.first < n_; ++k) data_.back().push_back(all_.program.columns++);
    data_.back().push_back(std::nullopt);
  }
  all_.program.objective = {{*dates_[n_][0], 1}};
}

void Builder::add_rows() {
  add_dates();
  add_service();
  add_data();
  add_groups();
  add_links();
}

void Builder::add_row(const PathRow& name, Terms terms, Rational limit) {
  ++count_;
  if (counts_) return;
  all_.program.add_row(std::move(terms), std::move(limit));
  all_.rows.push_back(name);
}

void Builder::add_dates() {
  for (std::size_t j = 0; j < n_; ++j) {
    const bool last = j + 1 == n_;
    // x[n][0] is before the transmission, x[j + 1][k] behind it and the wire.
    const Rational wire = last ? Rational(0) : port(j).wire;
    const Rational most = last ? queue(j).delay - flow_.shortest / port(j).rate : queue(j).delay + wire;
    for (std::size_t k = 0; k + j < n_; ++k) {
      const Rational packet = last ? Rational(0) : k == 0 ? flow_.shortest : shortest_[j];
      add_row({.kind = PathRowKind::order, .queue = j, .k = k, .later = k + 1},
              difference(dates_[j][k + 1], dates_[j][k]), 0);
      add_row({.kind = PathRowKind::passage, .queue = j, .k = k}, difference(dates_[j][k], dates_[j + 1][k]),
              -wire - packet / port(j).rate);
      add_row({.kind = PathRowKind::delay, .queue = j, .k = k}, difference(dates_[j + 1][k], dates_[j][k]),
              most);
    }
  }
}

void Builder::add_service() {
  for (std::size_t j = 0; j < n_; ++j) {
    const bool last = j + 1 == n_;
    const std::size_t k = n_ - j - 1;
    // Bits that have been sent this time before x[j + 1][k] belong to packets that have arrived by then.
    const Rational before = last ? Rational(0) : port(j).wire + longest_[j] / port(j).rate;
    const std::vector<ServiceCurve::Piece>& pieces = queue(j).service.pieces();
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const auto& [start, value, slope] = pieces[i];
      Terms terms = difference(dates_[j + 1][k], dates_[j][k + 1], slope);
      add_amount(terms, sets_at(j), k, k + 1, -1);
      add_row({.kind = PathRowKind::service, .queue = j, .k = k, .later = k + 1, .line = i}, std::move(terms),
              slope * (before + start) - value - (last ? flow_.shortest : Rational(0)));
    }
  }
}

void Builder::add_curve(PathRow name, const std::vector<std::size_t>& sets, const ArrivalCurve& curve) {
  const std::size_t j = name.queue, windows = (n_ - j) * (n_ - j + 1) / 2;
  if (counts_) return void(count_ += curve.lines().size() * windows);
  for (name.line = 0; name.line < curve.lines().size(); ++name.line)
    for (name.k = 0; name.k + j < n_; ++name.k)
      for (name.later = name.k + 1; name.later + j <= n_; ++name.later) {
        const ArrivalCurve::Line& line = curve.lines()[name.line];
        Terms terms = difference(dates_[j][name.later], dates_[j][name.k], line.rate);
        add_amount(terms, sets, name.k, name.later, 1);
        add_row(name, std::move(terms), line.burst);
      }
}

void Builder::add_data() {
  for (std::size_t s = 0; s < all_.sets.size(); ++s) {
    const std::size_t j = all_.sets[s].first;
    for (std::size_t k = 0; k + j < n_; ++k)
      add_row({.kind = PathRowKind::data, .queue = j, .k = k, .later = k + 1, .of = s},
              difference(data_[s][k + 1], data_[s][k]), 0);
    add_curve({.kind = PathRowKind::flows, .queue = j, .of = s}, {s}, all_.sets[s].curve);
  }
}

void Builder::add_groups() {
  for (std::size_t g = 0; g < facts_.groups.size(); ++g) {
    const GroupGuarantee& group = facts_.groups[g];
    std::vector<std::size_t> sets;
    for (std::size_t s = 0; s < all_.sets.size(); ++s)
      if (queues_[all_.sets[s].first] == group.next && all_.sets[s].from == group.queue) sets.push_back(s);
    if (sets.empty() || network_.ports[facts_.queues[group.queue].port].reshaped) continue;
    add_curve({.kind = PathRowKind::group, .queue = all_.sets[sets.front()].first, .of = g}, sets,
              group.curve);
  }
}

void Builder::add_links() {
  for (std::size_t j = 0; j < n_; ++j) {
    struct Link {
      std::vector<std::size_t> sets;
      std::array<Rational, 2> longest{};  ///< [preemptable]
    };
    std::map<std::size_t, Link> links;  // by port
    for (const std::size_t s : sets_at(j)) {
      const auto from = in_port(all_.sets[s], j);
      if (!from || network_.ports[*from].reshaped) continue;
      Link& link = links[*from];
      link.sets.push_back(s);
      for (const std::size_t flow : all_.sets[s].flows) {
        const PolicedFlow& its = network_.flows[flow];
        Rational& longest = link.longest[preemptable(its, network_.ports[*from]) ? 1 : 0];
        longest = std::max(longest, its.longest);
      }
    }
    for (const auto& [from, link] : links)
      add_curve({.kind = PathRowKind::link, .queue = j, .of = from}, link.sets,
                ArrivalCurve({{network_.ports[from].rate, link.longest[0] + link.longest[1]}}));
  }
}

std::vector<std::size_t> Builder::sets_at(std::size_t j) const {
  std::vector<std::size_t> found;
  for (std::size_t s = 0; s < all_.sets.size(); ++s)
    if (all_.sets[s].first <= j && j <= all_.sets[s].last) found.push_back(s);
  return found;
}

}  // namespace

std::optional<PathProgram> path_program(const PolicedNetwork& network, const NetworkGuarantee& facts,
                                        std::size_t flow, const std::vector<std::size_t>& route) {
  Builder builder(network, facts, flow, route);
  if (!builder.applies()) return std::nullopt;
  return builder.built();
}

std::size_t path_program_size(const PolicedNetwork& network, const NetworkGuarantee& facts, std::size_t flow,
                              const std::vector<std::size_t>& route) {
  Builder builder(network, facts, flow, route);
  return builder.applies() ? builder.size() : 0;
}

std::optional<PathProgramBound> delay_bound(const PathProgram& program) {
  const auto maximum = proved_maximum(program.program);
  if (!maximum) return std::nullopt;
  PathProgramBound bound{.delay = maximum->value + program.after, .proof = {}};
  for (const Multiplier& multiplier : maximum->multipliers)
    bound.proof.push_back({program.rows[multiplier.row], multiplier.factor});
  return bound;
}

void add_linear_program(const PolicedNetwork& network, NetworkGuarantee& found, std::size_t flow,
                        std::size_t route) {
  RouteGuarantee& its = found.flows[flow].routes[route];
  const auto program = path_program(network, found, flow, its.hops);
  if (!program) return;
  if (auto bound = delay_bound(*program)) {
    its.lp = std::move(bound->delay);
    its.lp_proof = std::move(bound->proof);
  }
}

}  // namespace tailbound::bounds
