#pragma once

#include <CLI/App.hpp>
#include <nlohmann/json_fwd.hpp>
#include <tailbound/queue/slotted_queue.hpp>

#include <optional>
#include <string>

/// --arithmetic and --digits: what an answer has to meet, the same in every command that computes.
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct AccuracyOptions {
  std::optional<std::string> arithmetic, digits;
};

/// `options` must outlive the parse.
void add_accuracy_options(CLI::App& command, AccuracyOptions& options);

/// \throws InvalidArgument
[[nodiscard]] queue::Accuracy read_accuracy(const AccuracyOptions& options);

/// Adds "arithmetic" (as asked) and "digits" to the inputs of a JSON document.
void describe_accuracy(nlohmann::ordered_json& inputs, const AccuracyOptions& options);

}  // namespace tailbound::cli
