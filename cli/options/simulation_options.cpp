#include <fmt/format.h>
#include <cli/options/files.hpp>
#include <cli/options/simulation_options.hpp>
#include <cli/options/traffic_options.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/run/threads.hpp>

#include <algorithm>
#include <filesystem>
#include <limits>

namespace tailbound::cli {
namespace {

constexpr std::int64_t max_slots = 1'000'000'000'000;
constexpr std::size_t largest_checkpoint = std::size_t{16} << 30, largest_piped = std::size_t{64} << 20;

std::int64_t integer_or(const std::optional<std::string>& text, const char* option, std::int64_t minimum,
                        std::int64_t largest, std::int64_t otherwise) {
  return text ? parse_integer(*text, option, minimum, largest) : otherwise;
}

std::string slots_option(const SimulationOptions& options) {
  return fmt::format("--{}s", options.unit);
}

std::chrono::milliseconds read_interval(const SimulationOptions& options) {
  if (!options.checkpoint) throw needs("--checkpoint-every", "--checkpoint FILE");
  const numeric::Rational seconds = numeric::parse_rational(*options.checkpoint_every, "--checkpoint-every");
  if (seconds < numeric::parse_rational("0.001", "least") || seconds > 1'000'000)
    throw InvalidArgument("--checkpoint-every", *options.checkpoint_every, "from 0.001 to 1000000 seconds");
  return std::chrono::milliseconds(static_cast<std::int64_t>(1000 * numeric::nearest_double(seconds)));
}

/// The beginning of a checkpoint, which describes it; empty if there is no file, an empty one, or a device.
std::string head_of_file(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) ? named_files().head(path, files::largest_file)
                                                       : std::string();
}

}  // namespace

void add_simulation_options(OptionTable& table, SimulationOptions& options) {
  const OptionGroup simulation(table, "Simulation");
  const std::string units = fmt::format("{}s", options.unit);
  simulation.add(slots_option(options), options.slots, "N",
                 units + " measured in each replication.\nDefault: as many as take seconds");
  simulation.add("--seed", options.seed, "S", "seed of the random numbers (default 1)");
  simulation.add("--threads", options.threads, "T",
                 "number of threads (default all cores).\nThe result does not depend on it");
  simulation.add("--warmup", options.warmup, "N",
                 units + " of warm-up of each replication.\nDefault: by a rule");
  simulation.add("--replications", options.replications, "R",
                 "independent runs (default 4), --threads at a time", slider(2, 64, 1));
  simulation.add("--checkpoint", options.checkpoint, "FILE",
                 "file that keeps the state of the simulation.\nAlso written at Ctrl-C");
  simulation.add("--checkpoint-every", options.checkpoint_every, "S",
                 "seconds between checkpoints (default 60)");
  simulation.add("--resume", options.resume, "FILE", "checkpoint file to resume, with the same options");
}

answers::RunLength read_run_length(const SimulationOptions& options, std::int64_t minimum) {
  answers::RunLength length;
  length.replications = static_cast<int>(integer_or(options.replications, "--replications", 1, 1024, 4));
  length.seed = static_cast<std::uint64_t>(
      integer_or(options.seed, "--seed", 0, std::numeric_limits<std::int64_t>::max(), 1));
  if (options.slots)
    length.slots = parse_integer(*options.slots, slots_option(options).c_str(), minimum, max_slots);
  if (options.warmup) length.warmup = parse_integer(*options.warmup, "--warmup", 0, max_slots);
  return length;
}

std::vector<std::variant<Packets, numeric::Rational>> read_rare(const std::string& text,
                                                                std::int64_t maximum) {
  std::vector<std::variant<Packets, numeric::Rational>> all;
  for (const numeric::Rational& entry : parse_list(text, "--rare")) {
    if (entry <= 0)
      throw InvalidArgument("--rare", is_list(text) ? plain(entry) : text,
                            "a probability below 1, or a level: 1 packet or more");
    if (entry < 1)
      all.emplace_back(entry);
    else
      all.emplace_back(Packets(to_integer(entry, "--rare", 1, maximum)));
  }
  return all;
}

int read_threads(const SimulationOptions& options) {
  return static_cast<int>(integer_or(options.threads, "--threads", 1, 1024, run::all_cores()));
}

SimulationRun::SimulationRun(const SimulationOptions& options, const Context& context) : options_(options) {
  run_ = analysis_run(context);
  run_.threads = read_threads(options);
  run_.checkpoint = context.checkpoint;
  run_.checkpoint_interval = context.checkpoint_interval;
  run_.resume = context.resume;
  if (options.checkpoint_every) run_.checkpoint_interval = read_interval(options);
  if (!context.writes) return;
  if (options.checkpoint) keep_checkpoints(context);
  if (options.resume) {
    std::error_code error;
    const bool on_disk = std::filesystem::is_regular_file(*options.resume, error);
    run_.resume = read_file(*options.resume, "--resume", on_disk ? largest_checkpoint : largest_piped);
    if (run_.resume.empty())
      throw InvalidArgument("--resume", *options.resume, "a file that --checkpoint wrote (it is empty)");
  }
}

void SimulationRun::keep_checkpoints(const Context& context) {
  const std::string& path = *options_.checkpoint;
  static_cast<void>(pending_file(path, "--checkpoint"));  // can it be written?
  if (const std::string head = head_of_file(path); !head.empty() && options_.resume != path) {
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
    } catch (const InvalidArgument& error) {  // the disk is full: the simulation does not need it
      outcome->no_checkpoint = error.what();
    }
  };
}

void SimulationRun::rethrow_named() const {
  try {
    throw;
  } catch (const ParseError& error) {
    if (!options_.resume) throw;
    throw InvalidArgument("--resume", *options_.resume,
                          std::string("a file that --checkpoint wrote (") + error.what() + ")");
  } catch (const InvalidArgument& error) {
    if (!options_.resume || error.argument().rfind("the checkpoint", 0) != 0) throw;
    throw InvalidArgument(
        "--resume", *options_.resume,
        fmt::format("a checkpoint of this simulation, {}: it is of {}", error.legal(), error.value()));
  }
}

}  // namespace tailbound::cli
