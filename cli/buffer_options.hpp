#pragma once

#include <cli/accuracy_options.hpp>
#include <cli/command.hpp>
#include <cli/traffic_options.hpp>
#include <cli/unit_options.hpp>
#include <tailbound/answers/shared_buffer.hpp>
#include <tailbound/answers/sized_buffer.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// The command `buffer` asks three questions: of one queue of packets, of one queue of cells (--sizes, in
/// sized_buffer.cpp) and of the memory that the ports of a switch share (--shared, in shared_buffer.cpp).
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct SharedBufferOptions {
  bool shared = false;
  std::optional<std::string> outputs, threshold, matrix;
};
struct SizedBufferOptions {
  std::optional<std::string> sizes, cell_bytes, arrive;
};
struct BufferOptions {
  TrafficOptions traffic;
  std::optional<std::string> drop, criterion, capacity, solve;
  SharedBufferOptions shared;
  SizedBufferOptions sized;
  AccuracyOptions accuracy;
  UnitOptions units;
};

/// --shared, --outputs, --threshold and --matrix.
void add_shared_buffer_options(OptionTable& table, SharedBufferOptions& options);
/// --sizes, --cell-bytes and --arrive.
void add_sized_buffer_options(OptionTable& table, SizedBufferOptions& options);

/// \throws InvalidArgument  an option of these was given without --shared, or without --sizes
void refuse_without_shared(const SharedBufferOptions& options);
void refuse_without_sizes(const SizedBufferOptions& options);

/// The packets of --sizes, "imix", a list or a file, in cells of --cell-bytes.
/// \throws InvalidArgument, ParseError
[[nodiscard]] traffic::PacketSizes read_sizes(const std::string& sizes);
[[nodiscard]] std::vector<std::int64_t> read_cell_bytes(const SizedBufferOptions& options);

/// The reply to `buffer --shared`.
/// \throws InvalidArgument  options that do not go with --shared, among them all traffic whose slots depend on
///                          each other: it is simulated only
[[nodiscard]] Reply answer_shared(const BufferOptions& options, const Context& context);
/// The reply to `buffer --sizes`.
/// \throws InvalidArgument, ParseError  options that do not go with --sizes; sizes that cannot be read
[[nodiscard]] Reply answer_sized(const BufferOptions& options, const Context& context);

/// A name and what was given under it: for refusals of options that do not go together.
using Named = std::pair<const char*, const std::optional<std::string>*>;

}  // namespace tailbound::cli
