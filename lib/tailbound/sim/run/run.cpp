#include <tailbound/sim/run/checkpoint.hpp>
#include <tailbound/sim/run/run.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace tailbound::sim {
namespace {

using Clock = std::chrono::steady_clock;

/// Slots between two looks at the clock and the stop request: doubled or halved within these limits until
/// they take some 20 ms.
constexpr std::int64_t least_chunk = 64, most_chunk = 1 << 20;

std::int64_t next_chunk(std::int64_t chunk, Clock::duration took) {
  if (took < std::chrono::milliseconds(10)) return std::min(chunk * 2, most_chunk);
  if (took > std::chrono::milliseconds(40)) return std::max(chunk / 2, least_chunk);
  return chunk;
}

void check(const RunPlan& plan, const RunControls& controls) {
  const auto require = [](bool good, const char* argument, std::int64_t value, const char* legal) {
    if (!good) throw InvalidArgument(argument, std::to_string(value), legal);
  };
  require(plan.replications >= 1 && plan.replications <= 1024, "replications", plan.replications,
          "from 1 to 1024");
  require(plan.warmup >= 0 && plan.warmup <= 1'000'000'000'000, "warmup", plan.warmup,
          "from 0 to 10^12 slots");
  require(plan.slots >= 1 && plan.slots <= 1'000'000'000'000, "slots", plan.slots, "from 1 to 10^12");
  require(plan.batches >= 1 && plan.batches * plan.replications <= 4096, "batches", plan.batches,
          "at least 1, and at most 4096 in all replications together");
  require(plan.batches <= plan.slots, "batches", plan.batches, "at most the number of slots");
  require(controls.threads >= 1 && controls.threads <= 1024, "threads", controls.threads, "from 1 to 1024");
}

/// Where one replication stands. While a thread works on it, only that thread touches `simulation`.
struct Standing {
  std::int64_t slots = 0;  ///< simulated, warm-up included
  std::vector<Counts> batches;
  std::string state;     ///< of the simulation; empty before its start and after its end
  bool running = false;  ///< a thread works on it
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

std::string write_standings(const std::vector<Standing>& standings) {
  ByteWriter writer;
  for (const Standing& standing : standings) {
    writer.put(standing.slots);
    writer.put<std::uint64_t>(standing.batches.size());
    for (const Counts& counts : standing.batches) put_counts(writer, counts);
    writer.put(std::string_view(standing.state));
  }
  return writer.take();
}

void read_standings(std::string_view bytes, std::vector<Standing>& standings, const RunPlan& plan) {
  ByteReader reader(bytes);
  for (Standing& standing : standings) {
    standing.slots = reader.get<std::int64_t>();
    if (standing.slots < 0 || standing.slots > plan.replication_slots()) ByteReader::fail();
    for (auto left = reader.get<std::uint64_t>(); left > 0; --left)
      standing.batches.push_back(get_counts(reader));
    standing.state = reader.get_text();
  }
  if (!reader.at_end()) ByteReader::fail();
}

/// Everything that threads share. A replication's standing is written under the lock: when a checkpoint is
/// asked for (each in flight answers once, at its next look) and when the run stops.
class Run {
 public:
  Run(const RunPlan& plan, const ReplicationFactory& factory, const RunControls& controls,
      std::vector<Standing> standings)
      : plan_(plan), factory_(factory), controls_(controls), standings_(std::move(standings)) {
    answered_.resize(standings_.size());
    for (const Standing& standing : standings_) slots_done_ += standing.slots;
    slots_at_start_ = slots_done_;
  }

  /// \param checkpoint  makes bytes of the standings and hands them on
  void go(const std::function<void(const std::vector<Standing>&)>& checkpoint);

  [[nodiscard]] std::vector<Standing>& standings() { return standings_; }

 private:
  void work();
  void simulate(std::size_t number);
  [[nodiscard]] auto make(std::size_t number);
  void look(std::size_t number, std::int64_t advanced, Standing& own, Replication& simulation, bool last);
  [[nodiscard]] bool stopping() const { return controls_.stop.stop_requested() || failed_; }
  void report(Clock::time_point start);

  const RunPlan& plan_;
  const ReplicationFactory& factory_;
  const RunControls& controls_;
  std::vector<Standing> standings_;
  std::mutex lock_;
  std::mutex making_;  ///< held where a simulation is made or ended
  std::condition_variable changed_;
  std::size_t next_ = 0;
  int working_ = 0;
  std::atomic<bool> failed_ = false;
  std::exception_ptr failure_;
  std::int64_t slots_done_ = 0, slots_at_start_ = 0;
  bool asked_ = false;  ///< a checkpoint is being gathered
  std::vector<bool> answered_;
};

/// The simulation has been advanced; tells the others.
void Run::look(std::size_t number, std::int64_t advanced, Standing& own, Replication& simulation, bool last) {
  {
    const std::scoped_lock guard(lock_);
    slots_done_ += advanced;
    if (!last && !(asked_ && !answered_[number])) return;
  }
  std::string state;
  if (own.slots < plan_.replication_slots()) {
    ByteWriter writer;
    simulation.save(writer);
    state = writer.take();
  }
  const std::scoped_lock guard(lock_);
  standings_[number] = own;
  standings_[number].state = std::move(state);
  standings_[number].running = !last;
  answered_[number] = true;
  changed_.notify_all();
}

/// Models have rationals, and so may what is made of them; threads must not count the uses of one at once.
auto Run::make(std::size_t number) {
  const auto end = [this](Replication* simulation) {
    const std::scoped_lock guard(making_);
    delete simulation;
  };
  const std::scoped_lock guard(making_);
  return std::unique_ptr<Replication, decltype(end)>(factory_(RandomKey{plan_.seed, number}).release(), end);
}

void Run::simulate(std::size_t number) {
  Standing own;
  {
    const std::scoped_lock guard(lock_);
    own = standings_[number];
  }
  if (own.slots == plan_.replication_slots()) return;
  const auto simulation = make(number);
  if (!own.state.empty()) {
    ByteReader reader(own.state);
    simulation->load(reader);
    if (!reader.at_end()) ByteReader::fail();
    own.state.clear();
  }
  bool stop = false;
  std::int64_t chunk = least_chunk;
  while (!stop && own.slots < plan_.replication_slots()) {
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
      if (measured >= 0) own.batches.push_back(std::move(counts));  // those of the warm-up are dropped
    }
    const bool done = own.slots == plan_.replication_slots();
    stop = stopping();
    look(number, advance, own, *simulation, stop || done);
  }
}

void Run::work() {
  try {
    while (!stopping()) {
      std::size_t number;
      {
        const std::scoped_lock guard(lock_);
        if (next_ == standings_.size()) break;
        number = next_++;
        standings_[number].running = true;
      }
      simulate(number);
      const std::scoped_lock guard(lock_);
      standings_[number].running = false;
      changed_.notify_all();
    }
  } catch (...) {
    const std::scoped_lock guard(lock_);
    if (!failure_) failure_ = std::current_exception();
    failed_ = true;
  }
  const std::scoped_lock guard(lock_);
  --working_;
  changed_.notify_all();
}

void Run::report(Clock::time_point start) {
  Progress progress;
  const auto total = static_cast<double>(plan_.replication_slots()) * plan_.replications;
  std::int64_t done;
  {
    const std::scoped_lock guard(lock_);
    done = slots_done_;
  }
  progress.done = static_cast<double>(done) / total;
  progress.spent = Clock::now() - start;
  const auto own = static_cast<double>(done - slots_at_start_);
  progress.left = std::chrono::duration<double>(
      own > 0 ? progress.spent.count() * (total - static_cast<double>(done)) / own : 0);
  controls_.progress(progress);
}

void Run::go(const std::function<void(const std::vector<Standing>&)>& checkpoint) {
  const int threads = std::min(controls_.threads, plan_.replications);
  working_ = threads;
  std::vector<std::jthread> workers;
  const Clock::time_point start = Clock::now();
  try {
    for (int i = 0; i < threads; ++i) workers.emplace_back([this] { work(); });
    Clock::time_point next_report = start + controls_.progress_interval;
    Clock::time_point next_checkpoint = start + controls_.checkpoint_interval;
    std::unique_lock guard(lock_);
    while (working_ > 0) {
      changed_.wait_until(guard, std::min(next_report, next_checkpoint), [this] { return working_ == 0; });
      if (working_ == 0) break;
      if (Clock::now() >= next_report) {
        next_report = Clock::now() + controls_.progress_interval;
        guard.unlock();
        if (controls_.progress) report(start);
        guard.lock();
      }
      if (Clock::now() >= next_checkpoint) {
        if (controls_.checkpoint) {
          std::fill(answered_.begin(), answered_.end(), false);
          asked_ = true;
          changed_.wait(guard, [this] {
            for (std::size_t i = 0; i < standings_.size(); ++i)
              if (standings_[i].running && !answered_[i]) return working_ == 0;
            return true;
          });
          asked_ = false;
          const std::vector<Standing> standings = standings_;
          guard.unlock();
          checkpoint(standings);
          guard.lock();
        }
        next_checkpoint = Clock::now() + controls_.checkpoint_interval;
      }
    }
  } catch (...) {
    failed_ = true;  // a callback threw: the threads stop at their next look
    throw;
  }
  workers.clear();
  if (failure_) std::rethrow_exception(failure_);
  if (controls_.progress) report(start);
}

}  // namespace

double relaxation_slots(double utilization, const SourceMemory& memory) {
  if (!(utilization > 0)) throw InvalidArgument("utilization", std::to_string(utilization), "above 0");
  const double rho = std::min(utilization, 0.99);
  return std::max(4.0, 2 * (rho + memory.variance) / ((1 - rho) * (1 - rho))) + memory.slots;
}

std::int64_t affordable_slots(double steps, double steps_a_slot, double relaxation, int replications) {
  const double affordable = steps / steps_a_slot / replications;
  const double wanted = 100 * relaxation;
  const double slots = std::clamp(std::max(affordable, std::min(wanted, 10 * affordable)), 1000.0, 1e9);
  const double unit = std::pow(10.0, std::floor(std::log10(slots)) - 1);
  return static_cast<std::int64_t>(std::floor(slots / unit) * unit);
}

RunPlan make_plan(double warmup, double least_batch, std::int64_t slots, int replications,
                  std::uint64_t seed) {
  if (replications < 1 || replications > 1024)
    throw InvalidArgument("replications", std::to_string(replications), "from 1 to 1024");
  RunPlan plan;
  plan.seed = seed;
  plan.replications = replications;
  plan.slots = slots;
  plan.warmup = static_cast<std::int64_t>(std::ceil(warmup / 64)) * 64;
  const int fewest = (8 + replications - 1) / replications;
  const int most = std::max(1, std::min(16, 4096 / replications));
  plan.batches = static_cast<int>(
      std::clamp(static_cast<double>(slots) / least_batch, 1.0 * std::min(fewest, most), 1.0 * most));
  return plan;
}

RunPlan automatic_plan(double utilization, int hops, std::int64_t slots, int replications, std::uint64_t seed,
                       const SourceMemory& memory) {
  const double tau = relaxation_slots(utilization, memory);
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
  check(plan, controls);
  const std::string fingerprint = std::string(model) + "; seed " + std::to_string(plan.seed) +
                                  ", replications " + std::to_string(plan.replications) + ", warm-up " +
                                  std::to_string(plan.warmup) + ", slots " + std::to_string(plan.slots) +
                                  ", batches " + std::to_string(plan.batches);
  if (controls.checkpoint_of) controls.checkpoint_of(fingerprint);
  std::vector<Standing> standings(static_cast<std::size_t>(plan.replications));
  if (!resume.empty()) read_standings(open_checkpoint(fingerprint, resume), standings, plan);
  const auto checkpoint = [&](const std::vector<Standing>& now) {
    controls.checkpoint(seal_checkpoint(fingerprint, write_standings(now)));
  };
  Run the_run(plan, factory, controls, std::move(standings));
  the_run.go(checkpoint);
  RunResult result;
  result.complete = true;
  for (const Standing& standing : the_run.standings())
    result.complete = result.complete && standing.slots == plan.replication_slots();
  if (!result.complete && controls.checkpoint) checkpoint(the_run.standings());
  for (Standing& standing : the_run.standings()) result.batches.push_back(std::move(standing.batches));
  return result;
}

}  // namespace tailbound::sim
