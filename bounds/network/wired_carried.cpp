#include <tailbound/bounds/network/wired_chains.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::bounds {
namespace {

using queue::WiredLaw;
using queue::WiredPair;
using CarriedSeries = WiredChains::Series;

/// State as a packet joins a queue: the packets left over there, those of its slot ahead of it, and those
/// left over at the next queue.
struct Joining {
  std::size_t left_over, ahead, next_left_over;
  double probability;
};
/// Indexed by the sum of the waits so far.
using JoiningBySum = std::vector<std::vector<Joining>>;

/// Maximum states of a hop.
struct MaxCarried {
  std::size_t left_over = 0, ahead = 0, sum = 0;

  explicit MaxCarried(const JoiningBySum& states) {
    for (std::size_t at = 0; at < states.size(); ++at)
      for (const Joining& state : states[at]) {
        left_over = std::max(left_over, state.left_over);
        ahead = std::max(ahead, state.ahead);
        sum = std::max(sum, at + state.left_over + state.ahead);
      }
  }
};

/// Adds the distribution of a phase, [v][y], to that of [v, j][x]: j packets ahead by `ahead`, and one of the
/// y packets is served.
/// \param max_ahead  of `joint`
void add_joint(std::vector<CarriedSeries>& joint, std::size_t max_ahead, const CarriedSeries& ahead,
               const double* law, std::size_t places, std::size_t size) {
  for (std::size_t v = 0; v < places; ++v)
    for (std::size_t j = 0; j < ahead.size(); ++j)
      for (std::size_t y = 0; y < size; ++y)
        joint[v * max_ahead + j][y > 0 ? y - 1 : 0] += ahead[j] * law[v * size + y];
}

/// A hop of the route: from its first queue to the second, with the chain of the second queue and the one
/// after it while the first is busy. Its link then delivers a packet with the same probability in every slot.
class CarriedHop {
 public:
  CarriedHop(WiredChains& chains, const WiredRoute& route, std::size_t hop)
      : chains_(chains),
        first_(route.queues[hop]),
        last_(hop + 2 == route.queues.size()),
        built_(chain_behind(chains, route, hop)),
        base_(chains.law(built_.pair)),
        wire_(built_.wire_of_input.at(route.inputs[hop + 1])),
        before_(chains.pair_of(first_, route.queues[hop + 1], route.inputs[hop + 1])),
        busy_(while_busy(before_.pair.forwarded)),
        busy_ahead_(while_busy(chains.tagged(before_, route, hop, true).ahead_forwarded)),
        size_(base_.pair().second_size),
        places_(base_.pair().first_size),
        cells_(busy_.cells()),
        length_(busy_.phases().count() * cells_),
        out_(length_) {}

  /// The states as the packet joins the second queue; at the last hop none, but the distribution of the sum
  /// of all waits.
  JoiningBySum carry(const JoiningBySum& states, CarriedSeries& mass) {
    const MaxCarried maximum(states);
    std::vector<std::vector<CarriedSeries>> waiting = served(states, maximum);
    JoiningBySum next(maximum.sum + 1);
    for (std::size_t sum = 0; sum <= maximum.sum; ++sum) {
      CarriedSeries joins = as_it_joins(waiting[sum]);
      if (joins.empty()) continue;
      const std::vector<CarriedSeries> joint = joined_by(joins);
      const std::size_t others = max_ahead();
      for (std::size_t v = 0; v < places_; ++v)
        for (std::size_t j = 0; j < others; ++j) {
          const CarriedSeries& row = joint[v * others + j];
          if (last_) {
            if (mass.size() <= sum + v + j) mass.resize(sum + v + j + 1, 0);
            mass[sum + v + j] += WiredChains::sum_of(row);
          } else {
            for (std::size_t x = 0; x < size_; ++x)
              if (row[x] > 1e-3 * chains_.negligible()) next[sum].push_back({v, j, x, row[x]});
          }
        }
    }
    return next;
  }

 private:
  /// The chain of the second queue and the one after it; at the last hop of the second queue by itself.
  static WiredChains::Built chain_behind(WiredChains& chains, const WiredRoute& route, std::size_t hop) {
    const std::size_t second = route.queues[hop + 1];
    return hop + 2 == route.queues.size()
               ? chains.alone(second, chains.choice(second))
               : chains.pair_of(second, route.queues[hop + 2], route.inputs[hop + 2]);
  }

  queue::PairChain while_busy(double forwarded) const {
    WiredPair busy = base_.pair();
    busy.wires.erase(busy.wires.begin() + static_cast<std::ptrdiff_t>(wire_));
    busy.hosts.push_back({.rate = forwarded});
    return queue::PairChain(busy);
  }

  [[nodiscard]] std::size_t max_ahead() const {
    return base_.pair().hosts.size() + base_.pair().wires.size();
  }

  void step(const queue::PairChain& chain, CarriedSeries& values) {
    chain.step(values, out_);
    std::swap(values, out_);
  }

  /// Content of the second queue and the one after it if the first has been busy for the expected time given
  /// its left-over packets, by classes of these; each conditional on the packets left over at the second.
  struct Starts {
    std::vector<CarriedSeries> of_class;
    std::vector<std::size_t> class_of;  ///< by the packets left over at the first queue
  };
  Starts starts(std::size_t max_left_over) {
    Starts starts{{CarriedSeries(length_, 0)}, std::vector<std::size_t>(max_left_over + 1, 0)};
    const std::size_t cells = cells_;
    for (std::size_t phase = 0; phase < base_.chain().phases().count(); ++phase) {
      const std::size_t rest = base_.chain().phases().without(phase, wire_);
      for (std::size_t i = 0; i < cells; ++i)
        starts.of_class[0][rest * cells + i] += base_.values()[phase * cells + i];
    }
    const CarriedSeries age =
        queue::mean_age_of_run(chains_.identical_sources(first_), chains_.places(first_) + 1);
    CarriedSeries now = starts.of_class[0];
    long aged = 0;
    for (std::size_t v = 1; v <= max_left_over;) {
      const std::size_t to = v < 4 ? v : std::min(max_left_over, v + v / 2 - 1);
      const long wanted = std::lround(age[std::min((v + to) / 2, age.size() - 1)]);
      for (; aged < wanted; ++aged) step(busy_, now);
      for (; v <= to; ++v) starts.class_of[v] = starts.of_class.size();
      starts.of_class.push_back(now);
    }
    for (CarriedSeries& start : starts.of_class) make_conditional(start);
    return starts;
  }

  /// Makes it conditional on the packets left over at the second queue.
  void make_conditional(CarriedSeries& start) const {
    const std::size_t phases = busy_.phases().count();
    for (std::size_t x = 0; x < places_; ++x) {
      double sum = 0;
      for (std::size_t phase = 0; phase < phases; ++phase)
        for (std::size_t y = 0; y < size_; ++y) sum += start[phase * cells_ + x * size_ + y];
      if (sum > 0)
        for (std::size_t phase = 0; phase < phases; ++phase)
          for (std::size_t y = 0; y < size_; ++y) start[phase * cells_ + x * size_ + y] /= sum;
    }
  }

  /// After the packets left over at the first queue have been served: by the sum of the waits so far, and the
  /// packets ahead in the packet's own slot.
  std::vector<std::vector<CarriedSeries>> served(const JoiningBySum& states, const MaxCarried& maximum) {
    struct Entry {
      std::size_t sum, ahead, next_left_over;
      double probability;
    };
    const Starts from = starts(maximum.left_over);
    std::vector<std::vector<Entry>> entering(maximum.left_over + 1);
    for (std::size_t sum = 0; sum < states.size(); ++sum)
      for (const Joining& state : states[sum])
        entering[state.left_over].push_back({sum + state.left_over + state.ahead, state.ahead,
                                             std::min(state.next_left_over, places_ - 1), state.probability});
    std::vector<std::vector<CarriedSeries>> waiting(maximum.sum + 1,
                                                    std::vector<CarriedSeries>(maximum.ahead + 1));
    for (std::size_t v = maximum.left_over + 1; v-- > 0;) {
      const CarriedSeries& start = from.of_class[from.class_of[v]];
      for (const Entry& entry : entering[v]) {
        CarriedSeries& values = waiting[entry.sum][entry.ahead];
        if (values.empty()) values.assign(length_, 0);
        for (std::size_t phase = 0; phase < busy_.phases().count(); ++phase) {
          const std::size_t at = phase * cells_ + entry.next_left_over * size_;
          for (std::size_t y = 0; y < size_; ++y) values[at + y] += entry.probability * start[at + y];
        }
      }
      if (v == 0) break;
      for (std::vector<CarriedSeries>& row : waiting)
        for (CarriedSeries& values : row)
          if (!values.empty()) step(busy_, values);
    }
    return waiting;
  }

  /// After those of its own slot have been served, too.
  CarriedSeries as_it_joins(const std::vector<CarriedSeries>& by_ahead) {
    CarriedSeries joins;
    for (std::size_t j = by_ahead.size(); j-- > 0;) {
      if (const CarriedSeries& values = by_ahead[j]; !values.empty()) {
        if (joins.empty()) joins.assign(length_, 0);
        for (std::size_t i = 0; i < length_; ++i) joins[i] += values[i];
      }
      if (j > 0 && !joins.empty()) step(busy_ahead_, joins);
    }
    return joins;
  }

  /// [v, j][x] at the second queue.
  std::vector<CarriedSeries> joined_by(CarriedSeries& joins) const {
    const queue::Phases& phases = busy_.phases();
    phases.move(joins.data(), cells_);
    const std::size_t others = max_ahead();
    std::vector<CarriedSeries> joint(places_ * others, CarriedSeries(size_, 0));
    for (std::size_t phase = 0; phase < phases.count(); ++phase) {
      const unsigned mask = phases.mask(phase), below = (1U << wire_) - 1;
      const CarriedSeries ahead = WiredChains::row_sums(
          base_.others_ahead({.wire = true, .place = wire_}, (mask & below) | ((mask & ~below) << 1)));
      add_joint(joint, others, ahead, joins.data() + phase * cells_, places_, size_);
    }
    return joint;
  }

  WiredChains& chains_;
  std::size_t first_;
  bool last_;
  WiredChains::Built built_;
  const WiredLaw& base_;
  std::size_t wire_;  ///< the chain's link over which the packet arrives
  WiredChains::Built before_;
  queue::PairChain busy_, busy_ahead_;
  std::size_t size_, places_, cells_, length_;
  CarriedSeries out_;
};

/// As the packet joins the first queue.
JoiningBySum at_first_queue(WiredChains& chains, const WiredRoute& route) {
  const WiredChains::Built built = chains.pair_of(route.queues[0], route.queues[1], route.inputs[1]);
  const WiredLaw& law = chains.law(built.pair);
  const queue::TaggedInput by = chains.tagged(built, route, 0, true);
  const CarriedSeries seen = law.seen_by(by);
  const std::size_t places = built.pair.first_size, size = built.pair.second_size;
  const std::size_t max_ahead = built.pair.hosts.size() + built.pair.wires.size();
  std::vector<CarriedSeries> joint(places * max_ahead, CarriedSeries(size, 0));
  for (std::size_t phase = 0; phase < law.chain().phases().count(); ++phase)
    add_joint(joint, max_ahead, WiredChains::row_sums(law.others_ahead(by, law.chain().phases().mask(phase))),
              seen.data() + phase * law.chain().cells(), places, size);
  JoiningBySum states(1);
  for (std::size_t v = 0; v < places; ++v)
    for (std::size_t j = 0; j < max_ahead; ++j)
      for (std::size_t x = 0; x < size; ++x)
        if (const double p = joint[v * max_ahead + j][x]; p > 1e-3 * chains.negligible())
          states[0].push_back({v, j, x, p});
  return states;
}

}  // namespace

WiredChains::Series WiredChains::carried(const WiredRoute& route) {
  JoiningBySum states = at_first_queue(*this, route);
  Series mass;
  for (std::size_t hop = 0; hop + 1 < route.queues.size(); ++hop)
    states = CarriedHop(*this, route, hop).carry(states, mass);
  return tails(mass);
}

}  // namespace tailbound::bounds
