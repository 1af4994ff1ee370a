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

bool contains(const MeasuredSetting& measured, const AskedSetting& asked) {
  return at_most(measured.from, asked.value) && at_most(asked.value, measured.to);
}

bool has_only(const AccuracyRow& row, const AskedAccuracy& asked) {
  return std::all_of(row.settings.begin(), row.settings.end(), [&](const MeasuredSetting& measured) {
    return std::any_of(asked.settings.begin(), asked.settings.end(),
                       [&](const AskedSetting& each) { return each.setting == measured.setting; });
  });
}

/// Settings of the network that differ from those of the row.
std::vector<OutsideSetting> outside_of(const std::vector<MeasuredSetting>& settings,
                                       const AskedAccuracy& asked) {
  std::vector<OutsideSetting> outside;
  for (const AskedSetting& each : asked.settings) {
    const auto found = std::find_if(settings.begin(), settings.end(), [&](const MeasuredSetting& measured) {
      return measured.setting == each.setting;
    });
    if (found == settings.end())
      outside.push_back({.asked = each, .measured = {}});
    else if (!contains(*found, each))
      outside.push_back({.asked = each, .measured = *found});
  }
  return outside;
}

/// Loads and fractions may be 0.
constexpr double least_side = 0.01;

/// Ratio of the end of a range to its beginning.
double factor_of(const MeasuredSetting& side) {
  return std::isinf(side.to) ? 1e3 : (side.to + least_side) / (side.from + least_side);
}

/// The ranges between two rows; nothing if they differ in too many settings for a network to lie between
/// them.
std::optional<std::vector<MeasuredSetting>> box_of(const AccuracyRow& first, const AccuracyRow& second) {
  constexpr int most_differences = 2;
  constexpr double most_factor = 8;
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
    if (++differences > most_differences || factor_of(side) > most_factor ||
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
    const std::vector<OutsideSetting> outside = outside_of(row->settings, accuracy.asked);
    if (std::all_of(outside.begin(), outside.end(), [](const OutsideSetting& each) {
          return each.measured && interpolates(each.asked.setting);
        }))
      rows.push_back(row);
  }
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = i; j < rows.size(); ++j) {
      const auto box = box_of(*rows[i], *rows[j]);
      if (!box || !outside_of(*box, accuracy.asked).empty() || size_of(*box) >= least) continue;
      least = size_of(*box);
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
  for (const auto& [asked, measured] : outside) {
    sum += asked.setting == Setting::topology || !measured ? 1000 : interpolates(asked.setting) ? 1 : 10;
    if (!measured || std::isinf(asked.value)) continue;
    const double near = asked.value < measured->from ? measured->from : measured->to;
    sum += std::abs(std::log((asked.value + 0.01) / (near + 0.01)));
  }
  return sum;
}

bool is_tail(Quantity quantity) {
  return quantity == Quantity::tail;
}

/// Is an error at `point` measured at least as hard as `at`?
bool reaches(Quantity quantity, double point, double at) {
  return is_tail(quantity) ? at_most(point, at) : at_most(at, point);
}

bool has_loads(const AccuracyRow& row, Quantity quantity) {
  if (is_tail(quantity)) return true;
  return row.loads != RowLoads::none && quantity != Quantity::saturation;
}

std::vector<MeasuredError> errors_of(const AccuracyRow& row, Quantity quantity) {
  std::vector<MeasuredError> errors;
  for (const MeasuredError& error : row.errors)
    if (error.quantity == quantity) errors.push_back(error);
  return errors;
}

/// Converts a fraction of the model's saturation load to the reference of the row.
double as_row_has_it(const AccuracyRow& row, Quantity quantity, double at) {
  if (is_tail(quantity) || row.loads != RowLoads::simulated) return at;
  const std::vector<MeasuredError> saturation = errors_of(row, Quantity::saturation);
  return saturation.empty() ? at : at * (1 + (saturation.front().least + saturation.front().greatest) / 2);
}

/// Merges the errors of one row up to `at`; false if it has no point as hard.
bool join(std::optional<ErrorRange>& range, const AccuracyRow& row, Quantity quantity, double at) {
  const std::vector<MeasuredError> errors = errors_of(row, quantity);
  if (errors.empty()) return false;
  const bool loads = has_loads(row, quantity);
  ErrorRange its{.quantity = quantity, .least = errors.front().least, .greatest = errors.front().greatest};
  bool reached = !loads;
  for (const MeasuredError& error : errors) {
    its.least = std::min(its.least, error.least);
    its.greatest = std::max(its.greatest, error.greatest);
    if (!loads) continue;
    its.up_to = error.at;
    reached = reaches(quantity, error.at, at);
    if (reached) break;
  }
  if (!reached) return false;
  if (range) {
    its.least = std::min(its.least, range->least);
    its.greatest = std::max(its.greatest, range->greatest);
    its.up_to = is_tail(quantity) ? std::max(its.up_to, range->up_to) : std::min(its.up_to, range->up_to);
  }
  range = its;
  return true;
}

/// The hardest point in the query; the easiest possible one if there is none.
double hardest(const AskedAccuracy& asked, Quantity quantity) {
  if (asked.at.empty()) return is_tail(quantity) ? 1 : 0;
  return is_tail(quantity) ? *std::min_element(asked.at.begin(), asked.at.end())
                           : *std::max_element(asked.at.begin(), asked.at.end());
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
    case Setting::radix:
    case Setting::levels:
    case Setting::load:
    case Setting::burst:
      return true;
    case Setting::topology:
    case Setting::own_network:
    case Setting::fabric:
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
    case Setting::routing:
    case Setting::destination:
    case Setting::on_rate:
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
    if (!join(range, *row, quantity, as_row_has_it(*row, quantity, at))) return std::nullopt;
  return range;
}

std::optional<ErrorRange> Accuracy::errors(Quantity quantity) const {
  if (auto range = errors(quantity, hardest(asked, quantity))) return range;
  std::optional<ErrorRange> range;
  for (const AccuracyRow* row : rows) {
    const std::vector<MeasuredError> its = errors_of(*row, quantity);
    if (its.empty() || !join(range, *row, quantity, its.back().at)) return std::nullopt;
  }
  return range;
}

bool Accuracy::beyond(Quantity quantity) const {
  return measured() && !errors(quantity, hardest(asked, quantity)) && errors(quantity);
}

Accuracy accuracy(AskedAccuracy asked, const std::vector<AccuracyRow>& all) {
  Accuracy found{.asked = std::move(asked), .rows = {}, .box = {}, .outside = {}};
  std::vector<const AccuracyRow*> rows;
  for (const AccuracyRow& row : all)
    if (row.model == found.asked.model && has_only(row, found.asked)) rows.push_back(&row);
  look_up(found, rows);
  if (found.measured()) return found;
  double least = std::numeric_limits<double>::infinity();
  for (const AccuracyRow* row : rows) {
    std::vector<OutsideSetting> outside = outside_of(row->settings, found.asked);
    if (const double its = distance(outside); its < least) {
      least = its;
      found.outside = std::move(outside);
    }
  }
  return found;
}

}  // namespace tailbound::answers
