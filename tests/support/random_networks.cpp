#include <tailbound/core/error.hpp>
#include <tailbound/network/files/network_file.hpp>

#include <algorithm>
#include <set>
#include <tests/support/random_models.hpp>
#include <tests/support/random_networks.hpp>
#include <tests/support/toml_list.hpp>

namespace tailbound::test {
namespace {

std::string decimal(std::int64_t ten_thousandths) {
  const std::string digits = std::to_string(ten_thousandths % 10'000);
  return std::to_string(ten_thousandths / 10'000) + "." + std::string(4 - digits.size(), '0') + digits;
}

class Generator {
 public:
  Generator(std::uint64_t number, const NetworkChoice& choice)
      : random_(number * 3 + static_cast<std::uint64_t>(choice.of)), of_(choice.of) {
    network_.name = "number " + std::to_string(number);
    const auto drawn = static_cast<NetworkKind>(random_.between(0, 5 + (random_.one_in(3) ? 1 : 0)));
    kind_ = choice.kind.value_or(drawn);
  }

  SmallNetwork make() {
    add_switches();
    add_hosts();
    add_flows();
    if (random_.one_in(6)) fail_one();
    set_rates();
    return network_;
  }

 private:
  std::string any(const std::vector<std::string>& names) {
    return names[static_cast<std::size_t>(random_.between(0, std::ssize(names) - 1))];
  }
  void join(std::int64_t left, std::int64_t right) {
    Wire wire{"s" + std::to_string(left), "s" + std::to_string(right)};
    if (joined_.insert({std::min(left, right), std::max(left, right)}).second) network_.wires.push_back(wire);
  }

  void add_switches() {
    const bool large = random_.one_in(8);
    std::int64_t count = large ? random_.between(7, 40) : random_.between(2, 6);
    if (kind_ == NetworkKind::ring) count = std::max<std::int64_t>(count, 3);
    if (kind_ == NetworkKind::leaf_spine) {
      spines_ = large ? random_.between(2, 6) : 2;
      count = spines_ + (large ? random_.between(4, 12) : random_.between(2, 4));
    }
    for (std::int64_t i = 0; i < count; ++i) network_.switches.push_back("s" + std::to_string(i));
    for (std::int64_t i = 1; i < count; ++i) {
      if (kind_ == NetworkKind::line || kind_ == NetworkKind::ring) join(i - 1, i);
      if (kind_ == NetworkKind::star) join(0, i);
      if (kind_ == NetworkKind::tree || kind_ == NetworkKind::gather || kind_ == NetworkKind::random)
        join(random_.between(0, i - 1), i);
    }
    if (kind_ == NetworkKind::ring) join(count - 1, 0);
    if (kind_ == NetworkKind::random)
      for (std::int64_t more = random_.between(1, count); more > 0; --more) {
        const std::int64_t left = random_.between(0, count - 1), right = random_.between(0, count - 1);
        if (left != right) join(left, right);
      }
    if (kind_ == NetworkKind::leaf_spine)
      for (std::int64_t leaf = spines_; leaf < count; ++leaf)
        for (std::int64_t spine = 0; spine < spines_; ++spine) join(spine, leaf);
  }

  void add_hosts() {
    const auto switches = std::ssize(network_.switches);
    const std::int64_t count = std::min<std::int64_t>(
        random_.between(std::max<std::int64_t>(3, switches / 2), 3 + 2 * switches), 60);
    for (std::int64_t i = 0; i < count; ++i) {
      network_.hosts.push_back("h" + std::to_string(i));
      const std::int64_t at = random_.between(kind_ == NetworkKind::leaf_spine ? spines_ : 0, switches - 1);
      network_.wires.push_back({network_.hosts.back(), "s" + std::to_string(at)});
    }
  }

  void add_flows() {
    constexpr std::array<std::int64_t, 5> parts{1, 1, 2, 3, 5};
    const bool spread = random_.one_in(2), weighted = spread && random_.one_in(4), hot = random_.one_in(3);
    const auto hosts = std::ssize(network_.hosts);
    const std::int64_t count = random_.between(3, hosts > 15 ? 40 : 14);
    std::set<std::pair<std::string, std::string>> pairs;
    for (std::int64_t i = 0; i < count; ++i) {
      std::string from = any(network_.hosts), to = any(network_.hosts);
      if (kind_ == NetworkKind::gather || (hot && random_.one_in(3))) to = network_.hosts.front();
      const std::int64_t part = parts[static_cast<std::size_t>(random_.between(0, 4))];
      const bool bursty = of_ == NetworkClass::bursts && random_.one_in(2);
      const auto burst = static_cast<int>(random_.between(2, random_.one_in(4) ? 40 : 10));
      if (from == to || !pairs.insert({from, to}).second) continue;
      SmallFlow flow{from, to, part};
      if (bursty) flow.burst = burst;
      if (spread) flow.path = "spread";
      network_.flows.push_back(flow);
    }
    if (network_.flows.empty()) network_.flows.push_back({network_.hosts[1], network_.hosts[0], 1});
    if (weighted)
      for (Wire& wire : network_.wires) wire.weight = static_cast<int>(random_.between(1, 4));
  }

  /// A link between switches without which every flow still has a path.
  void fail_one() {
    const Wire& wire = network_.wires[static_cast<std::size_t>(random_.between(0, std::ssize(joined_) - 1))];
    network_.without = {wire.left + " -> " + wire.right};
    try {
      static_cast<void>(network_.read());
    } catch (const Error&) {
      network_.without.clear();
    }
  }

  /// Scales parts to rates such that the busiest queue has its load, and no host sends more than 0.95.
  void set_rates() {
    constexpr std::array<double, 5> loads{0.3, 0.5, 0.7, 0.8, 0.9};
    const double load = loads[static_cast<std::size_t>(random_.between(0, 4))];
    std::vector<SmallFlow> parts = network_.flows;
    for (SmallFlow& flow : network_.flows) flow.burst.reset();
    const double one = 1e-4;  // value of a part while the file is read
    double maximum = busiest_queue(network_.read()) / one / load;
    for (const std::string& host : network_.hosts) {
      double sum = 0;
      for (const SmallFlow& flow : parts)
        if (flow.from == host) sum += static_cast<double>(flow.rate);
      maximum = std::max(maximum, sum / 0.95);
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      SmallFlow& flow = network_.flows[i];
      flow.burst = parts[i].burst;
      flow.rate = std::max<std::int64_t>(
          1, static_cast<std::int64_t>(static_cast<double>(parts[i].rate) / maximum * 10'000));
      // An on-off source that is ON for the mean burst is OFF for at least a slot.
      if (flow.burst && *flow.burst * (10'000 - flow.rate) < flow.rate) flow.burst.reset();
    }
  }

  Random random_;
  NetworkClass of_;
  NetworkKind kind_{};
  std::int64_t spines_ = 0;
  std::set<std::pair<std::int64_t, std::int64_t>> joined_;
  SmallNetwork network_;
};

/// Removes parts that no flow can use.
void tidy(SmallNetwork& network) {
  std::set<std::string> used;
  for (const SmallFlow& flow : network.flows) used.insert({flow.from, flow.to});
  std::erase_if(network.hosts, [&](const std::string& host) { return !used.contains(host); });
  const auto known = [&](const std::string& name) {
    return std::find(network.hosts.begin(), network.hosts.end(), name) != network.hosts.end() ||
           std::find(network.switches.begin(), network.switches.end(), name) != network.switches.end();
  };
  std::erase_if(network.wires, [&](const Wire& wire) { return !known(wire.left) || !known(wire.right); });
  std::erase_if(network.without, [&](const std::string& failed) {
    return std::none_of(network.wires.begin(), network.wires.end(),
                        [&](const Wire& wire) { return wire.left + " -> " + wire.right == failed; });
  });
}

}  // namespace

std::string SmallNetwork::toml() const {
  std::string text =
      "# " + name + "\nhosts = " + toml_list(hosts) + "\nswitches = " + toml_list(switches) + "\n";
  if (!without.empty()) text += "without = " + toml_list(without) + "\n";
  for (const Wire& wire : wires) {
    text += "\n[[link]]\nfrom = \"" + wire.left + "\"\nto = \"" + wire.right + "\"\nboth = true\n";
    if (wire.weight != 1) text += "weight = " + std::to_string(wire.weight) + "\n";
  }
  for (const SmallFlow& flow : flows) {
    text += "\n[[flow]]\nfrom = \"" + flow.from + "\"\nto = \"" + flow.to +
            "\"\nrate = " + decimal(flow.rate) + "\n";
    if (flow.burst) text += "burst = " + std::to_string(*flow.burst) + "\n";
    if (flow.path != "shortest") text += "path = \"" + flow.path + "\"\n";
  }
  return text;
}

network::Network SmallNetwork::read() const {
  return network::read_network(toml(), name).network;
}

SmallNetwork random_network(std::uint64_t number, const NetworkChoice& choice) {
  return Generator(number, choice).make();
}

double busiest_queue(const network::Network& network) {
  std::vector<double> loads(network.links.size());
  for (const network::Flow& flow : network.flows)
    for (const network::Route& route : flow.routes)
      for (const std::size_t link : route.links)
        if (network.has_queue(link)) loads[link] += numeric::nearest_double(flow.rate * route.share);
  return loads.empty() ? 0 : *std::max_element(loads.begin(), loads.end());
}

SmallNetwork shrunk(SmallNetwork network, const StillShown& shown, int maximum) {
  const auto take = [&](SmallNetwork smaller) {
    if (maximum <= 0) return false;
    --maximum;
    tidy(smaller);
    try {
      if (smaller.flows.empty() || !shown(smaller)) return false;
    } catch (const Error&) {
      return false;
    }
    network = std::move(smaller);
    return true;
  };
  // Removes elements of a list one by one, while the result still fails.
  const auto thin = [&](auto list_of) {
    for (std::size_t i = 0; i < list_of(network).size();) {
      SmallNetwork smaller = network;
      list_of(smaller).erase(list_of(smaller).begin() + static_cast<std::ptrdiff_t>(i));
      if (!take(std::move(smaller))) ++i;
    }
  };
  const auto change = [&](auto list_of, auto simplify) {
    for (std::size_t i = 0; i < list_of(network).size(); ++i) {
      SmallNetwork smaller = network;
      if (simplify(list_of(smaller)[i])) static_cast<void>(take(std::move(smaller)));
    }
  };
  const auto flows = [](SmallNetwork & of) -> auto& {
    return of.flows;
  };
  const auto wires = [](SmallNetwork & of) -> auto& {
    return of.wires;
  };
  for (int left = maximum + 1; left > maximum && maximum > 0;) {
    left = maximum;
    const std::string before = network.toml();
    thin(flows);
    thin([](SmallNetwork & of) -> auto& { return of.switches; });
    thin([](SmallNetwork & of) -> auto& { return of.without; });
    thin(wires);
    change(flows, [](SmallFlow& flow) { return std::exchange(flow.burst, std::nullopt).has_value(); });
    change(flows, [](SmallFlow& flow) { return std::exchange(flow.path, "shortest") != "shortest"; });
    change(wires, [](Wire& wire) { return std::exchange(wire.weight, 1) != 1; });
    for (const std::int64_t unit : {1000, 500, 100, 10})
      change(flows, [&](SmallFlow& flow) {
        const std::int64_t rounded = std::max(unit, (flow.rate + unit / 2) / unit * unit);
        return std::exchange(flow.rate, rounded) != rounded && rounded < 10'000;
      });
    if (network.toml() == before) break;
  }
  return network;
}

}  // namespace tailbound::test
