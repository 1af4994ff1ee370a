#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/multistage/multistage_replication.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace tailbound::sim {
namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};
constexpr std::uint32_t hot_request = std::uint32_t{1} << 31U;  ///< as a destination: the hot memory, hot
constexpr double largest_memory = 16.0 * (1ULL << 30U);

/// A request in the network, with those that were combined into it.
struct Request {
  std::uint64_t births;       ///< sum of their times of entry [ticks], modulo 2^64
  std::uint32_t requests;     ///< their number
  std::uint32_t destination;  ///< memory, or hot_request
  [[nodiscard]] bool hot() const { return destination == hot_request; }
};

struct Queue {
  std::uint32_t head = 0, count = 0;
  std::uint32_t open = none;          ///< position of the request that hot ones may join; never the head's
  std::uint32_t joined = 0;           ///< the degree of that request in this buffer
  std::uint32_t first = none;         ///< waiting for space here: queues of the stage before,
  std::uint32_t last = none;          ///< or, at stage 0, the processor itself
  std::uint32_t next_waiting = none;  ///< the next in the list in which this queue waits
};

/// An output of a switch that passes one request at a time.
struct Output {
  bool taken = false;
  std::uint32_t first = none, last = none;  ///< queues whose heads wait for it
};

struct EndOfService {
  std::uint64_t time;
  std::uint32_t queue;
};

class Simulated final : public MultistageReplication {
 public:
  Simulated(const MultistageModel& model, RandomKey key);
  void advance(std::int64_t slots) override;
  void one_event() override;
  Counts take_counts() override;
  void save(ByteWriter& writer) override;
  void load(ByteReader& reader) override;
  [[nodiscard]] RequestBalance balance() const override;
  [[nodiscard]] std::int64_t misplaced() const override;

 private:
  void draw_arrival();
  void arrival();
  void end_of_service();
  [[nodiscard]] std::uint32_t next_queue(std::uint32_t queue, std::uint32_t destination) const;
  [[nodiscard]] bool can_enter(std::uint32_t queue, bool hot) const {
    return queues_[queue].count < capacity_ || (hot && queues_[queue].open != none);
  }
  bool enter(std::uint32_t queue, const Request& request);
  void push(std::uint32_t queue, const Request& request);
  void depart(std::uint32_t queue);
  void admit(std::uint32_t queue);
  void admit_stalled(std::uint32_t queue);
  template <class List>
  void append(List& list, std::uint32_t waiting);
  void begin_service(std::uint32_t queue);
  void serve(std::uint32_t queue);
  [[nodiscard]] std::uint32_t output_of(std::uint32_t queue) const;
  void release(std::uint32_t output);
  void deliver(const Request& request);
  [[nodiscard]] std::size_t row(std::uint32_t queue) const {
    return on_hot_tree_[queue] != 0 ? MultistageRows::hot_tree : MultistageRows::elsewhere;
  }
  [[nodiscard]] Request& at(std::uint32_t queue, std::uint32_t place) {
    return requests_[std::size_t{queue} * capacity_ + place];
  }
  [[nodiscard]] Request& head(std::uint32_t queue) { return at(queue, queues_[queue].head); }
  template <class List, class Wrong>
  [[nodiscard]] std::int64_t misplaced_in(const List& list, std::vector<int>& found,
                                          const Wrong& is_wrong) const;
  [[nodiscard]] Counts empty_counts() const;

  RandomKey key_;
  std::uint32_t nodes_, size_, stages_, capacity_;
  std::uint64_t degree_;     ///< maximum degree of combining
  std::uint64_t hot_below_;  ///< a 64-bit word below it makes a request hot
  bool all_hot_;
  PoissonClock arrivals_clock_{1};  ///< of all processors together
  std::vector<network::StageWiring> wiring_;
  std::vector<std::uint32_t> divisors_;    ///< [stage]: destination / divisor mod s is the output
  std::vector<std::uint8_t> on_hot_tree_;  ///< [queue]
  std::vector<std::uint8_t> stage_of_;     ///< [queue]

  std::uint64_t now_ = 0;       ///< ticks
  std::uint64_t end_ = 0;       ///< target time of advance()
  std::uint64_t arrivals_ = 0;  ///< drawn so far, the next one included
  std::vector<Queue> queues_;
  std::vector<Request> requests_;               ///< [queue][place]
  std::vector<Output> outputs_;                 ///< as output_of() counts them; empty: unlimited links
  std::vector<std::uint32_t> stalled_;          ///< [port]: a destination, or none
  std::vector<EndOfService> ends_;              ///< a ring
  std::uint64_t first_end_ = 0, past_end_ = 0;  ///< positions in it, modulo its size
  std::int64_t generated_ = 0, delivered_ = 0;
  std::array<std::vector<std::uint64_t>, 2> present_;  ///< [elsewhere, hot tree][stage]
  Counts counts_;
};

Simulated::Simulated(const MultistageModel& model, RandomKey key)
    : key_(key),
      wiring_((network::check(model.network), network::wire(model.network.network, model.wiring))) {
  network::check_load(model.load);
  const network::CombiningMultistage& network = model.network;
  nodes_ = static_cast<std::uint32_t>(network.network.nodes);
  size_ = static_cast<std::uint32_t>(network.network.switch_size);
  stages_ = static_cast<std::uint32_t>(wiring_.size());
  capacity_ = static_cast<std::uint32_t>(network.buffer + 1);
  const double memory = 16.0 * nodes_ * stages_ * (capacity_ + 4.0);
  if (memory > largest_memory)
    throw LimitExceeded("the simulation of " + network::describe(network) + " would need " +
                        std::to_string(memory / (1ULL << 30U)) + " GiB; the limit is 16 GiB");
  degree_ = network.combining ? static_cast<std::uint64_t>(*network.combining) : ~std::uint64_t{0};
  const double hot = numeric::nearest_double(network.hot);
  all_hot_ = hot >= 1;
  hot_below_ = all_hot_ ? 0 : static_cast<std::uint64_t>(std::ldexp(hot, 64));
  arrivals_clock_ = PoissonClock(nodes_ * numeric::nearest_double(model.load));

  std::uint32_t divisor = nodes_;
  for (std::uint32_t stage = 0; stage < stages_; ++stage) divisors_.push_back(divisor /= size_);
  queues_.resize(std::size_t{nodes_} * stages_);
  requests_.resize(queues_.size() * capacity_);
  if (network.links == network::Links::one) outputs_.resize(queues_.size());
  stalled_.assign(nodes_, none);
  ends_.resize(std::bit_ceil(queues_.size()));
  on_hot_tree_.resize(queues_.size());
  stage_of_.resize(queues_.size());
  for (std::uint32_t queue = 0; queue < queues_.size(); ++queue) {
    stage_of_[queue] = static_cast<std::uint8_t>(queue / nodes_);
    if (queue < nodes_) on_hot_tree_[queue] = 1;
    if (on_hot_tree_[queue] != 0 && stage_of_[queue] + 1U < stages_)
      on_hot_tree_[next_queue(queue, hot_request)] = 1;
  }
  for (auto& present : present_) present.assign(stages_, 0);
  counts_ = empty_counts();
  draw_arrival();
}

Counts Simulated::empty_counts() const {
  Counts counts(MultistageRows::count, std::vector<std::uint64_t>(stages_));
  counts[MultistageRows::slots].resize(1);
  for (const std::size_t row : {MultistageRows::generated, MultistageRows::delivered, MultistageRows::delays})
    counts[row].resize(2);
  return counts;
}

// --- Events ----------------------------------------------------------------------------------------------

void Simulated::draw_arrival() {
  arrivals_clock_.step(random_words(key_, 0, 0, arrivals_++)[0]);
}

void Simulated::one_event() {
  const bool idle = first_end_ == past_end_;
  if (!idle && ends_[first_end_ & (ends_.size() - 1)].time <= arrivals_clock_.time())
    end_of_service();
  else
    arrival();
}

void Simulated::advance(std::int64_t slots) {
  end_ += static_cast<std::uint64_t>(slots) * ticks_per_slot;
  counts_[MultistageRows::slots][0] += static_cast<std::uint64_t>(slots);
  while (true) {
    std::uint64_t next = arrivals_clock_.time();
    if (first_end_ != past_end_) next = std::min(next, ends_[first_end_ & (ends_.size() - 1)].time);
    if (next >= end_) break;
    one_event();
  }
}

/// An arrival at a processor whose last request is stalled is skipped: its generation pauses, and continues
/// as before.
void Simulated::arrival() {
  now_ = arrivals_clock_.time();
  const RandomWords words = random_words(key_, 0, 0, arrivals_ - 1);
  draw_arrival();
  const std::uint32_t port = below(nodes_, static_cast<std::uint32_t>(words[1] >> 32U));
  if (stalled_[port] != none) return;
  const bool hot = all_hot_ || words[2] < hot_below_;
  const std::uint32_t destination =
      hot ? hot_request : below(nodes_, static_cast<std::uint32_t>(words[3] >> 32U));
  ++generated_;
  ++counts_[MultistageRows::generated][0];
  if (enter(port, {now_, 1, destination})) return;
  stalled_[port] = destination;
  ++counts_[MultistageRows::generated][1];
}

void Simulated::end_of_service() {
  const EndOfService end = ends_[first_end_++ & (ends_.size() - 1)];
  now_ = end.time;
  const std::uint32_t queue = end.queue;
  const Request& served = head(queue);
  ++counts_[MultistageRows::services][stage_of_[queue]];
  if (stage_of_[queue] + 1U == stages_) {
    deliver(served);
    depart(queue);
    return;
  }
  const std::uint32_t next = next_queue(queue, served.destination);
  if (enter(next, served))
    depart(queue);
  else
    append(queues_[next], queue);
}

void Simulated::deliver(const Request& request) {
  const std::size_t hot = request.hot() ? 1 : 0;
  counts_[MultistageRows::delivered][hot] += request.requests;
  counts_[MultistageRows::delays][hot] += request.requests * now_ - request.births;
  delivered_ += request.requests;
}

// --- Queues ----------------------------------------------------------------------------------------------

std::uint32_t Simulated::next_queue(std::uint32_t queue, std::uint32_t destination) const {
  const std::uint32_t stage = stage_of_[queue];
  const network::StageWiring& wiring = wiring_[stage];
  const std::uint32_t output = destination == hot_request ? 0 : destination / divisors_[stage] % size_;
  return (stage + 1) * nodes_ + wiring.first[queue - stage * nodes_] + output * wiring.stride;
}

/// Admits the request if it can join another or there is space.
bool Simulated::enter(std::uint32_t queue, const Request& request) {
  Queue& its = queues_[queue];
  const bool hot = request.hot();
  if (hot && its.open != none) {
    Request& open = at(queue, its.open);
    open.births += request.births;
    open.requests += request.requests;
    if (++its.joined == degree_) its.open = none;
    ++counts_[MultistageRows::hot_arrivals][stage_of_[queue]];
    ++counts_[MultistageRows::combined][stage_of_[queue]];
    return true;
  }
  if (its.count == capacity_) return false;
  if (hot) ++counts_[MultistageRows::hot_arrivals][stage_of_[queue]];
  push(queue, request);
  return true;
}

void Simulated::push(std::uint32_t queue, const Request& request) {
  Queue& its = queues_[queue];
  std::uint32_t place = its.head + its.count;
  if (place >= capacity_) place -= capacity_;
  at(queue, place) = request;
  const std::uint32_t stage = stage_of_[queue];
  counts_[row(queue)][stage] -= now_;
  ++present_[on_hot_tree_[queue]][stage];
  if (++its.count == 1) {
    begin_service(queue);
  } else if (request.hot() && degree_ > 1) {
    its.open = place;
    its.joined = 1;
  }
}

void Simulated::begin_service(std::uint32_t queue) {
  if (!outputs_.empty()) {
    Output& output = outputs_[output_of(queue)];
    if (output.taken) {
      append(output, queue);
      return;
    }
    output.taken = true;
  }
  serve(queue);
}

void Simulated::serve(std::uint32_t queue) {
  ends_[past_end_++ & (ends_.size() - 1)] = {now_ + ticks_per_slot, queue};
}

/// The output that the head needs: the number of its next queue, less that of the first possible one.
std::uint32_t Simulated::output_of(std::uint32_t queue) const {
  const std::uint32_t destination =
      requests_[std::size_t{queue} * capacity_ + queues_[queue].head].destination;
  return next_queue(queue, destination) - nodes_;
}

void Simulated::release(std::uint32_t output) {
  Output& its = outputs_[output];
  its.taken = its.first != none;
  if (!its.taken) return;
  const std::uint32_t queue = its.first;
  its.first = queues_[queue].next_waiting;
  serve(queue);
}

/// The head has left.
void Simulated::depart(std::uint32_t queue) {
  Queue& its = queues_[queue];
  if (!outputs_.empty()) release(output_of(queue));
  if (++its.head == capacity_) its.head = 0;
  --its.count;
  const std::uint32_t stage = stage_of_[queue];
  counts_[row(queue)][stage] += now_;
  --present_[on_hot_tree_[queue]][stage];
  if (its.open == its.head) its.open = none;
  if (its.count > 0) begin_service(queue);
  if (stage == 0) {
    admit_stalled(queue);
  } else if (its.first != none) {
    admit(queue);
  }
}

void Simulated::admit_stalled(std::uint32_t queue) {
  const std::uint32_t destination = stalled_[queue];
  if (destination == none) return;
  stalled_[queue] = none;
  enter(queue, {now_, 1, destination});
}

/// Appends to the waiting list there.
template <class List>
void Simulated::append(List& list, std::uint32_t waiting) {
  queues_[waiting].next_waiting = none;
  if (list.first == none)
    list.first = waiting;
  else
    queues_[list.last].next_waiting = waiting;
  list.last = waiting;
}

/// Admits waiting requests: the first while there is space, and any that can join.
void Simulated::admit(std::uint32_t queue) {
  Queue& its = queues_[queue];
  std::uint32_t before = none;
  for (std::uint32_t waiting = its.first; waiting != none;) {
    const std::uint32_t behind = queues_[waiting].next_waiting;
    if (!enter(queue, head(waiting))) {
      before = waiting;
      waiting = behind;
      continue;
    }
    (before == none ? its.first : queues_[before].next_waiting) = behind;
    if (behind == none) its.last = before;
    depart(waiting);
    waiting = behind;
  }
}

// --- Counts and state ------------------------------------------------------------------------------------

Counts Simulated::take_counts() {
  for (std::uint32_t stage = 0; stage < stages_; ++stage) {
    counts_[MultistageRows::elsewhere][stage] += present_[0][stage] * end_;
    counts_[MultistageRows::hot_tree][stage] += present_[1][stage] * end_;
  }
  Counts counts = std::exchange(counts_, empty_counts());
  for (std::uint32_t stage = 0; stage < stages_; ++stage) {
    counts_[MultistageRows::elsewhere][stage] -= present_[0][stage] * end_;
    counts_[MultistageRows::hot_tree][stage] -= present_[1][stage] * end_;
  }
  return counts;
}

RequestBalance Simulated::balance() const {
  RequestBalance balance{.generated = generated_, .delivered = delivered_};
  for (std::size_t queue = 0; queue < queues_.size(); ++queue)
    for (std::uint32_t i = 0; i < queues_[queue].count; ++i)
      balance.inside += requests_[queue * capacity_ + (queues_[queue].head + i) % capacity_].requests;
  for (const std::uint32_t destination : stalled_) balance.stalled += destination != none;
  return balance;
}

/// Entries of the list that are wrong by `is_wrong` or were `found` before, and a wrong end.
template <class List, class Wrong>
std::int64_t Simulated::misplaced_in(const List& list, std::vector<int>& found, const Wrong& is_wrong) const {
  std::int64_t wrong = 0;
  std::uint32_t last = list.last;
  for (std::uint32_t at = list.first; at != none; at = queues_[at].next_waiting) {
    if (++found[at] > 1) break;  // otherwise a cycle would not end
    wrong += is_wrong(at);
    last = at;
  }
  return wrong + (list.first != none && list.last != last);
}

std::int64_t Simulated::misplaced() const {
  std::vector<int> found(queues_.size());
  for (std::uint64_t i = first_end_; i != past_end_; ++i) ++found[ends_[i & (ends_.size() - 1)].queue];
  std::int64_t wrong = 0;
  for (std::uint32_t queue = 0; queue < queues_.size(); ++queue) {
    const Queue& its = queues_[queue];
    wrong += misplaced_in(its, found, [&](std::uint32_t at) {
      return output_of(at) + nodes_ != queue ||
             can_enter(queue, requests_[std::size_t{at} * capacity_ + queues_[at].head].hot());
    });
  }
  for (std::uint32_t output = 0; output < outputs_.size(); ++output)
    wrong += misplaced_in(outputs_[output], found, [&](std::uint32_t at) {
      return output_of(at) != output || !outputs_[output].taken;
    });
  for (std::size_t queue = 0; queue < queues_.size(); ++queue)
    wrong += found[queue] != (queues_[queue].count > 0 ? 1 : 0);
  for (std::uint32_t port = 0; port < nodes_; ++port)
    wrong += stalled_[port] != none && can_enter(port, stalled_[port] == hot_request);
  return wrong;
}

void Simulated::save(ByteWriter& writer) {
  for (const std::uint64_t number : {now_, end_, arrivals_}) writer.put(number);
  arrivals_clock_.save(writer);
  writer.put(generated_);
  writer.put(delivered_);
  for (std::size_t queue = 0; queue < queues_.size(); ++queue) {
    const Queue& its = queues_[queue];
    for (const std::uint32_t number :
         {its.head, its.count, its.open, its.joined, its.first, its.last, its.next_waiting})
      writer.put(number);
    for (std::uint32_t i = 0; i < its.count; ++i) {
      const Request& request = requests_[queue * capacity_ + (its.head + i) % capacity_];
      writer.put(request.births);
      writer.put(request.requests);
      writer.put(request.destination);
    }
  }
  for (const Output& output : outputs_)
    for (const std::uint32_t number : {output.taken ? 1U : 0U, output.first, output.last}) writer.put(number);
  writer.put(stalled_);
  writer.put(past_end_ - first_end_);
  for (std::uint64_t i = first_end_; i != past_end_; ++i) {
    writer.put(ends_[i & (ends_.size() - 1)].time);
    writer.put(ends_[i & (ends_.size() - 1)].queue);
  }
  for (const auto& present : present_) writer.put(present);
  for (const auto& counts : counts_) writer.put(counts);
}

void Simulated::load(ByteReader& reader) {
  for (std::uint64_t* number : {&now_, &end_, &arrivals_}) *number = reader.get<std::uint64_t>();
  arrivals_clock_.load(reader);
  generated_ = reader.get<std::int64_t>();
  delivered_ = reader.get<std::int64_t>();
  const auto require = [](bool fits) {
    if (!fits) ByteReader::fail();
  };
  const auto known = [this](std::uint32_t queue) { return queue == none || queue < queues_.size(); };
  for (std::size_t queue = 0; queue < queues_.size(); ++queue) {
    Queue& its = queues_[queue];
    for (std::uint32_t* number :
         {&its.head, &its.count, &its.open, &its.joined, &its.first, &its.last, &its.next_waiting})
      *number = reader.get<std::uint32_t>();
    require(its.head < capacity_ && its.count <= capacity_ && (its.open == none || its.open < capacity_));
    require(known(its.first) && known(its.last) && known(its.next_waiting));
    for (std::uint32_t i = 0; i < its.count; ++i) {
      Request& request = requests_[queue * capacity_ + (its.head + i) % capacity_];
      request.births = reader.get<std::uint64_t>();
      request.requests = reader.get<std::uint32_t>();
      request.destination = reader.get<std::uint32_t>();
      require(request.hot() || request.destination < nodes_);
    }
  }
  for (Output& output : outputs_) {
    output.taken = reader.get<std::uint32_t>() != 0;
    for (std::uint32_t* number : {&output.first, &output.last}) *number = reader.get<std::uint32_t>();
    require(known(output.first) && known(output.last));
  }
  stalled_ = reader.get_vector<std::uint32_t>();
  require(stalled_.size() == nodes_);
  first_end_ = 0;
  past_end_ = reader.get<std::uint64_t>();
  require(past_end_ <= ends_.size());
  for (std::uint64_t i = 0; i < past_end_; ++i) {
    ends_[i].time = reader.get<std::uint64_t>();
    ends_[i].queue = reader.get<std::uint32_t>();
    require(ends_[i].queue < queues_.size());
  }
  for (auto& present : present_) {
    present = reader.get_vector<std::uint64_t>();
    require(present.size() == stages_);
  }
  for (auto& counts : counts_) {
    const std::size_t size = counts.size();
    counts = reader.get_vector<std::uint64_t>();
    require(counts.size() == size);
  }
}

}  // namespace

std::unique_ptr<MultistageReplication> make_multistage_replication(const MultistageModel& model,
                                                                   RandomKey key) {
  return std::make_unique<Simulated>(model, key);
}

std::string describe(const MultistageModel& model) {
  return "multistage " + network::describe(model.network) + ", " +
         (model.wiring == network::Wiring::baseline ? "baseline" : "omega") + " wiring, " + "load " +
         numeric::to_fraction(model.load);
}

}  // namespace tailbound::sim
