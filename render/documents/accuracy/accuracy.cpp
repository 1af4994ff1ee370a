#include <fmt/format.h>
#include <tailbound/answers/accuracy/accuracy_settings.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/accuracy/accuracy.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/documents/worms/hypercube.hpp>
#include <tailbound/render/documents/worms/worm_ends.hpp>
#include <tailbound/render/documents/worms/worm_network.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace tailbound::render {
namespace {

using namespace answers;
using network::WormShape;
using network::WormTopology;
using numeric::plain;

/// For more networks an answer only states how many were measured; a command has at most so many loads.
constexpr std::size_t max_statements = 3, max_loads_in_command = 9;

// --- settings as text

const char* shape_in_words(WormShape shape) {
  switch (shape) {
    case WormShape::butterfly_fat_tree:
      return "butterfly fat-trees";
    case WormShape::unidirectional_torus:
      return "unidirectional tori";
    case WormShape::torus:
      return "tori";
    case WormShape::hypercube:
      return "hypercubes";
    case WormShape::mesh:
      break;
  }
  return "meshes";
}

std::string setting_number(double value) {
  return std::isinf(value) ? "unlimited" : plain(value, 4);
}

/// "32", "20 to 40", "2 or more"
std::string measured_range(double from, double to) {
  if (from == to) return setting_number(from);
  return std::isinf(to) ? setting_number(from) + " or more"
                        : setting_number(from) + " to " + setting_number(to);
}

std::string counted_range(const MeasuredSetting& setting, const std::string& what) {
  return measured_range(setting.from, setting.to) + " " + what +
         (setting.from == 1 && setting.to == 1 ? "" : "s");
}

template <class Choice>
Choice choice_in(const MeasuredSetting& setting) {
  return static_cast<Choice>(static_cast<int>(setting.from));
}

/// A setting in a list; empty if it is the default of networks.
std::string setting_in_words(const MeasuredSetting& setting) {
  const bool is_one = setting.from == 1 && setting.to == 1;
  switch (setting.setting) {
    case Setting::topology:
      return shape_in_words(choice_in<WormShape>(setting));
    case Setting::own_network:
      return "a network from a file";
    case Setting::dimensions:
      return counted_range(setting, "dimension");
    case Setting::nodes:
      return counted_range(setting, "node");
    case Setting::virtual_channels:
      return counted_range(setting, "virtual channel");
    case Setting::buffer_flits:
      return is_one ? "" : "buffers of " + measured_range(setting.from, setting.to) + " flits";
    case Setting::router_cycles:
      return setting.to == 0 ? "" : "router delay " + counted_range(setting, "cycle");
    case Setting::link_cycles:
      return is_one ? "" : "link delay " + counted_range(setting, "cycle");
    case Setting::credit_cycles:
      return setting.to == 0 ? "" : "credit delay " + counted_range(setting, "cycle");
    case Setting::flits:
      return counted_range(setting, "flit");
    case Setting::lengths:
      return choice_in<sim::WormLengths>(setting) == sim::WormLengths::geometric ? "geometric lengths" : "";
    case Setting::injection:
      return "injection " + all_names<network::Injection>()[static_cast<std::size_t>(setting.from)];
    case Setting::ejection:
      return "ejection " + all_names<network::Ejection>()[static_cast<std::size_t>(setting.from)];
    case Setting::broadcast:
      return "broadcast " + measured_range(setting.from, setting.to);
    case Setting::startup:
      return is_one ? "" : "start-up " + measured_range(setting.from, setting.to);
    case Setting::switch_size:
      return setting.from == setting.to
                 ? fmt::format("{0} x {0} switches", setting_number(setting.from))
                 : fmt::format("{0} x {0} to {1} x {1} switches", setting_number(setting.from),
                               setting_number(setting.to));
    case Setting::buffer:
      return "buffers of " + measured_range(setting.from, setting.to);
    case Setting::hot:
      return measured_range(100 * setting.from, 100 * setting.to) + " % hot";
    case Setting::combining:
      return is_one ? "no combining" : "combining " + measured_range(setting.from, setting.to);
    case Setting::links:
      return choice_in<network::Links>(setting) == network::Links::any
                 ? "any number of requests at a time per link"
                 : "one request at a time per link";
    case Setting::saturated:
      return setting.from == 0 ? "below saturation" : "above saturation";
    case Setting::load:
      return "load " + measured_range(setting.from, setting.to);
  }
  return {};
}

/// Settings stated in the name of a single network.
bool is_in_name(Setting setting) {
  return setting == Setting::nodes || setting == Setting::topology || setting == Setting::dimensions;
}

/// Both ends are stated unless they are the defaults of the model's networks.
bool says_ends(MeasuredModel model, const std::vector<MeasuredSetting>& settings) {
  const network::WormEnds usual = model == MeasuredModel::broadcast ? network::all_port : network::WormEnds{};
  return std::any_of(settings.begin(), settings.end(), [&](const MeasuredSetting& each) {
    return (each.setting == Setting::injection && choice_in<network::Injection>(each) != usual.injection) ||
           (each.setting == Setting::ejection && choice_in<network::Ejection>(each) != usual.ejection);
  });
}

/// \param name  of a single network
std::string listed(MeasuredModel model, const std::vector<MeasuredSetting>& settings,
                   const std::string& name) {
  std::vector<std::string> parts;
  if (!name.empty()) parts.push_back(name);
  const bool ends = says_ends(model, settings);
  for (const MeasuredSetting& each : settings) {
    if (!name.empty() && is_in_name(each.setting)) continue;
    if (!ends && (each.setting == Setting::injection || each.setting == Setting::ejection)) continue;
    if (std::string words = setting_in_words(each); !words.empty()) parts.push_back(std::move(words));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// --- errors as text

std::string quantity_name(Quantity quantity, MeasuredModel model) {
  switch (quantity) {
    case Quantity::mean_latency:
      return model == MeasuredModel::broadcast ? "unicast latency" : "mean latency";
    case Quantity::broadcast_latency:
      return "broadcast latency";
    case Quantity::saturation:
      return "saturation load";
    case Quantity::mean_delay:
      return "mean delay";
    case Quantity::throughput:
      return "throughput";
  }
  return {};
}

/// "up to 90 % of the simulated saturation load"
std::string reach_in_words(const Accuracy& accuracy, const ErrorRange& range) {
  const char* of = accuracy.rows.front()->loads == RowLoads::simulated    ? "simulated saturation load"
                   : accuracy.requested.model == MeasuredModel::broadcast ? "model's saturation rate"
                                                                          : "model's saturation load";
  return fmt::format("up to {:.4g} % of the {}", 100 * range.up_to, of);
}

constexpr Quantity all_quantities[] = {Quantity::mean_latency, Quantity::broadcast_latency,
                                       Quantity::saturation, Quantity::mean_delay, Quantity::throughput};

/// "up to 90 % of the simulated saturation load: mean latency -2.5 to +0.5 %, saturation load -2.5 %"
std::string errors_in_words(const Accuracy& accuracy) {
  std::string where, text, beyond;
  for (const Quantity quantity : all_quantities) {
    const std::optional<ErrorRange> errors = accuracy.errors(quantity);
    if (!errors) continue;
    if (where.empty() && errors->up_to > 0) where = " " + reach_in_words(accuracy, *errors);
    text += (text.empty() ? "" : ", ") + quantity_name(quantity, accuracy.requested.model) + " " +
            error_in_words(errors->minimum, errors->largest);
    if (accuracy.beyond(quantity)) beyond = "; not measured beyond that";
  }
  return where + ": " + text + beyond;
}

std::string outside_in_words(const Accuracy& accuracy) {
  const auto& settings = accuracy.requested.settings;
  if (!settings.empty() && settings.front().setting == Setting::own_network)
    return " (measured: only built-in topologies with equal sides, one node per router, uniform traffic, one "
           "class of messages, fixed or geometric lengths, and no virtual channels at the ends)";
  std::vector<std::string> parts;
  for (const auto& [requested, measured] : accuracy.outside) {
    std::string text = setting_in_words({requested.setting, requested.value, requested.value});
    const std::string its = measured ? setting_in_words(*measured) : "";
    if (text.empty() && its.empty()) continue;
    if (text.empty()) text = requested.setting == Setting::buffer_flits ? "buffers of 1 flit" : "default";
    parts.push_back(its.empty() ? text : text + ", measured: " + its);
  }
  return parts.empty() ? "" : fmt::format(" ({})", fmt::join(parts, "; "));
}

// --- command lines

/// Quoted for a shell if necessary.
std::string shell_quoted(const std::string& word) {
  const bool plain_word = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string("-_./,:%=+").find(static_cast<char>(c)) != std::string::npos;
  });
  if (plain_word) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// " --loads 0.1,0.2" or " --fractions 10%,50%"; for many loads 30 to 90 % of saturation.
std::string loads_in_command(const OfferedLoads& offered, const char* loads) {
  if (offered.values.empty() || offered.values.size() > max_loads_in_command)
    return " --fractions 30%,50%,70%,80%,90%";
  std::vector<std::string> texts;
  for (const numeric::Rational& value : offered.values)
    if (value > 0)
      texts.push_back(offered.of_saturation ? plain(numeric::Rational(value * 100)) + "%" : plain(value));
  if (texts.empty()) return " --fractions 30%,50%,70%,80%,90%";
  return fmt::format(" {} {}", offered.of_saturation ? "--fractions" : loads, fmt::join(texts, ","));
}

std::string ends_in_command(const network::WormEnds& ends, const network::WormEnds& usual, bool ports) {
  if (ends == usual) return {};
  std::string text;
  if (ports || ends.injection != usual.injection)
    text += std::string(" --injection ") + name_of(ends.injection);
  return text + " --ejection " + name_of(ends.ejection);
}

double from_of(const AccuracyRow& row, Setting setting, double otherwise = 0) {
  const MeasuredSetting* found = row.find(setting);
  return found == nullptr ? otherwise : found->from;
}

std::int64_t whole_of(const AccuracyRow& row, Setting setting) {
  return static_cast<std::int64_t>(std::llround(from_of(row, setting)));
}

/// Loads and fractions rounded to a limited number of decimals.
numeric::Rational to_decimals(double value) {
  constexpr long unit = 100'000;
  return numeric::Rational(std::lround(value * unit)) / unit;
}

template <class Choice>
Choice choice_of(const AccuracyRow& row, Setting setting) {
  return static_cast<Choice>(static_cast<int>(from_of(row, setting)));
}

network::MessageLengths lengths_of(const AccuracyRow& row) {
  const std::int64_t flits = whole_of(row, Setting::flits);
  return choice_of<sim::WormLengths>(row, Setting::lengths) == sim::WormLengths::geometric
             ? network::MessageLengths::geometric(flits)
             : network::MessageLengths(flits);
}

std::string command_of_worms(const AccuracyRow& row) {
  WormTopology topology{.shape = choice_of<WormShape>(row, Setting::topology),
                        .nodes = whole_of(row, Setting::nodes),
                        .ends = {choice_of<network::Injection>(row, Setting::injection),
                                 choice_of<network::Ejection>(row, Setting::ejection)}};
  if (row.find(Setting::dimensions) != nullptr)
    topology.dimensions = static_cast<int>(whole_of(row, Setting::dimensions));
  const WormholeVariant variant =
      row.model == MeasuredModel::wormhole_paper ? WormholeVariant::paper : WormholeVariant::finite_source;
  WormholeQuery query{.network = topology,
                      .messages = {.flits = lengths_of(row)},
                      .offered = {},
                      .variant = variant,
                      .virtual_channels = static_cast<int>(whole_of(row, Setting::virtual_channels)),
                      .buffer_flits = whole_of(row, Setting::buffer_flits)};
  if (row.find(Setting::router_cycles) != nullptr) {
    const auto cycles = [&](Setting setting) { return static_cast<std::uint32_t>(whole_of(row, setting)); };
    query.timing = {.router_cycles = cycles(Setting::router_cycles),
                    .link_cycles = cycles(Setting::link_cycles),
                    .credit_cycles = cycles(Setting::credit_cycles)};
  }
  query.offered.of_saturation = row.loads != RowLoads::simulated;
  for (const MeasuredError& error : row.errors)
    if (error.quantity == Quantity::mean_latency)
      query.offered.values.push_back(to_decimals(
          row.loads == RowLoads::simulated ? error.at * row.simulated_saturation.value_or(0) : error.at));
  return measuring_command(query);
}

std::string command_of_hypercube(const AccuracyRow& row) {
  BroadcastQuery query;
  for (std::int64_t nodes = whole_of(row, Setting::nodes); nodes > 2; nodes /= 2)
    ++query.hypercube.dimensions;
  query.hypercube.virtual_channels = whole_of(row, Setting::virtual_channels);
  query.hypercube.flits = whole_of(row, Setting::flits);
  query.hypercube.broadcast = to_decimals(from_of(row, Setting::broadcast));
  query.hypercube.startup = to_decimals(from_of(row, Setting::startup));
  query.hypercube.ends = {choice_of<network::Injection>(row, Setting::injection),
                          choice_of<network::Ejection>(row, Setting::ejection)};
  query.offered.of_saturation = true;
  std::set<double> fractions;
  for (const MeasuredError& error : row.errors) fractions.insert(error.at);
  for (const double fraction : fractions) query.offered.values.push_back(to_decimals(fraction));
  return measuring_command(query);
}

std::string list_of(const AccuracyRow& row, Setting setting, const std::vector<double>& values) {
  const MeasuredSetting& range = *row.find(setting);
  std::vector<std::string> texts;
  for (const double value : values)
    if (range.from <= value && value <= range.to) texts.push_back(setting_number(value));
  return fmt::format("{}", fmt::join(texts, ","));
}

std::string command_of_multistage(const AccuracyRow& row) {
  const double unlimited = std::numeric_limits<double>::infinity();
  const MeasuredSetting& load = *row.find(Setting::load);
  return fmt::format(
      "tailbound validate multistage --nodes {} --switch {} --buffer {} --hot {} --combining {} --links {} "
      "--loads {}:{}:{} --slots 6000 --warmup 3000 --seed 7",
      whole_of(row, Setting::nodes), whole_of(row, Setting::switch_size), whole_of(row, Setting::buffer),
      list_of(row, Setting::hot, {0.04, 0.08, 0.16}), list_of(row, Setting::combining, {1, 2, 4, unlimited}),
      name_of(choice_of<network::Links>(row, Setting::links)), setting_number(load.from),
      setting_number(load.to), load.to == 1 ? "0.1" : "0.02");
}

}  // namespace

std::string signed_percent(double error) {
  const double percent = 100 * error;
  const std::string text =
      std::abs(percent) < 99.95 ? fmt::format("{:+.1f}", percent) : fmt::format("{:+.0f}", percent);
  return text == "-0.0" || text == "+0.0" ? "0.0" : text;
}

std::string error_in_words(double minimum, double largest) {
  if (std::isinf(largest))
    return signed_percent(minimum) + " % to infinite, because the model saturates first";
  if (minimum == -largest && largest > 0) return fmt::format("within {:.1f} %", 100 * largest);
  const std::string low = signed_percent(minimum), high = signed_percent(largest);
  return low == high ? low + " %" : low + " to " + high + " %";
}

std::string settings_in_words(const AccuracyRow& row) {
  return listed(row.model, row.settings, row.network);
}

std::string clause(const Accuracy& accuracy, const std::string& command) {
  if (!accuracy.measured())
    return fmt::format("not measured for this network{}; `{}` measures it", outside_in_words(accuracy),
                       command);
  const bool one = accuracy.rows.size() == 1;
  const AccuracyRow& first = *accuracy.rows.front();
  return fmt::format(
      "measured on {} ({}){}",
      one ? std::string("this network") : fmt::format("{} similar networks", accuracy.rows.size()),
      listed(first.model, accuracy.box, one ? first.network : std::string()), errors_in_words(accuracy));
}

std::string accuracy_note(const std::vector<StatedAccuracy>& all) {
  const bool one_network = std::all_of(all.begin(), all.end(), [&](const StatedAccuracy& each) {
    return each.network == all.front().network;
  });
  const auto measured = [](const StatedAccuracy& each) { return each.accuracy.measured(); };
  std::vector<std::string> texts, subjects;  // loads of one network that are not measured are one subject
  std::map<std::string, bool> networks;      // are all points of the network measured?
  for (const StatedAccuracy& each : all) {
    std::string text = (one_network || each.accuracy.rows.size() == 1 ? "" : each.network + ": ") +
                       clause(each.accuracy, each.command);
    const std::string subject = measured(each) ? text : each.network + "\n" + each.command;
    const auto known = std::find(subjects.begin(), subjects.end(), subject);
    if (known == subjects.end()) {
      subjects.push_back(subject);
      texts.push_back(std::move(text));
    } else if (std::string& stated = texts[static_cast<std::size_t>(known - subjects.begin())];
               text.size() > stated.size()) {
      stated = std::move(text);  // names more that differs
    }
    bool& all_points = networks.try_emplace(each.network, true).first->second;
    all_points = all_points && measured(each);
  }
  const auto count = static_cast<std::size_t>(
      std::count_if(networks.begin(), networks.end(), [](const auto& each) { return each.second; }));
  const bool each_stated = texts.size() <= max_statements && networks.size() <= count + 1;
  std::string note = "Accuracy, as model / simulation - 1: ";
  if (each_stated) return note + fmt::format("{}.", fmt::join(texts, "; "));
  if (one_network)
    note += fmt::format("measured for {} of {} points", std::count_if(all.begin(), all.end(), measured),
                        all.size());
  else if (std::none_of(all.begin(), all.end(), measured))
    note += fmt::format("not measured for these {} networks", networks.size());
  else
    note += fmt::format("measured for {} of {} networks", count, networks.size());
  std::vector<std::string> errors;
  for (const Quantity quantity : all_quantities) {
    std::optional<ErrorRange> worst;
    for (const StatedAccuracy& each : all)
      if (const auto its = each.accuracy.errors(quantity)) {
        if (!worst) worst = its;
        worst->minimum = std::min(worst->minimum, its->minimum);
        worst->largest = std::max(worst->largest, its->largest);
      }
    if (worst)
      errors.push_back(quantity_name(quantity, all.front().accuracy.requested.model) + " " +
                       error_in_words(worst->minimum, worst->largest));
  }
  if (!errors.empty()) note += fmt::format(": {}; each value is in JSON and CSV", fmt::join(errors, ", "));
  const auto other = std::find_if_not(all.begin(), all.end(), measured);
  if (other == all.end()) return note + ".";
  return note +
         fmt::format("; `{}` measures the first{}.", other->command, errors.empty() ? "" : " of the others");
}

std::string measuring_command(const WormholeQuery& query) {
  std::string text = "tailbound validate wormhole";
  const WormholeVariant usual = usual_variant(query.network);
  if (const auto* topology = std::get_if<WormTopology>(&query.network)) {
    const std::string sides = fmt::format("{}", fmt::join(topology->sides, "x"));
    text += fmt::format(" --topology {} --nodes {}", name_of(topology->shape),
                        sides.empty() ? std::to_string(topology->nodes) : sides);
    if (topology->concentration != 1) text += fmt::format(" --concentration {}", topology->concentration);
    if (!topology->pattern.uniform()) text += std::string(" --pattern ") + name_of(topology->pattern.name);
    if (topology->pattern.name == network::WormPatternName::hot_spot)
      text += fmt::format(" --hot-node {} --hot-share {}", topology->pattern.hot_node,
                          numeric::to_fraction(topology->pattern.hot_share));
    if (network::has_dimensions(topology->shape) && sides.empty() &&
        topology->dimensions != WormTopology{}.dimensions)
      text += fmt::format(" --dimensions {}", topology->dimensions);
    if (query.virtual_channels && query.virtual_channels != usual_virtual_channels(query.network))
      text += fmt::format(" --virtual-channels {}", *query.virtual_channels);
    text += ends_in_command(topology->ends, {}, network::has_ports(topology->shape));
  } else {
    const auto& own = std::get<OwnWormNetwork>(query.network);
    text += " --network " + shell_quoted(own.file);
    if (own.matrix) text += " --matrix " + shell_quoted(*own.matrix);
  }
  const auto& [flits, classes] = query.messages;
  const auto* own = std::get_if<OwnWormNetwork>(&query.network);
  for (const network::PatternedClass& its : classes)
    text += " --class " + shell_quoted(network::text_of(its));
  if (classes.empty() && (own == nullptr || !own->classes))
    text += " --flits " + (flits.is_geometric() ? std::to_string(flits.largest()) : flits.text());
  if (query.buffer_flits != 1) text += fmt::format(" --buffer-flits {}", query.buffer_flits);
  const network::RouterTiming usual_timing, &timing = query.timing;
  if (timing.router_cycles != usual_timing.router_cycles)
    text += fmt::format(" --router-cycles {}", timing.router_cycles);
  if (timing.link_cycles != usual_timing.link_cycles)
    text += fmt::format(" --link-cycles {}", timing.link_cycles);
  if (timing.credit_cycles != usual_timing.credit_cycles)
    text += fmt::format(" --credit-cycles {}", timing.credit_cycles);
  if (flits.is_geometric()) text += " --lengths geometric";
  if (query.variant.value_or(usual) != usual) text += std::string(" --variant ") + name_of(*query.variant);
  return text + loads_in_command(query.offered, "--loads");
}

std::string measuring_command(const BroadcastQuery& query) {
  const BroadcastHypercube& hypercube = query.hypercube;
  std::string text = fmt::format(
      "tailbound validate broadcast --dimensions {} --virtual-channels {} --flits {} --broadcast {}",
      hypercube.dimensions, hypercube.virtual_channels, hypercube.flits, plain(hypercube.broadcast));
  text += ends_in_command(hypercube.ends, network::all_port, true);
  if (hypercube.startup != 1) text += " --startup " + plain(hypercube.startup);
  return text + loads_in_command(query.offered, "--rates");
}

std::string measuring_command(const std::vector<MultistageQuery>& queries) {
  const network::CombiningMultistage& network = queries.front().network;
  std::vector<std::string> loads;
  for (const MultistageQuery& query : queries)
    if (std::string load = plain(query.load); std::find(loads.begin(), loads.end(), load) == loads.end())
      loads.push_back(std::move(load));
  std::string text =
      fmt::format("tailbound validate multistage --nodes {} --switch {} --buffer {} --hot {} --combining {}",
                  network.network.nodes, network.network.switch_size, network.buffer, plain(network.hot),
                  network.combining ? std::to_string(*network.combining) : "unlimited");
  if (network.links == network::Links::any) text += " --links any";
  if (loads.size() <= max_loads_in_command) text += fmt::format(" --loads {}", fmt::join(loads, ","));
  return text;
}

std::string reproducing_command(const AccuracyRow& row) {
  switch (row.model) {
    case MeasuredModel::wormhole_finite_source:
    case MeasuredModel::wormhole_paper:
      return command_of_worms(row);
    case MeasuredModel::broadcast:
      return command_of_hypercube(row);
    case MeasuredModel::multistage:
      break;
  }
  return command_of_multistage(row);
}

std::vector<Column> accuracy_columns(const AccuracyKeys& keys) {
  std::vector<Column> columns{
      {"accuracy", "", "", Shape::text,
       "of the model against simulation: measured (this network), between (networks on "
       "both sides are measured), not measured, or load not measured",
       Style::hidden}};
  for (const auto& [quantity, key] : keys) {
    const std::string what = "error of " + key + ", model / simulation - 1, from low load up to this one";
    columns.push_back({key + "_error_min", "", "", Shape::model, "minimum " + what + "; null: not measured",
                       Style::hidden});
    columns.push_back({key + "_error_max", "", "", Shape::model,
                       "maximum " + what + "; null: not measured, or infinite", Style::hidden});
  }
  columns.push_back({"accuracy_command", "", "", Shape::text, "command that measures the error by simulation",
                     Style::hidden});
  return columns;
}

Cells accuracy_cells(const Accuracy& accuracy, const AccuracyKeys& keys, double at,
                     const std::string& command) {
  Cells cells;
  bool found = false;
  for (const auto& [quantity, key] : keys) {
    const std::optional<ErrorRange> errors = accuracy.errors(quantity, at);
    found = found || (errors && quantity != Quantity::saturation);
    cells.push_back({key + "_error_min", errors ? Value(Model{errors->minimum}) : Value(None{})});
    cells.push_back({key + "_error_max", errors && std::isfinite(errors->largest)
                                             ? Value(Model{errors->largest})
                                             : Value(None{})});
  }
  const char* state = !accuracy.measured()        ? "not measured"
                      : !found                    ? "load not measured"
                      : accuracy.rows.size() == 1 ? "measured"
                                                  : "between";
  cells.insert(cells.begin(), Cell{"accuracy", Text{state}});
  cells.push_back({"accuracy_command", Text{command}});
  return cells;
}

}  // namespace tailbound::render
