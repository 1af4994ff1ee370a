#include <tailbound/core/error.hpp>
#include <tailbound/network/hypercube.hpp>
#include <tailbound/network/worms/hypercube_worms.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/batches/latency_bins.hpp>
#include <tailbound/sim/broadcast/broadcast_replication.hpp>
#include <tailbound/sim/sources/poisson_clock.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <utility>

namespace tailbound::sim {
namespace {

using Index = std::uint32_t;

/// A message as a node generates it.
struct Generated {
  std::uint64_t born = 0;  ///< the first cycle in which its head can cross a port
  Index source = 0;
  bool broadcast = false;
  Index destination = 0, port = 0;  ///< of a unicast
  Index base = 0;                   ///< of a broadcast's tree
};

/// CONTRACT  message number i is a function of the model, the random key and i
class Generator {
 public:
  Generator(const BroadcastModel& model, RandomKey key)
      : key_(key),
        nodes_(Index{1} << model.dimensions),
        dimensions_(static_cast<Index>(model.dimensions)),
        broadcast_(std::ldexp(numeric::nearest_double(model.broadcast), 53)),
        clock_(numeric::nearest_double(model.rate) * nodes_) {
    draw();
  }

  [[nodiscard]] const Generated& next() const { return message_; }

  void draw() {
    const RandomWords words = random_words(key_, 1, 0, drawn_++);
    clock_.step(words[0]);
    message_.born = (clock_.time() + PoissonClock::ticks - 1) / PoissonClock::ticks;
    message_.source = below(nodes_, high(words[1]));
    message_.broadcast = static_cast<double>(words[2] >> 11U) < broadcast_;
    message_.destination = below(nodes_ - 1, low(words[1]));
    if (message_.destination >= message_.source) ++message_.destination;
    message_.port = below(dimensions_, high(words[3]));
    message_.base = below(dimensions_, low(words[3]));
  }

  void save(ByteWriter& writer) const {
    clock_.save(writer);
    writer.put(drawn_);
    writer.put(message_.born);
    for (const Index number : {message_.source, message_.destination, message_.port, message_.base})
      writer.put(number);
    writer.put(message_.broadcast);
  }
  void load(ByteReader& reader) {
    clock_.load(reader);
    drawn_ = reader.get<std::uint64_t>();
    message_.born = reader.get<std::uint64_t>();
    for (Index* number : {&message_.source, &message_.destination, &message_.port, &message_.base})
      *number = reader.get<Index>();
    message_.broadcast = reader.get<bool>();
    if (message_.source >= nodes_ || message_.destination >= nodes_ || message_.port >= dimensions_ ||
        message_.base >= dimensions_ || message_.source == message_.destination)
      ByteReader::fail();
  }

 private:
  static Index high(std::uint64_t word) { return static_cast<Index>(word >> 32U); }
  static Index low(std::uint64_t word) { return static_cast<Index>(word); }

  RandomKey key_;
  Index nodes_, dimensions_;
  double broadcast_;  ///< b 2^53
  PoissonClock clock_;
  std::uint64_t drawn_ = 0;
  Generated message_;
};

/// A broadcast in progress.
struct Broadcast {
  std::uint64_t born = 0;
  Index base = 0;
  Index missing = 0;  ///< receivers that do not have it yet; 0: this entry is free
};

/// A node that has the message and will forward it over relative dimensions below `relative`.
struct Step {
  std::uint64_t due = 0;
  Index broadcast = 0, node = 0, relative = 0;
};

class Simulated final : public BroadcastReplication {
 public:
  Simulated(const BroadcastModel& model, RandomKey key)
      : dimensions_((check(model), static_cast<Index>(model.dimensions))),
        flits_(static_cast<Index>(model.flits)),
        startup_(static_cast<std::uint64_t>(model.startup)),
        bins_(latency_bins_of(model)),
        ports_(model.ends.injection == network::Injection::ports),
        ejects_(model.ends.ejection == network::Ejection::one ? 1 : 0),
        network_(network::make_hypercube_worms(model.dimensions, model.virtual_channels, model.ends)),
        first_link_(network_->layout().nodes * network_->layout().variants),
        generator_(model, key),
        engine_(*network_, static_cast<Index>(model.buffer_flits), key),
        counts_(empty_counts()) {}

  void advance(std::int64_t cycles) override {
    const std::uint64_t end = engine_.now() + static_cast<std::uint64_t>(cycles);
    const std::uint64_t crossed = engine_.crossings();
    counts_[BroadcastRows::cycles][0] += static_cast<std::uint64_t>(cycles);
    while (engine_.now() < end) {
      for (; generator_.next().born <= engine_.now(); generator_.draw()) generate(generator_.next());
      for (; !steps_.empty() && steps_.front().due <= engine_.now(); steps_.pop_front())
        send_copies(steps_.front());
      if (engine_.idle()) {
        const std::uint64_t first = steps_.empty() ? end : std::min(end, steps_.front().due);
        engine_.skip_to(std::min(first, generator_.next().born));
        continue;
      }
      engine_.cycle();
      count_cycle();
    }
    counts_[BroadcastRows::crossings][0] += engine_.crossings() - crossed;
  }
  Counts take_counts() override { return std::exchange(counts_, empty_counts()); }

  void save(ByteWriter& writer) override {
    generator_.save(writer);
    engine_.save(writer);
    writer.put<std::uint64_t>(broadcasts_.size());
    for (const Broadcast& broadcast : broadcasts_) {
      writer.put(broadcast.born);
      writer.put(broadcast.base);
      writer.put(broadcast.missing);
    }
    writer.put(free_);
    writer.put<std::uint64_t>(steps_.size());
    for (const Step& step : steps_) {
      writer.put(step.due);
      for (const Index number : {step.broadcast, step.node, step.relative}) writer.put(number);
    }
    for (const auto& row : counts_) writer.put(row);
  }
  void load(ByteReader& reader) override {
    const auto require = [](bool fits) {
      if (!fits) ByteReader::fail();
    };
    generator_.load(reader);
    engine_.load(reader);
    broadcasts_.clear();
    for (auto left = reader.get<std::uint64_t>(); left > 0; --left) {
      Broadcast broadcast{.born = reader.get<std::uint64_t>()};
      broadcast.base = reader.get<Index>();
      broadcast.missing = reader.get<Index>();
      require(broadcast.base < dimensions_);
      broadcasts_.push_back(broadcast);
    }
    free_ = reader.get_vector<Index>();
    for (const Index place : free_) require(place < broadcasts_.size());
    steps_.clear();
    for (auto left = reader.get<std::uint64_t>(); left > 0; --left) {
      Step step{.due = reader.get<std::uint64_t>()};
      for (Index* number : {&step.broadcast, &step.node, &step.relative}) *number = reader.get<Index>();
      require(step.broadcast < broadcasts_.size() && step.node < network_->layout().nodes &&
              step.relative <= dimensions_);
      steps_.push_back(step);
    }
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      const bool histogram = i == BroadcastRows::unicast_latency || i == BroadcastRows::broadcast_latency;
      const std::size_t size = counts_[i].size();
      counts_[i] = reader.get_vector<std::uint64_t>();
      require(histogram ? counts_[i].size() <= latency_bins : counts_[i].size() == size);
    }
  }
  void watch(Observer observer) override { observer_ = std::move(observer); }
  [[nodiscard]] const WormEngine& engine() const override { return engine_; }

 private:
  [[nodiscard]] Counts empty_counts() const {
    Counts counts(BroadcastRows::count, std::vector<std::uint64_t>(1));
    for (const std::size_t row :
         {BroadcastRows::generated, BroadcastRows::delivered, BroadcastRows::broadcasts})
      counts[row].resize(2);
    counts[BroadcastRows::copies].resize(3);
    counts[BroadcastRows::unicasts].resize(4);
    for (const std::size_t row : {BroadcastRows::unicast_latency, BroadcastRows::broadcast_latency})
      counts[row].clear();
    for (const std::size_t row : {BroadcastRows::flits, BroadcastRows::occupancy})
      counts[row].resize(dimensions_);
    return counts;
  }

  void generate(const Generated& message) {
    ++counts_[BroadcastRows::generated][message.broadcast ? 1 : 0];
    if (!message.broadcast) {
      send({.born = engine_.now(),
            .source = message.source,
            .destination = message.destination,
            .variant = ports_ ? message.port : 0,
            .flits = flits_});
      return;
    }
    Index place = static_cast<Index>(broadcasts_.size());
    if (free_.empty()) {
      broadcasts_.emplace_back();
    } else {
      place = free_.back();
      free_.pop_back();
    }
    broadcasts_[place] = {
        .born = engine_.now(), .base = message.base, .missing = network_->layout().nodes - 1};
    steps_.push_back({.due = engine_.now() + startup_,
                      .broadcast = place,
                      .node = message.source,
                      .relative = dimensions_});
  }

  void send_copies(const Step& step) {
    const network::BroadcastTree tree{.dimensions = dimensions_, .base = broadcasts_[step.broadcast].base};
    for (Index relative = step.relative; relative-- > 0;) {
      const Index dimension = tree.dimension(relative);
      send({.born = engine_.now(),
            .source = step.node,
            .destination = step.node ^ (Index{1} << dimension),
            .variant = ports_ ? dimension : 0,
            .flits = flits_,
            .tag = step.broadcast + 1});
    }
  }

  void send(const WormMessage& message) {
    ++counts_[BroadcastRows::sent][0];
    engine_.send(message);
  }

  void count_cycle() {
    counts_[BroadcastRows::waiting][0] += engine_.waiting_messages();
    const Index links = network_->layout().nodes * dimensions_;
    for (const ChannelOccupancy& occupancy : engine_.occupancy()) {
      const Index link = network_->layout().channels[occupancy.channel].station - first_link_;
      if (link >= links) continue;  // injection, which wraps around, or ejection
      counts_[BroadcastRows::flits][link % dimensions_] += occupancy.flits;
      counts_[BroadcastRows::occupancy][link % dimensions_] += occupancy.cycles;
    }
    for (const WormDelivery& delivery : engine_.delivered()) {
      ++counts_[BroadcastRows::delivered][0];
      counts_[BroadcastRows::delivered][1] += delivery.message.flits;
      if (delivery.message.tag == 0)
        count_unicast(delivery);
      else
        receive_copy(delivery);
      if (observer_) observer_(delivery);
    }
  }

  void count_unicast(const WormDelivery& delivery) {
    const std::uint64_t latency = delivery.ended - delivery.message.born;
    std::vector<std::uint64_t>& sums = counts_[BroadcastRows::unicasts];
    ++sums[0];
    sums[1] += latency;
    sums[2] += delivery.started - delivery.message.born;
    sums[3] += delivery.distance - 1 - ejects_;
    count_in_bin(counts_[BroadcastRows::unicast_latency], latency / bins_.unicast);
  }

  void receive_copy(const WormDelivery& delivery) {
    std::vector<std::uint64_t>& sums = counts_[BroadcastRows::copies];
    ++sums[0];
    sums[1] += delivery.ended - delivery.message.born;
    sums[2] += delivery.started - delivery.message.born;
    const Index place = delivery.message.tag - 1;
    if (place >= broadcasts_.size() || broadcasts_[place].missing == 0) ByteReader::fail();
    Broadcast& broadcast = broadcasts_[place];
    const network::BroadcastTree tree{.dimensions = dimensions_, .base = broadcast.base};
    const auto crossed =
        static_cast<Index>(std::countr_zero(delivery.message.source ^ delivery.message.destination));
    if (const Index relative = tree.relative(crossed); relative > 0)
      steps_.push_back({.due = delivery.ended + startup_,
                        .broadcast = place,
                        .node = delivery.message.destination,
                        .relative = relative});
    if (--broadcast.missing > 0) return;
    const std::uint64_t latency = delivery.ended - broadcast.born;
    ++counts_[BroadcastRows::broadcasts][0];
    counts_[BroadcastRows::broadcasts][1] += latency;
    count_in_bin(counts_[BroadcastRows::broadcast_latency], latency / bins_.broadcast);
    free_.push_back(place);
  }

  Index dimensions_, flits_;
  std::uint64_t startup_;
  BroadcastBins bins_;
  bool ports_;
  Index ejects_;  ///< ejection channels on a route
  std::unique_ptr<network::WormNetwork> network_;
  Index first_link_;  ///< its station
  Generator generator_;
  WormEngine engine_;
  std::vector<Broadcast> broadcasts_;
  std::vector<Index> free_;
  std::deque<Step> steps_;  ///< by `due`
  Counts counts_;
  Observer observer_;
};

void require_up_to(std::int64_t largest, const char* argument, std::int64_t value) {
  const std::string legal = "from 1 to " + std::to_string(largest);
  require(value >= 1 && value <= largest, argument, std::to_string(value), legal.c_str());
}

}  // namespace

double BroadcastModel::nodes() const {
  return std::ldexp(1.0, dimensions);
}

void check(const BroadcastModel& model) {
  constexpr network::HypercubeLimits limits = network::simulated_hypercubes;
  require_up_to(limits.dimensions, "dimensions", model.dimensions);
  require_up_to(limits.virtual_channels, "virtual channels", model.virtual_channels);
  require_up_to(limits.flits, "flits", model.flits);
  require(model.rate > 0 && model.rate <= 1, "rate", numeric::to_fraction(model.rate),
          "above 0 and at most 1 message/cycle/node");
  require(model.broadcast >= 0 && model.broadcast <= 1, "broadcast", numeric::to_fraction(model.broadcast),
          "from 0 to 1");
  require(model.startup >= 0 && model.startup <= limits.startup, "startup", std::to_string(model.startup),
          "from 0 to 10^9 cycles");
  require_up_to(1'000'000, "buffer [flits]", model.buffer_flits);
}

std::string describe(const BroadcastModel& model) {
  return std::to_string(model.dimensions) + "-dimensional hypercube, " +
         std::to_string(model.virtual_channels) + " virtual channels with buffers of " +
         std::to_string(model.buffer_flits) + ", rate " + numeric::to_fraction(model.rate) + ", " +
         std::to_string(model.flits) + " flits, broadcast " + numeric::to_fraction(model.broadcast) +
         ", start-up " + std::to_string(model.startup) + ", injection " +
         (model.ends.injection == network::Injection::ports ? "ports" : "one") + ", ejection " +
         (model.ends.ejection == network::Ejection::unlimited ? "unlimited" : "one");
}

BroadcastBins latency_bins_of(const BroadcastModel& model) {
  const auto flits = static_cast<std::uint64_t>(model.flits);
  const auto step = flits + static_cast<std::uint64_t>(model.startup);
  return {.unicast = bin_of(flits),
          .broadcast = bin_of(step * static_cast<std::uint64_t>(model.dimensions) / 2)};
}

std::unique_ptr<BroadcastReplication> make_broadcast_replication(const BroadcastModel& model, RandomKey key) {
  return std::make_unique<Simulated>(model, key);
}

}  // namespace tailbound::sim
