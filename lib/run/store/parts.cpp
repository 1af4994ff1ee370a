#include <tailbound/run/store/parts.hpp>
#include <tailbound/run/threads.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace tailbound::run {
namespace {

constexpr int max_parts = 100'000;

class Busy {
 public:
  explicit Busy(bool& flag) : flag_(flag) { flag_ = true; }
  ~Busy() { flag_ = false; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  bool& flag_;
};

[[noreturn]] void reject(const NamedPart& part, const std::string& is, const std::string& legal) {
  throw InvalidArgument(part.name, is, legal);
}

std::string in_words(PartNumber number) {
  return std::to_string(number.number) + "/" + std::to_string(number.of);
}

/// "--seed=2, where a.json has --seed=1"
std::string difference(const std::vector<std::string>& its, const std::vector<std::string>& first,
                       const std::string& name) {
  const auto lacks = [](const std::vector<std::string>& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) == words.end();
  };
  std::string more, less;
  for (const std::string& word : its)
    if (lacks(first, word)) more += (more.empty() ? "" : " ") + word;
  for (const std::string& word : first)
    if (lacks(its, word)) less += (less.empty() ? "" : " ") + word;
  if (more.empty() && less.empty()) return "the same arguments in another order than " + name;
  if (more.empty()) return "no " + less + ", given in " + name + "";
  return more + ", where " + name + (less.empty() ? " has nothing" : " has " + less);
}

void require_identical(const NamedPart& its, const NamedPart& first) {
  if (its.part.query != first.part.query)
    reject(its, "of another query (" + difference(its.part.query, first.part.query, first.name) + ")",
           "of the same query");
  if (its.part.number.of != first.part.number.of)
    reject(its, "part " + in_words(its.part.number),
           "part of the same division as " + first.name + ", part " + in_words(first.part.number));
  for (const InputFile& file : its.part.files)
    for (const InputFile& same : first.part.files)
      if (file.path == same.path && (file.size != same.size || file.checksum != same.checksum))
        reject(its, "of a different " + file.path + " than " + first.name, "of the same file");
}

/// Except for the times.
bool same_results(const Part& a, const Part& b) {
  const auto identical = [](const JobResults& one, const JobResults& other) {
    return one.identity == other.identity && one.pieces == other.pieces && one.results == other.results;
  };
  return std::equal(a.jobs.begin(), a.jobs.end(), b.jobs.begin(), b.jobs.end(), identical);
}

/// "2, 5 .. 9"
std::string ranges(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(numbers[i]);
    if (last > i) text += (last > i + 1 ? " .. " : ", ") + std::to_string(numbers[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace

std::string named(const std::string& identity, int time) {
  return time == 1 ? identity : identity + " (" + std::to_string(time) + ")";
}

PartOfRun::PartOfRun(PartNumber number, Executor* workers) : number_(number), workers_(workers) {
  if (number.of < 1 || number.of > max_parts || number.number < 1 || number.number > number.of)
    throw InvalidArgument("part", in_words(number), "I/N with 1 <= I <= N <= " + std::to_string(max_parts));
}

Outcome PartOfRun::carry_out(const Job& job, const Controls& controls, std::vector<Piece> begun) {
  Threads threads(controls.threads);
  Executor& workers = workers_ != nullptr ? *workers_ : threads;
  if (busy_) return workers.carry_out(job, controls, std::move(begun));  // within a piece
  int time = 1;
  const auto met = [&] {
    const std::string name = named(job.identity, time);
    return std::any_of(jobs_.begin(), jobs_.end(),
                       [&](const JobResults& other) { return other.identity == name; });
  };
  if (job.identified && met()) throw MissingPart();
  while (met()) ++time;
  begun.resize(job.pieces);
  std::vector<std::size_t> own;
  std::vector<Piece> own_begun;
  for (std::size_t i = 0; i < job.pieces; ++i) {
    if ((counted_ + i) % static_cast<std::size_t>(number_.of) != static_cast<std::size_t>(number_.number) - 1)
      continue;
    own.push_back(i);
    own_begun.push_back(begun[i]);
  }
  counted_ += job.pieces;
  const auto with_own = [&](const std::vector<Piece>& pieces) {
    std::vector<Piece> all = begun;
    for (std::size_t i = 0; i < own.size(); ++i) all[own[i]] = pieces[i];
    return all;
  };
  Job mine = job;
  mine.pieces = own.size();
  mine.work = [&](std::size_t i, std::string_view state, PieceMonitor& monitor) {
    return job.work(own[i], state, monitor);
  };
  Controls how = controls;
  if (controls.checkpoint)
    how.checkpoint = [&](const std::vector<Piece>& pieces) { controls.checkpoint(with_own(pieces)); };
  JobResults& results = jobs_.emplace_back(
      JobResults{.identity = named(job.identity, time), .pieces = job.pieces, .seconds = 0, .results = {}});
  if (own.empty()) throw MissingPart();
  const Busy busy(busy_);
  const Outcome outcome = workers.carry_out(mine, how, std::move(own_begun));
  results.seconds = outcome.seconds;
  for (std::size_t i = 0; i < own.size(); ++i)
    if (outcome.pieces[i].finished) results.results[own[i]] = outcome.pieces[i].bytes;
  if (!outcome.complete()) {
    cut_ = true;
    if (controls.checkpoint) controls.checkpoint(with_own(outcome.pieces));
  }
  throw MissingPart();
}

void require_whole(const std::vector<NamedPart>& parts, const std::string& version) {
  if (parts.empty()) throw InvalidArgument("the list of parts", "", "the files of all parts");
  const NamedPart& first = parts.front();
  std::map<int, const NamedPart*> there;
  std::string repeated;
  for (const NamedPart& its : parts) {
    if (its.part.version != version)
      reject(its, "of tailbound version " + its.part.version, "of this version, " + version);
    require_identical(its, first);
    if (!its.part.complete)
      reject(its, "incomplete because its run was stopped",
             "complete: run part " + in_words(its.part.number) + " again");
    const auto [other, is_new] = there.emplace(its.part.number.number, &its);
    if (is_new) continue;
    if (!same_results(other->second->part, its.part))
      reject(its, "part " + in_words(its.part.number) + " with other results than " + other->second->name,
             "given once");
    repeated += " (" + its.name + " repeats part " + in_words(its.part.number) + ")";
  }
  std::vector<int> missing;
  for (int i = 1; i <= first.part.number.of; ++i)
    if (there.count(i) == 0) missing.push_back(i);
  if (!missing.empty())
    throw InvalidArgument("the computation",
                          "given by " + std::to_string(there.size()) + " of its " +
                              std::to_string(first.part.number.of) + " parts" + repeated,
                          "given by all; missing: " + ranges(missing));
}

Recorded::Recorded(std::vector<NamedPart> parts) : parts_(std::move(parts)) {
  std::set<int> there;
  for (const NamedPart& its : parts_)
    if (there.insert(its.part.number.number).second)
      for (const JobResults& job : its.part.jobs) found_[job.identity].push_back(&job);
}

Outcome Recorded::carry_out(const Job& job, const Controls& controls, std::vector<Piece> begun) {
  const std::string name = named(job.identity, job.identified ? 1 : ++met_[job.identity]);
  const auto found = found_.find(name);
  if (found == found_.end()) {
    if (!job.attentive) return Threads(1).carry_out(job, controls, std::move(begun));
    throw InvalidArgument("the content of the parts", "of another query", "of \"" + name + "\"");
  }
  Outcome outcome{.pieces = std::vector<Piece>(job.pieces),
                  .worker_group = {.kind = WorkerGroup::Kind::parts, .count = parts_.front().part.number.of},
                  .seconds = 0};
  for (const JobResults* results : found->second) {
    if (results->pieces != job.pieces)
      throw InvalidArgument("the content of the parts",
                            std::to_string(results->pieces) + " pieces of \"" + name + "\"",
                            std::to_string(job.pieces));
    outcome.seconds += results->seconds;
    for (const auto& [number, bytes] : results->results)
      if (number < outcome.pieces.size()) outcome.pieces[number] = {bytes, true};
  }
  if (!outcome.complete())
    throw InvalidArgument("the content of the parts", "incomplete for \"" + name + "\"", "all of its pieces");
  return outcome;
}

}  // namespace tailbound::run
