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

/// The command `buffer` asks four questions: of one queue of packets, of one queue of cells (--sizes, in
/// sized_buffer.cpp), of the memory that the ports of a switch share (--shared, in shared_buffer.cpp), and of one queue
/// whose inputs are policed (--police, in policed_buffer.cpp).
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
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
  std::optional<std::string> drop, class_drops, criterion, capacity, solve;
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

/// \throws InvalidArgument  an option of these was given without --shared, without --sizes, or without --police
void refuse_without_shared(const SharedBufferOptions& options);
void refuse_without_sizes(const SizedBufferOptions& options);
void refuse_without_police(const PolicedBufferOptions& options);

/// Of --cell-bytes; 64 unless told.  \throws InvalidArgument
[[nodiscard]] std::vector<std::int64_t> read_cell_bytes(const std::optional<std::string>& text);

/// Packets of --sizes, for each entry of --cell-bytes; one none without --sizes.
/// \throws InvalidArgument, ParseError  sizes that cannot be read; --cell-bytes without --sizes
[[nodiscard]] std::vector<std::optional<answers::SwitchCells>> read_switch_cells(
    const std::optional<std::string>& sizes, const std::optional<std::string>& cell_bytes);

/// The reply to `buffer --shared`.
/// \throws InvalidArgument  options that do not go with --shared, among them all traffic whose slots depend on
///                          each other: it is simulated only
[[nodiscard]] Reply answer_shared(const BufferOptions& options, const Context& context);
/// The reply to `buffer --sizes`.
/// \throws InvalidArgument, ParseError  options that do not go with --sizes; sizes that cannot be read
[[nodiscard]] Reply answer_sized(const BufferOptions& options, const Context& context);

/// The reply to `buffer --police`.
/// \throws InvalidArgument  options that do not go with --police, buckets that cannot be read or are out of range
[[nodiscard]] Reply answer_policed(const BufferOptions& options, const Context& context);

// --- what they have in common

using BufferAsked = std::variant<answers::LeastBuffer, answers::ProbabilityOf>;

/// What is legal where --capacity and --drop are both given, or neither.
struct AskedWords {
  const char *both, *missing;
};

/// One for each entry of --drop or of --capacity, `most_packets` at most.  \throws InvalidArgument
[[nodiscard]] std::vector<BufferAsked> read_asked(const BufferOptions& options, std::int64_t most_packets,
                                                  const AskedWords& words);
/// Targets above 0 and below 1.  \throws InvalidArgument
[[nodiscard]] std::vector<numeric::Rational> read_drops(const std::string& text);
/// \param lists  what would make more of one point: "--load (--inputs, ...)"
/// \throws InvalidArgument  a picture of one point
void require_several_to_draw(const Context& context, std::size_t points, const char* lists);

}  // namespace tailbound::cli
