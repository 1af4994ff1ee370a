#pragma once

#include <tailbound/bounds/guarantee/network_guarantee.hpp>
#include <tailbound/network/policed/policed_file.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// How late can the packets of policed flows be, and how much can their queues hold, at the very worst?
///
/// MODEL     bounds/guarantee/network_guarantee.hpp
/// TESTS     tests/answers/guarantee/network_guarantee_test.cpp
namespace tailbound::answers {

struct NetworkGuaranteeQuestion {
  network::PolicedFile file;
  std::string file_name;
  bounds::GuaranteeMethod method = bounds::GuaranteeMethod::best;
  std::optional<std::string> flow{};  ///< the one that is asked about; all without
  std::optional<std::string> port{};  ///< whose curves are drawn; without, of the greatest delay
  /// Of packets and slots: is all that is sent sent at whole slots? Otherwise bounds are of any times.
  bool whole_slots = true;

  /// What the network calls itself, else its file.
  [[nodiscard]] const std::string& name() const { return file.name.empty() ? file_name : file.name; }
};

struct NetworkGuaranteeAnswer {
  bounds::NetworkGuarantee found;
  std::vector<std::size_t> flows;   ///< that were asked for, in the order of the file
  std::vector<std::size_t> queues;  ///< that these pass: of one flow hop by hop, else by port and class
  std::size_t drawn = 0;            ///< the queue whose curves are drawn

  /// The flow of these whose packets may be latest.
  [[nodiscard]] std::size_t latest(bounds::GuaranteeMethod method) const;
};

/// The flow of that name, or all in the order of the file.  \throws InvalidArgument  "--flow": no such one
[[nodiscard]] std::vector<std::size_t> asked_flows(const network::PolicedNetwork& network,
                                                   const std::optional<std::string>& flow);

/// \throws InvalidArgument  "--flow", "--port": no such one, with those of a like name; as bounds::guarantee()
/// \throws NoAnswer         as bounds::guarantee()
[[nodiscard]] NetworkGuaranteeAnswer answer(const NetworkGuaranteeQuestion& question);

}  // namespace tailbound::answers
