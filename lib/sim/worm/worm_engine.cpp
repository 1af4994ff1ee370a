#include <tailbound/core/error.hpp>
#include <tailbound/sim/worm/worm_engine.hpp>

#include <algorithm>
#include <bit>
#include <utility>

namespace tailbound::sim {
namespace {

constexpr std::uint64_t max_waiting = std::uint64_t{1} << 26U;
constexpr double largest_memory = 16.0 * (1ULL << 30U);
/// Cycles between two searches for blocked worms while others move.
constexpr std::uint64_t deadlock_period = 4096;
constexpr std::uint32_t max_flits = ~std::uint32_t{0} / 2;  ///< flits that a place can count

}  // namespace

WormEngine::WormEngine(const network::WormNetwork& network, std::uint32_t buffer_flits, RandomKey key,
                       const network::RouterTiming& timing)
    : network_(network),
      key_(key),
      buffer_flits_(buffer_flits),
      longest_path_(network.layout().longest_path),
      random_(random_of(0)),
      owner_(network.layout().channels.size(), none),
      lines_(network.layout().stations.size()),
      heads_in_((network.layout().channels.size() + 63) / 64),
      timing_(timing),
      with_times_(timing != network::RouterTiming{}) {
  check(timing);
  if (with_times_ || network.layout().shares_wires())
    wire_used_.assign(std::size_t{network.layout().wires} + spare_wires, 0);
  if (with_times_) lanes_.assign(network.layout().channels.size(), {.credits = buffer_flits});
  if (buffer_flits < 1 || buffer_flits > 1'000'000)
    throw InvalidArgument("buffer [flits]", std::to_string(buffer_flits), "from 1 to 1000000");
}

// --- Messages and grants ---------------------------------------------------------------------------------

std::uint32_t WormEngine::send(const WormMessage& message) {
  const Index station = network_.next_station(head_of(message, 0, 0));
  sent_flits_ += message.flits;
  Line& line = lines_[station];
  if (line.first_message == none) {
    const Index channel = free_channel(station);
    if (channel != none) {
      start(message, station, channel);
      return station;
    }
  }
  if (waiting_messages_ == max_waiting)
    throw LimitExceeded("more than " + std::to_string(max_waiting) +
                        " messages wait at the sources: the load is far above saturation");
  ++waiting_messages_;
  Index at = static_cast<Index>(messages_.size());
  if (free_messages_.empty()) {
    messages_.push_back({message});
  } else {
    at = free_messages_.back();
    free_messages_.pop_back();
    messages_[at] = {message};
  }
  (line.first_message == none ? line.first_message : messages_[line.last_message].behind) = at;
  line.last_message = at;
  return station;
}

void WormEngine::start(const WormMessage& message, Index station, Index channel) {
  const Index id = new_worm();
  worms_[id] = {.flits = message.flits};
  trips_[id] = {.message = message, .injection = station};
  places(id)[0].content = 2 * message.flits;
  grant(id, channel);
}

WormEngine::Index WormEngine::new_worm() {
  if (!free_worms_.empty()) {
    const Index id = free_worms_.back();
    free_worms_.pop_back();
    return id;
  }
  const auto id = static_cast<Index>(worms_.size());
  const double memory =
      static_cast<double>(id + 1) *
      static_cast<double>(sizeof(Worm) + sizeof(Trip) + sizeof(Place) * places_per_worm() +
                          (sizeof(Hold) + (with_times_ ? sizeof(Transit) : 0)) * longest_path_);
  if (memory > largest_memory)
    throw LimitExceeded("the messages in the network need more than 16 GiB, the limit");
  worms_.emplace_back();
  trips_.emplace_back();
  places_.resize(places_.size() + places_per_worm());
  holds_.resize(holds_.size() + longest_path_);
  if (with_times_) transits_.resize(transits_.size() + longest_path_ + 1);
  assign_spare_wires(id);
  return id;
}

/// Assigns the places that no flit enters. Worms visited one after the other have different ones, to avoid
/// store-to-load dependencies.
void WormEngine::assign_spare_wires(Index id) {
  Place* const source = places(id);
  for (Index i = 0; i < block; ++i)
    (source - i)->wire = network_.layout().wires + (id * block + i) % spare_wires;
}

/// A free channel of the station, each with equal probability.
WormEngine::Index WormEngine::free_channel(Index station) {
  const auto [first, count] = network_.layout().stations[station];
  if (count == 1) return owner_[first] == none ? first : none;
  Index found = none, free = 0;
  for (Index channel = first; channel < first + count; ++channel)
    if (owner_[channel] == none && random_.next_below(++free) == 0) found = channel;
  return found;
}

void WormEngine::request(Index id) {
  Worm& worm = worms_[id];
  const Index station = trips_[id].next;
  const Index channel = free_channel(station);
  if (channel != none) {
    grant(id, channel);
    return;
  }
  Line& line = lines_[station];
  worm.waits_for = station;
  worm.behind = none;
  (line.first == none ? line.first : worms_[line.last].behind) = id;
  line.last = id;
}

/// The worm will cross the channel in this cycle if its wire is free.
void WormEngine::grant(Index id, Index channel) {
  owner_[channel] = id;
  Worm& worm = worms_[id];
  const Index k = worm.passed + 1;
  hold(id, k).channel = channel;
  places(id)[k] = {.wire = network_.layout().channels[channel].wire};
  if (with_times_) transits(id)[k] = {.channel = channel};
  worm.granted = 1;
  worm.waits_for = none;
  const Index next = network_.next_station(head_of(trips_[id].message, k, channel));
  trips_[id].next = next;
  worm.ejecting = next == network::WormNetwork::arrived ? 1 : 0;
  if (!wake(id) && worm.visited == turn_) again_.push_back(id);
}

/// Was it asleep?
bool WormEngine::wake(Index id) {
  Worm& worm = worms_[id];
  if (worm.awake) return false;
  worm.awake = true;
  worm.visited = 0;
  awake_.push_back(id);
  return true;
}

/// Grants the channel to the first in the queue.
void WormEngine::release(Index channel, Index flits, std::uint64_t since) {
  occupancy_.push_back({channel, flits, now_ - since});
  owner_[channel] = none;
  const Index station = network_.layout().channels[channel].station;
  Line& line = lines_[station];
  if (line.first != none) {
    const Index id = line.first;
    line.first = worms_[id].behind;
    grant(id, channel);
  } else if (line.first_message != none) {
    const Index at = line.first_message;
    line.first_message = messages_[at].behind;
    free_messages_.push_back(at);
    --waiting_messages_;
    start(WormMessage(messages_[at].message), station, channel);
  }
}

// --- A cycle ---------------------------------------------------------------------------------------------

void WormEngine::skip_to(std::uint64_t cycle) {
  now_ = cycle;
  random_ = random_of(now_);
}

void WormEngine::shuffle(std::vector<Index>& list) {
  RandomSequence random = random_;  // a copy can stay in registers
  for (std::size_t i = list.size(); i > 1; --i)
    std::swap(list[i - 1], list[random.next_below(static_cast<Index>(i))]);
  random_ = random;
}

void WormEngine::cycle() {
  delivered_.clear();
  occupancy_.clear();
  if (++turn_ == 0) {
    std::fill(wire_used_.begin(), wire_used_.end(), turn_);
    ++turn_;
  }
  if (with_times_) begin_with_times();
  for (const Ended& ended : std::exchange(ended_, {})) release(ended.channel, ended.flits, ended.since);
  // In an order independent of that of the visits, then at random. With delays there is only one order of
  // visits.
  if (!with_times_) sort_by_channel();
  shuffle(requesting_);
  for (const Index id : requesting_) request(id);
  requesting_.clear();
  const std::uint64_t before = crossings_;
  if (with_times_)
    visit_all<Moves::with_times>();
  else if (wire_used_.empty())
    visit_all<Moves::whole_or_alone>();
  else
    visit_all<Moves::on_shared_wires>();
  if (crossings_ != before || !ended_.empty() || idle()) last_move_ = now_;
  const bool nothing_moves = now_ - last_move_ > (with_times_ ? 2 * ring : 0);
  if (nothing_moves || now_ % deadlock_period == deadlock_period - 1) require_no_deadlock();
  skip_to(now_ + 1);
}

/// The heads that arrived in the last cycle, each in a channel of its own.
/// METHOD  One bit per channel, unless the heads are few for so many channels.
void WormEngine::sort_by_channel() {
  constexpr std::size_t words_per_head = 8;
  if (heads_in_.size() > words_per_head * requesting_.size()) {
    std::sort(requesting_.begin(), requesting_.end(),
              [this](Index a, Index b) { return head_channel(a) < head_channel(b); });
    return;
  }
  for (const Index id : requesting_) {
    const Index channel = head_channel(id);
    heads_in_[channel / 64] |= std::uint64_t{1} << (channel % 64);
  }
  std::size_t sorted = 0;
  for (std::size_t i = 0; i < heads_in_.size(); ++i)
    for (std::uint64_t bits = std::exchange(heads_in_[i], 0); bits != 0; bits &= bits - 1)
      requesting_[sorted++] = owner_[64 * i + static_cast<std::size_t>(std::countr_zero(bits))];
}

template <WormEngine::Moves moves>
void WormEngine::visit_all() {
  constexpr bool shared = moves == Moves::on_shared_wires, timed = moves == Moves::with_times;
  if (shared || (timed && network_.layout().shares_wires())) shuffle(awake_);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < awake_.size(); ++i) {  // grows during the loop
    const Index id = awake_[i];
    // The entry of a worm that ended may have been reused by another, which is then listed twice.
    if (!worms_[id].awake || worms_[id].visited == turn_) continue;
    worms_[id].visited = turn_;
    const bool stays = timed ? advance_with_times(id) : advance<shared, false>(id);
    worms_[id].awake = stays;
    awake_[kept] = id;
    kept += stays ? 1 : 0;
    while (!again_.empty()) {
      const Index other = again_.back();
      again_.pop_back();
      worms_[other].awake = timed ? advance_with_times(other) : advance<shared, true>(other);
    }
  }
  awake_.resize(kept);
}

/// Moves the flits that can move. Returns whether more may move in the next cycle without a new grant.
/// \tparam again  it was granted a channel after its visit in this cycle
template <bool shared, bool again>
bool WormEngine::advance(Index id) {
  Worm& worm = worms_[id];
  if (!shared) {
    const bool head_moves = worm.granted || worm.ejecting;
    if (head_moves && !again) return advance_whole(id);
    if (!head_moves && buffer_flits_ == 1) return false;
  }
  Place* const path = places(id);
  Place& head = path[last_held(worm)];
  const Index before = head.flits();
  const bool anything = move_flits<shared, again>(&head, path + worm.first);
  // The buffer of a waiting worm's head may lose a flit, but then the worm is neither granted nor ejecting.
  const Index came = head.flits() - before;
  worm.gone += came & worm.ejecting;
  head.content &= Index{worm.ejecting} - 1;  // flits that arrived there have left
  const bool stays = anything | (worm.granted != 0);
  if ((worm.granted & came) != 0) enter(id);
  if (path[worm.first].flits() == 0) return !leave_behind(id);
  return stays;
}

/// Moves the flits that can move, from the head's place to the tail's. Returns whether any flit could move
/// with all wires free.
/// METHOD  The state of a wire is practically random, and a mispredicted branch costs more than several
///         places. So the loop body has no branches. Places are processed in blocks; those behind the tail
///         are empty.
template <bool shared, bool again>
bool WormEngine::move_flits(Place* head, const Place* tail) {
  const Index capacity = buffer_flits_;
  const Index turn = turn_;
  Index* const wires = wire_used_.data();
  Index moved = 0, active = 0;
  Place* to = head;
  Index flits = to->flits(), came = again ? to->content & 1U : 0;
  while (to > tail) {
    for (Index i = 0; i < block; ++i, --to) {
      const Place& from = to[-1];
      // A flit that arrived in this cycle stays, and the wire is not used twice.
      const Index last_came = again ? from.content & 1U : 0;
      Index moves = static_cast<Index>(from.flits() > last_came) & static_cast<Index>(flits < capacity);
      if (again) moves &= came ^ 1U;
      active |= moves;
      if (shared) {
        Index& used = wires[to->wire];
        const Index differs = used ^ turn;
        moves &= static_cast<Index>(differs != 0);
        used ^= differs & -moves;
      }
      moved += moves;
      to->content = 2 * (flits + moves) + (moves | came);
      flits = from.flits() - moves;
      came = last_came;
    }
  }
  to->content = 2 * flits;
  crossings_ += moved;
  return active != 0;
}

/// The head is in the granted channel.
void WormEngine::enter(Index id) {
  Worm& worm = worms_[id];
  if (worm.passed == 0) trips_[id].started = now_;
  ++worm.passed;
  hold(id, worm.passed).since = now_;
  worm.granted = 0;
  if (worm.ejecting) return;
  if (with_times_)
    enqueue(id, hold(id, worm.passed).channel);
  else
    requesting_.push_back(id);
}

/// Without shared wires every channel of a worm has a flit. If its head moves, all its channels pass one on,
/// and only the ends change.
bool WormEngine::advance_whole(Index id) {
  Worm& worm = worms_[id];
  Place* const path = places(id);
  const Index head = last_held(worm);
  crossings_ += head - worm.first;
  path[worm.first].content -= 2;
  if (worm.ejecting)
    ++worm.gone;
  else
    path[head].content = 2;
  if (worm.granted) enter(id);
  return path[worm.first].flits() > 0 || !leave_behind(id);
}

/// Releases channels that the tail has left. Has the worm arrived?
bool WormEngine::leave_behind(Index id) {
  if (worms_[id].gone == worms_[id].flits) {
    finish(id);
    return true;
  }
  leave_tail_channels(id);
  return false;
}

/// Channels whose buffer the tail has left.
void WormEngine::leave_tail_channels(Index id) {
  while (true) {
    Worm& worm = worms_[id];
    const Index last = worm.passed + 1 - (worm.ejecting && !worm.granted ? 1 : 0);
    if (worm.first >= last || places(id)[worm.first].flits() > 0) return;
    const Index k = worm.first++;
    if (with_times_ && k > 0) next_in_buffer(hold(id, k).channel);
    // The tail has left channel k, and crossed the next one.
    const Index left = timing_.reallocate == network::Reallocate::tail ? k + 1 : k;
    if (left == 0 || left == last) continue;  // the source; the ejection
    if (left == 1) trips_[id].released = now_ + (left == k ? timing_.credit_cycles : 0);
    const Ended ended{.channel = hold(id, left).channel, .flits = worm.flits, .since = hold(id, left).since};
    if (left == k && timing_.credit_cycles > 0)
      release_later(ended);
    else
      release(ended.channel, ended.flits, ended.since);
  }
}

void WormEngine::finish(Index id) {
  leave_tail_channels(id);
  const Trip& trip = trips_[id];
  const Index distance = worms_[id].passed;
  const Hold& ejection = hold(id, distance);
  delivered_.push_back({.message = trip.message,
                        .started = trip.started,
                        .released = trip.released,
                        .ended = now_ + 1,
                        .injection = trip.injection,
                        .distance = distance});
  delivered_flits_ += trip.message.flits;
  owner_[ejection.channel] = leaving;
  ended_.push_back({ejection.channel, trip.message.flits, ejection.since});
  free_worms_.push_back(id);
}

// --- Deadlock --------------------------------------------------------------------------------------------

std::vector<bool> WormEngine::free_slots() const {
  std::vector<bool> free(worms_.size());
  for (const Index id : free_worms_) free[id] = true;
  return free;
}

/// Worms that wait for a station whose channels all belong to such worms.
std::vector<bool> WormEngine::stuck() const {
  const std::vector<bool> free = free_slots();
  std::vector<bool> result(worms_.size());
  std::vector<Index> moving;
  for (Index id = 0; id < worms_.size(); ++id) {
    result[id] = !free[id] && (worms_[id].waits_for != none || before_in_buffer(id) != none);
    if (!free[id] && !result[id]) moving.push_back(id);
  }
  const auto moves = [&](Index id) {
    if (result[id]) moving.push_back(id);
    result[id] = false;
  };
  const auto wake_line = [&](Index station) {
    for (Index id = lines_[station].first; id != none; id = worms_[id].behind) moves(id);
  };
  const auto& channels = network_.layout().channels;
  for (const Ended& ended : ended_) wake_line(channels[ended.channel].station);
  for (const ToCome& cycle : to_come_in_)
    for (const Ended& ended : cycle.free) wake_line(channels[ended.channel].station);
  while (!moving.empty()) {
    const Index id = moving.back();
    moving.pop_back();
    const Worm& worm = worms_[id];
    for (Index k = first_held(worm); k <= last_held(worm); ++k) {
      const Index channel = hold(id, k).channel;
      wake_line(channels[channel].station);
      if (!with_times_) continue;
      if (owner_[channel] < worms_.size()) moves(owner_[channel]);
      for (Index behind = lanes_[channel].second; behind != none; behind = trips_[behind].next_in_buffer)
        moves(behind);
    }
  }
  return result;
}

/// The worm whose head precedes this worm's head in its buffer, or would if there were space; `none` if this
/// head can send its request.
WormEngine::Index WormEngine::before_in_buffer(Index id) const {
  const Worm& worm = worms_[id];
  if (!with_times_ || (worm.ejecting != 0)) return none;
  const Index k = worm.passed + worm.granted;
  if (k == 0) return none;
  const Lane& lane = lanes_[hold(id, k).channel];
  if (lane.front == id || (worm.granted != 0 && lane.credits > 0)) return none;
  return lane.front;
}

std::optional<std::string> WormEngine::deadlock() const {
  const std::vector<bool> stuck_worms = stuck();
  Index id = 0;
  while (id < stuck_worms.size() && !stuck_worms[id]) ++id;
  if (id == stuck_worms.size()) return std::nullopt;
  const auto ahead = [&](Index worm) {
    const Index before = before_in_buffer(worm);
    if (before != none) return before;
    return owner_[network_.layout().stations[worms_[worm].waits_for].first];
  };
  for (std::size_t step = 0; step < worms_.size(); ++step) id = ahead(id);  // closes the cycle
  constexpr int max_named = 12;
  std::string text;
  const Index start = id;
  int named = 0;
  do {
    if (++named <= max_named) text += network_.channel_name(head_channel(id)) + "; ";
    id = ahead(id);
  } while (id != start);
  if (named > max_named) text += "and " + std::to_string(named - max_named) + " more; ";
  return text.substr(0, text.size() - 2);
}

void WormEngine::require_no_deadlock() const {
  if (const auto blocked = deadlock())
    throw NoAnswer("deadlock in cycle " + std::to_string(now_) +
                   ": the messages whose heads are in these channels wait for each other in a cycle: " +
                   *blocked + " (in a torus, 2 virtual channels per link prevent it)");
}

// --- State -----------------------------------------------------------------------------------------------

FlitBalance WormEngine::balance() const {
  FlitBalance balance{.sent = sent_flits_, .delivered = delivered_flits_};
  for (const Line& line : lines_)
    for (Index at = line.first_message; at != none; at = messages_[at].behind)
      balance.queued += messages_[at].message.flits;
  const std::vector<bool> free = free_slots();
  for (Index id = 0; id < worms_.size(); ++id) {
    if (free[id]) continue;
    const Worm& worm = worms_[id];
    balance.queued += places(id)[0].flits();
    balance.delivered += worm.gone;
    for (Index k = 1; k <= worm.passed; ++k) balance.inside += places(id)[k].flits();
  }
  return balance;
}

void put(ByteWriter& writer, const WormMessage& message) {
  writer.put(message.born);
  for (const std::uint32_t number :
       {message.source, message.destination, message.variant, message.flits, message.tag})
    writer.put(number);
}

WormMessage get_message(ByteReader& reader, const network::WormLayout& layout, std::uint64_t tags) {
  WormMessage message{.born = reader.get<std::uint64_t>()};
  for (std::uint32_t* number :
       {&message.source, &message.destination, &message.variant, &message.flits, &message.tag})
    *number = reader.get<std::uint32_t>();
  if (message.source >= layout.nodes || message.destination >= layout.nodes ||
      message.source == message.destination || message.variant >= layout.variants || message.flits < 1 ||
      message.tag >= tags)
    ByteReader::fail();
  return message;
}

void WormEngine::save(ByteWriter& writer) const {
  for (const std::uint64_t number : {now_, crossings_, sent_flits_, delivered_flits_}) writer.put(number);
  writer.put(owner_);
  for (const Line& line : lines_) {
    writer.put(line.first);
    writer.put(line.last);
    std::uint64_t count = 0;
    for (Index at = line.first_message; at != none; at = messages_[at].behind) ++count;
    writer.put(count);
    for (Index at = line.first_message; at != none; at = messages_[at].behind)
      put(writer, messages_[at].message);
  }
  writer.put<std::uint64_t>(worms_.size());
  writer.put(free_worms_);
  const std::vector<bool> free = free_slots();
  for (Index id = 0; id < worms_.size(); ++id) {
    if (free[id]) continue;
    const Worm& worm = worms_[id];
    put(writer, trips_[id].message);
    for (const std::uint64_t number : {trips_[id].started, trips_[id].released}) writer.put(number);
    for (const Index number : {worm.first, worm.passed, worm.gone, worm.waits_for, worm.behind})
      writer.put(number);
    for (const std::uint8_t flag : {worm.granted, worm.ejecting, std::uint8_t{worm.awake}}) writer.put(flag);
    writer.put(places(id)[0].flits());
    for (Index k = first_held(worm); k <= last_held(worm); ++k) {
      for (const Index number : {hold(id, k).channel, places(id)[k].flits()}) writer.put(number);
      writer.put(hold(id, k).since);
    }
  }
  if (with_times_) save_times(writer);
  writer.put(awake_);
  writer.put(requesting_);
  writer.put<std::uint64_t>(ended_.size());
  for (const Ended& ended : ended_) {
    writer.put(ended.channel);
    writer.put(ended.flits);
    writer.put(ended.since);
  }
}

void WormEngine::load(ByteReader& reader, std::uint64_t tags) {
  const network::WormLayout& layout = network_.layout();
  const auto require = [](bool fits) {
    if (!fits) ByteReader::fail();
  };
  const auto get = [&reader](std::initializer_list<Index*> numbers) {
    for (Index* number : numbers) *number = reader.get<Index>();
  };
  for (std::uint64_t* number : {&now_, &crossings_, &sent_flits_, &delivered_flits_})
    *number = reader.get<std::uint64_t>();
  random_ = random_of(now_);
  owner_ = reader.get_vector<Index>();
  require(owner_.size() == layout.channels.size());
  messages_.clear();
  free_messages_.clear();
  for (Line& line : lines_) {
    line = {};
    get({&line.first, &line.last});
    for (auto left = reader.get<std::uint64_t>(); left > 0; --left) {
      const auto at = static_cast<Index>(messages_.size());
      messages_.push_back({get_message(reader, layout, tags)});
      (line.first_message == none ? line.first_message : messages_[line.last_message].behind) = at;
      line.last_message = at;
    }
  }
  waiting_messages_ = messages_.size();
  const auto worms = reader.get<std::uint64_t>();
  // With delays a buffer may have flits of several worms.
  const std::uint64_t in_a_buffer = timing_.reallocate == network::Reallocate::tail ? buffer_flits_ : 0;
  require(worms <= layout.channels.size() * (in_a_buffer + 1) + 1);
  worms_.assign(worms, {});
  trips_.assign(worms, {});
  places_.assign(worms * places_per_worm(), {});
  holds_.assign(worms * longest_path_, {});
  const auto known = [worms](Index id) { return id == none || id < worms; };
  const auto get_worms = [&] {
    std::vector<Index> list = reader.get_vector<Index>();
    for (const Index id : list) require(id < worms);
    return list;
  };
  for (const Index owner : owner_) require(known(owner) || owner == leaving);
  for (const Line& line : lines_) require(known(line.first) && (line.first == none || known(line.last)));
  free_worms_ = get_worms();
  const std::vector<bool> free = free_slots();
  for (Index id = 0; id < worms; ++id) {
    if (free[id]) continue;
    Worm& worm = worms_[id];
    Trip& trip = trips_[id];
    trip.message = get_message(reader, layout, tags);
    worm.flits = trip.message.flits;
    for (std::uint64_t* number : {&trip.started, &trip.released}) *number = reader.get<std::uint64_t>();
    get({&worm.first, &worm.passed, &worm.gone, &worm.waits_for, &worm.behind});
    for (std::uint8_t* flag : {&worm.granted, &worm.ejecting}) *flag = reader.get<bool>() ? 1 : 0;
    worm.awake = reader.get<bool>();
    require(worm.first <= worm.passed && worm.passed <= longest_path_);
    require(last_held(worm) >= 1 && last_held(worm) <= longest_path_ && worm.gone < worm.flits);
    require(worm.waits_for == none || (worm.waits_for < lines_.size() && known(worm.behind)));
    assign_spare_wires(id);
    const auto get_flits = [&](Index k, Index maximum) {
      const auto flits = reader.get<Index>();
      require(flits <= maximum && flits <= max_flits);
      places(id)[k].content = 2 * flits;
    };
    get_flits(0, worm.flits);
    for (Index k = first_held(worm); k <= last_held(worm); ++k) {
      get({&hold(id, k).channel});
      require(hold(id, k).channel < layout.channels.size());
      places(id)[k].wire = layout.channels[hold(id, k).channel].wire;
      get_flits(k, buffer_flits_);
      hold(id, k).since = reader.get<std::uint64_t>();
    }
    const Index last = last_held(worm);
    trip.injection = network_.next_station(head_of(trip.message, 0, 0));
    trip.next = network_.next_station(head_of(trip.message, last, hold(id, last).channel));
  }
  if (with_times_) load_times(reader);
  awake_ = get_worms();
  requesting_ = get_worms();
  const auto ended = reader.get<std::uint64_t>();
  require(ended <= layout.channels.size());
  ended_.assign(ended, {});
  for (Ended& each : ended_) {
    get({&each.channel, &each.flits});
    each.since = reader.get<std::uint64_t>();
    require(each.channel < layout.channels.size());
  }
}

}  // namespace tailbound::sim
