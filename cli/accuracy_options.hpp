#pragma once

#include <cli/option_table.hpp>
#include <tailbound/answers/traffic.hpp>

#include <optional>
#include <string>

/// --arithmetic and --digits: what an answer has to meet, the same in every command that computes.
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct AccuracyOptions {
  std::optional<std::string> arithmetic, digits;
};

/// `options` must outlive the parse.
void add_accuracy_options(OptionTable& table, AccuracyOptions& options);

/// \throws InvalidArgument
[[nodiscard]] queue::Accuracy read_accuracy(const AccuracyOptions& options);

}  // namespace tailbound::cli
