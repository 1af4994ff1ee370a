#pragma once

#include <tailbound/answers/wormhole/offered_loads.hpp>
#include <tailbound/answers/wormhole/simulate_wormhole.hpp>
#include <tailbound/answers/wormhole/wormhole.hpp>
#include <tailbound/render/fields.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <string>
#include <vector>

/// How wormhole networks, and what is offered to them, are shown.
namespace tailbound::render {

/// A network and what is sent over it, as asked.
struct AskedWorms {
  const answers::WormholeNetwork& network;
  std::optional<answers::WormholeVariant> variant;
  std::int64_t flits = 0;
  std::optional<int> virtual_channels;  ///< of each link, where they are told
};
[[nodiscard]] const Fields<AskedWorms>& worm_network_fields();

[[nodiscard]] Column worm_buffer_column();
[[nodiscard]] Column worm_length_column();
/// Only of routers, links and credits other than the usual.
[[nodiscard]] const Fields<network::RouterTiming>& router_timing_fields();
template <class Asked>
const network::RouterTiming* if_unusual(const Asked& asked) {
  return asked.timing == network::RouterTiming{} ? nullptr : &asked.timing;
}

/// "fraction" and "load"
[[nodiscard]] std::vector<Column> load_columns();
/// \param i     the place in the list that was asked for
/// \param load  that it is [flits/cycle/node]
[[nodiscard]] Cells load_cells(const answers::OfferedLoads& offered, std::size_t i, double load);

/// ", ejection one", of a hypercube ", injection one, ejection one"; nothing where there is no choice.
[[nodiscard]] std::string ends_in_words(const answers::WormholeNetwork& network);

/// The same behind what is said of several networks; nothing where they differ.
[[nodiscard]] std::string common_ends_in_words(const std::vector<answers::WormholeNetwork>& networks);

/// That the other commands on hypercubes have other ends unless told; nothing where there is no hypercube.
[[nodiscard]] std::vector<std::string> hypercube_notes(const std::vector<answers::WormholeNetwork>& networks);

/// "8 x 8 mesh, 2 virtual channels, ejection one, messages of 32 flits; variant finite-source"; the channels where
/// they are told
[[nodiscard]] std::string in_words(const answers::WormholeQuestion& question);

// --- simulated

[[nodiscard]] const Fields<answers::SimulatedWormhole>& simulated_worm_inputs();
/// load_columns(), with "of"
[[nodiscard]] std::vector<Column> simulated_load_columns();
/// load_cells(); where they are fractions, "of", and "precision" of what was searched
[[nodiscard]] Cells load_cells(const answers::SimulateWormholeQuestion& question,
                               const answers::SimulateWormholeAnswer& answer, std::size_t i, double load);

/// "8 x 8 mesh, 2 virtual channels per link, buffers of 1 flit, ejection one, messages of 32 flits"; of an own network
/// "ring, 16 virtual channels on 12 physical channels, .."
[[nodiscard]] std::string in_words(const answers::SimulatedWormhole& network,
                                   const answers::WormholeLayout& layout);
/// "8 x 8 mesh, 2 virtual channels per link, buffers of 1 flit, messages of 32 flits", of a picture
[[nodiscard]] std::string title_in_words(const answers::SimulatedWormhole& network);
/// "0.05 flits/cycle/node, 12.3 % of the model's saturation load"
[[nodiscard]] std::string load_in_words(double load, double fraction_of_saturation);
/// Likewise, of the saturation load that the answer's fractions are of; the load alone where there is none.
[[nodiscard]] std::string load_in_words(const answers::SimulateWormholeAnswer& answer,
                                        const answers::SimulatedWorms& point);

/// What loads are measured by: the saturation load that fractions are of, the bound of the channels, and why there is
/// no model, as notes. \param network  in words where there are several: then one note, which names it
[[nodiscard]] std::vector<std::string> saturation_notes(const answers::SimulateWormholeQuestion& question,
                                                        const answers::SimulateWormholeAnswer& answer,
                                                        const std::string& network);

/// Of results: the network, and where it saturates.
[[nodiscard]] const Fields<answers::SimulateWormholeAnswer>& simulated_worm_fields();

/// How each of a few loads was simulated; of more, and of several networks, from how many batches the intervals are.
[[nodiscard]] std::vector<std::string> runs_in_words(
    const std::vector<const answers::SimulatedWorms*>& points, bool one_network);

// --- pictures

/// The document and what is drawn of it: against the load where a network has several, else against its size, the
/// length of messages, or what is simulated.
struct DrawnWorms {
  Document document;  ///< without inputs that follow from others
  Sweep sweep;
};
/// \param height  the key of what is drawn
[[nodiscard]] DrawnWorms drawn_worms(Document document, std::string height);

}  // namespace tailbound::render
