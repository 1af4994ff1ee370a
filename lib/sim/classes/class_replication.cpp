#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/sim/classes/class_replication.hpp>
#include <tailbound/sim/sources/on_off_slots.hpp>

#include <algorithm>
#include <utility>

namespace tailbound::sim {
namespace {

using numeric::plain;
using numeric::Rational;

enum ClassPurpose : std::uint64_t {
  how_many = 0,
  which_class = 1,
  bursts_of_class = 2,
  class_of_burst = 2 + OnOffSlots::purposes
};
constexpr std::size_t max_waiting = std::size_t{1} << 26;

void require_valid(const ClassModel& model) {
  const auto reject = [](const char* what, const std::string& value, const std::string& legal) {
    throw InvalidArgument(what, value, legal);
  };
  if (model.inputs < 1 || model.inputs > ClassModel::max_inputs)
    reject("inputs", std::to_string(model.inputs), "1 to 1024");
  if (model.loads.empty() || model.loads.size() > ClassModel::max_classes)
    reject("classes", std::to_string(model.loads.size()), "1 to 8");
  for (const Rational& load : model.loads)
    if (load <= 0) reject("load of a class", plain(load), "above 0 packets per slot");
  if (model.joint.empty() && model.load() > Rational(model.inputs))
    reject("loads of the classes", plain(model.load()) + " together",
           "at most one packet per slot from each input");
  if (model.served < 1 || model.served > 64 || (model.served > 1 && model.schedule != Schedule::strict))
    reject("packets served per slot", std::to_string(model.served), "1 to 64, and 1 with wrr and drr");
  if (model.share <= 0 || model.share > 1 || (model.share < 1 && !model.burst))
    reject("share of the bursts", plain(model.share), "above 0 and at most 1, and 1 without bursts");
  if (!model.finite() && model.load() >= model.served) throw Unstable(plain(model.load()), model.served);
  if (model.schedule == Schedule::strict) {
    if (!model.weights.empty()) reject("weights", "given", "omitted with strict priority");
  } else if (model.weights.size() != model.classes()) {
    reject("weights", std::to_string(model.weights.size()), "one for each class");
  }
  for (const Rational& weight : model.weights) {
    if (weight < Rational(1) / 1000 || weight > 1000) reject("weight", plain(weight), "from 1/1000 to 1000");
    if (model.schedule == Schedule::wrr && !numeric::is_integer(weight))
      reject("weight", plain(weight), "a whole number of packets with wrr (drr takes any)");
  }
  if (model.finite() && model.capacities.size() != model.classes())
    reject("rooms", std::to_string(model.capacities.size()), "one for each class");
  for (const std::int64_t capacity : model.capacities)
    if (capacity < 1 || capacity > ClassModel::max_capacity)
      reject("room", std::to_string(capacity), "1 to 10000000 packets");
}

/// The largest 64-bit number that represents a probability of at most this.
std::uint64_t up_to(const Rational& sum) {
  if (sum >= 1) return ~std::uint64_t{0};
  return numeric::to_uint64(numeric::floor(sum * numeric::pow(numeric::Integer(2), 64)));
}

/// A number drawn from a distribution: the first whose cumulative sum is above the draw.
class ClassDraw {
 public:
  explicit ClassDraw(const std::vector<Rational>& law) {
    Rational sum = 0;
    for (const Rational& p : law) bounds_.push_back(up_to(sum = sum + p));
    bounds_.back() = ~std::uint64_t{0};
  }
  [[nodiscard]] std::size_t operator()(std::uint64_t draw) const {
    std::size_t at = 0;
    if (bounds_.size() <= 12) {
      while (at + 1 < bounds_.size() && draw >= bounds_[at]) ++at;
      return at;
    }
    at = static_cast<std::size_t>(std::upper_bound(bounds_.begin(), bounds_.end(), draw) - bounds_.begin());
    return std::min(at, bounds_.size() - 1);
  }

 private:
  std::vector<std::uint64_t> bounds_;
};

/// Probabilities of 0 .. inputs packets in a slot.
std::vector<Rational> packets_law(const ClassModel& model) {
  if (!model.joint.empty()) return {1};
  const Rational p = model.load() / Rational(model.inputs);
  std::vector<Rational> law;
  // To 2^-100: sums of these are rounded to 2^-64.
  const numeric::Integer scale = numeric::Integer(1) << 200;
  Rational term = numeric::pow(Rational(1 - p), model.inputs);
  for (std::int64_t n = 0; n <= model.inputs; ++n) {
    law.push_back(numeric::floor(term * scale) / Rational(scale));
    if (p == 1)
      term = n + 1 == model.inputs ? 1 : 0;
    else
      term = law.back() * Rational(model.inputs - n) / Rational(n + 1) * p / (1 - p);
  }
  return law;
}

/// Waiting packets, by their slots of arrival.
class ClassBacklog {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }
  void push(std::int64_t slot) {
    if (size_ == slots_.size()) grow();
    slots_[(first_ + size_++) & (slots_.size() - 1)] = slot;
  }
  std::int64_t pop() {
    const std::int64_t slot = slots_[first_];
    first_ = (first_ + 1) & (slots_.size() - 1);
    --size_;
    return slot;
  }
  void save(ByteWriter& writer) const {
    writer.put<std::uint64_t>(size_);
    for (std::size_t i = 0; i < size_; ++i) writer.put(slots_[(first_ + i) & (slots_.size() - 1)]);
  }
  void load(ByteReader& reader) {
    *this = {};
    for (auto left = reader.get<std::uint64_t>(); left > 0; --left) push(reader.get<std::int64_t>());
  }

 private:
  void grow() {
    if (slots_.size() >= max_waiting)
      throw LimitExceeded("a queue exceeds the limit of " + std::to_string(max_waiting) + " packets");
    std::vector<std::int64_t> more(2 * slots_.size());
    for (std::size_t i = 0; i < size_; ++i) more[i] = slots_[(first_ + i) & (slots_.size() - 1)];
    slots_ = std::move(more);
    first_ = 0;
  }

  std::vector<std::int64_t> slots_ = std::vector<std::int64_t>(64);
  std::size_t first_ = 0, size_ = 0;
};

void count_one(std::vector<std::uint64_t>& histogram, std::size_t at) {
  if (at >= histogram.size()) histogram.resize(at + at / 2 + 16);
  ++histogram[at];
}

class SharedOutput final : public Replication {
 public:
  SharedOutput(const ClassModel& model, RandomKey key)
      : model_(model),
        key_(key),
        classes_(model.classes()),
        packets_(packets_law(model)),
        phases_(phases_of(model)),
        class_(shares(model)),
        backlogs_(classes_),
        arriving_(classes_, 0),
        alone_(classes_, 0),
        others_(classes_, 0) {
    if (model.burst) {
      const OnOffSlots slots(traffic::on_off(model.source_load(), *model.burst));
      for (std::int64_t input = 0; input < model.inputs; ++input) {
        Input& added = inputs_.emplace_back(Input{slots});
        added.on = slots.start(key, bursts_of_class, static_cast<std::uint64_t>(input));
        added.of = class_(
            random_words(key, class_of_burst, static_cast<std::uint64_t>(input), ~std::uint64_t{0})[0]);
      }
    }
    numeric::Integer scale = 1;
    for (const Rational& weight : model.weights) scale = numeric::lcm(scale, numeric::denominator(weight));
    packet_ = numeric::to_int64(scale);
    for (const Rational& weight : model.weights)
      quanta_.push_back(numeric::to_int64(numeric::numerator(Rational(weight * scale))));
    deficits_.assign(classes_, 0);
    counts_ = empty();
  }

  void advance(std::int64_t slots) override {
    for (; slots > 0; --slots) one_slot();
  }
  Counts take_counts() override {
    for (auto& row : counts_)
      while (!row.empty() && row.back() == 0) row.pop_back();
    for (std::size_t c = 0; c < classes_; ++c) row(ClassRows::arrivals, c).resize(3);
    return std::exchange(counts_, empty());
  }
  void save(ByteWriter& writer) override {
    writer.put(now_);
    if (phases_.size() > 1) writer.put<std::uint64_t>(phase_);
    writer.put<std::uint64_t>(turn_);
    writer.put(visited_);
    for (std::size_t c = 0; c < classes_; ++c) {
      backlogs_[c].save(writer);
      writer.put(deficits_[c]);
      writer.put(alone_[c]);
      writer.put(others_[c]);
    }
    for (const Input& input : inputs_) {
      writer.put(input.on);
      writer.put(input.last);
      writer.put<std::uint64_t>(input.of);
      writer.put(input.block.on);
      writer.put(input.block.sends);
    }
    for (const auto& each : counts_) writer.put(each);
  }
  void load(ByteReader& reader) override {
    now_ = reader.get<std::int64_t>();
    if (phases_.size() > 1) phase_ = reader.get<std::uint64_t>();
    turn_ = reader.get<std::uint64_t>();
    visited_ = reader.get<std::uint8_t>() != 0;
    if (turn_ >= classes_ || (phases_.size() > 1 && phase_ >= phases_.size())) ByteReader::fail();
    waiting_ = 0;
    for (std::size_t c = 0; c < classes_; ++c) {
      backlogs_[c].load(reader);
      waiting_ += backlogs_[c].size();
      deficits_[c] = reader.get<std::int64_t>();
      alone_[c] = reader.get<std::int64_t>();
      others_[c] = reader.get<std::int64_t>();
    }
    for (Input& input : inputs_) {
      input.on = reader.get<std::uint8_t>() != 0;
      input.last = reader.get<std::uint8_t>() != 0;
      input.of = reader.get<std::uint64_t>();
      input.block.on = reader.get<std::uint64_t>();
      input.block.sends = reader.get<std::uint64_t>();
      if (input.of > classes_) ByteReader::fail();
    }
    for (auto& each : counts_) each = reader.get_vector<std::uint64_t>();
    for (std::size_t c = 0; c < classes_; ++c)
      if (row(ClassRows::arrivals, c).size() != 3) ByteReader::fail();
  }

 private:
  struct Input {
    OnOffSlots slots;
    bool on = false;     ///< in the first slot of the next block
    bool last = false;   ///< in the last slot
    std::size_t of = 0;  ///< class of its burst; the number of classes: to another output
    OnOffSlots::Block block{};
  };

  static std::vector<Rational> shares(const ClassModel& model) {
    std::vector<Rational> all;
    for (const Rational& load : model.loads) all.push_back(load / model.load() * model.share);
    if (model.share < 1) all.push_back(1 - model.share);
    return all;
  }
  /// What may arrive in the slots of a phase.
  struct Phase {
    std::vector<std::size_t> which;  ///< in `joint`
    ClassDraw draw;
  };
  static std::vector<Phase> phases_of(const ClassModel& model) {
    std::vector<std::vector<std::size_t>> which;
    for (std::size_t i = 0; i < model.joint.size(); ++i) {
      which.resize(std::max(which.size(), model.joint[i].from + 1));
      which[model.joint[i].from].push_back(i);
    }
    std::vector<Phase> phases;
    for (std::vector<std::size_t>& its : which) {
      std::vector<Rational> law;
      for (const std::size_t i : its) law.push_back(model.joint[i].probability);
      phases.push_back({std::move(its), ClassDraw(law)});
    }
    return phases;
  }
  [[nodiscard]] Counts empty() const {
    Counts counts(ClassRows::count(classes_));
    for (std::size_t c = 0; c < classes_; ++c) counts[ClassRows::of(ClassRows::arrivals, c)].resize(3);
    return counts;
  }
  std::vector<std::uint64_t>& row(ClassRows::Kind kind, std::size_t c) {
    return counts_[ClassRows::of(kind, c)];
  }

  void one_slot() {
    std::fill(arriving_.begin(), arriving_.end(), 0);
    if (!inputs_.empty())
      from_bursts();
    else
      from_slots();
    for (std::size_t c = 0; c < classes_; ++c) join(c);
    if (model_.bounded()) count_bounds();
    for (int i = 0; i < model_.served && waiting_ > 0; ++i) serve(next_class());
    ++now_;
  }

  [[nodiscard]] std::uint64_t word(ClassPurpose purpose, std::uint64_t at) {
    RandomBlock& block = blocks_[purpose];
    if (block.index != at / 4) {
      block.index = at / 4;
      block.words = random_words(key_, purpose, 0, at / 4);
    }
    return block.words[at % 4];
  }

  void from_slots() {
    const auto slot = static_cast<std::uint64_t>(now_);
    if (!model_.joint.empty()) {
      const Phase& now = phases_[phase_];
      const SlotPackets& drawn = model_.joint[now.which[now.draw(word(how_many, slot))]];
      for (std::size_t c = 0; c < classes_; ++c) arriving_[c] = drawn.packets[c];
      phase_ = drawn.to;
      return;
    }
    const std::size_t drawn = packets_(word(how_many, slot));
    // Each slot has its own indices, so its draws do not depend on earlier slots.
    for (std::size_t i = 0; i < drawn; ++i)
      ++arriving_[classes_ == 1 ? 0 : class_(word(which_class, (slot << 10U) + i))];
  }

  void from_bursts() {
    const auto slot = static_cast<std::uint64_t>(now_);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      Input& input = inputs_[i];
      if (slot % 64 == 0) input.block = input.slots.slots(key_, bursts_of_class, i, slot / 64, input.on);
      const bool on = (input.block.on >> (slot % 64) & 1U) != 0;
      if (on && !input.last) input.of = class_(random_words(key_, class_of_burst, i, slot)[0]);
      input.last = on;
      if ((input.block.sends >> (slot % 64) & 1U) != 0 && input.of < classes_) ++arriving_[input.of];
    }
  }

  void join(std::size_t c) {
    ClassBacklog& backlog = backlogs_[c];
    auto& arrivals = row(ClassRows::arrivals, c);
    for (std::int64_t i = 0; i < arriving_[c]; ++i) {
      ++arrivals[0];
      if (model_.finite() && static_cast<std::int64_t>(backlog.size()) >= model_.capacities[c]) {
        ++arrivals[1];
        continue;
      }
      backlog.push(now_);
      ++waiting_;
    }
    count_one(row(ClassRows::occupancy, c), backlog.size());
  }

  /// Lindley's recursion for each class alone, and for all others without it; the rest of all packets is the
  /// class served last.
  void count_bounds() {
    std::int64_t all = 0;
    for (const std::int64_t each : arriving_) all += each;
    for (std::size_t c = 0; c < classes_; ++c) {
      alone_[c] = std::max<std::int64_t>(alone_[c] - 1, 0) + arriving_[c];
      others_[c] = std::max<std::int64_t>(others_[c] - 1, 0) + all - arriving_[c];
      const auto now = static_cast<std::int64_t>(backlogs_[c].size());
      const std::int64_t last = static_cast<std::int64_t>(waiting_) - others_[c];
      if (now < alone_[c] || now > last)
        throw Error("the simulation contradicts itself: class " + std::to_string(c + 1) + " has " +
                    std::to_string(now) + " packets, not between " + std::to_string(alone_[c]) + " and " +
                    std::to_string(last));
      count_one(row(ClassRows::alone, c), static_cast<std::size_t>(alone_[c]));
      count_one(row(ClassRows::last, c), static_cast<std::size_t>(last));
    }
  }

  [[nodiscard]] std::size_t next_class() {
    if (model_.schedule == Schedule::strict) {
      std::size_t c = 0;
      while (backlogs_[c].size() == 0) ++c;
      return c;
    }
    for (;;) {
      if (backlogs_[turn_].size() > 0) {
        if (!visited_) {
          visited_ = true;
          deficits_[turn_] = (model_.schedule == Schedule::drr ? deficits_[turn_] : 0) + quanta_[turn_];
        }
        if (deficits_[turn_] >= packet_) {
          deficits_[turn_] -= packet_;
          return turn_;
        }
      } else {
        deficits_[turn_] = 0;
      }
      visited_ = false;
      turn_ = turn_ + 1 == classes_ ? 0 : turn_ + 1;
    }
  }

  void serve(std::size_t c) {
    count_one(row(ClassRows::waits, c), static_cast<std::size_t>(now_ - backlogs_[c].pop()));
    ++row(ClassRows::arrivals, c)[2];
    --waiting_;
  }

  struct RandomBlock {
    std::uint64_t index = ~std::uint64_t{0};
    RandomWords words{};
  };

  ClassModel model_;
  RandomKey key_;
  std::size_t classes_;
  ClassDraw packets_;
  std::vector<Phase> phases_;  ///< of `joint`
  ClassDraw class_;
  std::size_t phase_ = 0;
  std::vector<Input> inputs_;
  std::vector<ClassBacklog> backlogs_;
  std::size_t waiting_ = 0;
  std::vector<std::int64_t> arriving_, alone_, others_;
  std::array<RandomBlock, 2> blocks_{};
  std::int64_t packet_ = 1;  ///< deficit used by one packet
  std::vector<std::int64_t> quanta_, deficits_;
  std::size_t turn_ = 0;
  bool visited_ = false;  ///< has the current class received its quantum?
  std::int64_t now_ = 0;
  Counts counts_;
};

}  // namespace

Rational ClassModel::load() const {
  Rational sum = 0;
  for (const Rational& each : loads) sum = sum + each;
  return sum;
}

Rational ClassModel::source_load() const {
  return load() / Rational(inputs) / share;
}

std::unique_ptr<Replication> make_class_replication(const ClassModel& model, RandomKey key) {
  require_valid(model);
  return std::make_unique<SharedOutput>(model, key);
}

std::string describe(const ClassModel& model) {
  std::string text = "an output with classes of loads";
  for (const Rational& load : model.loads) text += " " + numeric::to_fraction(load);
  if (model.joint.empty()) text += ", " + std::to_string(model.inputs) + " inputs";
  for (const SlotPackets& each : model.joint) {
    text += "; ";
    for (const std::int64_t packets : each.packets) text += std::to_string(packets) + " ";
    text += numeric::to_fraction(each.probability);
    if (each.from > 0 || each.to > 0)
      text += " in phase " + std::to_string(each.from) + ", then " + std::to_string(each.to);
  }
  if (model.share != 1) text += ", share of bursts " + numeric::to_fraction(model.share);
  if (model.served != 1) text += ", serves " + std::to_string(model.served);
  if (model.burst)
    text += ", bursts of " + numeric::to_fraction(model.burst->slots) + " at " +
            numeric::to_fraction(model.burst->on_rate);
  text += std::string(", ") + names_of(Schedule{})[static_cast<std::size_t>(model.schedule)];
  for (const Rational& weight : model.weights) text += " " + numeric::to_fraction(weight);
  for (const std::int64_t capacity : model.capacities) text += ", room " + std::to_string(capacity);
  return text;
}

}  // namespace tailbound::sim
