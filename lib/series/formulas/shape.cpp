#include <tailbound/series/formulas/shape.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tailbound::series {
namespace {

using numeric::Interval;
using symbolic::Program;
using Operation = Program::Operation;

Shape shape_of(const Program::Step& step, const std::vector<Shape>& before) {
  Shape result;
  switch (step.operation) {
    case Operation::constant:
      result.constant = numeric::to_interval(step.constant);
      result.rest_up = result.rest_down = true;
      break;
    case Operation::variable:
      result.constant = Interval(0);
      result.rest_up = true;
      result.top = 1;
      break;
    case Operation::add: {
      const Shape &a = before[step.left], &b = before[step.right];
      if (a.constant && b.constant) result.constant = *a.constant + *b.constant;
      result.rest_up = a.rest_up && b.rest_up;
      result.rest_down = a.rest_down && b.rest_down;
      result.rational = a.rational && b.rational;
      result.irrational_constant = a.irrational_constant || b.irrational_constant;
      result.top = std::max(a.top + b.bottom, b.top + a.bottom);
      result.bottom = a.bottom + b.bottom;
      break;
    }
    case Operation::multiply: {
      const Shape &a = before[step.left], &b = before[step.right];
      if (a.constant && b.constant) result.constant = *a.constant * *b.constant;
      result.rest_up = a.non_negative() && b.non_negative();
      for (const auto& [factor, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
        if (!factor->is_constant() || !factor->constant) continue;
        if (numeric::lower(*factor->constant) >= 0) {
          result.rest_up = result.rest_up || other->rest_up;
          result.rest_down = result.rest_down || other->rest_down;
        }
        if (numeric::upper(*factor->constant) <= 0) {
          result.rest_up = result.rest_up || other->rest_down;
          result.rest_down = result.rest_down || other->rest_up;
        }
      }
      result.rational = a.rational && b.rational;
      result.irrational_constant = a.irrational_constant || b.irrational_constant;
      result.top = a.top + b.top;
      result.bottom = a.bottom + b.bottom;
      break;
    }
    case Operation::power: {
      const Shape& a = before[step.left];
      const bool negative = step.exponent < 0;
      const auto times = static_cast<double>(std::labs(step.exponent));
      const bool divisible =
          a.constant && (numeric::lower(*a.constant) > 0 || numeric::upper(*a.constant) < 0);
      if (a.constant && (!negative || divisible)) {
        Interval value(1), base = *a.constant;
        for (long n = std::labs(step.exponent); n > 0; n /= 2) {
          if (n % 2 == 1) value *= base;
          if (n > 1) base *= base;
        }
        result.constant = negative ? Interval(1) / value : value;
      }
      result.rest_up = negative ? a.positive_minus() : a.non_negative();
      result.rest_down = a.is_constant();
      result.rest_up = result.rest_up || a.is_constant();
      result.rational = a.rational;
      result.irrational_constant = a.irrational_constant;
      result.top = times * (negative ? a.bottom : a.top);
      result.bottom = times * (negative ? a.top : a.bottom);
      break;
    }
    case Operation::exponential: {
      const Shape& a = before[step.left];
      if (a.constant) result.constant = exp(*a.constant);
      result.rest_up = a.rest_up || a.is_constant();
      result.rest_down = a.is_constant();
      result.rational = a.is_constant();
      result.irrational_constant = true;
      break;
    }
  }
  return result;
}

}  // namespace

std::vector<Shape> shapes_of(const Program& program) {
  std::vector<Shape> shapes;
  for (const Program::Step& step : program.steps) shapes.push_back(shape_of(step, shapes));
  return shapes;
}

bool is_plain(const Program& program) {
  const numeric::PrecisionScope scope({64});
  const std::vector<Shape> shapes = shapes_of(program);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Program::Step& step = program.steps[i];
    if (!shapes[i].rest_up && !shapes[i].rest_down) return false;
    switch (step.operation) {
      case Operation::multiply:
        if (!shapes[step.left].is_polynomial() && !shapes[step.right].is_polynomial()) return false;
        break;
      case Operation::power: {
        const Shape& base = shapes[step.left];
        if (!base.is_polynomial() && step.exponent != 1) return false;
        if (!base.is_constant() && !(step.exponent < 0 ? base.positive_minus() : base.non_negative()))
          return false;
        break;
      }
      case Operation::exponential:
        if (!shapes[step.left].is_polynomial() || !shapes[step.left].rest_up) return false;
        break;
      default:
        break;
    }
  }
  return true;
}

}  // namespace tailbound::series
