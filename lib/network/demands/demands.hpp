#pragma once

#include <tailbound/network/fabric/fabric.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Traffic in compact form, as demands of a fabric.
///
/// TESTS  tests/network/demands/demands_test.cpp, tests/fuzz/fuzz_fabric.cpp
namespace tailbound::network {

/// A node that sends, receives, or both.
struct Party {
  std::uint32_t node = 0;  ///< position in Network::nodes
  /// packets per slot in total, 0 or above; require_valid() checks the limits of its links
  Rational sends = 0;
  Rational attracts = 0;    ///< receives in proportion to this value; 0 or above
  std::uint32_t group = 0;  ///< sends only to nodes of its own group
};

/// Each party sends to all others of its group, to each in proportion to its attraction: with s(i) the rate
/// sent by i and c(j) the attraction of j, rate(i, j) = s(i) c(j) / sum over k != i of c(k). A party without
/// destinations sends nothing. Uniform traffic has one attraction for all, gravity traffic has many, and a
/// hot spot has a higher one.
/// \throws InvalidArgument  a node twice or out of range, a rate above 1 or below 0, an attraction below 0
/// \throws NoAnswer         no node sends anything
[[nodiscard]] ProductDemand product_demand(std::size_t nodes, std::span<const Party> parties);

/// The attraction of a hot receiver, such that it gets the fraction `share` of the traffic of each sender
/// that is not one of the `hot`, in addition to its part of uniform traffic: 1 + (share / hot) (receivers -
/// 1) / (1 - share).
/// \param receivers  their number; includes the sender and the `hot` hot ones
[[nodiscard]] Rational hot_attraction(const Rational& share, std::size_t hot, std::size_t receivers);

/// Each of n nodes sends to one other node, or to none where that would be itself.
enum class Permutation {
  shift,        ///< i to i + by modulo n
  reverse,      ///< i to n - 1 - i
  transpose,    ///< n = m * m: row and column of i are swapped
  bit_reverse,  ///< n = 2^m: the m binary digits of i in reverse
  random,       ///< one of all n! with equal probability, given by a seed
};

/// \param by  distance of a shift; seed of a random permutation
/// \throws InvalidArgument  a number of nodes for which the permutation is not defined, a rate out of range
/// \throws NoAnswer         no node sends anything
[[nodiscard]] SparseDemand permutation_demand(std::span<const std::uint32_t> nodes, const Rational& rate,
                                              Permutation permutation, std::uint64_t by);

/// A list of pairs with the rate of each. \param entries  each pair at most once; their positions are ignored
[[nodiscard]] SparseDemand sparse_demand(std::span<const std::pair<SparseDemand::Entry, Rational>> entries);

inline constexpr std::size_t max_sparse_entries = 100'000'000;

/// Reads a demand from a table with a row for each pair, in any order, chunk by chunk as the file arrives.
/// The first row names the columns from, to and rate (reading/table_rows.hpp lists names, separators and
/// number formats); or each line is "left -> right: rate". Lines that begin with # are comments. A pair may
/// occur once.
///
/// COST  12 bytes for each entry, for any length of the file; some 10^7 entries per second.
class SparseDemandReader {
 public:
  /// \param network  with the nodes' names; outlives this
  /// \param name     of the file, for messages
  SparseDemandReader(const Network& network, std::string name);
  ~SparseDemandReader();
  SparseDemandReader(const SparseDemandReader&) = delete;
  SparseDemandReader& operator=(const SparseDemandReader&) = delete;

  /// The next bytes of the file.
  /// \throws ParseError     with line and column
  void take(std::string_view bytes);
  /// Call after the last bytes.
  /// \throws ParseError     also for a pair that occurs twice, or a node that sends more than one packet per
  ///                        slot
  [[nodiscard]] SparseDemand finish();

 private:
  class Lines;
  std::unique_ptr<Lines> lines_;
};

}  // namespace tailbound::network
