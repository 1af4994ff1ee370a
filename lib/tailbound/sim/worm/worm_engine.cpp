#include <tailbound/core/error.hpp>
#include <tailbound/sim/worm/worm_engine.hpp>

#include <algorithm>
#include <utility>

namespace tailbound::sim {
namespace {

constexpr std::uint64_t most_waiting = std::uint64_t{1} << 26U;
constexpr double largest_memory = 16.0 * (1ULL << 30U);
/// Cycles between two searches for worms that block each other while others move.
constexpr std::uint64_t deadlock_period = 4096;

}  // namespace

WormEngine::WormEngine(const network::WormNetwork& network, std::uint32_t buffer_flits, RandomKey key)
    : network_(network),
      key_(key),
      buffer_flits_(buffer_flits),
      longest_way_(network.layout().longest_way),
      random_(random_of(0)),
      owner_(network.layout().channels.size(), none),
      lines_(network.layout().stations.size()),
      wire_used_(network.layout().shares_wires() ? network.layout().wires : 0, 0) {
  if (buffer_flits < 1 || buffer_flits > 1'000'000)
    throw InvalidArgument("buffer [flits]", std::to_string(buffer_flits), "from 1 to 1000000");
}

// --- Messages and grants ---------------------------------------------------------------------------------

void WormEngine::send(const WormMessage& message) {
  const Index station = network_.next_station(head_of(message, 0, 0));
  sent_flits_ += message.flits;
  Line& line = lines_[station];
  if (line.first_message == none) {
    const Index channel = free_channel(station);
    if (channel != none) {
      start(message, channel);
      return;
    }
  }
  if (waiting_messages_ == most_waiting)
    throw LimitExceeded("more than " + std::to_string(most_waiting) +
                        " messages wait at the sources: the load is far beyond saturation");
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
}

void WormEngine::start(const WormMessage& message, Index channel) {
  const Index id = new_worm();
  worms_[id] = {.message = message, .at_source = message.flits};
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
      static_cast<double>(id + 1) * static_cast<double>(sizeof(Worm) + sizeof(Hold) * longest_way_);
  if (memory > largest_memory) throw LimitExceeded("the worms in the network need more than 16 GiB");
  worms_.emplace_back();
  holds_.resize(holds_.size() + longest_way_);
  return id;
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

void WormEngine::ask(Index id) {
  Worm& worm = worms_[id];
  const Index station = network_.next_station(head_of(worm.message, worm.passed, head_channel(id)));
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
  Hold& hold = way(id)[worm.passed];
  hold = {
      .channel = channel, .wire = network_.layout().channels[channel].wire, .came = static_cast<Index>(now_)};
  worm.granted = true;
  worm.waits_for = none;
  worm.ejecting =
      network_.next_station(head_of(worm.message, worm.passed + 1, channel)) == network::WormNetwork::arrived;
  if (!worm.awake) {
    worm.awake = true;
    worm.visited = 0;
    awake_.push_back(id);
  } else if (worm.visited == now_ + 1) {
    again_.push_back(id);
  }
}

/// Gives the channel to the first who waits.
void WormEngine::release(Index channel, Index flits, std::uint64_t since) {
  held_.push_back({channel, flits, now_ - since});
  owner_[channel] = none;
  Line& line = lines_[network_.layout().channels[channel].station];
  if (line.first != none) {
    const Index id = line.first;
    line.first = worms_[id].behind;
    grant(id, channel);
  } else if (line.first_message != none) {
    const Index at = line.first_message;
    line.first_message = messages_[at].behind;
    free_messages_.push_back(at);
    --waiting_messages_;
    start(WormMessage(messages_[at].message), channel);
  }
}

// --- A cycle ---------------------------------------------------------------------------------------------

void WormEngine::skip_to(std::uint64_t cycle) {
  now_ = cycle;
  random_ = random_of(now_);
}

void WormEngine::shuffle(std::vector<Index>& list) {
  for (std::size_t i = list.size(); i > 1; --i)
    std::swap(list[i - 1], list[random_.next_below(static_cast<Index>(i))]);
}

void WormEngine::cycle() {
  delivered_.clear();
  held_.clear();
  for (const Ended& ended : std::exchange(ended_, {})) release(ended.channel, ended.flits, ended.since);
  // In an order that does not depend on that of the visits, then at random.
  std::sort(asking_.begin(), asking_.end(),
            [this](Index a, Index b) { return head_channel(a) < head_channel(b); });
  shuffle(asking_);
  for (const Index id : asking_) ask(id);
  asking_.clear();
  const std::uint64_t before = crossings_;
  if (wire_used_.empty())
    visit_all<false>();
  else
    visit_all<true>();
  const bool nothing_moves = crossings_ == before && ended_.empty() && !idle();
  if (nothing_moves || now_ % deadlock_period == deadlock_period - 1) require_no_deadlock();
  skip_to(now_ + 1);
}

template <bool shared>
void WormEngine::visit_all() {
  if (shared) shuffle(awake_);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < awake_.size(); ++i) {  // grows on the way
    const Index id = awake_[i];
    // A place of a worm that ended may have been taken by another, which then stands here twice.
    if (!worms_[id].awake || worms_[id].visited == now_ + 1) continue;
    worms_[id].visited = now_ + 1;
    worms_[id].awake = advance<shared>(id, false);
    if (worms_[id].awake) awake_[kept++] = id;
    while (!again_.empty()) {
      const Index other = again_.back();
      again_.pop_back();
      worms_[other].awake = advance<shared>(other, true);
    }
  }
  awake_.resize(kept);
}

template <bool shared>
bool WormEngine::can_use(const Hold& to) const {
  return !shared || wire_used_[to.wire] != now_ + 1;
}

template <bool shared>
void WormEngine::use(Hold& to) {
  to.came = static_cast<Index>(now_ + 1);
  if constexpr (shared) wire_used_[to.wire] = now_ + 1;
  ++crossings_;
}

/// Moves what can move, from the head to the tail. May it move in the next cycle without a new grant?
template <bool shared>
bool WormEngine::advance(Index id, bool again) {
  Worm& worm = worms_[id];
  Hold* const holds = way(id);
  const auto stamp = static_cast<Index>(now_ + 1);
  bool active = worm.granted;
  if (!shared) {
    const bool head_moves = worm.granted || worm.ejecting;
    if (head_moves && !again) return advance_whole(id);
    if (!head_moves && buffer_flits_ == 1) return false;
  }
  if (worm.granted && can_use<shared>(holds[worm.passed])) {
    Hold& to = holds[worm.passed];
    --(worm.passed > 0 ? holds[worm.passed - 1].flits : worm.at_source);
    use<shared>(to);
    enter(id);
  }
  for (Index i = worm.passed; i-- > worm.first;) {
    Hold& to = holds[i];
    if (to.came == stamp || to.flits == buffer_flits_) continue;
    Index* flits = nullptr;
    if (i > worm.first) {
      Hold& from = holds[i - 1];
      if (from.flits == (from.came == stamp ? 1U : 0U)) continue;  // what came in this cycle stays
      flits = &from.flits;
    } else {
      if (i > 0 || worm.at_source == 0) continue;
      flits = &worm.at_source;
    }
    active = true;
    if (!can_use<shared>(to)) continue;
    --*flits;
    use<shared>(to);
    if (worm.ejecting && !worm.granted && i + 1 == worm.passed)
      ++worm.gone;
    else
      ++to.flits;
  }
  return active && !leave_behind(id);
}

/// The head is in the channel that it was granted.
void WormEngine::enter(Index id) {
  Worm& worm = worms_[id];
  Hold& to = way(id)[worm.passed];
  to.since = now_;
  if (worm.passed == 0) worm.started = now_;
  if (worm.ejecting)
    ++worm.gone;
  else
    to.flits = 1, asking_.push_back(id);
  ++worm.passed;
  worm.granted = false;
}

/// Where no wire is shared, every channel of a worm holds a flit; so if its head moves, all its channels pass
/// one on, and only the ends change.
bool WormEngine::advance_whole(Index id) {
  Worm& worm = worms_[id];
  Hold* const holds = way(id);
  const Index passed = worm.passed;
  const bool feeds = worm.at_source > 0;
  crossings_ += passed - worm.first;  // of these channels, and of the one granted; but of the first one only
  if (passed > 0 && !feeds) --crossings_;  // if the source feeds it
  if (feeds)
    --worm.at_source;
  else
    --holds[worm.first].flits;
  if (worm.granted) {
    ++crossings_;
    enter(id);
  } else {
    ++worm.gone;
  }
  return !leave_behind(id);
}

/// Lets go of what the tail has left. Has the worm arrived?
bool WormEngine::leave_behind(Index id) {
  const Worm& worm = worms_[id];
  if (worm.at_source > 0) return false;
  if (worm.gone == worm.message.flits) {
    finish(id);
    return true;
  }
  leave_tail_channels(id);
  return false;
}

/// Those whose buffer the tail has left.
void WormEngine::leave_tail_channels(Index id) {
  while (true) {
    Worm& worm = worms_[id];
    const Index last = worm.passed - (worm.ejecting && !worm.granted ? 1 : 0);
    if (worm.first >= last || way(id)[worm.first].flits > 0) return;
    if (worm.first == 0) worm.released = now_;
    const Hold left = way(id)[worm.first++];
    release(left.channel, worm.message.flits, left.since);
  }
}

void WormEngine::finish(Index id) {
  leave_tail_channels(id);
  const Worm& worm = worms_[id];
  const Hold& ejection = way(id)[worm.passed - 1];
  delivered_.push_back({.message = worm.message,
                        .started = worm.started,
                        .released = worm.released,
                        .ended = now_ + 1,
                        .distance = worm.passed});
  delivered_flits_ += worm.message.flits;
  owner_[ejection.channel] = leaving;
  ended_.push_back({ejection.channel, worm.message.flits, ejection.since});
  free_worms_.push_back(id);
}

// --- Deadlock --------------------------------------------------------------------------------------------

std::vector<bool> WormEngine::free_slots() const {
  std::vector<bool> free(worms_.size());
  for (const Index id : free_worms_) free[id] = true;
  return free;
}

/// Worms that wait for a station all of whose channels belong to worms of which the same is true.
std::vector<bool> WormEngine::stuck() const {
  const std::vector<bool> free = free_slots();
  std::vector<bool> result(worms_.size());
  std::vector<Index> moving;
  for (Index id = 0; id < worms_.size(); ++id) {
    result[id] = !free[id] && worms_[id].waits_for != none;
    if (!free[id] && !result[id]) moving.push_back(id);
  }
  const auto wake_line = [&](Index station) {
    for (Index id = lines_[station].first; id != none; id = worms_[id].behind) {
      if (result[id]) moving.push_back(id);
      result[id] = false;
    }
  };
  const auto& channels = network_.layout().channels;
  for (const Ended& ended : ended_) wake_line(channels[ended.channel].station);
  while (!moving.empty()) {
    const Index id = moving.back();
    moving.pop_back();
    const Worm& worm = worms_[id];
    for (Index i = worm.first; i < worm.passed + (worm.granted ? 1 : 0); ++i)
      wake_line(channels[way(id)[i].channel].station);
  }
  return result;
}

std::optional<std::string> WormEngine::deadlock() const {
  const std::vector<bool> stuck_worms = stuck();
  Index id = 0;
  while (id < stuck_worms.size() && !stuck_worms[id]) ++id;
  if (id == stuck_worms.size()) return std::nullopt;
  const auto ahead = [&](Index worm) {
    return owner_[network_.layout().stations[worms_[worm].waits_for].first];
  };
  for (std::size_t step = 0; step < worms_.size(); ++step) id = ahead(id);  // into the ring
  constexpr int most_named = 12;
  std::string text;
  const Index start = id;
  int named = 0;
  do {
    if (++named <= most_named) text += network_.channel_name(head_channel(id)) + "; ";
    id = ahead(id);
  } while (id != start);
  if (named > most_named) text += "and " + std::to_string(named - most_named) + " more; ";
  return text.substr(0, text.size() - 2);
}

void WormEngine::require_no_deadlock() const {
  if (const auto ring = deadlock())
    throw NoAnswer("deadlock in cycle " + std::to_string(now_) +
                   ": worms whose heads are in these channels wait for each other in a ring: " + *ring);
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
    balance.queued += worm.at_source;
    balance.delivered += worm.gone;
    for (Index i = worm.first; i < worm.passed; ++i) balance.inside += way(id)[i].flits;
  }
  return balance;
}

void put(ByteWriter& writer, const WormMessage& message) {
  writer.put(message.born);
  for (const std::uint32_t number :
       {message.source, message.destination, message.variant, message.flits, message.tag})
    writer.put(number);
}

WormMessage get_message(ByteReader& reader, const network::WormLayout& layout) {
  WormMessage message{.born = reader.get<std::uint64_t>()};
  for (std::uint32_t* number :
       {&message.source, &message.destination, &message.variant, &message.flits, &message.tag})
    *number = reader.get<std::uint32_t>();
  if (message.source >= layout.nodes || message.destination >= layout.nodes ||
      message.source == message.destination || message.variant >= layout.variants || message.flits < 1)
    ByteReader::fail();
  return message;
}

void WormEngine::save(ByteWriter& writer) const {
  for (const std::uint64_t number : {now_, crossings_, sent_flits_, delivered_flits_}) writer.put(number);
  writer.put(owner_);
  writer.put(wire_used_);
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
    put(writer, worm.message);
    for (const std::uint64_t number : {worm.started, worm.released, worm.visited}) writer.put(number);
    for (const Index number :
         {worm.first, worm.passed, worm.at_source, worm.gone, worm.waits_for, worm.behind})
      writer.put(number);
    for (const bool flag : {worm.granted, worm.ejecting, worm.awake}) writer.put(flag);
    for (Index i = worm.first; i < worm.passed + (worm.granted ? 1 : 0); ++i) {
      const Hold& hold = way(id)[i];
      for (const Index number : {hold.channel, hold.flits, hold.came}) writer.put(number);
      writer.put(hold.since);
    }
  }
  writer.put(awake_);
  writer.put(asking_);
  writer.put<std::uint64_t>(ended_.size());
  for (const Ended& ended : ended_) {
    writer.put(ended.channel);
    writer.put(ended.flits);
    writer.put(ended.since);
  }
}

void WormEngine::load(ByteReader& reader) {
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
  const std::size_t wires = wire_used_.size();
  wire_used_ = reader.get_vector<std::uint64_t>();
  require(wire_used_.size() == wires);
  messages_.clear();
  free_messages_.clear();
  for (Line& line : lines_) {
    line = {};
    get({&line.first, &line.last});
    for (auto left = reader.get<std::uint64_t>(); left > 0; --left) {
      const auto at = static_cast<Index>(messages_.size());
      messages_.push_back({get_message(reader, layout)});
      (line.first_message == none ? line.first_message : messages_[line.last_message].behind) = at;
      line.last_message = at;
    }
  }
  waiting_messages_ = messages_.size();
  const auto worms = reader.get<std::uint64_t>();
  require(worms <= layout.channels.size() + 1);
  worms_.assign(worms, {});
  holds_.assign(worms * longest_way_, {});
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
    worm.message = get_message(reader, layout);
    for (std::uint64_t* number : {&worm.started, &worm.released, &worm.visited})
      *number = reader.get<std::uint64_t>();
    get({&worm.first, &worm.passed, &worm.at_source, &worm.gone, &worm.waits_for, &worm.behind});
    for (bool* flag : {&worm.granted, &worm.ejecting, &worm.awake}) *flag = reader.get<bool>();
    require(worm.first <= worm.passed && worm.passed + (worm.granted ? 1 : 0) <= longest_way_);
    require(worm.waits_for == none || (worm.waits_for < lines_.size() && known(worm.behind)));
    for (Index i = worm.first; i < worm.passed + (worm.granted ? 1 : 0); ++i) {
      Hold& hold = way(id)[i];
      get({&hold.channel, &hold.flits, &hold.came});
      hold.since = reader.get<std::uint64_t>();
      require(hold.channel < layout.channels.size());
      hold.wire = layout.channels[hold.channel].wire;
    }
  }
  awake_ = get_worms();
  asking_ = get_worms();
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
