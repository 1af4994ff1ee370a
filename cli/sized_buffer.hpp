#pragma once

#include <cli/shared_buffer.hpp>
#include <tailbound/answers/shared_buffer.hpp>

#include <optional>
#include <string>

/// `buffer --sizes`: packets of several sizes in a buffer of cells.
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct SizedBufferOptions {
  std::optional<std::string> sizes, cell_bytes, arrive;
};

/// The packets of --sizes, "imix", a list or a file, in cells of --cell-bytes.
/// \throws InvalidArgument, ParseError
[[nodiscard]] traffic::PacketSizes read_sizes(const std::string& sizes);
[[nodiscard]] std::vector<std::int64_t> read_cell_bytes(const SizedBufferOptions& options);

/// --sizes, --cell-bytes and --arrive. `options` must outlive the parse.
void add_sized_buffer_options(CLI::App& command, SizedBufferOptions& options);

/// \throws InvalidArgument  an option of these was given without --sizes
void refuse_without_sizes(const SizedBufferOptions& options);

/// The reply to `buffer --sizes`.
/// \param draws   is there a picture to draw?
/// \throws InvalidArgument, ParseError  options that do not go with --sizes; sizes that cannot be read
[[nodiscard]] Reply answer_sized(const SizedBufferOptions& sized, const BufferOptions& options, bool draws,
                                 const Context& context);

}  // namespace tailbound::cli
