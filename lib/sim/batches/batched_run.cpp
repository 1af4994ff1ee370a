#include <tailbound/run/threads.hpp>
#include <tailbound/sim/batches/batched_run.hpp>
#include <tailbound/sim/batches/checkpoint.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <utility>

namespace tailbound::sim {
namespace {

using Clock = std::chrono::steady_clock;

/// Slots between two checks of the clock and the stop request: doubled or halved within these limits until
/// they take some 20 ms.
constexpr std::int64_t min_chunk = 1, max_chunk = 1 << 20;

std::int64_t next_chunk(std::int64_t chunk, Clock::duration took) {
  if (took < std::chrono::milliseconds(10)) return std::min(chunk * 2, max_chunk);
  if (took > std::chrono::milliseconds(40)) return std::max(chunk / 2, min_chunk);
  return chunk;
}

void check(const RunPlan& plan) {
  const auto require = [](bool good, const char* argument, std::int64_t value, const char* legal) {
    if (!good) throw InvalidArgument(argument, std::to_string(value), legal);
  };
  require(plan.replications >= 1 && plan.replications <= 1024, "replications", plan.replications,
          "from 1 to 1024");
  require(plan.warmup >= 0 && plan.warmup <= 1'000'000'000'000, "warmup", plan.warmup,
          "from 0 to 10^12 slots");
  require(plan.slots >= 1 && plan.slots <= 1'000'000'000'000, "slots", plan.slots, "from 1 to 10^12");
  require(plan.batches >= 1 && plan.batches * plan.replications <= 4096, "batches", plan.batches,
          "at least 1, and at most 4096 over all replications");
  require(plan.batches <= plan.slots, "batches", plan.batches, "at most the number of slots");
}

/// All inputs as text.
std::string fingerprint_of(std::string_view model, const RunPlan& plan) {
  return std::string(model) + "; seed " + std::to_string(plan.seed) + ", replications " +
         std::to_string(plan.replications) + ", warm-up " + std::to_string(plan.warmup) + ", slots " +
         std::to_string(plan.slots) + ", batches " + std::to_string(plan.batches);
}

/// The state of one replication.
struct Standing {
  std::int64_t slots = 0;  ///< simulated, warm-up included
  std::vector<Counts> batches;
  std::string state;  ///< of the simulation; empty before its start and after its end
};

void put_counts(ByteWriter& writer, const Counts& counts) {
  writer.put<std::uint64_t>(counts.size());
  for (const auto& row : counts) writer.put(row);
}

Counts get_counts(ByteReader& reader) {
  Counts counts;
  for (auto left = reader.get<std::uint64_t>(); left > 0; --left)
    counts.push_back(reader.get_vector<std::uint64_t>());
  return counts;
}

std::string to_bytes(const Standing& standing) {
  ByteWriter writer;
  writer.put(standing.slots);
  writer.put<std::uint64_t>(standing.batches.size());
  for (const Counts& counts : standing.batches) put_counts(writer, counts);
  writer.put(std::string_view(standing.state));
  return writer.take();
}

Standing get_standing(ByteReader& reader, const RunPlan& plan) {
  Standing standing;
  standing.slots = reader.get<std::int64_t>();
  if (standing.slots < 0 || standing.slots > plan.replication_slots()) ByteReader::fail();
  for (auto left = reader.get<std::uint64_t>(); left > 0; --left)
    standing.batches.push_back(get_counts(reader));
  standing.state = reader.get_text();
  return standing;
}

/// Also for a piece that has not started.
Standing standing_of(std::string_view bytes, const RunPlan& plan) {
  if (bytes.empty()) return {};
  ByteReader reader(bytes);
  Standing standing = get_standing(reader, plan);
  if (!reader.at_end()) ByteReader::fail();
  return standing;
}

/// The content of a checkpoint: the states of all replications, one after the other.
std::string content_of(const std::vector<run::Piece>& pieces) {
  static const std::string not_begun = to_bytes({});
  std::string content;
  for (const run::Piece& piece : pieces) content += piece.bytes.empty() ? not_begun : piece.bytes;
  return content;
}

std::vector<run::Piece> pieces_of(std::string_view content, const RunPlan& plan) {
  ByteReader reader(content);
  std::vector<run::Piece> pieces;
  for (int i = 0; i < plan.replications; ++i) {
    const Standing standing = get_standing(reader, plan);
    pieces.push_back({to_bytes(standing), standing.slots == plan.replication_slots()});
  }
  if (!reader.at_end()) ByteReader::fail();
  return pieces;
}

/// Each replication is a piece of the job.
class Replications {
 public:
  Replications(const RunPlan& plan, const ReplicationFactory& factory) : plan_(plan), factory_(factory) {}

  [[nodiscard]] run::Piece simulate(std::size_t number, std::string_view begun, run::PieceMonitor& monitor);

 private:
  [[nodiscard]] auto make(std::size_t number);
  [[nodiscard]] run::Piece state_of(Standing& standing, Replication& simulation) const;

  const RunPlan& plan_;
  const ReplicationFactory& factory_;
  std::mutex making_;  ///< held while a simulation is made or ended
};

/// Models contain rationals, and so may objects made from them; threads must not update their reference
/// counts concurrently.
auto Replications::make(std::size_t number) {
  const auto end = [this](Replication* simulation) {
    const std::scoped_lock guard(making_);
    delete simulation;
  };
  const std::scoped_lock guard(making_);
  return std::unique_ptr<Replication, decltype(end)>(factory_(RandomKey{plan_.seed, number}).release(), end);
}

run::Piece Replications::state_of(Standing& standing, Replication& simulation) const {
  const bool finished = standing.slots == plan_.replication_slots();
  standing.state.clear();
  if (!finished) {
    ByteWriter writer;
    simulation.save(writer);
    standing.state = writer.take();
  }
  return {to_bytes(standing), finished};
}

run::Piece Replications::simulate(std::size_t number, std::string_view begun, run::PieceMonitor& monitor) {
  Standing own = standing_of(begun, plan_);
  const auto simulation = make(number);
  if (!own.state.empty()) {
    ByteReader reader(own.state);
    simulation->load(reader);
    if (!reader.at_end()) ByteReader::fail();
  }
  std::int64_t chunk = min_chunk;
  for (;;) {
    const std::int64_t measured = own.slots - plan_.warmup;
    const std::int64_t boundary =
        measured < 0 ? -measured : plan_.batch_slots() - measured % plan_.batch_slots();
    const std::int64_t advance = std::min(boundary, chunk);
    const Clock::time_point start = Clock::now();
    simulation->advance(advance);
    chunk = next_chunk(chunk, Clock::now() - start);
    own.slots += advance;
    if (advance == boundary) {
      Counts counts = simulation->take_counts();
      if (measured >= 0) own.batches.push_back(std::move(counts));  // batches of the warm-up are dropped
    }
    if (own.slots == plan_.replication_slots()) return state_of(own, *simulation);
    const run::PieceMonitor::Directive directive =
        monitor.at(static_cast<double>(own.slots) / static_cast<double>(plan_.replication_slots()));
    if (directive == run::PieceMonitor::Directive::stop) return state_of(own, *simulation);
    if (directive == run::PieceMonitor::Directive::state) monitor.keep(state_of(own, *simulation).bytes);
  }
}

}  // namespace

double relaxation_slots(double utilization, const SourceMemory& memory) {
  if (!(utilization > 0)) throw InvalidArgument("utilization", std::to_string(utilization), "above 0");
  const double rho = utilization < 1 ? utilization : most_busy;
  return std::max(4.0, 2 * (rho + memory.variance) / ((1 - rho) * (1 - rho))) + memory.slots;
}

std::int64_t affordable_slots(double steps, double steps_per_slot, double relaxation, int replications) {
  const double affordable = steps / steps_per_slot / replications;
  const double wanted = 100 * relaxation;
  const double slots = std::clamp(std::max(affordable, std::min(wanted, 10 * affordable)), 1000.0, 1e9);
  const double unit = std::pow(10.0, std::floor(std::log10(slots)) - 1);
  return static_cast<std::int64_t>(std::floor(slots / unit) * unit);
}

RunPlan make_plan(double warmup, double min_batch, std::int64_t slots, int replications, std::uint64_t seed) {
  if (replications < 1 || replications > 1024)
    throw InvalidArgument("replications", std::to_string(replications), "from 1 to 1024");
  RunPlan plan;
  plan.seed = seed;
  plan.replications = replications;
  plan.slots = slots;
  plan.warmup = static_cast<std::int64_t>(std::ceil(warmup / 64)) * 64;
  const int fewest = (8 + replications - 1) / replications;
  const int maximum = std::max(1, std::min(16, 4096 / replications));
  plan.batches = static_cast<int>(
      std::clamp(static_cast<double>(slots) / min_batch, 1.0 * std::min(fewest, maximum), 1.0 * maximum));
  return plan;
}

RunPlan automatic_plan(double utilization, int hops, std::int64_t slots, int replications, std::uint64_t seed,
                       const SourceMemory& memory) {
  constexpr double longest = 1e12;
  const double tau = relaxation_slots(utilization, memory);
  if ((10 + 2 * hops) * tau > longest)
    throw LimitExceeded("a queue is so busy (utilization " + std::to_string(utilization) +
                        ") that it would have to be simulated for over 1e12 slots from its empty start");
  return make_plan((10 + 2 * hops) * tau, 50 * tau, slots, replications, seed);
}

std::vector<const Counts*> RunResult::all() const {
  std::vector<const Counts*> counts;
  for (const auto& replication : batches)
    for (const Counts& batch : replication) counts.push_back(&batch);
  return counts;
}

RunResult run(const RunPlan& plan, std::string_view model, const ReplicationFactory& factory,
              const RunControls& controls, std::string_view resume) {
  check(plan);
  const std::string fingerprint = fingerprint_of(model, plan);
  if (controls.checkpoint_of) controls.checkpoint_of(fingerprint);
  std::vector<run::Piece> begun;
  if (!resume.empty()) begun = pieces_of(open_checkpoint(fingerprint, resume), plan);
  RunPlan one = plan;
  one.replications = 1;
  const std::string of = fingerprint_of(model, one);
  const auto requested_replications = static_cast<std::size_t>(plan.replications);
  if (controls.finished != nullptr && begun.empty() && controls.finished->of == of &&
      controls.finished->pieces.size() <= requested_replications) {
    begun = controls.finished->pieces;
    begun.resize(requested_replications);
  }
  const auto checkpoint = [&](const std::vector<run::Piece>& now) {
    controls.checkpoint(seal_checkpoint(fingerprint, content_of(now)));
  };
  Replications replications(plan, factory);
  run::Job job{.identity = fingerprint, .pieces = static_cast<std::size_t>(plan.replications), .work = {}};
  job.work = [&](std::size_t number, std::string_view state, run::PieceMonitor& monitor) {
    return replications.simulate(number, state, monitor);
  };
  job.done_before = [&](const run::Piece& piece) {
    return static_cast<double>(standing_of(piece.bytes, plan).slots) /
           static_cast<double>(plan.replication_slots());
  };
  run::Controls how{.stop = controls.stop,
                    .progress = controls.progress,
                    .progress_interval = controls.progress_interval,
                    .checkpoint = {},
                    .checkpoint_interval = controls.checkpoint_interval,
                    .threads = controls.threads};
  if (controls.checkpoint) how.checkpoint = checkpoint;
  run::Threads threads(controls.threads);
  run::Executor& executor = controls.executor != nullptr ? *controls.executor : threads;
  const run::Outcome outcome = executor.carry_out(job, how, std::move(begun));
  RunResult result{.batches = {},
                   .complete = outcome.complete(),
                   .worker_group = outcome.worker_group,
                   .seconds = outcome.seconds};
  if (!result.complete && controls.checkpoint) checkpoint(outcome.pieces);
  if (controls.finished != nullptr && result.complete) *controls.finished = {of, outcome.pieces};
  for (const run::Piece& piece : outcome.pieces)
    result.batches.push_back(standing_of(piece.bytes, plan).batches);
  return result;
}

}  // namespace tailbound::sim
