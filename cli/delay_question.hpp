#pragma once

#include <CLI/App.hpp>
#include <cli/accuracy_options.hpp>
#include <cli/burst_options.hpp>
#include <cli/command.hpp>
#include <cli/formats.hpp>
#include <cli/place_options.hpp>
#include <cli/unit_options.hpp>
#include <tailbound/bounds/buffer_size.hpp>
#include <tailbound/bounds/network_delay.hpp>
#include <tailbound/bounds/reorder_buffer.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

/// What the command `delay` asks: its options as typed, as understood, and the answers found.
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct DelayModelOptions {
  std::optional<std::string> sources, delay;
};

/// `options` must outlive the parse.
void add_delay_model_options(CLI::App& command, DelayModelOptions& options);

/// As typed; an option that was not given is empty.
struct DelayOptions {
  PlaceOptions place;
  BurstOptions burst;
  std::optional<std::string> flow, delays;
  DelayModelOptions model;
  std::optional<std::string> percentiles, ccdf, drop, criterion, reorder, reorder_levels, flow_rate, digits;
  UnitOptions units;
};

/// `options` must outlive the parse.
void add_delay_options(CLI::App& command, DelayOptions& options);

/// Fractions from percentages, "50,99.99"; 50,90,99,99.99,99.9999 unless told.
/// \throws InvalidArgument
[[nodiscard]] std::vector<numeric::Rational> read_percentiles(const std::optional<std::string>& text);

/// Slots t of P(D > t), for --ccdf.
/// \throws InvalidArgument
[[nodiscard]] std::vector<std::int64_t> read_ccdf_slots(const std::string& text);

/// p in percent, as people write it: "99.9999".
[[nodiscard]] std::string percent(const numeric::Rational& p);

/// Where the packets go.
enum class DelayPlace {
  tree,          ///< --radix --levels --load
  network,       ///< --network
  distribution,  ///< --delays: the delays themselves are given
};

/// The packets whose delay is asked for: a flow of a network, or all packets of a tree.
struct DelayFlow {
  std::string name;  ///< empty in a tree
  std::string source, destination;
  std::optional<numeric::Rational> rate;  ///< packets/slot
  std::vector<bounds::Way> ways;
  bounds::Way longest;  ///< one of the ways with the most queues; the ways that turn last in a tree
  std::vector<std::string> links;  ///< of the longest way's queues; empty in a tree
};

/// Flows that meet the same queues in the same shares have the same delays: equal keys.
using FlowKey = std::vector<std::pair<std::vector<std::size_t>, std::string>>;
[[nodiscard]] FlowKey key_of(const DelayFlow& flow);

/// The options as understood.
struct DelayRequest {
  DelayPlace place = DelayPlace::tree;
  std::string title;  ///< "16-ary 3-tree at load 0.8, random-root routing"
  bounds::NetworkQueues queues;
  std::vector<DelayFlow> flows;
  std::optional<traffic::Burst> burst{};  ///< of every leaf of a tree
  bool one_flow = true;                   ///< the answer is one flow's; otherwise a list
  network::Sources sources = network::Sources::decoupled;
  queue::HopDelay delay = queue::HopDelay::wait;
  bounds::DelayQuestion question;
  std::optional<bounds::DropTarget> drop;
  std::optional<numeric::Rational> reorder;           ///< target of the reorder buffer
  std::vector<std::int64_t> reorder_levels;           ///< b of P(R > b)
  std::optional<numeric::Rational> flow_rate;         ///< of the flow with the reorder buffer
  std::optional<bounds::DelayDistribution> delays{};  ///< DelayPlace::distribution
  numeric::Digits digits;
  Units units;

  [[nodiscard]] bool several_hops() const;
  [[nodiscard]] bool bursty() const;
};

/// \throws InvalidArgument, ParseError, NoAnswer
[[nodiscard]] DelayRequest read_delay_request(const DelayOptions& options);

/// The options as understood, for the "inputs" of a JSON document.
[[nodiscard]] Json describe_delay(const DelayOptions& options, const DelayRequest& request);

struct ReorderAnswer {
  numeric::Rational flow_rate;
  std::optional<bounds::ReorderBuffer> size;
  std::vector<numeric::Enclosure<unit::Probability>> tail;  ///< in the order of the request's reorder_levels
};

struct FlowAnswer {
  bounds::ClaimedDelayAnswer delay;
  std::optional<ReorderAnswer> reorder;
};

struct DelayReport {
  DelayRequest request;
  std::vector<FlowAnswer> flows;  ///< in the order of the request's flows
  std::vector<std::optional<bounds::ClaimedBufferSize>>
      buffers;                           ///< of each queue, where --drop asks and a flow passes
  std::optional<ReorderAnswer> reorder;  ///< DelayPlace::distribution

  /// Room of all queues on the flow's longest way.
  [[nodiscard]] std::int64_t total_buffer(const DelayFlow& flow) const;
};

[[nodiscard]] DelayReport answer_delay(DelayRequest request, const Context& context);

/// The rows of one flow's CCDF for a picture: levels spread from 0 to beyond its last percentile.
[[nodiscard]] std::vector<bounds::ClaimedSlotProbability> ccdf_of(const DelayRequest& request,
                                                                  std::size_t flow, std::int64_t last);

/// What the model leaves out, in one line; empty for a single queue.
[[nodiscard]] std::string model_caution(const DelayRequest& request);

}  // namespace tailbound::cli
