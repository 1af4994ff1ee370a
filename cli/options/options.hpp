#pragma once

#include <tailbound/options/option_table.hpp>
#include <tailbound/options/read.hpp>

namespace tailbound::cli {
using namespace options;  // commands are made of little else
}  // namespace tailbound::cli
