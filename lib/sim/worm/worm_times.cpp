#include <tailbound/sim/worm/worm_engine.hpp>

#include <algorithm>
#include <bit>

/// The part of WormEngine for routers, links and credits with delays.
namespace tailbound::sim {

/// Events of this cycle, before any movement.
void WormEngine::begin_with_times() {
  ToCome& now = in_cycles(0);
  to_come_ -= now.credits.size() + now.requests.size() + now.free.size();
  for (const Index channel : now.credits) take_back(channel);
  requesting_.insert(requesting_.end(), now.requests.begin(), now.requests.end());
  for (const Ended& ended : now.free) release(ended.channel, ended.flits, ended.since);
  now.credits.clear();
  now.requests.clear();
  now.free.clear();
}

void WormEngine::give_back(Index channel) {
  if (timing_.credit_cycles > 0) {
    in_cycles(timing_.credit_cycles).credits.push_back(channel);
    ++to_come_;
    return;
  }
  take_back(channel);
}

/// Only a worm without space to send to may sleep.
void WormEngine::take_back(Index channel) {
  if (lanes_[channel].credits++ > 0) return;
  if (const Index owner = owner_[channel]; owner < worms_.size()) wake(owner);
}

void WormEngine::release_later(const Ended& channel) {
  owner_[channel.channel] = leaving;
  in_cycles(timing_.credit_cycles).free.push_back(channel);
  ++to_come_;
}

void WormEngine::enqueue(Index id, Index channel) {
  const bool injection = worms_[id].passed == 1;
  const Index takes = injection ? 1 + timing_.router_cycles : timing_.hop();
  Trip& trip = trips_[id];
  trip.head_lands = now_ + takes;
  trip.next_in_buffer = none;
  Lane& lane = lanes_[channel];
  if (lane.front == none) {
    lane.front = id;
    in_cycles(takes).requests.push_back(id);
    ++to_come_;
    return;
  }
  (lane.second == none ? lane.second : trips_[lane.last].next_in_buffer) = id;
  lane.last = id;
}

void WormEngine::next_in_buffer(Index channel) {
  Lane& lane = lanes_[channel];
  lane.front = lane.second;
  if (lane.front == none) return;
  const Trip& trip = trips_[lane.front];
  lane.second = trip.next_in_buffer;
  in_cycles(std::max(now_ + 1, trip.head_lands) - now_).requests.push_back(lane.front);
  ++to_come_;
}

/// Moves the flits that can move, from the head to the tail. Returns whether more may move in the next cycle
/// without a grant or a credit.
bool WormEngine::advance_with_times(Index id) {
  Worm& worm = worms_[id];
  Place* const path = places(id);
  Transit* const in_transit = transits(id);
  const Index head = last_held(worm);
  const auto bit = static_cast<Index>(now_ % ring);
  Index still_coming = 0, active = 0;
  const auto land = [&](Transit& transit) {
    const std::uint64_t landed = transit.arriving >> bit & 1U;
    transit.arriving ^= landed << bit;
    transit.coming -= static_cast<Index>(landed);
    still_coming |= transit.coming;
  };
  land(in_transit[head]);
  for (Index k = head; k > worm.first; --k) {
    Transit& from = in_transit[k - 1];
    land(from);
    Transit& to = in_transit[k];
    const bool ejects = k == head && worm.ejecting != 0;
    Lane& lane = lanes_[to.channel];
    if (path[k - 1].flits() == from.coming || (lane.credits == 0 && !ejects)) continue;
    active = 1;
    Index& used = wire_used_[path[k].wire];
    if (used == turn_) continue;
    used = turn_;
    ++crossings_;
    path[k - 1].content -= 2;
    if (ejects) {
      ++worm.gone;
    } else {
      --lane.credits;
      const Index takes = k == 1 ? 1 + timing_.router_cycles : timing_.hop();
      path[k].content += 2;
      ++to.coming;
      to.arriving |= std::uint64_t{1} << ((now_ + takes) % ring);
      still_coming = 1;
    }
    if (k > 1) give_back(from.channel);
    if (k == head && worm.granted != 0) enter(id);
  }
  const bool stays = (still_coming | active | worm.granted) != 0;
  if (path[worm.first].flits() == 0) return !leave_behind(id) && stays;
  return stays;
}

void WormEngine::save_times(ByteWriter& writer) const {
  for (const Lane& lane : lanes_)
    for (const Index number : {lane.credits, lane.front, lane.second, lane.last}) writer.put(number);
  const std::vector<bool> free = free_slots();
  for (Index id = 0; id < worms_.size(); ++id) {
    if (free[id]) continue;
    writer.put(trips_[id].head_lands);
    writer.put(trips_[id].next_in_buffer);
    for (Index k = first_held(worms_[id]); k <= last_held(worms_[id]); ++k) {
      writer.put(transits(id)[k].arriving);
      writer.put(transits(id)[k].channel);
    }
  }
  for (const ToCome& cycle : to_come_in_) {
    writer.put(cycle.credits);
    writer.put(cycle.requests);
    writer.put<std::uint64_t>(cycle.free.size());
    for (const Ended& ended : cycle.free) {
      for (const Index number : {ended.channel, ended.flits}) writer.put(number);
      writer.put(ended.since);
    }
  }
}

void WormEngine::load_times(ByteReader& reader) {
  const auto require = [](bool fits) {
    if (!fits) ByteReader::fail();
  };
  const auto get_below = [&](std::size_t end, bool or_none) {
    const auto number = reader.get<Index>();
    require(number < end || (or_none && number == none));
    return number;
  };
  const std::size_t worms = worms_.size(), channels = lanes_.size();
  const std::vector<bool> free = free_slots();
  for (Lane& lane : lanes_) {
    lane.credits = reader.get<Index>();
    require(lane.credits <= buffer_flits_);
    for (Index* id : {&lane.front, &lane.second, &lane.last}) *id = get_below(worms, true);
    require((lane.second == none || (lane.front != none && lane.last != none)) &&
            (lane.front == none || !free[lane.front]) && (lane.second == none || !free[lane.second]));
  }
  transits_.assign(worms * (std::size_t{longest_path_} + 1), {});
  for (Index id = 0; id < worms; ++id) {
    if (free[id]) continue;
    trips_[id].head_lands = reader.get<std::uint64_t>();
    trips_[id].next_in_buffer = get_below(worms, true);
    for (Index k = first_held(worms_[id]); k <= last_held(worms_[id]); ++k) {
      Transit& transit = transits(id)[k];
      transit.arriving = reader.get<std::uint64_t>();
      transit.coming = static_cast<Index>(std::popcount(transit.arriving));
      transit.channel = get_below(channels, false);
      require(transit.coming <= places(id)[k].flits());
    }
  }
  to_come_ = 0;
  for (ToCome& cycle : to_come_in_) {
    cycle.credits = reader.get_vector<Index>();
    cycle.requests = reader.get_vector<Index>();
    for (const Index channel : cycle.credits) require(channel < channels);
    for (const Index id : cycle.requests) require(id < worms && !free[id]);
    const auto count = reader.get<std::uint64_t>();
    require(count <= channels);
    cycle.free.assign(count, {});
    for (Ended& ended : cycle.free) {
      ended.channel = get_below(channels, false);
      ended.flits = reader.get<Index>();
      ended.since = reader.get<std::uint64_t>();
    }
    to_come_ += cycle.credits.size() + cycle.requests.size() + cycle.free.size();
  }
  last_move_ = now_;
}

}  // namespace tailbound::sim
