#pragma once

#include <cli/command.hpp>

#include <optional>
#include <string>

/// The options of `guarantee`, as typed, and what answers them.
namespace tailbound::cli {

struct NetworkGuaranteeOptions {
  std::optional<std::string> network, flow, port, method, certificate;
};

struct GuaranteeOptions {
  NetworkGuaranteeOptions network;
};

void add_network_guarantee_options(OptionTable& table, NetworkGuaranteeOptions& options);
[[nodiscard]] Reply answer_network_guarantee(const GuaranteeOptions& options, const Context& context);

}  // namespace tailbound::cli
