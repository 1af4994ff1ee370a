#pragma once

#include <cli/command.hpp>

#include <string>

namespace tailbound::network {
struct Network;
struct PolicedFile;
}  // namespace tailbound::network

/// Names that the files and options of a command line give to things. Pages and pictures show them as they
/// are written, so that a copied name is found again: "1e-9" without a raised exponent, "x<=y" as it is.
namespace tailbound::cli {

void keep_name(const std::string& name);
void keep_names(const network::Network& network);
void keep_names(const network::PolicedFile& file);

/// At the start of a command line.
void forget_names();

}  // namespace tailbound::cli
