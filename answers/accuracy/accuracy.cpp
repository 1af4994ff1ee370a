#include <tailbound/answers/accuracy/accuracy.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::answers {
namespace {

/// Numbers are equal up to this difference: fractions are converted from double.
constexpr double same = 1e-9;

bool at_most(double x, double y) {
  return x <= y + same * std::abs(y);
}

/// A single dimension, channel or the like is a special case: no network lies between 1 and 2 of them.
bool one_is_apart(Setting setting) {
  return setting == Setting::buffer_flits;
}

bool contains(const MeasuredSetting& measured, const RequestedSetting& requested) {
  return at_most(measured.from, requested.value) && at_most(requested.value, measured.to);
}

bool has_only(const AccuracyRow& row, const RequestedAccuracy& requested) {
  return std::all_of(row.settings.begin(), row.settings.end(), [&](const MeasuredSetting& measured) {
    return std::any_of(requested.settings.begin(), requested.settings.end(),
                       [&](const RequestedSetting& each) { return each.setting == measured.setting; });
  });
}

/// Settings of the network that differ from those of the row.
std::vector<OutsideSetting> outside_of(const std::vector<MeasuredSetting>& settings,
                                       const RequestedAccuracy& requested) {
  std::vector<OutsideSetting> outside;
  for (const RequestedSetting& each : requested.settings) {
    const auto found = std::find_if(settings.begin(), settings.end(), [&](const MeasuredSetting& measured) {
      return measured.setting == each.setting;
    });
    if (found == settings.end())
      outside.push_back({.requested = each, .measured = {}});
    else if (!contains(*found, each))
      outside.push_back({.requested = each, .measured = *found});
  }
  return outside;
}

/// Loads and fractions may be 0.
constexpr double min_side = 0.01;

/// Ratio of the end of a range to its beginning.
double factor_of(const MeasuredSetting& side) {
  return std::isinf(side.to) ? 1e3 : (side.to + min_side) / (side.from + min_side);
}

/// The ranges between two rows; nothing if they differ in too many settings for a network to lie between
/// them.
std::optional<std::vector<MeasuredSetting>> box_of(const AccuracyRow& first, const AccuracyRow& second) {
  constexpr int max_differences = 2;
  constexpr double max_factor = 8;
  if (first.model != second.model || first.loads != second.loads ||
      first.settings.size() != second.settings.size())
    return std::nullopt;
  std::vector<MeasuredSetting> box = first.settings;
  int differences = 0;
  for (MeasuredSetting& side : box) {
    const MeasuredSetting* other = second.find(side.setting);
    if (other == nullptr) return std::nullopt;
    if (other->from == side.from && other->to == side.to) continue;
    side.from = std::min(side.from, other->from);
    side.to = std::max(side.to, other->to);
    if (++differences > max_differences || factor_of(side) > max_factor ||
        (one_is_apart(side.setting) && side.from == 1))
      return std::nullopt;
  }
  return box;
}

/// Size of a box: 0 if it is a single network.
double size_of(const std::vector<MeasuredSetting>& box) {
  double size = 0;
  for (const MeasuredSetting& side : box)
    if (side.from != side.to) size += std::log(factor_of(side));
  return size;
}

bool lies_in(const AccuracyRow& row, const std::vector<MeasuredSetting>& box) {
  return std::all_of(box.begin(), box.end(), [&](const MeasuredSetting& side) {
    const MeasuredSetting* its = row.find(side.setting);
    return its != nullptr && at_most(side.from, its->from) && at_most(its->to, side.to);
  });
}

/// Finds the smallest box that contains the network, and its rows.
void look_up(Accuracy& accuracy, const std::vector<const AccuracyRow*>& all) {
  std::vector<const AccuracyRow*> rows;  // that agree in all settings that do not interpolate
  for (const AccuracyRow* row : all) {
    const std::vector<OutsideSetting> outside = outside_of(row->settings, accuracy.requested);
    if (std::all_of(outside.begin(), outside.end(), [](const OutsideSetting& each) {
          return each.measured && interpolates(each.requested.setting);
        }))
      rows.push_back(row);
  }
  double minimum = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = i; j < rows.size(); ++j) {
      const auto box = box_of(*rows[i], *rows[j]);
      if (!box || !outside_of(*box, accuracy.requested).empty() || size_of(*box) >= minimum) continue;
      minimum = size_of(*box);
      accuracy.box = *box;
      accuracy.rows = i == j ? std::vector{rows[i]} : std::vector{rows[i], rows[j]};
    }
  if (accuracy.rows.size() < 2) return;
  const RowLoads loads = accuracy.rows.front()->loads;
  accuracy.rows.clear();
  for (const AccuracyRow* row : rows)
    if (row->loads == loads && lies_in(*row, accuracy.box)) accuracy.rows.push_back(row);
}

/// Distance of a network from a row: differences in kind count most, then the ratios of numbers.
double distance(const std::vector<OutsideSetting>& outside) {
  double sum = 0;
  for (const auto& [requested, measured] : outside) {
    sum += requested.setting == Setting::topology || !measured ? 1000
           : interpolates(requested.setting)                   ? 1
                                                               : 10;
    if (!measured || std::isinf(requested.value)) continue;
    const double near = requested.value < measured->from ? measured->from : measured->to;
    sum += std::abs(std::log((requested.value + 0.01) / (near + 0.01)));
  }
  return sum;
}

bool has_loads(const AccuracyRow& row, Quantity quantity) {
  return row.loads != RowLoads::none && quantity != Quantity::saturation;
}

std::vector<MeasuredError> errors_of(const AccuracyRow& row, Quantity quantity) {
  std::vector<MeasuredError> errors;
  for (const MeasuredError& error : row.errors)
    if (error.quantity == quantity) errors.push_back(error);
  return errors;
}

/// Converts a fraction of the model's saturation load to the reference of the row.
double as_row_has_it(const AccuracyRow& row, double at) {
  if (row.loads != RowLoads::simulated) return at;
  const std::vector<MeasuredError> saturation = errors_of(row, Quantity::saturation);
  return saturation.empty() ? at : at * (1 + (saturation.front().minimum + saturation.front().largest) / 2);
}

/// Merges the errors of one row up to `at`; false if it has no point as hard.
bool join(std::optional<ErrorRange>& range, const AccuracyRow& row, Quantity quantity, double at) {
  const std::vector<MeasuredError> errors = errors_of(row, quantity);
  if (errors.empty()) return false;
  const bool loads = has_loads(row, quantity);
  ErrorRange its{.quantity = quantity, .minimum = errors.front().minimum, .largest = errors.front().largest};
  bool reached = !loads;
  for (const MeasuredError& error : errors) {
    its.minimum = std::min(its.minimum, error.minimum);
    its.largest = std::max(its.largest, error.largest);
    if (!loads) continue;
    its.up_to = error.at;
    reached = at_most(at, error.at);
    if (reached) break;
  }
  if (!reached) return false;
  if (range) {
    its.minimum = std::min(its.minimum, range->minimum);
    its.largest = std::max(its.largest, range->largest);
    its.up_to = std::min(its.up_to, range->up_to);
  }
  range = its;
  return true;
}

/// The highest load in the query; 0 if there is none.
double highest(const RequestedAccuracy& requested) {
  return requested.at.empty() ? 0 : *std::max_element(requested.at.begin(), requested.at.end());
}

}  // namespace

bool interpolates(Setting setting) {
  switch (setting) {
    case Setting::nodes:
    case Setting::buffer_flits:
    case Setting::flits:
    case Setting::broadcast:
    case Setting::switch_size:
    case Setting::buffer:
    case Setting::hot:
    case Setting::load:
      return true;
    case Setting::topology:
    case Setting::own_network:
    case Setting::dimensions:
    case Setting::virtual_channels:
    case Setting::router_cycles:
    case Setting::link_cycles:
    case Setting::credit_cycles:
    case Setting::lengths:
    case Setting::injection:
    case Setting::ejection:
    case Setting::startup:
    case Setting::combining:
    case Setting::links:
    case Setting::saturated:
      break;
  }
  return false;
}

const MeasuredSetting* AccuracyRow::find(Setting setting) const {
  const auto found = std::find_if(settings.begin(), settings.end(),
                                  [&](const MeasuredSetting& each) { return each.setting == setting; });
  return found == settings.end() ? nullptr : &*found;
}

std::optional<ErrorRange> Accuracy::errors(Quantity quantity, double at) const {
  std::optional<ErrorRange> range;
  for (const AccuracyRow* row : rows)
    if (!join(range, *row, quantity, as_row_has_it(*row, at))) return std::nullopt;
  return range;
}

std::optional<ErrorRange> Accuracy::errors(Quantity quantity) const {
  if (auto range = errors(quantity, highest(requested))) return range;
  std::optional<ErrorRange> range;
  for (const AccuracyRow* row : rows) {
    const std::vector<MeasuredError> its = errors_of(*row, quantity);
    if (its.empty() || !join(range, *row, quantity, its.back().at)) return std::nullopt;
  }
  return range;
}

bool Accuracy::beyond(Quantity quantity) const {
  return measured() && !errors(quantity, highest(requested)) && errors(quantity);
}

Accuracy accuracy(RequestedAccuracy requested, const std::vector<AccuracyRow>& all) {
  Accuracy found{.requested = std::move(requested), .rows = {}, .box = {}, .outside = {}};
  std::vector<const AccuracyRow*> rows;
  for (const AccuracyRow& row : all)
    if (row.model == found.requested.model && has_only(row, found.requested)) rows.push_back(&row);
  look_up(found, rows);
  if (found.measured()) return found;
  double minimum = std::numeric_limits<double>::infinity();
  for (const AccuracyRow* row : rows) {
    std::vector<OutsideSetting> outside = outside_of(row->settings, found.requested);
    if (const double its = distance(outside); its < minimum) {
      minimum = its;
      found.outside = std::move(outside);
    }
  }
  return found;
}

}  // namespace tailbound::answers
