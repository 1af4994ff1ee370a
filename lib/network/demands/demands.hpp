#pragma once

#include <tailbound/network/fabric/fabric.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Traffic said in a few words, as demands of a fabric.
///
/// TESTS  tests/network/demands/demands_test.cpp, tests/fuzz/fuzz_fabric.cpp
namespace tailbound::network {

/// A node that sends, receives, or both.
struct Party {
  std::uint32_t node = 0;   ///< position in Network::nodes
  Rational sends = 0;       ///< packets a slot in all, 0 or above; what its links bear is for require_valid()
  Rational attracts = 0;    ///< receives in proportion to it; 0 or above
  std::uint32_t group = 0;  ///< sends to those of its own group only
};

/// Each party sends to all others of its group, to each in proportion to what that attracts: with s(i) for what it
/// sends and c(j) for what attracts, rate(i, j) = s(i) c(j) / sum over k != i of c(k). One that has nobody to send
/// to sends nothing. Uniform traffic has one attraction for all; gravity has many; a hot spot has a greater one.
/// \throws InvalidArgument  a node twice or out of range, a rate above 1 or below 0, an attraction below 0
/// \throws NoAnswer         nobody sends anything
[[nodiscard]] ProductDemand product_demand(std::size_t nodes, std::span<const Party> parties);

/// What makes a receiver attract so much that it gets, beside its part of uniform traffic, the share `share` of what
/// each sender that is none of the `hot` sends: 1 + (share / hot) (receivers - 1) / (1 - share).
/// \param receivers  of which a sender is one; hot of them are hot
[[nodiscard]] Rational hot_attraction(const Rational& share, std::size_t hot, std::size_t receivers);

/// Each of n nodes sends to one other, or to none where it would be itself.
enum class Permutation {
  shift,        ///< i to i + by modulo n
  reverse,      ///< i to n - 1 - i
  transpose,    ///< n = m * m: row and column of i change places
  bit_reverse,  ///< n = 2^m: the m binary digits of i in reverse
  random,       ///< one of all n! with equal chances, given by a seed
};

/// \param by  of a shift how far; of a random one its seed
/// \throws InvalidArgument  a number of nodes that the permutation is not for, a rate out of range
/// \throws NoAnswer         nobody sends anything
[[nodiscard]] SparseDemand permutation_demand(std::span<const std::uint32_t> nodes, const Rational& rate,
                                              Permutation permutation, std::uint64_t by);

/// A list of pairs with the rate of each. \param entries  no two of the same ends; their positions are not looked at
[[nodiscard]] SparseDemand sparse_demand(std::span<const std::pair<SparseDemand::Entry, Rational>> entries);

inline constexpr std::size_t most_sparse_entries = 100'000'000;

/// Reads a demand from a table with a row for each pair, in any order, piece by piece, as the file comes. The first row says
/// which columns are from, to and rate (reading/table_rows.hpp: their names, separators and numbers); or each line is
/// "left -> right: rate". Lines that begin with # are comments. A pair may stand there once.
///
/// COST  12 bytes for each entry, no matter how long the file; some 10^7 entries a second.
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
  /// Behind the last.
  /// \throws ParseError     also where a pair stands there twice, and where a node sends more than a packet a slot
  [[nodiscard]] SparseDemand finish();

 private:
  class Lines;
  std::unique_ptr<Lines> lines_;
};

}  // namespace tailbound::network
