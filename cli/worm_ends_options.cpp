#include <fmt/format.h>
#include <cli/traffic_options.hpp>
#include <cli/worm_ends_options.hpp>
#include <tailbound/render/documents/worm_ends.hpp>

namespace tailbound::cli {

using network::Ejection;
using network::Injection;
using network::WormEnds;

void add_worm_ends_options(OptionTable& table, WormEndsOptions& options, Ejection usual, bool every) {
  const OptionGroup network(table, "Network");
  network.add("--injection", options.injection, "NAME",
              fmt::format("{}one channel a node, or ports: one for each link\n"
                          "(unless told: ports where ejection is unlimited, else one)",
                          every ? "" : "of a hypercube: "));
  const bool one = usual == Ejection::one;
  network.add("--ejection", options.ejection, "NAME",
              fmt::format("one channel a node{}, or unlimited{}: worms\nleave by all links at once{}",
                          one ? " (unless told)" : "", one ? "" : " (unless told)",
                          every ? "" : ", not in a fat-tree"));
}

std::vector<WormEnds> read_worm_ends(const WormEndsOptions& options, Ejection usual, bool ports) {
  std::vector<Ejection> ejections{usual};
  if (options.ejection) {
    ejections.clear();
    for (const std::size_t choice : parse_choices(*options.ejection, "--ejection", render::ejection_names()))
      ejections.push_back(static_cast<Ejection>(choice));
  }
  std::vector<WormEnds> all;
  for (const Ejection ejection : ejections) {
    if (options.injection) {
      for (const std::size_t choice :
           parse_choices(*options.injection, "--injection", render::injection_names()))
        all.push_back({.injection = static_cast<Injection>(choice), .ejection = ejection});
      continue;
    }
    const bool by_ports = ports && ejection == Ejection::unlimited;
    all.push_back({.injection = by_ports ? Injection::ports : Injection::one, .ejection = ejection});
  }
  return all;
}

}  // namespace tailbound::cli
