#pragma once

#include <cli/accuracy_options.hpp>
#include <cli/command.hpp>
#include <cli/traffic_options.hpp>
#include <cli/unit_options.hpp>

#include <optional>
#include <string>

/// `buffer --shared`: the memory that the ports of one switch share.
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct SharedBufferOptions {
  bool shared = false;
  std::optional<std::string> outputs, threshold, matrix;
};

struct SizedBufferOptions;  // sized_buffer.hpp

/// What `buffer` has for every question.
struct BufferOptions {
  TrafficOptions traffic;
  AccuracyOptions accuracy;
  UnitOptions units;
  std::optional<std::string> drop, criterion, capacity, solve;
};

/// --shared, --outputs, --threshold and --matrix. `options` must outlive the parse.
void add_shared_buffer_options(CLI::App& command, SharedBufferOptions& options);

/// \throws InvalidArgument  an option of these was given without --shared
void refuse_without_shared(const SharedBufferOptions& options);

/// The reply to `buffer --shared`.
/// \param draws  is there a picture to draw?
/// \throws InvalidArgument  options that do not go with --shared, among them all traffic whose slots depend on
///                          each other: it is simulated only
[[nodiscard]] Reply answer_shared(const SharedBufferOptions& shared, const SizedBufferOptions& sized,
                                  const BufferOptions& options, bool draws, const Context& context);

}  // namespace tailbound::cli
