#pragma once

#include <tailbound/core/error.hpp>
#include <tailbound/sim/fabric/fabric_tables.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>

/// Where packets go: drawn from the tables of a fabric, by each of its simulations.
/// Internal to the sim module.
namespace tailbound::sim {

/// Destination of a packet (20 bits), its intermediate group plus one (11; 0: passed already, or none) and
/// route table (1).
class Course {
 public:
  Course() = default;
  explicit Course(std::uint32_t word) : word_(word) {}
  Course(std::uint32_t to, std::uint32_t via, std::uint32_t rule) : word_(to << 12U | via << 1U | rule) {}

  [[nodiscard]] std::uint32_t word() const { return word_; }
  [[nodiscard]] std::uint32_t to() const { return word_ >> 12U; }
  [[nodiscard]] std::uint32_t via() const { return word_ >> 1U & 0x7FFU; }
  [[nodiscard]] std::uint32_t rule() const { return word_ & 1U; }
  /// From this router on.
  [[nodiscard]] Course from(const FabricTables& tables, const FabricTables::Router& router) const {
    return via() != 0 && tables.groups->of_node[router.node] + 1 == via() ? Course(word_ & ~(0x7FFU << 1U))
                                                                          : *this;
  }
  /// The route entries of a router.
  [[nodiscard]] const std::uint16_t* next_hop(const FabricTables& tables, std::size_t router) const {
    return tables.route_at(rule(), router,
                           via() == 0 ? tables.target[to()].place : tables.first_group_place + via() - 1);
  }
  /// Is it one of the fabric?
  [[nodiscard]] bool is_of(const FabricTables& tables) const {
    return to() < tables.target.size() && tables.target[to()].place != FabricTables::none &&
           via() <= (tables.groups ? tables.groups->size() : 0);
  }

 private:
  std::uint32_t word_ = 0;
};

/// 32-bit draws, one after the other, of one entity at one moment.
class Draws {
 public:
  Draws(RandomKey key, std::uint64_t purpose, std::uint64_t entity, std::int64_t moment)
      : key_(key), purpose_(purpose), entity_(entity), index_(static_cast<std::uint64_t>(moment) << 20U) {}

  [[nodiscard]] std::uint32_t next() {
    if (used_ == 8) {
      const RandomWords words = random_words(key_, purpose_, entity_, index_++);
      for (std::size_t i = 0; i < 4; ++i) {
        bits_[2 * i] = static_cast<std::uint32_t>(words[i]);
        bits_[2 * i + 1] = static_cast<std::uint32_t>(words[i] >> 32U);
      }
      used_ = 0;
    }
    return bits_[used_++];
  }
  /// Two draws in one: the upper half of the product is below `count`, the lower half is a new draw except
  /// for the last bits, as many as `count` has.
  [[nodiscard]] std::uint64_t next_product(std::uint32_t count) { return std::uint64_t{count} * next(); }
  [[nodiscard]] std::uint64_t next_word() {
    const std::uint64_t high = next();
    return high << 32U | next();
  }
  /// From [0, 1[.
  [[nodiscard]] double next_share() { return static_cast<double>(next_word() >> 11U) * 0x1p-53; }

 private:
  RandomKey key_;
  std::uint64_t purpose_, entity_, index_;
  std::array<std::uint32_t, 8> bits_;
  std::size_t used_ = 8;
};

/// The intermediate group of a packet plus one; 0: none.
inline std::uint32_t drawn_group(const network::SwitchGroups& groups, std::uint32_t from, std::uint32_t to,
                                 Draws& draws) {
  const std::uint32_t own = groups.of_node[from], last = groups.of_node[to];
  if (own == last) return 0;
  while (true) {
    const std::uint32_t group =
        groups.drawn[below(static_cast<std::uint32_t>(groups.drawn.size()), draws.next())];
    if (group != own && group != last) return group + 1;
  }
}

/// Of a packet that is sent now.
inline Course drawn_course(const FabricTables& tables, const FabricTables::Sender& sender, Draws& draws) {
  const FabricTables::Part* part = &tables.parts[sender.first_part];
  if (sender.parts > 1) {
    const std::uint64_t draw = draws.next_word();
    while (draw >= part->bound && part->bound != ~std::uint64_t{0}) ++part;
  }
  const FabricTables::Targets& list = tables.targets[part->targets];
  while (true) {
    std::size_t at = 0;
    if (list.bounds.empty())
      at = below(static_cast<std::uint32_t>(list.nodes.size()), draws.next());
    else
      at = static_cast<std::size_t>(
          std::upper_bound(list.bounds.begin(), list.bounds.end() - 1, draws.next_word()) -
          list.bounds.begin());
    const std::uint32_t to = list.nodes[at];
    if (to != sender.node)
      return {to, part->valiant ? drawn_group(*tables.groups, sender.node, to, draws) : 0, part->rule};
  }
}

/// Number of set bits of 16. Not std::popcount(), which is a function call on targets without the
/// instruction.
inline unsigned bits_of(unsigned mask) {
  mask -= mask >> 1U & 0x5555U;
  mask = (mask & 0x3333U) + (mask >> 2U & 0x3333U);
  mask = (mask + (mask >> 4U)) & 0x0F0FU;
  return (mask + (mask >> 8U)) & 0x1FU;
}

/// \pre there is a route, and it continues
inline std::uint32_t drawn_port(const FabricTables& tables, const FabricTables::Router& router,
                                std::uint16_t next_hop, std::uint32_t draw) {
  if (router.masks) {
    unsigned mask = next_hop;
    for (std::uint32_t before = below(bits_of(mask), draw); before > 0; --before) mask &= mask - 1;
    return static_cast<std::uint32_t>(std::countr_zero(mask));
  }
  if (next_hop < FabricTables::chosen) return next_hop;
  const FabricTables::Choice& choice =
      tables.choices[router.first_choice + (next_hop ^ FabricTables::chosen)];
  if (choice.weights != 0) {
    std::uint32_t at = choice.first;
    while (below(choice.weights, draw) >= tables.bounds[at]) ++at;
    return tables.ports[at];
  }
  const std::uint32_t port = choice.first + below(choice.count, draw);
  return choice.listed ? tables.ports[port] : port;
}

/// \param packets  that are in queues
/// \throws LimitExceeded  more than 2^26
inline void require_stable(std::int64_t packets) {
  constexpr std::int64_t most = 1 << 26;
  if (packets > most)
    throw LimitExceeded("the queues exceed " + std::to_string(most) + " packets: a link is overloaded");
}

}  // namespace tailbound::sim
