#pragma once

#include <cli/command.hpp>
#include <cli/options/number_options.hpp>

#include <optional>
#include <string>

/// The options of `guarantee`, as typed, and the functions that answer them.
namespace tailbound::cli {

struct NetworkGuaranteeOptions {
  std::optional<std::string> network, flow, port, method, certificate;
};
struct PortGuaranteeOptions {
  std::optional<std::string> bucket, periodic, sporadic, drop, ever, capacity, solve;
};
struct HeadroomOptions {
  bool headroom = false;
  std::optional<std::string> cable, sender_ns, pause_quanta, receiver_ns, shortest, return_bytes, return_gbps,
      metre_ns, phy_ns, cell_bytes;
};

struct GuaranteeOptions {
  NetworkGuaranteeOptions network;
  PortGuaranteeOptions port;
  HeadroomOptions headroom;
  UnitOptions units;
};

// --- a network
void add_network_guarantee_options(OptionTable& table, NetworkGuaranteeOptions& options);
[[nodiscard]] Reply answer_network_guarantee(const GuaranteeOptions& options, const Context& context);

// --- one port
void add_port_guarantee_options(OptionTable& table, PortGuaranteeOptions& options);
[[nodiscard]] Reply answer_port_guarantee(const GuaranteeOptions& options, const Context& context);

// --- a link with pause frames
void add_headroom_options(OptionTable& table, HeadroomOptions& options);
[[nodiscard]] Reply answer_headroom(const GuaranteeOptions& options, const Context& context);

}  // namespace tailbound::cli
