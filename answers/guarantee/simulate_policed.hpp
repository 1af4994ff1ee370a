#pragma once

#include <tailbound/answers/points/run.hpp>
#include <tailbound/bounds/guarantee/network_guarantee.hpp>
#include <tailbound/network/policed/policed_file.hpp>
#include <tailbound/sim/policed/policed_events.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// How late are packets of policed flows seen to be, and how much do queues hold, beside what is never exceeded?
///
/// MODEL     sim/policed/policed_events.hpp, bounds/guarantee/network_guarantee.hpp
/// TESTS     tests/answers/guarantee/simulate_policed_test.cpp
namespace tailbound::answers {

struct SimulatePolicedQuestion {
  network::PolicedFile file;
  std::string file_name;
  sim::EventSources sources = sim::EventSources::search;
  std::uint64_t packets = 1'000'000;
  std::uint64_t seed = 1;
  std::optional<std::string> flow{};  ///< the one that is asked about; all without

  /// What the network calls itself, else its file.
  [[nodiscard]] const std::string& name() const { return file.name.empty() ? file_name : file.name; }
};

struct SimulatePolicedAnswer {
  sim::PolicedEventsSeen seen;
  std::optional<bounds::NetworkGuarantee> never{};  ///< none where no bound is known
  std::string no_bound{};                           ///< why
  std::vector<std::size_t> flows{};                 ///< that were asked for, in the order of the file
  std::vector<std::size_t> queues{};                ///< that these pass

  [[nodiscard]] const numeric::Rational& never_later(std::size_t flow) const {
    return never->flows[flow].delay(bounds::GuaranteeMethod::best);
  }
  /// The flow whose packets come nearest to their bound; without bounds, the latest.
  [[nodiscard]] std::size_t nearest() const;
  /// Was anything seen that is never to be? Then the program is wrong.
  [[nodiscard]] bool contradicted() const;
};

/// One run after the other on one thread; a stop leaves what was seen, and says so.
/// \throws InvalidArgument  "--flow": no such one, with those of a like name; as bounds::guarantee()
/// \throws LimitExceeded    as sim::simulate_events()
[[nodiscard]] SimulatePolicedAnswer answer(const SimulatePolicedQuestion& question, const Run& run);

}  // namespace tailbound::answers
