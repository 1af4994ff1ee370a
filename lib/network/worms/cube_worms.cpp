#include <tailbound/core/error.hpp>
#include <tailbound/network/worms/cube_worms.hpp>

namespace tailbound::network {
namespace {

using Index = std::uint32_t;

/// Ways on from a node: its links (dimension, direction, low or high), its injection channels, its ejection.
struct Numbering {
  Index radix = 0, dimensions = 0, nodes = 1, directions = 1, classes = 1;
  Index ports = 1;  ///< injection channels
  bool ejects = true;
  Index lanes = 1;  ///< virtual channels of a station of links

  Numbering(const Cube& cube, int virtual_channels)
      : radix(static_cast<Index>(cube.radix)),
        dimensions(static_cast<Index>(cube.dimensions)),
        directions(cube.links == CubeLinks::unidirectional_torus ? 1 : 2),
        classes(cube.links != CubeLinks::mesh && virtual_channels > 1 ? 2 : 1),
        ports(cube.ends.injection == Injection::ports ? dimensions : 1),
        ejects(cube.ends.ejection == Ejection::one),
        lanes(static_cast<Index>(virtual_channels) / classes) {
    for (int i = 0; i < cube.dimensions; ++i) nodes *= radix;
  }
  [[nodiscard]] Index links() const { return dimensions * directions; }
  [[nodiscard]] Index injection() const { return links() * classes; }
  [[nodiscard]] Index ejection() const { return injection() + ports; }
  [[nodiscard]] Index ways() const { return ejection() + 1; }
};

/// Towards higher coordinates along dimension i, or lower ones.
struct CubeLink {
  Index dimension, direction;
};

constexpr Index nowhere = WormNetwork::arrived;

/// The node that a link leads to; nowhere where it would leave a mesh.
Index end_of_link(const Cube& cube, const Numbering& of, Index node, const CubeLink& link) {
  Index stride = 1;
  for (Index i = 0; i < link.dimension; ++i) stride *= of.radix;
  const Index at = node / stride % of.radix;
  const bool edge = at == (link.direction == 0 ? of.radix - 1 : 0);
  if (edge && cube.links == CubeLinks::mesh) return nowhere;
  const Index to = (link.direction == 0 ? at + 1 : at + of.radix - 1) % of.radix;
  return node - at * stride + to * stride;
}

struct BuiltCube {
  WormLayout layout;
  std::vector<Index>
      stations;  ///< [node][way]; nowhere where there is no such channel: a worm has arrived there
  std::vector<Index> places;  ///< [station]: its position there
  std::vector<Index> ends;    ///< [channel]: the node that it leads to; nowhere behind an ejection
};

BuiltCube build(const Cube& cube, const Numbering& of) {
  BuiltCube built;
  WormLayout& layout = built.layout;
  layout.name = name(cube);
  layout.nodes = of.nodes;
  const Index ring_steps = cube.links == CubeLinks::bidirectional_torus ? of.radix / 2 : of.radix - 1;
  layout.longest_way = of.dimensions * ring_steps + (of.ejects ? 2 : 1);
  layout.variants = of.ports;
  if (cube.links == CubeLinks::bidirectional_torus && of.radix % 2 == 0)
    layout.variants = 1U << of.dimensions;
  for (Index node = 0; node < of.nodes; ++node)
    for (Index way = 0; way < of.ways(); ++way) {
      const bool link = way < of.injection();
      const Index number = way / of.classes;
      const Index end = link ? end_of_link(cube, of, node, {number / of.directions, number % of.directions})
                             : (way < of.ejection() ? node : nowhere);
      if (link ? end == nowhere : way == of.ejection() && !of.ejects) {
        built.stations.push_back(nowhere);
        continue;
      }
      const auto station = static_cast<Index>(layout.stations.size());
      built.stations.push_back(station);
      built.places.push_back(node * of.ways() + way);
      if (!link || way % of.classes == 0) ++layout.wires;
      const Index lanes = link ? of.lanes : 1;
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
        cube_(cube),
        of_(of),
        stations_(std::move(built.stations)),
        places_(std::move(built.places)),
        ends_(std::move(built.ends)) {
    for (Index node = 0; node < of_.nodes; ++node)
      for (Index rest = node, i = 0; i < of_.dimensions; ++i, rest /= of_.radix)
        coordinates_.push_back(static_cast<std::uint16_t>(rest % of_.radix));
  }

  [[nodiscard]] Index next_station(const WormHead& head) const override {
    if (head.passed == 0) return station(head.source, of_.injection() + (of_.ports == 1 ? 0 : head.variant));
    const Index node = ends_[head.channel];
    if (node == nowhere) return arrived;
    for (Index dimension = 0; dimension < of_.dimensions; ++dimension) {
      const Index at = coordinate(node, dimension), to = coordinate(head.destination, dimension);
      if (at == to) continue;
      const bool up = goes_up(at, to, head.variant >> dimension);
      const Index link = dimension * of_.directions + (up ? 0 : 1);
      const bool before_wrap = of_.classes == 2 && (up ? to < at : to > at);
      return station(node, link * of_.classes + (of_.classes == 2 && !before_wrap ? 1 : 0));
    }
    return station(node, of_.ejection());
  }

  [[nodiscard]] std::string channel_name(Index channel) const override {
    const Index station = layout().channels[channel].station;
    const Index node = places_[station] / of_.ways(), way = places_[station] % of_.ways();
    if (way == of_.ejection()) return "ejection at " + node_name(node);
    if (way >= of_.injection() && of_.ports > 1)
      return "port " + std::to_string(way - of_.injection() + 1) + " of " + node_name(node);
    if (way == of_.injection()) return "injection at " + node_name(node);
    std::string text = node_name(node) + " -> " + node_name(ends_[channel]);
    if (of_.classes == 2) text += way % 2 == 0 ? ", low" : ", high";
    const Index lane = channel - layout().stations[station].first;
    return of_.lanes == 1 ? text : text + ", virtual channel " + std::to_string(lane);
  }

  [[nodiscard]] std::string node_name(Index node) const override {
    std::string text = "(";
    for (Index i = 0; i < of_.dimensions; ++i)
      text += (i == 0 ? "" : ",") + std::to_string(coordinate(node, i));
    return text + ")";
  }

 private:
  [[nodiscard]] Index station(Index node, Index way) const { return stations_[node * of_.ways() + way]; }
  [[nodiscard]] Index coordinate(Index node, Index dimension) const {
    return coordinates_[node * of_.dimensions + dimension];
  }
  /// Towards higher coordinates? A worm that goes one way round a ring never turns back.
  [[nodiscard]] bool goes_up(Index at, Index to, Index variant) const {
    if (cube_.links == CubeLinks::mesh) return to > at;
    if (cube_.links == CubeLinks::unidirectional_torus) return true;
    const Index steps = to > at ? to - at : to + of_.radix - at;
    return 2 * steps == of_.radix ? (variant & 1U) == 0 : 2 * steps < of_.radix;
  }
  Cube cube_;
  Numbering of_;
  std::vector<std::uint16_t> coordinates_;       ///< [node][dimension]
  std::vector<Index> stations_, places_, ends_;  ///< as BuiltCube
};

}  // namespace

int usual_virtual_channels(const Cube& cube) {
  return cube.links == CubeLinks::mesh ? 1 : 2;
}

std::unique_ptr<WormNetwork> make_cube_worms(const Cube& cube, int virtual_channels) {
  check(cube);
  const bool torus = cube.links != CubeLinks::mesh;
  const bool legal = virtual_channels >= 1 && virtual_channels <= 64 &&
                     (!torus || virtual_channels == 1 || virtual_channels % 2 == 0);
  if (!legal)
    throw InvalidArgument("virtual channels", std::to_string(virtual_channels),
                          torus ? "1 or an even number up to 64" : "from 1 to 64");
  if (cube.virtual_channels != VirtualChannels::share_wire)
    throw InvalidArgument("virtual channels", "on wires of their own", "on one wire");
  const Numbering numbering(cube, virtual_channels);
  return std::make_unique<CubeWorms>(cube, numbering, build(cube, numbering));
}

}  // namespace tailbound::network
