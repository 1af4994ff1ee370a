#pragma once

#include <tailbound/run/bytes.hpp>

/// Numbers to bytes and back, under the names that simulators use.
namespace tailbound::sim {

using run::ByteReader;
using run::ByteWriter;

}  // namespace tailbound::sim
