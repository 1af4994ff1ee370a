#include <tailbound/core/error.hpp>
#include <tailbound/core/suggest.hpp>
#include <tailbound/network/policed/policed_keys.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace tailbound::network {
namespace {

struct NamedUnit {
  const char* name;
  Rational value;
};

Rational power_of_ten(int exponent) {
  Rational result = 1;
  for (int i = 0; i < exponent; ++i) result = result * 10;
  for (int i = 0; i > exponent; --i) result = result / 10;
  return result;
}

/// In bits.
const std::array<NamedUnit, 2>& sizes() {
  static const std::array<NamedUnit, 2> all{{{"bytes", 8}, {"bits", 1}}};
  return all;
}
/// In seconds.
const std::array<NamedUnit, 4>& times() {
  static const std::array<NamedUnit, 4> all{
      {{"ns", power_of_ten(-9)}, {"us", power_of_ten(-6)}, {"ms", power_of_ten(-3)}, {"s", 1}}};
  return all;
}
/// In bits per second.
const std::array<NamedUnit, 4>& rates() {
  static const std::array<NamedUnit, 4> all{
      {{"bit/s", 1}, {"kbit/s", power_of_ten(3)}, {"Mbit/s", power_of_ten(6)}, {"Gbit/s", power_of_ten(9)}}};
  return all;
}

template <class Units>
std::string list_of(const Units& units) {
  std::string names;
  for (const NamedUnit& unit : units) names += (names.empty() ? "" : ", ") + std::string(unit.name);
  return names;
}

}  // namespace

void PolicedKeys::read_root(const toml::table& root) {
  if (const toml::node* given = root.get("units")) {
    const char* how =
        "\"units\" must be a table such as { size = \"bytes\", time = \"us\", rate = \"Mbit/s\" }";
    if (!given->is_table()) values_.fail(begin_of(*given), how);
    const toml::table& table = *given->as_table();
    values_.check_keys(table, "\"units\"", {"size", "time", "rate"});
    const auto unit = [&](const char* key, const auto& units) -> NamedUnit {
      const toml::node& node = values_.need(table, key, "\"units\"");
      const std::string named = values_.text(node, std::string("the unit of ") + key);
      for (const NamedUnit& one : units)
        if (named == one.name) return one;
      values_.fail(begin_of(node), std::string("the unit of ") + key + " is " + in_quotes(named) +
                                       "; it must be one of " + list_of(units));
    };
    const NamedUnit size = unit("size", sizes()), time = unit("time", times()), rate = unit("rate", rates());
    units_ = {.size = size.name, .time = time.name, .rate = rate.name};
    rate_unit_ = rate.value * time.value / size.value;
    byte_ = sizes().front().value / size.value;
  }
  clock_error_ = not_negative(root, "clock_error", "the error of the clocks (key \"clock_error\")");
  values_.for_each_table(root, "class", [&](const toml::table& table) {
    values_.check_keys(table, "a [[class]]", {"name"});
    if (!std::exchange(named_, true)) classes_.clear();
    const toml::node& given = values_.need(table, "name", "a [[class]]");
    const std::string name = values_.name(given, "the name of a class");
    if (std::find(classes_.begin(), classes_.end(), name) != classes_.end())
      values_.fail(begin_of(given), "the class " + in_quotes(name) + " is listed twice");
    if (classes_.size() == 64) values_.fail(begin_of(given), "more than 64 classes, the limit");
    classes_.push_back(name);
  });
}

void PolicedKeys::check_clocks(const toml::table& root) const {
  const toml::node* given = root.get("clock_error");
  if (given != nullptr && !clocks_)
    values_.fail(begin_of(*given),
                 "\"clock_error\" applies only with a \"clock\" of flows or of links with gates");
}

Rational PolicedKeys::positive(const toml::node& node, const std::string& what) {
  const std::string text = values_.digits(node, what);
  const Rational value = values_.at_place(begin_of(node), [&] {
    return numeric::parse_rational(text, what, {100, 30});
  });
  if (value <= 0) values_.fail(begin_of(node), what + " is " + text + "; it must be above 0");
  return value;
}

Rational PolicedKeys::not_negative(const toml::table& table, const char* key, const std::string& what) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return 0;
  const std::string text = values_.digits(*node, what);
  const Rational value = values_.at_place(begin_of(*node), [&] {
    return numeric::parse_rational(text, what, {100, 30});
  });
  if (value < 0) values_.fail(begin_of(*node), what + " is " + text + "; it must be 0 or above");
  return value;
}

Rational PolicedKeys::rate(const toml::node& node, const std::string& what) {
  return positive(node, what) * rate_unit_;
}

std::vector<Rational> PolicedKeys::of_classes(const toml::node& node, const std::string& what, bool rates,
                                              std::size_t count, bool all) {
  const auto read = [&](const toml::node& one, const std::string& its) {
    return rates ? rate(one, its) : positive(one, its);
  };
  if (!node.is_table()) return std::vector<Rational>(count, read(node, what));
  TomlValues::Keys keys;
  for (std::size_t i = 0; i < count; ++i) keys.emplace_back(classes_[i]);
  values_.check_keys(*node.as_table(), what, keys);
  std::vector<Rational> values;
  for (std::size_t i = 0; i < count; ++i) {
    const bool given = all || node.as_table()->contains(classes_[i]);
    values.push_back(given ? read(values_.need(*node.as_table(), classes_[i].c_str(), what),
                                  what + " of class " + classes_[i])
                           : Rational(0));
  }
  return values;
}

std::vector<bool> PolicedKeys::some_classes(const toml::node& node, const std::string& what) {
  std::vector<bool> named(classes_.size(), false);
  const auto add = [&](const toml::node& one) {
    const std::string name = values_.text(one, what);
    const auto found = std::find(classes_.begin(), classes_.end(), name);
    if (!named_ || found == classes_.end())
      values_.fail(begin_of(one), what + " is " + in_quotes(name) + "; no [[class]] has this name" +
                                      (named_ ? did_you_mean(name, classes_) : ""));
    named[static_cast<std::size_t>(found - classes_.begin())] = true;
  };
  if (node.is_array())
    for (const toml::node& one : *node.as_array()) add(one);
  else
    add(node);
  return named;
}

void PolicedKeys::read_gates(const toml::table& table, PolicedPort& port) {
  const toml::node* list = table.get("gates");
  for (const char* key : {"guard", "max_sdu", "gate_offset", "clock"})
    if (const toml::node* given = table.get(key); given != nullptr && list == nullptr)
      values_.fail(begin_of(*given), in_quotes(key) + " applies only with \"gates\"");
  if (list == nullptr) return;
  if (port.scheduler != Scheduler::priority)
    values_.fail(begin_of(*list),
                 "\"gates\" applies only with scheduler = \"priority\", not with " +
                     in_quotes(names_of(port.scheduler)[static_cast<std::size_t>(port.scheduler)]) +
                     (port.scheduler == Scheduler::cbs
                          ? ": what becomes of credit while gates are closed differs between devices"
                          : ""));
  const char* how =
      "\"gates\" must be a list such as [ { time = 50, open = \"control\" }, { time = 450, open = "
      "[\"video\"] } ]";
  if (!list->is_array() || list->as_array()->empty()) values_.fail(begin_of(*list), how);
  for (const toml::node& entry : *list->as_array()) {
    if (!entry.is_table()) values_.fail(begin_of(entry), how);
    const toml::table& its = *entry.as_table();
    values_.check_keys(its, "an entry of \"gates\"", {"time", "open"});
    port.gates.push_back(
        {positive(values_.need(its, "time", "an entry of \"gates\""), "the time of an entry of \"gates\""),
         some_classes(values_.need(its, "open", "an entry of \"gates\""), "an open class of \"gates\"")});
  }
  if (port.gates.size() > PolicedPort::max_gates)
    values_.fail(begin_of(*list), "more than 4096 entries of \"gates\", the limit");
  if (const toml::node* given = table.get("clock")) {
    port.clock = values_.name(*given, "the clock of a link");
    port.clock_error = clock_error_;
    clocks_ = true;
  }
  if (const toml::node* given = table.get("gate_offset"); given != nullptr && port.clock.empty())
    values_.fail(begin_of(*given), "\"gate_offset\" needs the \"clock\" that it refers to");
  port.gate_offset = not_negative(table, "gate_offset", "the offset of the gates of a link");
  if (const toml::node* given = table.get("guard")) {
    const std::string named = values_.text(*given, "the guard of a link");
    const auto names = names_of(Guard{});
    const auto found =
        std::find_if(names.begin(), names.end(), [&](const char* name) { return named == name; });
    if (found == names.end())
      values_.fail(begin_of(*given),
                   "the guard of a link is " + in_quotes(named) + "; it must be fit, static or overrun");
    port.guard = static_cast<Guard>(found - names.begin());
  }
  const toml::node* sdu = table.get("max_sdu");
  if (sdu != nullptr && port.guard != Guard::fixed)
    values_.fail(begin_of(*sdu), "\"max_sdu\" applies only with guard = \"static\"");
  if (sdu == nullptr && port.guard == Guard::fixed)
    values_.fail(begin_of(table), "a link with guard = \"static\" needs the key \"max_sdu\"");
  if (sdu != nullptr)
    port.max_sdu = of_classes(*sdu, "the \"max_sdu\" of a link", false, classes_.size(), false);
}

void PolicedKeys::read_preemption(const toml::table& table, PolicedPort& port) {
  const toml::node* given = table.get("preemptable");
  const toml::node* fragment = table.get("fragment");
  if (given == nullptr) {
    if (fragment != nullptr)
      values_.fail(begin_of(*fragment), "\"fragment\" applies only with \"preemptable\"");
    return;
  }
  if (port.scheduler != Scheduler::priority)
    values_.fail(begin_of(*given), "\"preemptable\" applies only with scheduler = \"priority\"");
  if (!port.gates.empty())
    values_.fail(begin_of(*given),
                 "\"preemptable\" and \"gates\" of one link are not supported together (hold and release)");
  if (byte_ == 0)
    values_.fail(
        begin_of(*given),
        "\"preemptable\" needs \"units\" with size = \"bytes\" or \"bits\": fragments are counted in bytes");
  port.preemptable = some_classes(*given, "a preemptable class");
  for (std::size_t i = 0; i + 1 < classes_.size(); ++i)
    if (port.preemptable[i] && !port.preemptable[i + 1])
      values_.fail(begin_of(*given),
                   "the class " + in_quotes(classes_[i]) + " is preemptable, but " +
                       in_quotes(classes_[i + 1]) +
                       ", which is lower, is not; the lowest classes must be the preemptable ones");
  if (fragment == nullptr) return;
  port.fragment = static_cast<int>(
      values_.whole(table, "fragment", 64, 64, 256, "the smallest fragment of a link", " bytes"));
  if (port.fragment % 64 != 0)
    values_.fail(begin_of(*fragment), "the smallest fragment of a link is " + std::to_string(port.fragment) +
                                          " bytes; it must be 64, 128, 192 or 256");
}

PolicedPort PolicedKeys::read_link(const toml::table& table) {
  PolicedPort port;
  port.rate = 1;
  if (const toml::node* given = table.get("rate")) {
    port.rate = rate(*given, "the rate of a link");
    if (units_.slotted() && port.rate != 1)
      values_.fail(begin_of(*given),
                   "the rate of a link is not 1; without \"units\" each link sends one packet per slot");
  } else if (!units_.slotted()) {
    values_.fail(begin_of(table), "a [[link]] needs the key \"rate\" [" + units_.rate + "]");
  }
  port.latency = not_negative(table, "latency", "the latency of a link");
  port.wire = not_negative(table, "wire", "the propagation delay of a link (key \"wire\")");
  if (const toml::node* given = table.get("scheduler")) {
    const std::string named = values_.text(*given, "the scheduler of a link");
    const auto names = names_of(Scheduler{});
    const auto found =
        std::find_if(names.begin(), names.end(), [&](const char* name) { return named == name; });
    if (found == names.end())
      values_.fail(begin_of(*given), "the scheduler of a link is " + in_quotes(named) +
                                         "; it must be fifo, priority, drr or cbs");
    port.scheduler = static_cast<Scheduler>(found - names.begin());
  }
  const auto only_with = [&](const char* key, Scheduler scheduler, const char* its) -> const toml::node* {
    const toml::node* given = table.get(key);
    if (given != nullptr && port.scheduler != scheduler)
      values_.fail(begin_of(*given), in_quotes(key) + " applies only with scheduler = " + in_quotes(its));
    if (given == nullptr && port.scheduler == scheduler)
      values_.fail(begin_of(table),
                   "a link with scheduler = " + in_quotes(its) + " needs the key " + in_quotes(key));
    return given;
  };
  if (const toml::node* given = only_with("quantum", Scheduler::drr, "drr"))
    port.quanta = of_classes(*given, "the quantum", false, classes_.size());
  if (const toml::node* given = only_with("idle_slope", Scheduler::cbs, "cbs"))
    port.idle_slopes = of_classes(*given, "the idle slope", true, std::min<std::size_t>(classes_.size(), 2));
  if (const toml::node* given = table.get("best_effort")) {
    port.best_effort = positive(*given, "the longest best-effort packet of a link");
    if (port.scheduler != Scheduler::priority && port.scheduler != Scheduler::cbs)
      values_.fail(begin_of(*given),
                   "\"best_effort\", the longest packet below all classes, applies only with scheduler = "
                   "\"priority\" or \"cbs\"");
  }
  port.reshaped = values_.yes(table, "reshape");
  read_gates(table, port);
  read_preemption(table, port);
  if (const toml::node* given = table.get("cut_through"))
    port.cut_through = positive(*given, "the \"cut_through\" of a link");
  return port;
}

traffic::TokenBucket PolicedKeys::bucket(const toml::node& node, const std::string& what) {
  if (!node.is_table())
    values_.fail(begin_of(node),
                 "the bucket of " + what +
                     " must be a table such as { rate = 0.5, burst = 2 }, or a list of such tables");
  const toml::table& table = *node.as_table();
  values_.check_keys(table, "a bucket", {"rate", "burst"});
  return {rate(values_.need(table, "rate", "a bucket"), "the rate of the bucket of " + what),
          positive(values_.need(table, "burst", "a bucket"), "the burst of the bucket of " + what)};
}

void PolicedKeys::read_packet(const toml::table& table, PolicedFlow& flow, const std::string& what) {
  const toml::node* packet = table.get("packet");
  if (packet == nullptr) {
    if (!units_.slotted())
      values_.fail(begin_of(table), what + " needs the key \"packet\" [" + units_.size +
                                        "], such as { max = 1518, min = 64 }");
    return;
  }
  if (packet->is_table()) {
    values_.check_keys(*packet->as_table(), "\"packet\"", {"max", "min"});
    flow.longest =
        positive(values_.need(*packet->as_table(), "max", "\"packet\""), "the longest packet of " + what);
    const toml::node* minimum = packet->as_table()->get("min");
    flow.shortest = minimum != nullptr ? positive(*minimum, "the shortest packet of " + what) : flow.longest;
  } else {
    flow.longest = flow.shortest = positive(*packet, "the packet of " + what);
  }
  if (flow.shortest > flow.longest)
    values_.fail(begin_of(*packet), "the shortest packet of " + what + " is larger than its longest packet");
  if (units_.slotted() && (flow.longest != 1 || flow.shortest != 1))
    values_.fail(begin_of(*packet),
                 "the packet of " + what + " is not 1; without \"units\" all packets have size 1");
}

void PolicedKeys::read_period(const toml::table& table, PolicedFlow& flow, const std::string& what) {
  const toml::node* period = table.get("period");
  if (period == nullptr) {
    for (const char* key : {"jitter", "offset", "clock"})
      if (const toml::node* given = table.get(key))
        values_.fail(begin_of(*given),
                     what + " has " + in_quotes(key) + ", which applies only with \"period\"");
    return;
  }
  if (flow.shortest != flow.longest)
    values_.fail(begin_of(*period), what + " has a period; its packets must have one length");
  PeriodicSource source{.period = positive(*period, "the period of " + what),
                        .jitter = not_negative(table, "jitter", "the jitter of " + what)};
  if (const toml::node* given = table.get("clock")) {
    source.clock = values_.name(*given, "the clock of " + what);
    clocks_ = true;
  }
  if (const toml::node* given = table.get("offset")) {
    if (source.clock.empty())
      values_.fail(begin_of(*given), what + " has an offset; it needs the \"clock\" that it refers to");
    source.offset = not_negative(table, "offset", "the offset of " + what);
  }
  if (!source.clock.empty()) {
    // A sender whose clock errs is early or late: as with that much jitter, from that much earlier on.
    if (!source.offset) source.offset = 0;
    source.jitter = source.jitter + 2 * clock_error_;
    source.offset = *source.offset - clock_error_;
    if (*source.offset < 0)
      source.offset =
          *source.offset - source.period * Rational(numeric::floor(*source.offset / source.period));
  }
  flow.buckets.push_back({flow.longest / source.period, flow.longest * (1 + source.jitter / source.period)});
  flow.periodic = std::move(source);
}

PolicedFlow PolicedKeys::read_flow(const toml::table& table, const std::string& what) {
  PolicedFlow flow;
  read_packet(table, flow, what);
  read_period(table, flow, what);
  const toml::node* given = table.get("bucket");
  if (given != nullptr && flow.periodic)
    values_.fail(begin_of(*given), what + " has a period and a bucket; give one of them");
  if (given == nullptr && !flow.periodic)
    values_.fail(begin_of(table), what + " needs the key \"bucket\" or \"period\"");
  if (given != nullptr && given->is_array())
    for (const toml::node& one : *given->as_array()) flow.buckets.push_back(bucket(one, what));
  else if (given != nullptr)
    flow.buckets.push_back(bucket(*given, what));
  if (flow.buckets.empty()) values_.fail(begin_of(*given), what + " has an empty list of buckets");
  if (named_) {
    const toml::node& its = values_.need(table, "class", what);
    const std::string named = values_.text(its, "the class of " + what);
    const auto found = std::find(classes_.begin(), classes_.end(), named);
    if (found == classes_.end())
      values_.fail(begin_of(its),
                   "the class of " + what + " is " + in_quotes(named) + "; no [[class]] has this name");
    flow.traffic_class = static_cast<std::size_t>(found - classes_.begin());
  } else if (const toml::node* its = table.get("class")) {
    values_.fail(begin_of(*its), what + " has a class, but the file has no [[class]] tables");
  }
  for (const traffic::TokenBucket& bucket : flow.buckets)
    if (bucket.burst < flow.longest)
      values_.fail(begin_of(*given),
                   "the burst of the bucket of " + what + " is " + numeric::to_fraction(bucket.burst) +
                       "; it must be at least the longest packet, " + numeric::to_fraction(flow.longest));
  return flow;
}

}  // namespace tailbound::network
