#pragma once

#include <tailbound/core/error.hpp>
#include <tailbound/render/document.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Pictures of many points: one quantity against one input, with a curve for each value of the others.
namespace tailbound::render {

struct Sweep {
  std::vector<std::string> axes;  ///< candidate inputs for the x axis: the first numeric one that varies
  std::string height;             ///< key of the plotted quantity
  bool powers_of_ten = false;     ///< on a logarithmic axis
};

/// "burst 8, inputs 16": the inputs in which this result differs from the others, except `axis`.
[[nodiscard]] std::string point_title(const Document& document, const Result& result,
                                      std::string_view axis = {});

/// Adds (x, value); an estimate turns the curve into bars. Ignored if it is not a finite number.
/// \param powers_of_ten  y is log10 of the value
void add_point(Curve& curve, double x, const Value& value, bool powers_of_ten);

/// Does any of the axes vary, so that there is something to draw?
[[nodiscard]] bool varies(const Document& document, const Sweep& sweep);

/// Adds curves and the x label to `picture`: points sorted by x, not joined, titles such as "burst 8,
/// inputs 16".
/// Points without a number are omitted. Inputs over more than a thousandfold range, such as targets, have a
/// logarithmic axis.
/// \throws NoAnswer  there is nothing to draw
[[nodiscard]] Picture sweep_picture(const Document& document, const Sweep& sweep, Picture picture);

/// For a single answer: values, including its own, to show it among others.
[[nodiscard]] std::vector<numeric::Rational> loads_around(const numeric::Rational& load);

/// For a single answer: marks it among the points of the same query at other values.
/// \throws NoAnswer  no curve contains it
void mark_here(Picture& picture, double x, const std::string& name);

/// The answers to neighboring queries; those without an answer are omitted.
template <class Query, class Answer>
[[nodiscard]] auto answered(const std::vector<Query>& queries, const Answer& answer) {
  std::vector<std::pair<Query, decltype(answer(queries.front()))>> points;
  for (const Query& query : queries) try {
      points.emplace_back(query, answer(query));
    } catch (const NoAnswer&) {  // overload, or too expensive: no point of a curve
    } catch (const InvalidArgument&) {
    }
  return points;
}

}  // namespace tailbound::render
