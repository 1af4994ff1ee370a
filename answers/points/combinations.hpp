#pragma once

#include <tailbound/core/error.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

/// All combinations of lists, as the points of a query.
///
/// TESTS     tests/answers/points/combinations_test.cpp
namespace tailbound::answers {

/// A query for several values of its fields:
///
///     Combinations(BufferQuery{.accuracy = accuracy})
///         .by(traffics, &BufferQuery::traffic)
///         .by(drops, [](BufferQuery& each, const Rational& drop) { each.requested = MinBuffer{drop}; })
///         .points()
///
/// gives all combinations, the last list varying fastest. The axes are evaluated in the order written.
template <class Point>
class Combinations {
 public:
  static constexpr std::size_t max_points = 1'000'000;

  explicit Combinations(Point common) { points_.push_back(std::move(common)); }
  explicit Combinations(std::vector<Point> points) : points_(std::move(points)) {}

  /// \param set  a member, or a function (point, value)
  /// \throws InvalidArgument  there are more than max_points
  template <class Value, class Set>
  [[nodiscard]] Combinations by(const std::vector<Value>& values, const Set& set) && {
    if (values.size() > 1 && points_.size() > max_points / values.size())
      throw InvalidArgument("the number of points", "more than 1000000", "at most 1000000");
    std::vector<Point> all;
    all.reserve(points_.size() * values.size());
    for (const Point& point : points_)
      for (const Value& value : values) {
        all.push_back(point);
        if constexpr (std::is_member_object_pointer_v<Set>)
          std::invoke(set, all.back()) = value;
        else
          set(all.back(), value);
      }
    return Combinations(std::move(all));
  }

  [[nodiscard]] std::vector<Point> points() && { return std::move(points_); }

 private:
  std::vector<Point> points_;
};

/// The values of an optional list: as they are, or a single "nothing".
template <class Value>
[[nodiscard]] std::vector<std::optional<Value>> or_none(const std::vector<Value>& values) {
  if (values.empty()) return {std::nullopt};
  return {values.begin(), values.end()};
}

}  // namespace tailbound::answers
