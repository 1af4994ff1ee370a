#include <fmt/format.h>
#include <tailbound/core/error.hpp>
#include <tailbound/core/printable.hpp>
#include <tailbound/render/drawing/network_drawing.hpp>
#include <tailbound/render/drawing/typeset.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace tailbound::render {
namespace {

using Point = std::pair<double, double>;
using Neighbours = std::vector<std::vector<std::size_t>>;

constexpr double rim = 26, layer_height = 104, name_size = 11;

Neighbours neighbours_of(const NetworkPicture& network) {
  Neighbours all(network.nodes.size());
  for (const NetworkPicture::Edge& edge : network.edges) {
    all[edge.from].push_back(edge.to);
    all[edge.to].push_back(edge.from);
  }
  return all;
}

/// Distances from the nearest node of `from`; -1: unreachable.
std::vector<int> distances(const Neighbours& neighbours, std::vector<std::size_t> from) {
  std::vector<int> steps(neighbours.size(), -1);
  for (const std::size_t node : from) steps[node] = 0;
  for (std::size_t i = 0; i < from.size(); ++i)
    for (const std::size_t next : neighbours[from[i]])
      if (steps[next] < 0) {
        steps[next] = steps[from[i]] + 1;
        from.push_back(next);
      }
  return steps;
}

/// Distances from the hosts, if links join only adjacent distances; otherwise nothing.
std::vector<int> layers_of(const NetworkPicture& network, const Neighbours& neighbours) {
  std::vector<std::size_t> hosts;
  for (std::size_t i = 0; i < network.nodes.size(); ++i)
    if (network.nodes[i].host) hosts.push_back(i);
  if (hosts.empty()) return {};
  std::vector<int> layers = distances(neighbours, hosts);
  for (int& layer : layers) layer = std::max(layer, 0);
  for (const NetworkPicture::Edge& edge : network.edges)
    if (std::abs(layers[edge.from] - layers[edge.to]) != 1) return {};
  return layers;
}

/// Nodes of each layer from left to right: in the given order, or by the mean position of their neighbors if
/// that shortens links.
std::vector<Point> in_layers(const std::vector<int>& layers, const Neighbours& neighbours, double width) {
  const int top = *std::max_element(layers.begin(), layers.end());
  std::vector<std::vector<std::size_t>> rows(static_cast<std::size_t>(top) + 1);
  for (std::size_t i = 0; i < layers.size(); ++i) rows[static_cast<std::size_t>(layers[i])].push_back(i);
  std::vector<Point> at(layers.size());
  const auto place = [&] {
    for (std::size_t layer = 0; layer < rows.size(); ++layer)
      for (std::size_t i = 0; i < rows[layer].size(); ++i)
        at[rows[layer][i]] = {rim + (static_cast<double>(i) + 0.5) / static_cast<double>(rows[layer].size()) *
                                        (width - 2 * rim),
                              rim + layer_height * static_cast<double>(rows.size() - 1 - layer)};
  };
  const auto length = [&] {
    double sum = 0;
    for (std::size_t i = 0; i < at.size(); ++i)
      for (const std::size_t next : neighbours[i]) sum += std::abs(at[i].first - at[next].first);
    return sum;
  };
  const auto sort_rows = [&](bool upwards) {
    for (std::size_t k = 1; k < rows.size(); ++k) {
      const std::size_t layer = upwards ? k : rows.size() - 1 - k;
      std::vector<double> mean(at.size());
      for (const std::size_t node : rows[layer]) {
        double sum = 0;
        int count = 0;
        for (const std::size_t next : neighbours[node])
          if ((layers[next] < layers[node]) == upwards) sum += at[next].first, ++count;
        mean[node] = count > 0 ? sum / count : at[node].first;
      }
      std::stable_sort(rows[layer].begin(), rows[layer].end(),
                       [&](std::size_t a, std::size_t b) { return mean[a] < mean[b] - 1e-9; });
      place();
    }
  };
  place();
  auto best = at;
  double minimum = length();
  constexpr int passes = 6;
  for (int pass = 0; pass < passes; ++pass) {
    sort_rows(pass % 2 == 1);
    if (const double now = length(); now < minimum * (1 - 1e-9)) minimum = now, best = at;
  }
  return best;
}

/// The two leading directions of classical scaling, as a start that preserves distances well.
std::vector<Point> scaled(const std::vector<double>& distance, std::size_t count) {
  std::vector<double> mean(count, 0);
  double all = 0;
  const auto squared = [&](std::size_t i, std::size_t j) {
    return distance[i * count + j] * distance[i * count + j];
  };
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) mean[i] += squared(i, j) / static_cast<double>(count);
    all += mean[i] / static_cast<double>(count);
  }
  std::vector<std::vector<double>> found;
  for (int axis = 0; axis < 2; ++axis) {
    std::vector<double> along(count), next(count);
    for (std::size_t i = 0; i < count; ++i)
      along[i] = std::sin(1.0 + static_cast<double>(i) * (axis == 0 ? 1.7 : 2.3));
    double size = 0;
    constexpr int powers = 60;
    for (int step = 0; step < powers; ++step) {
      for (const std::vector<double>& other : found) {
        const double part = std::inner_product(along.begin(), along.end(), other.begin(), 0.0) /
                            std::inner_product(other.begin(), other.end(), other.begin(), 1e-300);
        for (std::size_t i = 0; i < count; ++i) along[i] -= part * other[i];
      }
      for (std::size_t i = 0; i < count; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < count; ++j)
          sum -= (squared(i, j) - mean[i] - mean[j] + all) / 2 * along[j];
        next[i] = sum;
      }
      size = std::sqrt(std::inner_product(next.begin(), next.end(), next.begin(), 0.0));
      if (!(size > 0)) break;
      for (std::size_t i = 0; i < count; ++i) along[i] = next[i] / size;
    }
    for (double& value : along) value *= std::sqrt(std::max(size, 1e-9));
    found.push_back(along);
  }
  std::vector<Point> at(count);
  // Indistinguishable nodes get different positions.
  constexpr double golden = 2.399963229728653, apart = 0.05;
  for (std::size_t i = 0; i < count; ++i) {
    const double turn = golden * static_cast<double>(i);
    at[i] = {found[0][i] + apart * std::cos(turn), found[1][i] + apart * std::sin(turn)};
  }
  return at;
}

std::vector<Point> by_stress(const Neighbours& neighbours) {
  const std::size_t count = neighbours.size();
  std::vector<double> distance(count * count);
  double maximum = 1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<int> steps = distances(neighbours, {i});
    for (std::size_t j = 0; j < count; ++j)
      distance[i * count + j] = steps[j], maximum = std::max<double>(maximum, steps[j]);
  }
  // Nodes with a single link are placed close to their neighbor.
  constexpr double nearer = 0.6;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j) {
      double& between = distance[i * count + j];
      if (between < 0) between = maximum + 1;
      if (i != j && count > 2)
        between -= nearer *
                   ((neighbours[i].size() == 1 ? 1 : 0) + (neighbours[j].size() == 1 && between > 1 ? 1 : 0));
    }
  std::vector<Point> at = scaled(distance, count);
  constexpr int steps = 60;
  for (int step = 0; step < steps; ++step)
    for (std::size_t i = 0; i < count; ++i) {
      double x = 0, y = 0, weights = 0;
      for (std::size_t j = 0; j < count; ++j) {
        if (j == i) continue;
        const double d = distance[i * count + j], weight = 1 / (d * d);
        const double dx = at[i].first - at[j].first, dy = at[i].second - at[j].second;
        const double stretch = d / std::max(1e-9, std::hypot(dx, dy));
        x += weight * (at[j].first + stretch * dx);
        y += weight * (at[j].second + stretch * dy);
        weights += weight;
      }
      if (weights > 0) at[i] = {x / weights, y / weights};
    }
  return at;
}

/// Several nodes with a single link, at the same neighbor: around it, as far from its links as they can be.
void spread_leaves(const Neighbours& neighbours, std::vector<Point>& at) {
  constexpr int directions = 24;
  constexpr double away = 0.6, full_turn = 6.283185307179586;
  for (std::size_t i = 0; i < at.size(); ++i) {
    std::vector<std::size_t> leaves;
    std::vector<double> taken;
    for (const std::size_t next : neighbours[i])
      if (neighbours[next].size() == 1)
        leaves.push_back(next);
      else
        taken.push_back(std::atan2(at[next].second - at[i].second, at[next].first - at[i].first));
    if (leaves.size() < 2) continue;
    for (const std::size_t leaf : leaves) {
      double best = 0, widest = -1;
      for (int k = 0; k < directions; ++k) {
        const double turn = full_turn * k / directions;
        double nearest = full_turn;
        for (const double other : taken)
          nearest = std::min(nearest, std::abs(std::remainder(turn - other, full_turn)));
        if (nearest > widest + 1e-9) widest = nearest, best = turn;
      }
      taken.push_back(best);
      at[leaf] = {at[i].first + away * std::cos(best), at[i].second + away * std::sin(best)};
    }
  }
}

/// Rotated so that it is widest horizontally, and scaled to the width.
double fit(std::vector<Point>& at, double width) {
  double mx = 0, my = 0;
  for (const auto& [x, y] : at)
    mx += x / static_cast<double>(at.size()), my += y / static_cast<double>(at.size());
  double xx = 0, xy = 0, yy = 0;
  for (const auto& [x, y] : at)
    xx += (x - mx) * (x - mx), xy += (x - mx) * (y - my), yy += (y - my) * (y - my);
  const double turn = 0.5 * std::atan2(2 * xy, xx - yy), c = std::cos(turn), s = std::sin(turn);
  double x0 = 1e300, x1 = -1e300, y0 = 1e300, y1 = -1e300;
  for (auto& [x, y] : at) {
    const Point turned{c * (x - mx) + s * (y - my), c * (y - my) - s * (x - mx)};
    x = turned.first, y = turned.second;
    x0 = std::min(x0, x), x1 = std::max(x1, x), y0 = std::min(y0, y), y1 = std::max(y1, y);
  }
  constexpr double max_height = 560, minimum = 1e-6;
  const double scale =
      std::min((width - 2 * rim) / std::max(x1 - x0, minimum), max_height / std::max(y1 - y0, minimum));
  const double aside = (width - scale * (x1 - x0)) / 2;
  for (auto& [x, y] : at) x = aside + scale * (x - x0), y = rim + scale * (y - y0);
  return std::min(scale * (y1 - y0), max_height) + 2 * rim;
}

/// From cool to hot colors, black above 1; visible on light and dark.
std::string load_colour(double load) {
  constexpr int calm[] = {120, 160, 190}, hot[] = {214, 60, 20};
  const double share = std::clamp(load, 0.0, 1.0);
  const auto part = [&](int i) {
    return static_cast<int>(std::lround(calm[i] + share * share * (hot[i] - calm[i])));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", part(0), part(1), part(2));
}

std::string link_look(std::optional<double> load) {
  if (!load) return "class=\"tb-link\"";
  return fmt::format("class=\"tb-loaded\" stroke=\"{}\"", load_colour(*load));
}

std::string shown(const std::string& name) {
  return printable(name, LineEnds::shown);
}

}  // namespace

NetworkPlan network_plan(const NetworkPicture& network, double width) {
  if (network.nodes.empty()) throw NoAnswer("there is nothing to draw: the network has no nodes");
  if (network.nodes.size() > max_nodes_drawn)
    throw NoAnswer(fmt::format("networks of up to {} nodes are drawn, and this one has {}", max_nodes_drawn,
                               network.nodes.size()));
  const Neighbours neighbours = neighbours_of(network);
  NetworkPlan plan;
  const std::vector<int> layers = layers_of(network, neighbours);
  plan.layered = !layers.empty();
  if (plan.layered) {
    plan.at = in_layers(layers, neighbours, width);
    plan.height = 2 * rim + layer_height * *std::max_element(layers.begin(), layers.end());
  } else {
    plan.at = by_stress(neighbours);
    spread_leaves(neighbours, plan.at);
    plan.height = fit(plan.at, width);
  }
  return plan;
}

NetworkSvg network_svg(const NetworkPicture& network, double width) {
  const NetworkPlan plan = network_plan(network, width);
  std::size_t busiest = network.edges.size();
  for (std::size_t i = 0; i < network.edges.size(); ++i)
    if (network.edges[i].load &&
        (busiest == network.edges.size() || *network.edges[i].load > *network.edges[busiest].load))
      busiest = i;
  NetworkSvg svg{.height = plan.height};
  std::string lines;
  for (std::size_t i = 0; i < network.edges.size(); ++i) {
    const NetworkPicture::Edge& edge = network.edges[i];
    const auto [x1, y1] = plan.at[edge.from];
    const auto [x2, y2] = plan.at[edge.to];
    const double thick = (1 + 0.8 * std::min(edge.wires - 1, 5)) * (i == busiest ? 2.5 : 1);
    lines += fmt::format("<path {} stroke-width=\"{:.1f}\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>",
                         link_look(edge.load), thick, x1, y1, x2, y2);
  }
  // Names where they fit: in a layer, or for few nodes.
  double minimum = width;
  std::vector<Point> sorted;
  for (std::size_t i = 0; i < plan.at.size(); ++i)
    if (!network.nodes[i].host) sorted.push_back(plan.at[i]);
  std::sort(sorted.begin(), sorted.end(), [](const Point& a, const Point& b) {
    return std::pair(std::lround(a.second / 16), a.first) < std::pair(std::lround(b.second / 16), b.first);
  });
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (std::lround(sorted[i].second / 16) == std::lround(sorted[i - 1].second / 16))
      minimum = std::min(minimum, sorted[i].first - sorted[i - 1].first);
  double widest = 0;
  std::size_t hosts = 0;
  for (const NetworkPicture::Node& node : network.nodes) {
    if (!node.host) widest = std::max(widest, typeset_width(shown(node.name), name_size));
    hosts += node.host ? 1 : 0;
  }
  const bool named = widest + 14 <= minimum || network.nodes.size() <= 12;
  constexpr std::size_t hosts_named = 24;
  const double dot = std::clamp(0.35 * width / static_cast<double>(hosts + 1), 1.6, 5.0);
  const double half = std::clamp(0.3 * minimum, 2.5, 7.0);
  std::string nodes, names;
  std::vector<Box> taken;
  const auto half_width = [&](const std::string& name) {
    return named ? typeset_width(name, name_size) / 2 + 5 : half;
  };
  for (std::size_t i = 0; i < network.nodes.size(); ++i) {
    const double h = network.nodes[i].host ? dot : named ? 9 : half;
    const double w = network.nodes[i].host ? dot : half_width(shown(network.nodes[i].name));
    const auto [x, y] = plan.at[i];
    taken.push_back({x - w, x + w, y - h, y + h});
  }
  // Below, or where it meets nothing.
  const auto place_name = [&](const Point& at, const std::string& name) {
    const double w = typeset_width(name, name_size) / 2, beside = w + dot + 5;
    const std::array<Point, 4> places{{{at.first, at.second + 17},
                                       {at.first, at.second - 9},
                                       {at.first + beside, at.second + 4},
                                       {at.first - beside, at.second + 4}}};
    const auto box_at = [w](const Point& place) {
      return Box{place.first - w, place.first + w, place.second - 10, place.second + 3};
    };
    const auto is_free = [&](const Point& place) {
      const Box box = box_at(place);
      return box.left >= 0 && box.right <= width &&
             std::none_of(taken.begin(), taken.end(), [&](const Box& other) { return other.meets(box); });
    };
    const auto* const free = std::find_if(places.begin(), places.end(), is_free);
    const Point& found = free == places.end() ? places.front() : *free;
    taken.push_back(box_at(found));
    return found;
  };
  for (std::size_t i = 0; i < network.nodes.size(); ++i) {
    const auto [x, y] = plan.at[i];
    const NetworkPicture::Node& node = network.nodes[i];
    const std::string name = shown(node.name);
    if (node.host) {
      nodes += fmt::format(
          "<circle class=\"tb-host\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"><title>{}</title></circle>", x,
          y, dot, html_escaped(name));
      if (hosts > hosts_named) continue;
      const auto [left, foot] = place_name(plan.at[i], name);
      names += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", left, foot, html_escaped(name));
      continue;
    }
    const double w = half_width(name), h = named ? 9 : half;
    nodes += fmt::format(
        "<rect class=\"tb-switch\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
        "rx=\"3\"><title>{}</title></rect>",
        x - w, y - h, 2 * w, 2 * h, html_escaped(name));
    if (named)
      names += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", x, y + 4, html_escaped(name));
  }
  svg.body = lines + nodes + "<g class=\"tb-names\">" + names + "</g>";
  if (busiest == network.edges.size()) return svg;
  const NetworkPicture::Edge& edge = network.edges[busiest];
  std::string legend;
  double x = rim;
  for (const double load : {0.0, 0.5, 1.0}) {
    legend += fmt::format(
        "<path {} stroke-width=\"3\" d=\"M{:.0f} {:.0f}h30\"/><text x=\"{:.0f}\" y=\"{:.0f}\">{:.0f} "
        "%</text>",
        link_look(load), x, svg.height + 8, x + 36, svg.height + 12, 100 * load);
    x += 80;
  }
  legend += fmt::format(
      "<text x=\"{:.0f}\" y=\"{:.0f}\">{}</text>", x + 10, svg.height + 12,
      typeset_svg(fmt::format("utilization; highest {:.1f} %, between {} and {}", 100 * *edge.load,
                              shown(network.nodes[edge.from].name), shown(network.nodes[edge.to].name)),
                  12));
  svg.body += "<g class=\"tb-keys\">" + legend + "</g>";
  svg.height += 28;
  return svg;
}

}  // namespace tailbound::render
