#pragma once

#include <tailbound/sim/tree/fetch_ahead.hpp>
#include <tailbound/sim/tree/near_queues.hpp>
#include <tailbound/sim/tree/tree_engine.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

/// The loops over switches and packets of one stage, for every kind of tree. Each role is compiled in its own
/// file.
/// Internal to the sim module.
namespace tailbound::sim::tree_engine {

/// The same with per-burst routes: reads the ports from the packets, in the order in which they are
/// processed.
template <class Packet>
template <bool binary>
void Tree<Packet>::follow_paths(const Switches& work, const Packet* in, int first, int last) {
  const auto radix = static_cast<std::uint32_t>(shape_.radix);
  auto* const bytes = reinterpret_cast<unsigned char*>(choices_.data());
  const auto fill_from = [&](const auto& port_of) {
    for (int s = first; s < last; ++s) {
      const std::size_t slot = static_cast<std::size_t>(s) * radix;
      const std::uint16_t drawn = rotations_[static_cast<std::size_t>(s)];
      std::uint32_t rank = binary ? drawn & (radix - 1) : below(radix, std::uint32_t{drawn} << 16U);
      const std::uint32_t rotation = rank;
      for (std::uint32_t i = 0; i < radix; ++i) {
        if constexpr (binary) rank = i ^ rotation;
        const auto port = static_cast<std::uint32_t>(port_of(slot + rank, s));
        if constexpr (binary) {
          bytes[slot + i] =
              static_cast<unsigned char>(port | (shape_.narrow() ? std::uint32_t{NearQueues::first} : 0));
        } else {
          // The smallest number that below() maps to the port.
          const auto number = static_cast<std::uint32_t>(((std::uint64_t{port} << 32U) + radix - 1) / radix);
          std::memcpy(bytes + 4 * (slot + i), &number, 4);
          if (++rank == radix) rank = 0;
        }
      }
    }
  };
  if (work.level == 1) {
    const std::uint16_t* const ports =
        first_ports_.data() + (shape_.turning ? work.at * shape_.radix * block_slots : 0);
    fill_from([&](std::size_t visit, int s) { return ports[order_[visit] * block_slots + s]; });
  } else {
    const int shift = layout_.path_shift + (work.level - 2) * shape_.digit_bits;
    const auto mask = static_cast<Packet>((1U << shape_.digit_bits) - 1);
    const Packet* const now = in + column(0);
    fill_from([&](std::size_t visit, int s) {
      return (now[visits_[visit] + static_cast<std::uint32_t>(s)] >> shift) & mask;
    });
  }
}

template <class Packet>
template <Role role>
void Tree<Packet>::choose_pass(int stage, int first, int last) {
  const bool finite = shape_.capacity != unlimited;
  const auto with_ports = [&]<bool turning, bool is_finite>() {
    if constexpr (role != Role::up && !turning && packet_bits<Packet> == 32)
      if (layout_.marked) return pass<role, turning, is_finite, Ports::marked>(stage, first, last);
    if (shape_.narrow())
      pass<role, turning, is_finite, Ports::few>(stage, first, last);
    else
      pass<role, turning, is_finite, Ports::many>(stage, first, last);
  };
  // Packets of 64 bits occur in deep trees and with very long queues: no separate code without a limit.
  constexpr bool wide = packet_bits<Packet> == 64;
  if (shape_.turning)
    finite || wide ? with_ports.template operator()<true, true>()
                   : with_ports.template operator()<true, wide>();
  else
    finite || wide ? with_ports.template operator()<false, true>()
                   : with_ports.template operator()<false, wide>();
}

/// All switches of one stage, slots first .. last - 1 of the block.
template <class Packet>
template <Role role, bool turning, bool finite, Ports ports>
void Tree<Packet>::pass(int stage, int first, int last) {
  const int level = shape_.level(stage);
  const bool parents = role != Role::up && level < shape_.levels;
  const bool children = !parents || turning;
  const bool scratch = children && level == 1 && !turning;
  const std::size_t children_array = array(level - 2);  // if level is 1: the leaves' array, if there is one
  const std::size_t inputs_array = children ? children_array : array(stage - 1);
  Switches work;
  work.inputs = static_cast<std::uint32_t>(shape_.radix) * (parents && children ? 2U : 1U);
  work.parents_offset =
      static_cast<std::uint32_t>(parents && children ? array(stage - 1) - children_array : 0);
  work.parents = parents;
  work.level = level;
  work.stage = stage;
  prepare_visits(stage, static_cast<int>(work.inputs), work.parents_offset);
  if (role == Role::up && level == 1 && shape_.keeps_paths)
    std::transform(visits_.begin(), visits_.begin() + std::ssize(order_), order_.begin(),
                   [this](std::uint32_t offset) { return offset / shape_.stream_stride; });

  // The digit of the switch's number that the outgoing link replaces.
  const int replaced_digit = role == Role::last ? 0 : role == Role::up ? level - 1 : level - 2;
  const std::int64_t replaced = shape_.power(replaced_digit);
  work.port_stride = shape_.switch_stride[static_cast<std::size_t>(replaced_digit)];
  const auto streams_into = [&](std::int64_t at) {
    return scratch ? leaf_scratch_.data() : streams_.data() + inputs_array + shape_.position(at);
  };
  const auto position_out_of = [&](std::int64_t at) {
    if (role == Role::last) return std::size_t{0};
    const std::int64_t digit = at / replaced % shape_.radix;
    return array(stage) + shape_.position(at - digit * replaced) +
           static_cast<std::size_t>(digit) * shape_.stream_stride;
  };
  for (std::int64_t at = 0; at < shape_.switches; ++at) {
    const std::int64_t next = std::min(at + 1, shape_.switches - 1);
    Packet* const in = streams_into(at);
    if (scratch)
      for (std::int64_t i = 0; i < shape_.radix; ++i)
        fill(at * shape_.radix + i, first, last, in + static_cast<std::size_t>(i) * shape_.stream_stride);
    work.at = at;
    prepare_rotations(stage, at);
    if constexpr (role == Role::up) {
      if (!shape_.keeps_paths)
        prepare_choices(stage, at);
      else if (shape_.binary)
        follow_paths<true>(work, in, first, last);
      else
        follow_paths<false>(work, in, first, last);
    }
    work.out_position = position_out_of(at);
    work.next_in = streams_into(next);
    work.next_out_position = position_out_of(next);
    if (shape_.binary)
      one_switch<role, turning, finite, true, ports>(work, in, first, last);
    else
      one_switch<role, turning, finite, false, ports>(work, in, first, last);
    if constexpr (role == Role::up && turning) continue;  // packets that turn here are still to be read
    if (!scratch) {
      if (children) clear(in, first, last);
      if (parents) clear(in + work.parents_offset, first, last);
    }
  }
}

/// One switch: reads each slot's packets in their random order and lets them join the queues of their ports.
template <class Packet>
template <Role role, bool turning, bool finite, bool binary, Ports ports>
void Tree<Packet>::one_switch(const Switches& work, const Packet* in, int first, int last) {
  const Layout layout = layout_;
  const std::uint32_t inputs = work.inputs, parents_offset = work.parents_offset;
  const auto radix = static_cast<std::uint32_t>(shape_.radix);
  constexpr bool narrow = ports != Ports::many;
  const int digit_shift = role == Role::last ? 0 : (work.level - 1) * layout.digit_stride;
  const auto digit_mask = static_cast<Packet>((1U << layout.digit_stride) - 1);
  const auto turn_of_level = static_cast<Packet>(work.level - 1);
  const std::int32_t wait_limit = shape_.wait_limit(), capacity = shape_.capacity;
  const auto ring_mask = static_cast<std::uint32_t>(shape_.ring) - 1;
  const auto start = static_cast<std::uint32_t>(column(0));
  const bool parents = work.parents, observing = role == Role::last && shape_.flows > 0;
  const auto flow_mask = static_cast<Packet>((Packet{1} << (layout.birth_shift - layout.flow_shift)) - 1);
  const auto birth_mask = static_cast<Packet>((Packet{1} << layout.birth_bits) - 1);
  const auto stage = static_cast<std::size_t>(work.stage);
  std::uint64_t* const waits = fast_waits_.data() + stage * group * waits_stride;
  std::int32_t* const free = free_of(work.stage, work.at);
  constexpr std::uint32_t first_port = narrow ? NearQueues::first : 0;
  std::array<Packet*, (narrow ? 32 : 1024)> out;
  for (std::size_t port = 0; role != Role::last && port < radix; ++port)
    out[port + first_port] = streams_.data() + work.out_position + port * work.port_stride;
  if constexpr (narrow) out[NearQueues::nowhere] = nowhere_.data();
  constexpr std::size_t choice_bytes = binary ? 1 : 4;
  const auto* choose = reinterpret_cast<const unsigned char*>(choices_.data()) +
                       static_cast<std::size_t>(first) * radix * choice_bytes;
  const std::uint32_t* visit = visits_.data() + static_cast<std::size_t>(first) * inputs;
  std::uint64_t joined = 0, dropped = 0;
  const auto top_turn = static_cast<std::size_t>(shape_.levels - 1);
  std::uint64_t* const delays = fast_delays_.data() + (turning ? 0 : top_turn * fast_delays);
  const int birth_shift = layout.birth_shift, turn_shift = layout.turn_shift;
  const auto nothings = [&] {
    std::uint64_t sum = 0;
    for (std::size_t j = 0; j < group; ++j) sum += waits[j * waits_stride + NearQueues::nothing];
    return sum;
  };
  const std::uint64_t nothings_before = nothings();
  alignas(16) std::array<NearQueues::Found, group> found;
  for (auto& row : found) row.fill(static_cast<std::uint8_t>(NearQueues::nothing));
  std::uint64_t near = 0, near_dropped = 0;  ///< packets and absent ones processed while queues were short
  // A full queue does not grow: a look-ahead is needed only with larger buffers than bytes can count.
  const std::int32_t bar = std::min<std::int32_t>(wait_limit, static_cast<std::int32_t>(fast_waits) - 1);
  NearQueues queues(free, radix, capacity < bar ? capacity : bar - static_cast<std::int32_t>(inputs),
                    capacity);

  using Ahead = FetchAhead<Packet, turning && role != Role::up, role != Role::last, narrow>;
  Ahead ahead({.in = work.next_in + start,
               .parents_offset = parents_offset,
               .in_stride = shape_.stream_stride,
               .out = streams_.data() + work.next_out_position,
               .out_stride = work.port_stride,
               .radix = radix,
               .start = start,
               .ring_mask = ring_mask},
              static_cast<std::uint32_t>(first));
  const std::int64_t block = block_start();
  const auto age_shift = static_cast<Packet>(block - (turning ? 0 : 2 * (shape_.levels - 1)));
  const std::uint16_t* drawn = rotations_.data() + first;
  const Packet* now = in + start + first;
  const auto slot = [&]<bool is_near>(int s) __attribute__((always_inline)) {
    // of packets that wait 0 slots
    const std::uint32_t next_column = start + 1 + static_cast<std::uint32_t>(s);
    const auto age_base = static_cast<Packet>(age_shift + static_cast<Packet>(s));
    const std::uint32_t rotation =
        binary ? *drawn & (inputs - 1) : below(inputs, std::uint32_t{*drawn} << 16U);

    struct Seen {
      Packet packet;
      std::uint32_t here;  ///< 1, or 0 for no packet or one to be skipped; a number, to avoid branches
      std::uint32_t port;  ///< counted from first_port
    };
    /// Packet number i of the slot, which is that of visit[rank].
    const auto look = [&](std::size_t i, std::size_t rank) __attribute__((always_inline)) {
      const std::uint32_t offset = visit[rank];
      const Packet packet = now[offset];
      auto here = static_cast<std::uint32_t>(packet >> (packet_bits<Packet> - 1));
      if constexpr (turning) {
        const Packet turn = (packet >> turn_shift) & 15U;
        if constexpr (role == Role::up)
          here &= static_cast<std::uint32_t>(turn > turn_of_level);
        else
          here &=
              static_cast<std::uint32_t>((turn == turn_of_level) == (!parents || offset < parents_offset));
      }
      std::uint32_t port;
      if constexpr (role != Role::up)
        port = static_cast<std::uint32_t>((packet >> digit_shift) & digit_mask) |
               (ports == Ports::marked ? NearQueues::nowhere : first_port);
      else if constexpr (binary)
        port = choose[i];
      else {
        std::uint32_t number;
        std::memcpy(&number, choose + 4 * i, 4);
        port = below(radix, number) | first_port;
      }
      return Seen{packet, here, port};
    };
    /// A packet with this wait leaves the network. Packets that are not here have no delay.
    const auto count_end = [&](Packet packet, std::uint32_t wait, std::uint32_t here, std::uint64_t count)
        __attribute__((always_inline)) {
      Packet age = static_cast<Packet>(age_base + wait) - static_cast<Packet>(packet >> birth_shift);
      std::size_t turn = 0;
      if constexpr (turning) {
        turn = static_cast<std::size_t>((packet >> turn_shift) & 15U);
        age -= 2 * static_cast<Packet>(turn);
      }
      const std::size_t delay = age & birth_mask & (Packet{0} - static_cast<Packet>(here));
      if (delay >= fast_delays) [[unlikely]]
        count_delay(turning ? turn : top_turn, delay, 1);
      else
        delays[turn * fast_delays + delay] += count;
    };
    /// Packet number i joins its queue, a short one. The number ahead of it goes to row j.
    const auto join_near = [&](std::size_t i, std::size_t rank, std::size_t j)
        __attribute__((always_inline)) {
      Seen seen = look(i, rank);
      if constexpr (ports != Ports::marked) seen.port &= 0U - seen.here;
      queues.template join<finite>(seen.port, found[j]);
      return seen;
    };
    /// It is sent when the packets ahead of it have been served.
    const auto send_near = [&](Seen seen, std::size_t j) __attribute__((always_inline)) {
      auto [packet, here, port] = seen;
      const std::size_t wait = found[j][port];
      ++waits[j * waits_stride + wait];
      if constexpr (finite) {
        const auto fits = static_cast<std::uint32_t>(static_cast<std::int32_t>(wait) < capacity);
        near_dropped += here & ~fits;
        here &= fits;
        port &= 0U - fits;
      }
      if constexpr (role == Role::last)
        count_end(packet, static_cast<std::uint32_t>(wait), here, turning ? here : 1);
      else
        out[port][(next_column + wait) & ring_mask] = packet;
    };
    /// The same for queues of any length, each a number in memory.
    const auto take_far = [&](std::size_t i, std::size_t rank, std::size_t j) __attribute__((always_inline)) {
      auto [packet, here, port] = look(i, rank);
      port &= ~first_port;
      std::int32_t& next = free[port];
      const std::int32_t wait = std::max(next - s, 0);
      const std::uint32_t joins = here & static_cast<std::uint32_t>(!finite || wait < capacity);
      if constexpr (finite) dropped += here - joins;
      next = s + wait + static_cast<std::int32_t>(joins);
      const std::int64_t served = block + s + wait;
      const auto place = static_cast<std::size_t>(wait);
      if (wait >= wait_limit) {
        if (joins != 0)
          join_late(work.stage, wait, work.out_position + port * work.port_stride, served + 1, packet,
                    role == Role::last);
      } else {
        if (place < NearQueues::nothing)
          waits[j * waits_stride + place] += joins;
        else
          count_at(waits_[stage], place, joins);
        // If nothing joins, a free cell of the stream stays empty.
        if constexpr (role != Role::last)
          out[port + first_port][(next_column + place) & ring_mask] =
              packet & (Packet{0} - static_cast<Packet>(joins));
      }
      if constexpr (role == Role::last) {
        joined += joins;
        count_end(packet, static_cast<std::uint32_t>(wait), joins, joins);
        if (observing && joins != 0 && (packet >> layout.flow_shift & flow_mask) != 0)
          deliver(packet, served);
      }
    };

    const auto first_rank = [&](std::uint32_t i) __attribute__((always_inline)) {
      if constexpr (binary) return std::size_t{i ^ rotation};
      return std::size_t{i + rotation < inputs ? i + rotation : i + rotation - inputs};
    };
    /// From the rank of the packet at position j of a group to that of the next.
    const auto next_rank = [&](std::size_t rank, std::size_t j) __attribute__((always_inline)) {
      if constexpr (!binary) return rank + 1 < inputs ? rank + 1 : 0;
      rank ^= j ^ (j + 1);
      keep(rank);
      return rank;
    };
    // Reading a number right after storing it is slow. If more than a count depends on it, other packets join
    // first.
    constexpr std::size_t lag = role == Role::last ? 0 : 4;
    /// Packets i .. i + size - 1.
    const auto take_group = [&]<std::size_t size>(std::integral_constant<std::size_t, size>, std::uint32_t i)
        __attribute__((always_inline)) {
      std::size_t rank = first_rank(i);
      std::array<Seen, size> seen;
      const auto step = [&]<std::size_t j>(std::integral_constant<std::size_t, j>)
          __attribute__((always_inline)) {
        if constexpr (j < size) {
          if constexpr (is_near)
            seen[j] = join_near(std::size_t{i} + j, rank, j);
          else
            take_far(std::size_t{i} + j, rank, j);
          rank = next_rank(rank, j);
        }
        if constexpr (is_near && j >= lag) send_near(seen[j - lag], j - lag);
      };
      [&]<std::size_t... j>(std::index_sequence<j...>) __attribute__((always_inline)) {
        (step(std::integral_constant<std::size_t, j>{}), ...);
      }
      (std::make_index_sequence<size + lag>{});
    };
    ahead.fetch();
    std::uint32_t i = 0;
    for (; i + group <= inputs; i += group) take_group(std::integral_constant<std::size_t, group>{}, i);
    for (; i < inputs; ++i) take_group(std::integral_constant<std::size_t, 1>{}, i);
    if constexpr (is_near) queues.serve();
    ++drawn;
    ++now;
    visit += inputs;
    choose += radix * choice_bytes;
  };
  for (int s = first; s < last;) {
    if constexpr (narrow)
      if (!observing && queues.come(s)) {
        const int came = s;
        do slot.template operator()<true>(s++);
        while (s < last && queues.may_stay());
        queues.go(s);
        near += static_cast<std::uint64_t>(s - came) * inputs;
        if (s == last) break;
      }
    slot.template operator()<false>(s++);
  }
  if constexpr (role == Role::last) {
    const std::uint64_t not_here = nothings() - nothings_before + near_dropped;
    joined += near - not_here;
    if constexpr (!turning) delays[0] -= not_here;
  }
  totals_.dropped += static_cast<std::int64_t>(dropped + near_dropped);
  drops_[stage] += dropped + near_dropped;
  totals_.delivered += static_cast<std::int64_t>(joined);
}

}  // namespace tailbound::sim::tree_engine
