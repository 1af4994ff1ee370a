#pragma once

#include <tailbound/run/store/checksum.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The state of a simulation as bytes that are checked for damage and identity.
///
/// MODEL     magic, format version, length, fingerprint of the inputs, content, CRC-64 of all of these.
/// EXCLUDES  files: the caller writes and reads the bytes.
namespace tailbound::sim {

using run::checksum;

/// \param fingerprint  the inputs as text: only a simulation of the same inputs may continue
[[nodiscard]] std::string seal_checkpoint(std::string_view fingerprint, std::string_view content);

/// The content.
/// \throws ParseError       not a checkpoint, another version, truncated, or damaged
/// \throws InvalidArgument  a checkpoint of other inputs (the message shows both)
[[nodiscard]] std::string open_checkpoint(std::string_view fingerprint, std::string_view bytes);

/// The fingerprint of a checkpoint, read from the head of the file alone: of any format version, even if the
/// rest is damaged. None if it is not a checkpoint of this program.
[[nodiscard]] std::optional<std::string> checkpoint_fingerprint(std::string_view head);

}  // namespace tailbound::sim
