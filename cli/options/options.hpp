#pragma once

#include <tailbound/options/option_table.hpp>
#include <tailbound/options/read.hpp>
#include <tailbound/options/row.hpp>

namespace tailbound::cli {
using namespace options;  // used throughout the commands
}  // namespace tailbound::cli
