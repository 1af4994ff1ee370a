#include <tailbound/core/error.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::render {
namespace {

const Column* axis_of(const Document& document, const Sweep& sweep) {
  if (document.results.empty()) return nullptr;
  const std::vector<const Column*> varying = varying_inputs(document);
  for (const std::string& key : sweep.axes)
    for (const Column* column : varying)
      if (column->key == key && height(value_of(document.results.front().inputs, key))) return column;
  return nullptr;
}

/// For inputs that do not vary: a single point, perhaps the only one left after a stop.
const Column* any_axis(const Document& document, const Sweep& sweep) {
  if (document.results.empty()) return nullptr;
  for (const std::string& key : sweep.axes)
    for (const Column& column : document.layout->inputs)
      if (column.key == key && height(value_of(document.results.front().inputs, key))) return &column;
  return nullptr;
}

/// More than a thousandfold range, which a linear axis would show as one point and others at 0.
bool over_powers(const Document& document, const Column& axis) {
  constexpr double powers = 3;
  double smallest = INFINITY, largest = -INFINITY;
  for (const Result& result : document.results) {
    const auto place = log10_height(value_of(result.inputs, axis.key));
    if (!place || !std::isfinite(*place)) return false;
    smallest = std::min(smallest, *place), largest = std::max(largest, *place);
  }
  return largest - smallest >= powers;
}

std::string title_of(const Result& result, const std::vector<const Column*>& others) {
  std::string title;
  for (const Column* column : others) {
    const Value value = value_of(result.inputs, column->key);
    if (std::holds_alternative<None>(value)) continue;
    title += (title.empty() ? "" : ", ") +
             (column->shape == Shape::text ? brief(value) : column->heading + " " + brief(value));
    // Every load is per slot.
    if (!column->unit.empty() && column->unit != "packets/slot") title += " " + column->unit;
  }
  return title;
}

void sort_points(Curve& curve) {
  std::vector<std::size_t> order(curve.points.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return curve.points[a].first < curve.points[b].first;
  });
  const Curve former = curve;
  for (std::size_t i = 0; i < order.size(); ++i) {
    curve.points[i] = former.points[order[i]];
    if (!former.ends.empty()) curve.ends[i] = former.ends[order[i]];
  }
}

}  // namespace

void add_point(Curve& curve, double x, const Value& value, bool powers_of_ten) {
  const auto y = powers_of_ten ? log10_height(value) : height(value);
  if (!y || !std::isfinite(*y)) return;
  curve.points.emplace_back(x, *y);
  if (const auto* estimate = std::get_if<Estimate>(&value); estimate != nullptr && !estimate->bare()) {
    const auto end = [&](double of) { return powers_of_ten ? std::log10(of) : of; };
    curve.ends.emplace_back(end(estimate->lower), estimate->open() ? *y : end(estimate->upper));
    curve.style = CurveStyle::bars;
  }
}

std::string point_title(const Document& document, const Result& result, std::string_view axis) {
  std::vector<const Column*> others = varying_inputs(document);
  others.erase(
      std::remove_if(others.begin(), others.end(), [&](const Column* column) { return column->key == axis; }),
      others.end());
  return title_of(result, others);
}

bool varies(const Document& document, const Sweep& sweep) {
  return axis_of(document, sweep) != nullptr;
}

std::vector<numeric::Rational> loads_around(const numeric::Rational& load) {
  std::vector<numeric::Rational> loads{load};
  for (const int percent : {20, 30, 40, 50, 60, 70, 80, 85, 90, 95})
    if (const numeric::Rational other = numeric::Rational(percent) / 100; other != load)
      loads.push_back(other);
  std::sort(loads.begin(), loads.end());
  return loads;
}

void mark_here(Picture& picture, double x, const std::string& name) {
  Curve here{.title = "", .style = CurveStyle::marks};
  for (const Curve& curve : picture.curves) {
    if (!is_data(curve)) continue;
    const auto at = std::find_if(curve.points.begin(), curve.points.end(), [&](const auto& point) {
      return std::abs(point.first - x) <= 1e-9 * std::max(1.0, std::abs(x));
    });
    if (at == curve.points.end()) continue;
    here.points.push_back(*at);
    here.labels.push_back(here.labels.empty() ? name : "");
  }
  if (here.points.empty()) throw NoAnswer("nothing to draw: no other point has an answer");
  picture.curves.push_back(std::move(here));
}

Picture sweep_picture(const Document& document, const Sweep& sweep, Picture picture) {
  const Column* axis = axis_of(document, sweep);
  if (axis == nullptr) axis = any_axis(document, sweep);
  if (axis == nullptr) throw NoAnswer("there is nothing to draw against: no input is a list");
  // Of the results that are drawn: a sweep may have others, with other inputs.
  Document drawn = document;
  std::erase_if(drawn.results, [&](const Result& result) {
    return std::holds_alternative<None>(value_of(result.cells, sweep.height));
  });
  std::vector<const Column*> others = varying_inputs(drawn);
  others.erase(std::remove(others.begin(), others.end(), axis), others.end());
  picture.powers_of_ten = sweep.powers_of_ten;
  if (picture.x_label.empty()) picture.x_label = heading_with_unit(*axis);
  picture.x_powers_of_ten = over_powers(document, *axis);
  const std::size_t already = picture.curves.size();
  for (const Result& result : drawn.results) {
    const std::string title = title_of(result, others);
    auto curve =
        std::find_if(picture.curves.begin() + static_cast<std::ptrdiff_t>(already), picture.curves.end(),
                     [&](const Curve& candidate) { return candidate.title == title; });
    if (curve == picture.curves.end()) {
      picture.curves.push_back({.title = title});
      curve = picture.curves.end() - 1;
    }
    const Value x = value_of(result.inputs, axis->key);
    add_point(*curve, picture.x_powers_of_ten ? *log10_height(x) : *height(x),
              value_of(result.cells, sweep.height), sweep.powers_of_ten);
  }
  picture.curves.erase(std::remove_if(picture.curves.begin(), picture.curves.end(),
                                      [](const Curve& curve) { return curve.points.empty(); }),
                       picture.curves.end());
  if (picture.curves.empty()) throw NoAnswer("there is nothing to draw: no point has a number to show");
  for (Curve& curve : picture.curves) sort_points(curve);
  return picture;
}

}  // namespace tailbound::render
