#include <tailbound/core/error.hpp>
#include <tailbound/network/worms/cube_worms.hpp>

namespace tailbound::network {
namespace {

using Index = std::uint32_t;

/// Turns from a router: its links (dimension, direction, low or high), the injection channels of its nodes,
/// their ejection channels.
struct Numbering {
  std::vector<Index> sides, strides;
  Index dimensions = 0, routers = 1, directions = 1, classes = 1;
  Index concentration = 1;  ///< nodes per router
  Index ports = 1;          ///< injection channels of a node that are stations of their own
  bool ejects = true;
  Index lanes = 1;                                ///< virtual channels per link
  Index injection_lanes = 1, ejection_lanes = 1;  ///< per physical channel there

  Numbering(const Cube& cube, int virtual_channels)
      : dimensions(static_cast<Index>(cube.dimensions)),
        directions(cube.links == CubeLinks::unidirectional_torus ? 1 : 2),
        classes(cube.links != CubeLinks::mesh && virtual_channels > 1 ? 2 : 1),
        concentration(static_cast<Index>(cube.concentration)),
        ports(cube.ends.injection == Injection::ports ? dimensions : 1),
        ejects(cube.ends.ejection != Ejection::unlimited),
        lanes(static_cast<Index>(virtual_channels)),
        injection_lanes(cube.ends.injection == Injection::channels ? lanes : 1),
        ejection_lanes(cube.ends.ejection == Ejection::channels ? lanes : 1) {
    for (const std::int64_t side : sides_of(cube)) {
      sides.push_back(static_cast<Index>(side));
      strides.push_back(routers);
      routers *= sides.back();
    }
  }
  [[nodiscard]] Index links() const { return dimensions * directions; }
  [[nodiscard]] Index injection() const { return links() * classes; }
  [[nodiscard]] Index ejection() const { return injection() + ports * concentration; }
  [[nodiscard]] Index node_ports() const { return ejection() + concentration; }
  [[nodiscard]] Index nodes() const { return routers * concentration; }
  /// Virtual channels of a station. On a link with an odd number the low class has one more.
  [[nodiscard]] Index lanes_of(Index port) const {
    if (port >= ejection()) return ejection_lanes;
    if (port >= injection()) return injection_lanes;
    return (lanes + (port % classes == 0 ? classes - 1 : 0)) / classes;
  }
};

/// Towards higher coordinates along dimension i, or lower ones.
struct CubeLink {
  Index dimension, direction;
};

constexpr Index nowhere = WormNetwork::arrived;

/// The router that a link leads to; nowhere at the border of a mesh.
Index end_of_link(const Cube& cube, const Numbering& of, Index router, const CubeLink& link) {
  const Index stride = of.strides[link.dimension], side = of.sides[link.dimension];
  const Index at = router / stride % side;
  const bool edge = at == (link.direction == 0 ? side - 1 : 0);
  if (edge && cube.links == CubeLinks::mesh) return nowhere;
  const Index to = (link.direction == 0 ? at + 1 : at + side - 1) % side;
  return router - at * stride + to * stride;
}

struct BuiltCube {
  WormLayout layout;
  std::vector<Index>
      stations;  ///< [router][turn]; nowhere if there is no such channel: the message has arrived
  std::vector<Index> places;  ///< [station]: its position there
  std::vector<Index> ends;    ///< [channel]: the router that it leads to; nowhere after an ejection
};

BuiltCube build(const Cube& cube, const Numbering& of) {
  BuiltCube built;
  WormLayout& layout = built.layout;
  layout.name = name(cube);
  layout.nodes = of.nodes();
  layout.longest_path = of.ejects ? 2 : 1;
  layout.variants = of.ports;
  for (const Index side : of.sides) {
    layout.longest_path += cube.links == CubeLinks::torus ? side / 2 : side - 1;
    if (cube.links == CubeLinks::torus && side % 2 == 0) layout.variants = 1U << of.dimensions;
  }
  for (Index router = 0; router < of.routers; ++router)
    for (Index port = 0; port < of.node_ports(); ++port) {
      const bool link = port < of.injection();
      const Index number = port / of.classes;
      const Index end = link ? end_of_link(cube, of, router, {number / of.directions, number % of.directions})
                             : (port < of.ejection() ? router : nowhere);
      if (link ? end == nowhere : port >= of.ejection() && !of.ejects) {
        built.stations.push_back(nowhere);
        continue;
      }
      const auto station = static_cast<Index>(layout.stations.size());
      built.stations.push_back(station);
      built.places.push_back(router * of.node_ports() + port);
      if (!link || port % of.classes == 0) ++layout.wires;
      const Index lanes = of.lanes_of(port);
      layout.stations.push_back({static_cast<Index>(layout.channels.size()), lanes});
      for (Index lane = 0; lane < lanes; ++lane) {
        layout.channels.push_back({station, layout.wires - 1});
        built.ends.push_back(end);
      }
    }
  return built;
}

class CubeWorms final : public WormNetwork {
 public:
  CubeWorms(const Cube& cube, const Numbering& of, BuiltCube built)
      : WormNetwork(std::move(built.layout)),
        links_(cube.links),
        of_(of),
        stations_(std::move(built.stations)),
        places_(std::move(built.places)),
        ends_(std::move(built.ends)) {
    for (Index router = 0; router < of_.routers; ++router)
      for (Index i = 0; i < of_.dimensions; ++i)
        coordinates_.push_back(static_cast<std::uint16_t>(router / of_.strides[i] % of_.sides[i]));
    for (Index node = 0; node < of_.nodes(); ++node) router_.push_back(node / of_.concentration);
  }

  [[nodiscard]] Index next_station(const WormHead& head) const override {
    if (head.passed == 0)
      return station(router_[head.source],
                     of_.injection() + (of_.ports == 1 ? local(head.source) : head.variant));
    const Index router = ends_[head.channel];
    if (router == nowhere) return arrived;
    const Index last = router_[head.destination];
    for (Index dimension = 0; dimension < of_.dimensions; ++dimension) {
      const Index at = coordinate(router, dimension), to = coordinate(last, dimension);
      if (at == to) continue;
      const bool up = goes_up(at, to, of_.sides[dimension], head.variant >> dimension);
      const Index link = dimension * of_.directions + (up ? 0 : 1);
      const bool before_wrap = of_.classes == 2 && (up ? to < at : to > at);
      return station(router, link * of_.classes + (of_.classes == 2 && !before_wrap ? 1 : 0));
    }
    return station(router, of_.ejection() + local(head.destination));
  }

  [[nodiscard]] std::string channel_name(Index channel) const override {
    const Index station = layout().channels[channel].station;
    const Index router = places_[station] / of_.node_ports(), port = places_[station] % of_.node_ports();
    std::string text;
    if (port >= of_.ejection()) {
      text = "ejection at " + node_name(router * of_.concentration + port - of_.ejection());
    } else if (port >= of_.injection()) {
      const Index number = port - of_.injection();
      text = of_.ports > 1 ? "port " + std::to_string(number + 1) + " of " + node_name(router)
                           : "injection at " + node_name(router * of_.concentration + number);
    } else {
      text = router_name(router) + " -> " + router_name(ends_[channel]);
      if (of_.classes == 2) text += port % 2 == 0 ? ", low" : ", high";
    }
    const Index lane = channel - layout().stations[station].first;
    return layout().stations[station].count == 1 ? text : text + ", virtual channel " + std::to_string(lane);
  }

  [[nodiscard]] std::string node_name(Index node) const override {
    std::string text = router_name(router_[node]);
    return of_.concentration == 1 ? text : text + ":" + std::to_string(local(node));
  }

 private:
  [[nodiscard]] Index local(Index node) const {
    return of_.concentration == 1 ? 0 : node % of_.concentration;
  }
  [[nodiscard]] std::string router_name(Index router) const {
    std::string text = "(";
    for (Index i = 0; i < of_.dimensions; ++i)
      text += (i == 0 ? "" : ",") + std::to_string(coordinate(router, i));
    return text + ")";
  }
  [[nodiscard]] Index station(Index router, Index port) const {
    return stations_[router * of_.node_ports() + port];
  }
  [[nodiscard]] Index coordinate(Index router, Index dimension) const {
    return coordinates_[router * of_.dimensions + dimension];
  }
  /// Towards higher coordinates? A message never reverses its direction around a ring.
  [[nodiscard]] bool goes_up(Index at, Index to, Index side, Index variant) const {
    if (links_ == CubeLinks::mesh) return to > at;
    if (links_ == CubeLinks::unidirectional_torus) return true;
    const Index steps = to > at ? to - at : to + side - at;
    return 2 * steps == side ? (variant & 1U) == 0 : 2 * steps < side;
  }
  CubeLinks links_;
  Numbering of_;
  std::vector<std::uint16_t> coordinates_;       ///< [router][dimension]
  std::vector<Index> router_;                    ///< [node]
  std::vector<Index> stations_, places_, ends_;  ///< as BuiltCube
};

}  // namespace

int usual_virtual_channels(const Cube& cube) {
  return cube.links == CubeLinks::mesh ? 1 : 2;
}

std::unique_ptr<WormNetwork> make_cube_worms(const Cube& cube, int virtual_channels) {
  check(cube);
  if (virtual_channels < 1 || virtual_channels > 64)
    throw InvalidArgument("virtual channels", std::to_string(virtual_channels), "from 1 to 64");
  if (cube.virtual_channels != VirtualChannels::share_wire)
    throw InvalidArgument("virtual channels", "on separate physical channels", "on one physical channel");
  const Numbering numbering(cube, virtual_channels);
  return std::make_unique<CubeWorms>(cube, numbering, build(cube, numbering));
}

}  // namespace tailbound::network
