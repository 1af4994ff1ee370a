#include <serve/page/controls.hpp>

#include <optional>

namespace tailbound::serve {
namespace {

using Names = std::vector<std::string>;

struct Control {
  std::string_view option;
  std::string_view question{};  ///< its beginning; empty: of all that are not named before
  std::optional<Slider> slider{};
  Names choices{};
};

/// The first that fits counts.
const std::vector<Control>& controls() {
  constexpr Slider load{.least = 0.01, .most = 0.99, .step = 0.01};
  constexpr Slider target{.least = -30, .most = -1, .step = 1, .powers_of_ten = true};
  static const std::vector<Control> all{
      {"--inputs", "validate switch", Slider{2, 32, 1}},
      {"--inputs", "simulate switch", Slider{2, 64, 1}},
      {"--inputs", "", Slider{2, 256, 1}},
      {"--outputs", "", Slider{2, 64, 1}},
      {"--load", "", load},
      {"--drop", "", target},
      {"--until", "", target},
      {"--reorder", "", target},
      {"--rare", "", target},
      {"--capacity", "delay", Slider{1, 512, 1}},
      {"--capacity", "", Slider{1, 1000, 1}},
      {"--memory", "", Slider{1, 2000, 1}},
      {"--threshold", "", Slider{0.25, 8, 0.25}},
      {"--burst", "", Slider{2, 128, 1}},
      {"--on-rate", "", Slider{0.05, 1, 0.05}},
      {"--packets-per-slot", "", Slider{1, 8, 1}},
      {"--packet-bytes", "", Slider{64, 1536, 64}},
      {"--cell-bytes", "", Slider{32, 512, 32}},
      {"--link-gbps", "", Slider{1, 800, 1}},
      {"--hop-ns", "", Slider{0, 1000, 10}},
      {"--digits", "", Slider{4, 40, 1}},
      {"--radix", "network", Slider{4, 64, 2}},
      {"--radix", "", Slider{2, 64, 1}},
      {"--levels", "delay", Slider{1, 6, 1}},
      {"--levels", "network", Slider{2, 3, 1}},
      {"--levels", "validate delay", Slider{1, 6, 1}},
      {"--levels", "simulate tree", Slider{1, 6, 1}},
      {"--load-scale", "", Slider{0.05, 2, 0.05}},
      {"--flow-rate", "", load},
      {"--uniform", "", load},
      {"--hot", "", Slider{0, 0.3, 0.005}},
      {"--buffer", "", Slider{1, 64, 1}},
      {"--buffer-flits", "", Slider{1, 32, 1}},
      {"--flits", "", Slider{1, 256, 1}},
      {"--virtual-channels", "wormhole", Slider{1, 16, 1}},
      {"--virtual-channels", "", Slider{2, 16, 1}},
      {"--dimensions", "broadcast", Slider{1, 16, 1}},
      {"--dimensions", "validate broadcast", Slider{1, 10, 1}},
      {"--dimensions", "simulate hypercube", Slider{1, 10, 1}},
      {"--dimensions", "", Slider{1, 6, 1}},
      {"--broadcast", "", Slider{0, 0.2, 0.005}},
      {"--startup", "", Slider{0, 32, 1}},
      {"--replications", "", Slider{2, 64, 1}},

      {"--traffic", "buffer", {}, {"bernoulli", "poisson", "md1", "onoff"}},
      {"--traffic", "occupancy", {}, {"bernoulli", "poisson", "md1", "onoff"}},
      {"--traffic", "pgf", {}, {"bernoulli", "poisson"}},
      {"--traffic", "compare", {}, {"bernoulli", "poisson", "md1"}},
      {"--traffic", "", {}, {"bernoulli", "onoff"}},
      {"--destination", "", {}, {"per-burst", "per-packet"}},
      {"--solve", "buffer", {}, {"load", "speedup", "burst"}},
      {"--solve", "delay", {}, {"load-scale"}},
      {"--criterion", "", {}, {"overflow", "loss"}},
      {"--arrive", "", {}, {"whole", "cells"}},
      {"--arithmetic", "", {}, {"auto", "double", "multiprecision", "interval", "exact"}},
      {"--routing", "", {}, {"random-root", "nearest-ancestor"}},
      {"--route", "", {}, {"shortest", "spread", "minimal", "valiant"}},
      {"--sources", "", {}, {"decoupled", "first-hop"}},
      {"--delay", "", {}, {"wait", "occupancy"}},
      {"--hops", "", {}, {"chain", "independent", "bound", "all"}},
      {"--of", "pgf", {}, {"arrivals", "occupancy", "wait"}},
      {"--of", "compare", {}, {"occupancy", "tail"}},
      {"--of", "", {}, {"model", "simulated"}},
      {"--as", "", {}, {"text", "latex", "maple", "gp", "c"}},
      {"--curve", "", {}, {"delay", "throughput"}},
      {"--variant", "multistage", {}, {"blocking", "published"}},
      {"--variant", "", {}, {"finite-source", "paper", "conditional"}},
      {"SHAPE",
       "network",
       {},
       {"fat-tree", "leaf-spine", "torus", "hyperx", "dragonfly", "slimfly", "jellyfish"}},
      {"--wiring", "", {}, {"baseline", "omega"}},
      {"--links", "", {}, {"one", "any"}},
      {"--topology", "", {}, {"butterfly-fat-tree", "mesh", "torus", "bidirectional-torus", "hypercube"}},
      {"--injection", "", {}, {"one", "ports"}},
      {"--ejection", "", {}, {"one", "unlimited"}},
      {"--lengths", "", {}, {"fixed", "geometric"}},
      {"--arrivals", "simulate wormhole", {}, {"poisson", "bernoulli"}},
      {"--arrivals", "validate wormhole", {}, {"poisson", "bernoulli"}},
      {"--replication", "", {}, {"conserving", "literal", "shared-wire"}},
  };
  return all;
}

const Control* control_of(std::string_view question, std::string_view option) {
  for (const Control& control : controls())
    if (control.option == option && question.substr(0, control.question.size()) == control.question)
      return &control;
  return nullptr;
}

using Opening = std::vector<std::pair<std::string, std::string>>;

const std::vector<std::pair<std::string_view, Opening>>& openings() {
  static const Opening tree{{"--radix", "16"}, {"--levels", "3"}, {"--load", "0.8"}};
  static const Opening mesh{{"--topology", "mesh"}, {"--nodes", "64"}, {"--flits", "32"}};
  static const Opening hot{{"--nodes", "64"}, {"--hot", "0.08"}, {"--loads", "0.1:1:0.1"}};
  static const Opening cube{
      {"--dimensions", "6"}, {"--virtual-channels", "4"}, {"--flits", "32"}, {"--broadcast", "0.01"}};
  static const std::vector<std::pair<std::string_view, Opening>> all{
      {"buffer", {{"--inputs", "16"}, {"--load", "0.9"}, {"--drop", "1e-15"}}},
      {"occupancy", {{"--inputs", "16"}, {"--load", "0.9"}, {"--until", "1e-15"}}},
      {"delay", tree},
      {"pgf", {{"--inputs", "k"}, {"--load", "k*p"}, {"--moments", ""}}},
      {"compare", {{"--inputs", "16"}, {"--load", "0.9"}}},
      {"network", {{"SHAPE", "fat-tree"}, {"--radix", "4"}, {"--uniform", "0.4"}}},
      {"multistage", hot},
      {"wormhole", mesh},
      {"broadcast", cube},
      {"simulate tree", {{"--radix", "4"}, {"--levels", "2"}, {"--load", "0.8"}}},
      {"simulate switch", {{"--inputs", "16"}, {"--load", "0.8"}, {"--memory", "60,80"}}},
      {"simulate multistage", {{"--nodes", "64"}, {"--hot", "0.08"}, {"--loads", "0.2:0.8:0.2"}}},
      {"simulate wormhole",
       {{"--topology", "mesh"}, {"--nodes", "64"}, {"--flits", "32"}, {"--loads", "0.05,0.1"}}},
      {"simulate hypercube",
       {{"--dimensions", "6"},
        {"--virtual-channels", "4"},
        {"--flits", "32"},
        {"--broadcast", "0.01"},
        {"--rates", "0.001,0.002"}}},
      {"validate delay", tree},
      {"validate buffer", {{"--inputs", "16"}, {"--load", "0.9"}}},
      {"validate switch", {{"--inputs", "8"}, {"--load", "0.8"}}},
      {"validate multistage", {{"--nodes", "64"}, {"--hot", "0.08"}, {"--loads", "0.2:0.8:0.2"}}},
      {"validate wormhole",
       {{"--topology", "mesh"}, {"--nodes", "64"}, {"--flits", "32"}, {"--fractions", "20%,50%,80%"}}},
      {"validate broadcast",
       {{"--dimensions", "6"},
        {"--virtual-channels", "4"},
        {"--flits", "32"},
        {"--broadcast", "0.01"},
        {"--fractions", "20%,50%,80%"}}},
  };
  return all;
}

}  // namespace

const Slider* slider_of(std::string_view question, std::string_view option) {
  const Control* control = control_of(question, option);
  return control != nullptr && control->slider ? &*control->slider : nullptr;
}

const std::vector<std::string>& choices_of(std::string_view question, std::string_view option) {
  static const std::vector<std::string> none;
  const Control* control = control_of(question, option);
  return control == nullptr ? none : control->choices;
}

Opening opening_of(std::string_view question) {
  for (const auto& [name, opening] : openings())
    if (name == question) return opening;
  return {};
}

}  // namespace tailbound::serve
