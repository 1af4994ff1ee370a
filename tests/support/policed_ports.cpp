#include <tailbound/numeric/rational.hpp>
#include <tests/support/policed_ports.hpp>
#include <tests/support/rational.hpp>

namespace tailbound::test {

using network::PolicedNetwork;

PolicedNetwork slotted_ports(std::size_t ports) {
  PolicedNetwork network;
  network.classes = {"all"};
  for (std::size_t port = 0; port < ports; ++port) {
    network.ports.emplace_back();
    network.ports.back().name = "p" + std::to_string(port);
    network.ports.back().rate = 1;
  }
  return network;
}

void add_flow(PolicedNetwork& network, const std::vector<std::size_t>& path,
              const std::vector<traffic::TokenBucket>& buckets) {
  network.flows.emplace_back();
  network.flows.back().name = "f" + std::to_string(network.flows.size());
  network.flows.back().path = path;
  network.flows.back().buckets = buckets;
}

PolicedNetwork identical(std::size_t ports, const Paths& paths, const char* burst, const char* rate,
                         bool peak) {
  PolicedNetwork network = slotted_ports(ports);
  std::vector<traffic::TokenBucket> buckets{{rational(rate), rational(burst)}};
  if (peak) buckets.push_back(traffic::one_per_slot());
  for (const auto& path : paths) add_flow(network, path, buckets);
  return network;
}

PolicedNetwork random_ports(std::mt19937& random, const RandomPorts& choice) {
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (;;) {
    const int ports = pick(choice.min_ports, choice.max_ports);
    PolicedNetwork network = slotted_ports(static_cast<std::size_t>(ports));
    std::vector<numeric::Rational> load(static_cast<std::size_t>(ports), 0);
    for (int flows = pick(choice.min_flows, choice.max_flows); flows > 0; --flows) {
      std::vector<std::size_t> path;
      for (int port = 0; port < ports; ++port)
        if (pick(0, 2) > 0) path.push_back(static_cast<std::size_t>(port));
      if (path.empty()) path.push_back(0);
      const numeric::Rational rate =
          pick(0, 4) == 0 ? ratio(2, 2 * pick(2, choice.slowest) + 1) : ratio(1, pick(2, choice.slowest));
      std::vector<traffic::TokenBucket> buckets{
          {rate, pick(0, 3) == 0 ? ratio(3, 2) : numeric::Rational(pick(1, choice.max_burst))}};
      if (pick(0, 2) == 0) buckets.push_back(traffic::one_per_slot());
      add_flow(network, path, buckets);
      for (const std::size_t port : path) load[port] = load[port] + rate;
    }
    bool legal = true;
    for (const numeric::Rational& at : load) legal = legal && at <= 1;
    if (legal) return network;
  }
}

std::string text_of(const PolicedNetwork& network) {
  std::string text;
  for (const network::PolicedFlow& flow : network.flows) {
    for (const std::size_t port : flow.path) text += std::to_string(port) + " ";
    for (const traffic::TokenBucket& bucket : flow.buckets)
      text += "(" + numeric::to_fraction(bucket.rate) + ", " + numeric::to_fraction(bucket.burst) + ") ";
    text += "\n";
  }
  return text;
}

}  // namespace tailbound::test
