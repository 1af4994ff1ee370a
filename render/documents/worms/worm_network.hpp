#pragma once

#include <tailbound/answers/wormhole/offered_loads.hpp>
#include <tailbound/answers/wormhole/simulate_wormhole.hpp>
#include <tailbound/answers/wormhole/wormhole.hpp>
#include <tailbound/render/fields.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <string>
#include <vector>

/// Presentation of wormhole networks and of their offered loads.
namespace tailbound::render {

/// The network and its traffic, as given.
struct RequestedWorms {
  const answers::WormholeNetwork& network;
  std::optional<answers::WormholeVariant> variant;
  const network::WormMessages& messages;
  std::optional<int> virtual_channels;  ///< of each link, if given
};
/// Of a WormholeQuery or a SimulatedWormhole.
template <class Network>
[[nodiscard]] RequestedWorms requested_worms(const Network& of) {
  return {of.network, of.variant, of.messages, of.virtual_channels};
}
[[nodiscard]] const Fields<RequestedWorms>& worm_network_fields();

[[nodiscard]] Column worm_buffer_column();
/// The law of lengths, and the classes.
[[nodiscard]] const Fields<RequestedWorms>& worm_length_fields();
/// Only for non-default timing of routers, links and credits.
[[nodiscard]] const Fields<network::RouterTiming>& router_timing_fields();
template <class Requested>
const network::RouterTiming* if_unusual(const Requested& requested) {
  return requested.timing == network::RouterTiming{} ? nullptr : &requested.timing;
}

/// "fraction" and "load"
[[nodiscard]] std::vector<Column> load_columns();
/// \param i     index in the given list
/// \param load  its load [flits/cycle/node]
[[nodiscard]] Cells load_cells(const answers::OfferedLoads& offered, std::size_t i, double load);
/// The same for a single load; without its value if it is a fraction.
[[nodiscard]] Cells load_cells(const answers::OfferedLoads& offered);

/// ", load 0.1 flits/cycle/node", ", at 50 % of saturation": the load of several results, appended to their
/// description; empty if the loads differ, which their table then shows.
/// \param key  of the load: "load", or "rate"
[[nodiscard]] std::string offered_in_words(const Document& document, std::string_view key);
/// "variant paper"; empty if they differ.
/// \param networks  one or more
[[nodiscard]] std::string variant_in_words(const std::vector<RequestedWorms>& networks);

/// Uniform traffic, which is not among the inputs if all have it, by its name if some traffic is different.
void name_uniform_traffic(Document& document);

/// How the file of a network was interpreted, and which classes of virtual channels it was given.
void add_remarks(std::vector<std::string>& notes, const answers::WormholeNetwork& network);

/// Note that other commands on hypercubes have other default ends; empty without a hypercube.
[[nodiscard]] std::vector<std::string> hypercube_notes(const std::vector<answers::WormholeNetwork>& networks);

/// "8 x 8 mesh, 2 virtual channels, ejection one, messages of 32 flits; variant finite-source"; the channels
/// only if given
[[nodiscard]] std::string in_words(const answers::WormholeQuery& query);
/// What several have in common: "mesh networks, 2 dimensions, 2 virtual channels per link, .."
/// \param all  one or more
[[nodiscard]] std::string in_words(const std::vector<answers::WormholeQuery>& all);

// --- simulated

[[nodiscard]] const Fields<answers::SimulatedWormhole>& simulated_worm_inputs();
/// load_columns(), with "of"
[[nodiscard]] std::vector<Column> simulated_load_columns();
/// load_cells(); for fractions also "of", and "precision" of a search
[[nodiscard]] Cells load_cells(const answers::SimulateWormholeQuery& query,
                               const answers::SimulateWormholeAnswer& answer, std::size_t i, double load);

/// "8 x 8 mesh, 2 virtual channels per link, buffers of 1 flit, ejection one, messages of 32 flits"; for a
/// user-defined network "ring, 16 virtual channels on 12 physical channels, .."
[[nodiscard]] std::string in_words(const answers::SimulatedWormhole& network,
                                   const answers::WormholeLayout& layout);
/// What several have in common.  \param all  one or more
[[nodiscard]] std::string in_words(const std::vector<answers::SimulatedWormhole>& all);
/// "8 x 8 mesh, 2 virtual channels per link, buffers of 1 flit, messages of 32 flits", of a picture
[[nodiscard]] std::string title_in_words(const answers::SimulatedWormhole& network);
/// "0.05 flits/cycle/node, 12.3 % of the model's saturation load"
[[nodiscard]] std::string load_in_words(double load, double fraction_of_saturation);
/// The same with the saturation load to which the answer's fractions refer; only the load if there is none.
[[nodiscard]] std::string load_in_words(const answers::SimulateWormholeAnswer& answer,
                                        const answers::SimulatedWorms& point);

/// Notes on the references of loads: the saturation load of fractions, the bound of the channels, and why
/// there is no model.
/// \param network  its description if there are several; then one note that names it
[[nodiscard]] std::vector<std::string> saturation_notes(const answers::SimulateWormholeQuery& query,
                                                        const answers::SimulateWormholeAnswer& answer,
                                                        const std::string& network);

/// Result columns: the network, and its saturation load.
[[nodiscard]] const Fields<answers::SimulateWormholeAnswer>& simulated_worm_fields();

/// The simulation of each of a few loads; for many loads, or several networks, the number of batches of the
/// intervals.
[[nodiscard]] std::vector<std::string> runs_in_words(
    const std::vector<const answers::SimulatedWorms*>& points, bool one_network);

// --- pictures

[[nodiscard]] inline Course course_of(answers::LatencyOfLoad latency) {
  return course_of(std::move(latency.at), std::move(latency.loads));
}

/// The document and the axes of its plot: against the load if a network has several, otherwise against its
/// size, the message length, or a simulation parameter.
struct DrawnWorms {
  Document document;  ///< without inputs that follow from others
  Sweep sweep;
};
/// \param height  key of the plotted quantity
[[nodiscard]] DrawnWorms drawn_worms(Document document, std::string height);

}  // namespace tailbound::render
