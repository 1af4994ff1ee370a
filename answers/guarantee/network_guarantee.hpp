#pragma once

#include <tailbound/bounds/guarantee/network_guarantee.hpp>
#include <tailbound/network/policed/policed_file.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// Worst-case delays of policed flows and worst-case backlogs of their queues.
///
/// MODEL     bounds/guarantee/network_guarantee.hpp
/// TESTS     tests/answers/guarantee/network_guarantee_test.cpp
namespace tailbound::answers {

struct NetworkGuaranteeQuery {
  network::PolicedFile file;
  std::string file_name;
  bounds::GuaranteeMethod method = bounds::GuaranteeMethod::best;
  std::optional<std::string> flow{};  ///< the requested flow; default: all
  std::optional<std::string> port{};  ///< port whose curves are drawn; default: of the maximum delay
  /// For packets and slots: do all transmissions start at slot boundaries? Otherwise bounds hold for
  /// arbitrary times.
  bool whole_slots = true;

  /// The name in the network file, otherwise the file name.
  [[nodiscard]] const std::string& name() const { return file.name.empty() ? file_name : file.name; }
};

/// A flow to one of its destinations.
struct FlowRoute {
  std::size_t flow = 0, route = 0;
};

struct NetworkGuaranteeAnswer {
  bounds::NetworkGuarantee found;
  std::vector<std::size_t> flows;   ///< the requested flows, in the order of the file
  std::vector<FlowRoute> routes{};  ///< of these flows
  std::vector<std::size_t> queues;  ///< on their routes: for one flow by hop, otherwise by port and class
  std::size_t drawn = 0;            ///< the queue whose curves are drawn

  [[nodiscard]] const bounds::RouteGuarantee& at(const FlowRoute& route) const {
    return found.flows[route.flow].routes[route.route];
  }
  /// Position in `routes` of the one with the maximum delay; at least one has a bound.
  [[nodiscard]] std::size_t latest(bounds::GuaranteeMethod method) const;
};

/// The flow of that name, or all in the order of the file.  \throws InvalidArgument  "--flow": no such flow
[[nodiscard]] std::vector<std::size_t> requested_flows(const network::PolicedNetwork& network,
                                                       const std::optional<std::string>& flow);

/// Each of these flows to each of its destinations.
[[nodiscard]] std::vector<FlowRoute> routes_of(const network::PolicedNetwork& network,
                                               const std::vector<std::size_t>& flows);

/// Bounds of these routes by linear programs: with `lp`, and with `best` if they are small together.
void add_linear_programs(const network::PolicedNetwork& network, const std::vector<FlowRoute>& routes,
                         bounds::GuaranteeMethod method, bounds::NetworkGuarantee& found);

/// \throws InvalidArgument  "--flow", "--port": unknown, with similar names; as bounds::guarantee()
/// \throws NoAnswer         as bounds::guarantee(); none of the requested flows has a bound
[[nodiscard]] NetworkGuaranteeAnswer answer(const NetworkGuaranteeQuery& query);

}  // namespace tailbound::answers
