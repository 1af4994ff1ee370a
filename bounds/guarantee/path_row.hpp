#pragma once

#include <tailbound/numeric/rational.hpp>

#include <array>
#include <cstddef>

/// Names of the rows of bounds/guarantee/path_program.hpp, for proofs that list them.
namespace tailbound::bounds {

/// What a row says; x and the numbers of queues and dates as in bounds/guarantee/path_program.hpp.
enum class PathRowKind {
  order,    ///< x[j][k + 1] <= x[j][k]
  passage,  ///< x[j][k] + shortest packet + wire <= x[j + 1][k]
  delay,    ///< x[j + 1][k] - x[j][k] <= delay of the queue + wire
  data,     ///< data of a set by x[j][k + 1] <= by x[j][k], where it joins
  flows,  ///< data of a set in [x[j][later], x[j][k]], where it joins: a line of the sum of its flows' curves
  group,  ///< data of a group of flows that joins: a line of its curve
  link,   ///< data over one link: rate and longest packet
  service,  ///< a piece of the service curve of the queue
};
[[nodiscard]] constexpr auto names_of(PathRowKind) {
  return std::array{"order", "passage", "delay", "data", "flows", "group", "link", "service"};
}

struct PathRow {
  PathRowKind kind{};
  std::size_t queue = 0;         ///< j, position on the route
  std::size_t k = 0, later = 0;  ///< dates; `later` of two, the earlier instant
  std::size_t of = 0;    ///< position of the set, of the group in NetworkGuarantee::groups; port of the link
  std::size_t line = 0;  ///< of a curve, or piece of a service curve
  friend bool operator==(const PathRow&, const PathRow&) = default;
};

/// Of a proof: the sum of factor times row is x[n][0] - x[0][0] <= a number.
struct PathStep {
  PathRow row;
  numeric::Rational factor;  ///< above 0
};

}  // namespace tailbound::bounds
