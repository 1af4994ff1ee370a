#include <fmt/format.h>
#include <cli/options/files.hpp>
#include <cli/options/simulation_options.hpp>
#include <cli/options/traffic_options.hpp>
#include <tailbound/core/unwritable.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/run/threads.hpp>

#include <algorithm>
#include <filesystem>
#include <limits>

namespace tailbound::cli {
namespace {

constexpr std::size_t largest_checkpoint = std::size_t{16} << 30, largest_piped = std::size_t{64} << 20;

/// The beginning of a checkpoint, which describes it; empty if there is no file, an empty one, or a device.
std::string head_of_file(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) ? named_files().head(path, files::largest_file)
                                                       : std::string();
}

}  // namespace

void add_simulation_options(OptionTable& table, SimulationOptions& options) {
  add_rows(table, options);
}

answers::RunLength read_run_length(const SimulationOptions& options, std::int64_t minimum) {
  answers::RunLength length;
  length.replications = options.replications.value();
  length.seed = options.seed.value();
  if (options.slots) length.slots = options.slots.as(integer(minimum, max_slots));
  length.warmup = options.warmup.if_given();
  return length;
}

Accepted<std::vector<RareLevel>> rare_levels(std::int64_t maximum) {
  const char* const legal = "a probability below 1, or a level: 1 packet or more";
  const auto read = [maximum, legal](const std::string& text, const std::string& option) {
    std::vector<RareLevel> all;
    const auto entries = numbers().such_that([](const numeric::Rational& entry) { return entry > 0; }, legal);
    for (const numeric::Rational& entry : entries.read(text, option))
      if (entry < 1)
        all.emplace_back(entry);
      else
        all.emplace_back(Packets(to_integer(entry, option, 1, maximum)));
    return all;
  };
  return {.read = read, .values = must_be(legal)};
}

std::vector<RareLevel> read_rare(const std::string& text, std::int64_t maximum) {
  return rare_levels(maximum).read(text, "--rare");
}

int read_threads(const SimulationOptions& options) {
  return options.threads.if_given().value_or(run::all_cores());
}

SimulationRun::SimulationRun(const SimulationOptions& options, const Context& context) : options_(options) {
  run_ = analysis_run(context);
  run_.threads = read_threads(options);
  run_.checkpoint = context.checkpoint;
  run_.checkpoint_interval = context.checkpoint_interval;
  run_.resume = context.resume;
  if (options.checkpoint_every) {
    if (!options.checkpoint) throw needs("--checkpoint-every", "--checkpoint FILE");
    run_.checkpoint_interval = std::chrono::milliseconds(
        static_cast<std::int64_t>(1000 * numeric::nearest_double(options.checkpoint_every.value())));
  }
  if (!context.writes) return;
  if (options.checkpoint) keep_checkpoints(context);
  if (options.resume) {
    std::error_code error;
    const bool on_disk = std::filesystem::is_regular_file(options.resume.text(), error);
    run_.resume = read_file(options.resume.text(), "--resume", on_disk ? largest_checkpoint : largest_piped);
    if (run_.resume.empty()) throw options.resume.invalid("a file that --checkpoint wrote (it is empty)");
  }
}

void SimulationRun::keep_checkpoints(const Context& context) {
  const std::string& path = options_.checkpoint.text();
  static_cast<void>(pending_file(path, "--checkpoint"));  // can it be written?
  lock_.emplace(path, "--checkpoint");
  if (const std::string head = head_of_file(path);
      !head.empty() && !(options_.resume && options_.resume.text() == path)) {
    const auto former = answers::simulation_of_checkpoint(head);
    if (!former)
      throw InvalidArgument(
          "--checkpoint", path,
          "a checkpoint of this simulation or no file yet (it is no checkpoint, and would be lost)");
    run_.checkpoint_of = [path, former = *former](const std::string& simulation) {
      if (former != simulation)
        throw InvalidArgument(
            "--checkpoint", path,
            fmt::format("a checkpoint of this simulation or no file yet, for it would be lost; this "
                        "simulation is \"{}\", and the file is of \"{}\"",
                        simulation, former));
    };
  }
  run_.checkpoint = [path, outcome = context.outcome](const std::string& bytes) {
    try {
      files::PendingFile file = pending_file(path, "--checkpoint");
      file.write(bytes);
      file.commit();
      outcome->checkpoint = path;
      outcome->no_checkpoint.clear();
    } catch (const Unwritable& error) {  // the simulation does not need it
      outcome->no_checkpoint = error.what();
    }
  };
}

void SimulationRun::rethrow_named() const {
  try {
    throw;
  } catch (const ParseError& error) {
    if (!options_.resume) throw;
    throw options_.resume.invalid(std::string("a file that --checkpoint wrote (") + error.what() + ")");
  } catch (const InvalidArgument& error) {
    if (!options_.resume || error.argument().rfind("the checkpoint", 0) != 0) throw;
    throw options_.resume.invalid(
        fmt::format("a checkpoint of this simulation, {}: it is of {}", error.legal(), error.value()));
  }
}

}  // namespace tailbound::cli
