#include <tailbound/bounds/multistage/blocking.hpp>
#include <tailbound/bounds/multistage/blocking_queue.hpp>
#include <tailbound/bounds/multistage/shared_link.hpp>
#include <tailbound/bounds/path/acceleration.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::bounds::multistage {
namespace {

using Vector = Acceleration::Vector;

constexpr double tolerance = 1e-6;
/// Step of the blocked time towards its new value per round; reduced each time the acceleration has not
/// converged.
constexpr double first_smoothing = 0.9, shorter = 0.5;
/// Plain rounds until the change is below `small` or their limit is reached, then accelerated ones, and so
/// on.
constexpr double small = 0.01;
constexpr int plain_rounds = 200, accelerated_rounds = 800;

/// Identical queues, and the means of their neighbours.
struct Class {
  BlockingQueue queue;
  NeighbourMeans seen;
  QueueMeans means{};
  /// Mean wait of a head for its link: the one to the next queue of the path, and those that leave it.
  double ahead_wait = 0, aside_wait = 0;

  /// Mean wait of a blocked request before this queue.
  [[nodiscard]] double blocked_time() const {
    const double blocked = (1 - seen.hot) * means.cold_blocked + seen.hot * means.hot_blocked;
    return blocked > 0 ? means.sources_blocked / (means.flow() * blocked) : 0;
  }
  /// Messages that leave a queue per unit of time.
  [[nodiscard]] double cold_out() const { return means.flow() * (1 - seen.hot); }
  [[nodiscard]] double hot_out() const { return means.flow() * seen.hot * (1 - combining()); }
  /// The probability that an arriving hot request combines.
  [[nodiscard]] double combining() const {
    return seen.hot > 0 ? std::min(1.0, means.joined / (means.arrivals * seen.hot)) : 0;
  }
};

/// The hot path and its branches. After any stage at which cold requests leave the path they pass queues with
/// the same means, so there is one class of branches per stage.
class Network {
 public:
  Network(const network::CombiningMultistage& network, double load);
  [[nodiscard]] Ending iterate(int max_rounds);
  [[nodiscard]] Point point(double load) const;

 private:
  [[nodiscard]] double round();
  template <class Visit>
  void each_class(const Visit& visit);
  [[nodiscard]] bool has_branches(std::size_t stage) const { return stage > 0 && hot_ < 1; }
  /// The state at the start of a round, as numbers of about the same size.
  [[nodiscard]] Vector state();
  void go_on_from(const Vector& state);
  [[nodiscard]] double look_behind(Class& at, bool on_path, const Class* path, const Class* branch) const;
  [[nodiscard]] double match(Class& to, double cold, double hot) const;

  int stages_;
  double size_, hot_;
  network::Links links_;
  double smoothing_ = first_smoothing;
  std::vector<Class> path_;      ///< [stage]
  std::vector<Class> branches_;  ///< [stage]; stage 0 is not used
};

Network::Network(const network::CombiningMultistage& network, double load)
    : stages_(network::stage_count(network.network)),
      size_(static_cast<double>(network.network.switch_size)),
      hot_(numeric::nearest_double(network.hot)),
      links_(network.links) {
  const std::int64_t capacity = network.buffer + 1;
  // With one request at a time on a link, each queue has a link before it.
  const int sources = links_ == network::Links::one ? 1 : static_cast<int>(network.network.switch_size);
  const double start = std::min(0.5, load / sources);
  path_.push_back({BlockingQueue(capacity, 0, network.combining), {.attempt = load, .hot = hot_}});
  const BlockingQueue inner(capacity, sources, network.combining), cold(capacity, sources, 1);
  for (int stage = 1; stage < stages_; ++stage) path_.push_back({inner, {.attempt = start, .hot = hot_}});
  branches_.assign(path_.size(), Class{cold, {.attempt = start}});
}

/// Updates what `at` sees behind it: full buffers, and links occupied by other requests. There are no queues
/// after the last stage; for branches, `path` is null. Returns the change of the mean time for which its head
/// is blocked.
double Network::look_behind(Class& at, bool on_path, const Class* path, const Class* branch) const {
  const double all = at.cold_out() + at.hot_out();
  if (!(all > 0)) return 0;
  /// One output of the switch, or several identical ones.
  struct Output {
    double links, flow = 0, blocked = 0, blocked_time = 0;  ///< over all these links; sums over the flow
    void add(const Class* to, double requests, bool hot) {
      flow += requests;
      if (to == nullptr) return;
      const double stopped = requests * (hot ? to->means.hot_blocked : to->means.cold_blocked);
      blocked += stopped;
      blocked_time += stopped * to->blocked_time();
    }
  };
  const double straight = on_path ? 1 / size_ : 0;
  Output ahead{.links = 1}, aside{.links = on_path ? size_ - 1 : size_};
  if (on_path) {
    ahead.add(path, at.hot_out(), true);
    ahead.add(path, at.cold_out() * straight, false);
  }
  aside.add(branch, at.cold_out() * (1 - straight), false);
  double probability = 0, time = 0;
  const auto hold = [&](const Output& output, double& wait) {
    if (!(output.flow > 0)) return;
    const double blocked = output.blocked / output.flow;
    const double share = output.flow / all / output.links;
    LinkWait link;
    if (links_ == network::Links::one)
      link = link_wait(static_cast<int>(size_),
                       {.cycle = at.means.cycle,
                        .share = share,
                        .wait = wait,
                        .again = (1 - at.means.left_empty) * share,
                        .blocked = blocked,
                        .blocked_time = blocked > 0 ? output.blocked_time / output.blocked : 0});
    wait += smoothing_ * (link.time - wait);
    probability += output.flow / all * (1 - (1 - blocked) * (1 - link.probability));
    time += output.blocked_time / all + output.flow / all * link.time;
  };
  hold(ahead, at.ahead_wait);
  hold(aside, at.aside_wait);
  const double old_time = at.seen.held * at.seen.held_time;
  const double new_time = old_time + smoothing_ * (time - old_time);
  at.seen.held += smoothing_ * (probability - at.seen.held);
  at.seen.held_time = at.seen.held > 1e-14 ? new_time / at.seen.held : 0;
  return std::abs(time - old_time);
}

/// Adjusts the flow into `to` towards the given rates; returns the relative difference.
double Network::match(Class& to, double cold, double hot) const {
  const double wanted = std::max(cold + hot, 1e-12);
  to.seen.hot = hot / wanted;
  const double ratio = std::clamp(wanted / to.means.flow(), 0.2, 5.0);
  const double old = to.seen.attempt;
  to.seen.attempt = std::clamp(old * std::sqrt(ratio), 1e-12, 1.0);
  return std::abs(ratio - 1);
}

double Network::round() {
  constexpr int steps = 2;
  double change = 0;
  const auto move = [&](Class& at) {
    const double flow = at.means.flow();
    at.means = at.queue.round(at.seen, steps);
    change = std::max(change, std::abs(at.means.flow() / flow - 1));
  };
  for (std::size_t stage = 0; stage < path_.size(); ++stage) {
    move(path_[stage]);
    if (has_branches(stage)) move(branches_[stage]);
  }
  for (std::size_t stage = 1; stage < path_.size(); ++stage) {
    const Class& before = path_[stage - 1];
    change = std::max(change, match(path_[stage], before.cold_out(), size_ * before.hot_out()));
    if (has_branches(stage)) change = std::max(change, match(branches_[stage], before.cold_out(), 0));
  }
  for (std::size_t stage = path_.size(); stage-- > 0;) {
    const bool last = stage + 1 == path_.size();
    if (last && links_ == network::Links::any) continue;  // memories accept all arrivals
    const Class *path = last ? nullptr : &path_[stage + 1], *branch = last ? nullptr : &branches_[stage + 1];
    change = std::max(change, look_behind(path_[stage], true, path, branch));
    if (has_branches(stage)) change = std::max(change, look_behind(branches_[stage], false, nullptr, branch));
  }
  return change;
}

template <class Visit>
void Network::each_class(const Visit& visit) {
  for (std::size_t stage = 0; stage < path_.size(); ++stage) {
    visit(path_[stage]);
    if (has_branches(stage)) visit(branches_[stage]);
  }
}

Vector Network::state() {
  std::vector<double> all;
  each_class([&](const Class& c) {
    const NeighbourMeans& seen = c.seen;
    all.insert(all.end(), {std::log(seen.attempt), seen.hot, seen.held, seen.held * seen.held_time});
    if (links_ == network::Links::one) all.insert(all.end(), {c.ahead_wait, c.aside_wait});
    const auto& distribution = c.queue.distribution();
    all.insert(all.end(), distribution.begin(), distribution.end());
  });
  return Eigen::Map<const Vector>(all.data(), static_cast<Eigen::Index>(all.size()));
}

void Network::go_on_from(const Vector& state) {
  const double* next = state.data();
  each_class([&](Class& c) {
    NeighbourMeans& seen = c.seen;
    if (&c != &path_.front())
      seen.attempt = std::clamp(std::exp(next[0]), 1e-12, 1.0);  // otherwise it is
                                                                 // given
    seen.hot = std::clamp(next[1], 0.0, 1.0);
    seen.held = std::clamp(next[2], 0.0, 1.0);
    seen.held_time = seen.held > 1e-14 ? std::max(0.0, next[3]) / seen.held : 0;
    next += 4;
    if (links_ == network::Links::one) {
      c.ahead_wait = std::max(0.0, next[0]);
      c.aside_wait = std::max(0.0, next[1]);
      next += 2;
    }
    c.queue.set_distribution(next);
    next += c.queue.distribution().size();
  });
}

Ending Network::iterate(int max_rounds) {
  each_class([](Class& c) { c.means = c.queue.round(c.seen, 1); });
  Ending ending{.stop = Stop::too_many_rounds};
  Acceleration acceleration;
  bool accelerated = false;
  int left = plain_rounds;
  while (ending.rounds < max_rounds) {
    Vector before;
    if (accelerated) before = state();
    ending.change = round();
    ++ending.rounds;
    if (ending.change < tolerance) {
      ending.stop = Stop::converged;
      break;
    }
    if (accelerated) go_on_from(acceleration.next(before, state()));
    if (--left <= 0 || (!accelerated && ending.change < small)) {
      if (accelerated) smoothing_ *= shorter;
      accelerated = !accelerated;
      acceleration = {};
      left = accelerated ? accelerated_rounds : plain_rounds;
    }
  }
  return ending;
}

Point Network::point(double load) const {
  Point point;
  point.load = load;
  double until = 0, share = 1;  // for a cold request still on the path, and the fraction of these
  for (std::size_t at = 0; at < path_.size(); ++at) {
    const QueueMeans& means = path_[at].means;
    const bool last = at + 1 == path_.size();
    const auto before = [&](const Class& next, bool hot) {
      return (hot ? next.means.hot_blocked : next.means.cold_blocked) * next.blocked_time();
    };
    point.hot_path.push_back({.occupancy = means.present,
                              .combining = path_[at].combining(),
                              .utilization = 1 - means.idle / means.cycle});
    const double ahead = path_[at].ahead_wait;
    point.hot_delay += means.hot_wait + ahead + 1 + (last ? 0 : before(path_[at + 1], true));
    until += means.cold_wait + 1;
    const double leaving = share * (1 - 1 / size_);
    double time = until + path_[at].aside_wait;
    for (std::size_t stage = at + 1; stage < path_.size(); ++stage)
      time += before(branches_[stage], false) + branches_[stage].means.cold_wait + 1 +
              branches_[stage].aside_wait;
    point.cold_delay += leaving * time;
    share -= leaving;
    until += ahead + (last ? 0 : before(path_[at + 1], false));
  }
  point.cold_delay += share * until;
  point.throughput = path_.front().means.flow();
  point.delay = hot_ * point.hot_delay + (1 - hot_) * point.cold_delay;
  return point;
}

}  // namespace

Point blocking(const network::CombiningMultistage& network, double load, int max_rounds) {
  network::check(network);
  Network queues(network, load);
  const Ending ending = queues.iterate(max_rounds);
  Point point = queues.point(load);
  point.ending = ending;
  return point;
}

}  // namespace tailbound::bounds::multistage
