#pragma once

#include <tailbound/answers/guarantee/network_guarantee.hpp>
#include <tailbound/answers/points/run.hpp>
#include <tailbound/network/policed/policed_file.hpp>
#include <tailbound/sim/policed/policed_events.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Simulated delays and backlogs of policed flows, compared with their guarantees.
///
/// MODEL     sim/policed/policed_events.hpp, bounds/guarantee/network_guarantee.hpp
/// TESTS     tests/answers/guarantee/simulate_policed_test.cpp
namespace tailbound::answers {

struct SimulatePolicedQuery {
  network::PolicedFile file;
  std::string file_name;
  sim::EventSources sources = sim::EventSources::search;
  std::uint64_t packets = 1'000'000;
  std::uint64_t seed = 1;
  std::optional<std::string> flow{};  ///< the requested flow; default: all

  /// The name in the network file, otherwise the file name.
  [[nodiscard]] const std::string& name() const { return file.name.empty() ? file_name : file.name; }
};

struct SimulatePolicedAnswer {
  sim::PolicedEventsSeen seen;
  std::optional<bounds::NetworkGuarantee> never{};  ///< none if no bound is known
  std::string no_bound{};                           ///< reason, if there is no bound
  std::vector<std::size_t> flows{};                 ///< the requested flows, in the order of the file
  std::vector<FlowRoute> routes{};                  ///< of these flows; one or more
  std::vector<std::size_t> queues{};                ///< queues on their routes

  [[nodiscard]] const numeric::Rational& delay(const FlowRoute& route) const {
    return seen.flows[route.flow].delays[route.route];
  }
  /// None if there is no bound.
  [[nodiscard]] std::optional<numeric::Rational> never_later(const FlowRoute& route) const {
    return never ? never->flows[route.flow].routes[route.route].delay(bounds::GuaranteeMethod::best)
                 : std::nullopt;
  }
  /// Delay over its bound; 0 if only others have one; without any bound the delay.
  [[nodiscard]] numeric::Rational share(const FlowRoute& route) const;
  /// The one with the maximum share.
  [[nodiscard]] const FlowRoute& nearest() const;
  /// Was a guarantee exceeded? Then the program has an error.
  [[nodiscard]] bool contradicted() const;
};

/// One run after another on one thread. After a stop the results so far remain, marked as stopped.
/// \throws InvalidArgument  "--flow": unknown, with similar names; as bounds::guarantee()
/// \throws LimitExceeded    as sim::simulate_events()
[[nodiscard]] SimulatePolicedAnswer answer(const SimulatePolicedQuery& query, const Run& run);

}  // namespace tailbound::answers
