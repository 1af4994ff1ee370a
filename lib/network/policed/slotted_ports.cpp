#include <tailbound/core/error.hpp>
#include <tailbound/network/policed/slotted_ports.hpp>

#include <algorithm>
#include <string>

namespace tailbound::network {

void require_slotted(const PolicedNetwork& network, const std::vector<Scheduler>& schedulers) {
  std::string legal;
  for (const Scheduler scheduler : schedulers)
    legal +=
        (legal.empty() ? "" : " or ") + std::string(names_of(scheduler)[static_cast<std::size_t>(scheduler)]);
  for (const PolicedPort& port : network.ports) {
    require(port.rate == 1, "rate", numeric::to_fraction(port.rate), "1 packet per slot");
    require(port.latency == 0, "latency", numeric::to_fraction(port.latency), "0 in slots");
    require(port.wire == 0, "wire", numeric::to_fraction(port.wire), "0 in slots");
    require(!port.reshaped, "reshape", "true", "false in slots");
    if (std::find(schedulers.begin(), schedulers.end(), port.scheduler) == schedulers.end())
      throw InvalidArgument("scheduler", names_of(port.scheduler)[static_cast<std::size_t>(port.scheduler)],
                            legal);
  }
  for (const PolicedFlow& flow : network.flows) {
    require(flow.longest == 1, "packet", numeric::to_fraction(flow.longest), "1 in slots");
    require(flow.shortest == 1, "packet", numeric::to_fraction(flow.shortest), "1 in slots");
    require(!flow.path.empty(), "path", "", "one port or more");
    require(flow.traffic_class < network.classes.size(), "class", std::to_string(flow.traffic_class),
            "the number of a class");
    for (auto port = flow.path.begin(); port != flow.path.end(); ++port) {
      require(*port < network.ports.size(), "path", std::to_string(*port), "a list of port numbers");
      require(std::find(flow.path.begin(), port, *port) == port, "path",
              "a path with port " + network.ports[*port].name + " twice", "a path without repeated ports");
    }
  }
}

}  // namespace tailbound::network
