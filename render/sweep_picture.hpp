#pragma once

#include <tailbound/core/error.hpp>
#include <tailbound/render/document.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Pictures of many points: one number against one input, a curve for each value of the others.
namespace tailbound::render {

struct Sweep {
  std::vector<std::string> axes;  ///< inputs for the x axis: the first of them that varies and is a number
  std::string height;             ///< the key of what is drawn
  bool powers_of_ten = false;     ///< on a logarithmic axis
  CurveStyle style = CurveStyle::points_and_line;  ///< bars where the numbers are estimates
};

/// "burst 8, inputs 16": the inputs in which this result differs from the others, but for `axis`.
[[nodiscard]] std::string point_title(const Document& document, const Result& result,
                                      std::string_view axis = {});

/// Adds (x, value), which makes bars of the curve if the value is an estimate; nothing where it is no finite
/// number.
/// \param powers_of_ten  y is log10 of the value
void add_point(Curve& curve, double x, const Value& value, bool powers_of_ten);

/// Does any of the axes vary, so that there is something to draw?
[[nodiscard]] bool varies(const Document& document, const Sweep& sweep);

/// Adds curves and the x label to `picture`: points sorted by x, titles such as "burst 8, inputs 16". Points without a
/// number are left out.
/// \throws NoAnswer  there is nothing to draw
[[nodiscard]] Picture sweep_picture(const Document& document, const Sweep& sweep, Picture picture);

/// For one answer: the values at which a curve through it is worth drawing, its own among them.
[[nodiscard]] std::vector<numeric::Rational> loads_around(const numeric::Rational& load);

/// For one answer: its place on the curves of the same question at other values.
/// \throws NoAnswer  no curve has it
void mark_here(Picture& picture, double x, const std::string& name);

/// The answers to other questions like one: those that have none are left out.
template <class Question, class Answer>
[[nodiscard]] auto answered(const std::vector<Question>& questions, const Answer& answer) {
  std::vector<std::pair<Question, decltype(answer(questions.front()))>> points;
  for (const Question& question : questions) try {
      points.emplace_back(question, answer(question));
    } catch (const NoAnswer&) {  // of an overload, or what would take too long: no point of a curve
    } catch (const InvalidArgument&) {
    }
  return points;
}

}  // namespace tailbound::render
