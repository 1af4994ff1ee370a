#pragma once

#include <cli/command.hpp>
#include <cli/options/number_options.hpp>
#include <cli/options/traffic_options.hpp>
#include <tailbound/answers/buffer/shared_buffer.hpp>
#include <tailbound/answers/buffer/sized_buffer.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The five forms of the command `buffer`; buffer_command.cpp has the options that act in each: a queue of
/// packets, a queue of cells (--sizes, in sized_buffer.cpp), a memory shared by the ports of a switch
/// (--shared, in shared_buffer.cpp), a queue with policed inputs (--police, in policed_buffer.cpp), and one
/// incast (--incast N,L without a rate, in incast_event.cpp).
namespace tailbound::cli {

/// As typed; empty if not given.
struct SharedBufferOptions {
  bool shared = false;
  std::optional<std::string> outputs, threshold, matrix;
};
struct SizedBufferOptions {
  std::optional<std::string> sizes, cell_bytes, arrive;
};
struct PolicedBufferOptions {
  std::optional<std::string> police, offered, message;
};
struct BufferOptions {
  TrafficOptions traffic;
  std::optional<std::string> drop, class_drops, criterion, capacity, solve, spread;
  SharedBufferOptions shared;
  SizedBufferOptions sized;
  PolicedBufferOptions policed;
  AccuracyOptions accuracy;
  UnitOptions units;
};

/// --shared, --outputs, --threshold and --matrix.
void add_shared_buffer_options(OptionTable& table, SharedBufferOptions& options);
/// --sizes, --cell-bytes and --arrive.
void add_sized_buffer_options(OptionTable& table, SizedBufferOptions& options);

/// --police, --offered and --message.
void add_policed_buffer_options(OptionTable& table, PolicedBufferOptions& options);

/// Of --cell-bytes; default 64.  \throws InvalidArgument
[[nodiscard]] std::vector<std::int64_t> read_cell_bytes(const std::optional<std::string>& text);

/// Packets of --sizes, for each entry of --cell-bytes; a single "none" without --sizes.
/// \throws InvalidArgument, ParseError  sizes that cannot be read; --cell-bytes without --sizes
[[nodiscard]] std::vector<std::optional<answers::SwitchCells>> read_switch_cells(
    const std::optional<std::string>& sizes, const std::optional<std::string>& cell_bytes);

/// The reply to `buffer --shared`.
/// \throws InvalidArgument  options that cannot be read
[[nodiscard]] Reply answer_shared(const BufferOptions& options, const Context& context);
/// The reply to `buffer --sizes`.
/// \throws InvalidArgument, ParseError  sizes and other options that cannot be read
[[nodiscard]] Reply answer_sized(const BufferOptions& options, const Context& context);

/// Whether --incast is of one event, without a rate or a load.
/// \param incast, solve  as typed; nullptr: not given
/// \param load           given
[[nodiscard]] bool asks_for_one_event(const std::string* incast, bool load, const std::string* solve);
/// The reply to `buffer --incast N,L`.
/// \throws InvalidArgument  options that cannot be read
[[nodiscard]] Reply answer_incast_event(const BufferOptions& options, const Context& context);

/// The reply to `buffer --police`.
/// \throws InvalidArgument  buckets that cannot be read or are out of range
[[nodiscard]] Reply answer_policed(const BufferOptions& options, const Context& context);

// --- common parts

using RequestedBuffer = std::variant<answers::MinBuffer, answers::ProbabilityOf>;

/// Message for --capacity and --drop both given, or neither.
struct RequestedWords {
  const char *both, *missing;
};

/// One for each entry of --drop or of --capacity, at most `max_packets`.  \throws InvalidArgument
[[nodiscard]] std::vector<RequestedBuffer> read_requested(const BufferOptions& options,
                                                          std::int64_t max_packets,
                                                          const RequestedWords& words,
                                                          const options::PacketUnit& unit = {});
/// What --solve requests; nothing for a speedup, and without it.  \throws InvalidArgument
[[nodiscard]] SolveFor solve_for(const BufferOptions& options);
/// Units of a slot of one cell.
[[nodiscard]] inline answers::Units cell_units(const UnitOptions& units) {
  return {.packet_bytes = {}, .link_gbps = units.link_gbps.if_given()};
}
/// Targets above 0 and below 1.  \throws InvalidArgument
[[nodiscard]] std::vector<numeric::Rational> read_drops(const std::string& text);
/// \param lists  options that could give several points: "--load (--inputs, ...)"
/// \throws InvalidArgument  a picture of a single point
void require_several_to_draw(const Context& context, std::size_t points, const char* lists);

}  // namespace tailbound::cli
