#pragma once

#include <tailbound/run/bytes.hpp>

/// Conversion between numbers and bytes, under the names used by simulators.
namespace tailbound::sim {

using run::ByteReader;
using run::ByteWriter;

}  // namespace tailbound::sim
