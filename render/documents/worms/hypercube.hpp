#pragma once

#include <tailbound/answers/broadcast/broadcast.hpp>
#include <tailbound/answers/broadcast/simulate_hypercube.hpp>
#include <tailbound/render/fields.hpp>

#include <cstddef>
#include <string>
#include <vector>

/// Presentation of hypercubes with broadcasts and of their offered rates.
namespace tailbound::render {

[[nodiscard]] const Fields<answers::BroadcastHypercube>& hypercube_fields();
/// Includes its buffers.
[[nodiscard]] const Fields<answers::SimulatedHypercube>& simulated_hypercube_fields();

/// "fraction" and "rate"
[[nodiscard]] std::vector<Column> rate_columns();
/// \param i     index in the given list
/// \param rate  its rate [messages/cycle/node]
[[nodiscard]] Cells rate_cells(const answers::OfferedLoads& offered, std::size_t i, double rate);
/// The same for a single rate; without its value if it is a fraction.
[[nodiscard]] Cells rate_cells(const answers::OfferedLoads& offered);
/// "fraction_of_saturation", a result column
[[nodiscard]] Column fraction_column(const std::string& meaning);

/// "6-dimensional hypercube (64 nodes) with 4 virtual channels, injection ports, ejection unlimited"
[[nodiscard]] std::string network_in_words(const answers::BroadcastHypercube& hypercube);

/// The network; "messages of 32 flits, broadcast 0.01, start-up 1, buffers of 1 flit".
/// \param all  the points; varying parameters are omitted
[[nodiscard]] std::string in_words(const answers::BroadcastHypercube& hypercube,
                                   const std::vector<answers::BroadcastHypercube>& all = {});
[[nodiscard]] std::string in_words(const answers::SimulatedHypercube& network,
                                   const std::vector<answers::SimulatedHypercube>& all = {});
/// "6-dimensional hypercube, V = 4, M = 32, broadcast 0.01", without varying parameters.
[[nodiscard]] std::string title_in_words(const answers::BroadcastHypercube& hypercube,
                                         const std::vector<answers::BroadcastHypercube>& all = {});

/// Without broadcasts: a note that the wormhole commands, which also know this network, have other default
/// ends.
[[nodiscard]] std::vector<std::string> unicast_notes(const std::vector<answers::BroadcastHypercube>& all);

/// "; injection ports, ejection unlimited" appended to the note of a picture; empty if they vary.
[[nodiscard]] std::string ends_in_words(const std::vector<answers::BroadcastHypercube>& all);

/// Inputs used as x axis if no rate varies within a network.
[[nodiscard]] std::vector<std::string> hypercube_axes();

/// A latency to draw: its key and its name.
struct DrawnLatency {
  const char* key;
  const char* name;
  int family = 0;  ///< one family has the same color: a latency by model and by simulation
};
/// Latency against the rate, or against another input if each network has one rate: a curve for each latency
/// and each value of the other inputs.
/// \throws NoAnswer  there is nothing to draw
[[nodiscard]] Picture latency_picture(const Document& document, const std::vector<DrawnLatency>& latencies,
                                      Picture picture);
/// Its axes for a network: titles, without curves.
[[nodiscard]] Picture latency_axes(const std::string& title);

/// A latency of the model against the rate, from 0 to the last of `rates` or to saturation.
[[nodiscard]] Course latency_course(const answers::BroadcastHypercube& hypercube,
                                    numeric::Model<unit::Cycle> answers::BroadcastLatencies::*latency,
                                    std::vector<double> rates);

}  // namespace tailbound::render
