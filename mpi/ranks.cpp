#include <mpi/ranks.hpp>
#include <tailbound/run/bytes.hpp>
#include <tailbound/run/message.hpp>
#include <tailbound/run/processes.hpp>
#include <tailbound/run/scheduler.hpp>
#include <tailbound/run/store/checksum.hpp>
#include <tailbound/run/threads.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <list>
#include <map>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

namespace tailbound::mpi {
namespace {

using run::ByteReader;
using run::ByteWriter;
using run::Clock;
using run::Message;
using run::Outcome;
using run::Piece;

/// Time for which a rank does not check for messages: MPI would check continuously, on a core that another
/// rank may need. Each check costs some 15 us: the long rest is for times when nobody waits.
constexpr auto rest_time = std::chrono::microseconds(500);
constexpr auto long_rest_time = std::chrono::milliseconds(5);

enum class Type : std::uint8_t {
  message,  ///< about a piece
  results,  ///< of a job, or its exception
  end,      ///< rank 0 has ended
  left,     ///< another rank has ended, and why
};

/// A message from one rank to another.
struct Letter {
  Type type = Type::end;
  std::uint64_t job = 0, identity = 0;  ///< that the letter belongs to
  std::string bytes{};
};

std::string encoded(const Letter& letter) {
  ByteWriter writer;
  writer.put(static_cast<std::uint8_t>(letter.type));
  writer.put(letter.job);
  writer.put(letter.identity);
  writer.put(std::string_view(letter.bytes));
  return writer.take();
}

Letter decoded(std::string_view bytes) {
  ByteReader reader(bytes);
  Letter letter;
  letter.type = static_cast<Type>(reader.get<std::uint8_t>());
  letter.job = reader.get<std::uint64_t>();
  letter.identity = reader.get<std::uint64_t>();
  letter.bytes = reader.get_text();
  return letter;
}

std::string to_bytes(const Outcome& outcome) {
  ByteWriter writer;
  writer.put(outcome.seconds);
  writer.put<std::uint64_t>(outcome.pieces.size());
  for (const Piece& piece : outcome.pieces) writer.put(std::string_view(piece.bytes));
  return writer.take();
}

/// An exception is sent as a message without a piece; results begin differently.
std::string results_or_failure(const Outcome* outcome, const std::exception_ptr& failure) {
  ByteWriter writer;
  writer.put<std::uint8_t>(outcome != nullptr ? 1 : 0);
  const std::string rest = outcome != nullptr
                               ? to_bytes(*outcome)
                               : run::encoded({.kind = Message::Kind::failed, .failure = failure});
  return writer.take() + rest;
}

Outcome outcome_of(std::string_view bytes, int ranks) {
  const bool failed = bytes.front() == 0;
  bytes.remove_prefix(1);
  if (failed) std::rethrow_exception(run::decoded(bytes).failure);
  ByteReader reader(bytes);
  Outcome outcome{
      .pieces = {}, .worker_group = {.kind = run::WorkerGroup::Kind::ranks, .count = ranks}, .seconds = 0};
  outcome.seconds = reader.get<double>();
  for (auto left = reader.get<std::uint64_t>(); left > 0; --left)
    outcome.pieces.push_back({reader.get_text(), true});
  return outcome;
}

}  // namespace

/// Letters over MPI. Sending does not wait for the receiver.
class Ranks::Post {
 public:
  Post() {
    MPI_Comm_dup(MPI_COMM_WORLD, &world_);
    MPI_Comm_rank(world_, &rank_);
    MPI_Comm_size(world_, &size_);
  }
  Post(const Post&) = delete;
  Post& operator=(const Post&) = delete;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }

  void send(int to, const Letter& letter) {
    const std::string bytes = encoded(letter);
    for (std::size_t at = 0; at == 0 || at < bytes.size(); at += longest) {
      const bool last = at + longest >= bytes.size();
      Sent& sent = sent_.emplace_back();
      sent.bytes = (last ? '1' : '0') + bytes.substr(at, longest);
      MPI_Isend(sent.bytes.data(), static_cast<int>(sent.bytes.size()), MPI_BYTE, to, 0, world_,
                &sent.request);
    }
    tidy();
  }

  /// The next letter that has arrived, and its sender; nothing if there is none.
  [[nodiscard]] std::optional<std::pair<int, Letter>> take() {
    tidy();
    for (;;) {
      int there = 0;
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, 0, world_, &there, &status);
      if (there == 0) return {};
      int size = 0;
      MPI_Get_count(&status, MPI_BYTE, &size);
      std::string chunk(static_cast<std::size_t>(size), '\0');
      MPI_Recv(chunk.data(), size, MPI_BYTE, status.MPI_SOURCE, 0, world_, MPI_STATUS_IGNORE);
      std::string& come = come_[status.MPI_SOURCE];
      come.append(chunk, 1);
      if (chunk.front() == '1') return std::pair{status.MPI_SOURCE, decoded(std::exchange(come, {}))};
    }
  }

  /// Has everything been sent?
  [[nodiscard]] bool is_empty() {
    tidy();
    return sent_.empty();
  }

  /// Ranks that have ended, with the reason; returned by take_left() once.
  std::map<int, std::string> left{};

 private:
  static constexpr std::size_t longest = std::size_t{1} << 30U;  // MPI counts in int

  struct Sent {
    std::string bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  void tidy() {
    for (auto sent = sent_.begin(); sent != sent_.end();) {
      int gone = 0;
      MPI_Test(&sent->request, &gone, MPI_STATUS_IGNORE);
      sent = gone != 0 ? sent_.erase(sent) : std::next(sent);
    }
  }

  MPI_Comm world_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  std::list<Sent> sent_;
  std::map<int, std::string> come_;
};

/// Worker 0 is rank 0 itself: a thread, or a process if pieces do not check for requests, because a process
/// can be abandoned.
class Ranks::RankWorkers final : public run::Workers {
 public:
  RankWorkers(const run::Job& job, Post& post, std::uint64_t number)
      : post_(post), about_{.type = Type::message, .job = number, .identity = run::checksum(job.identity)} {
    if (job.attentive)
      own_ = std::make_unique<run::ThreadWorkers>(job, 1);
    else
      own_ = std::make_unique<run::ProcessWorkers>(job, 1);
  }

  [[nodiscard]] std::size_t count() const override { return static_cast<std::size_t>(post_.size()); }

  void send(std::size_t worker, const Message& message) override {
    if (worker == 0) {
      own_->send(0, message);
      return;
    }
    Letter letter = about_;
    letter.bytes = run::encoded(message);
    post_.send(static_cast<int>(worker), letter);
    if (message.kind == Message::Kind::work) paces_[worker].got(Clock::now());
  }

  [[nodiscard]] std::optional<Received> receive(Clock::time_point until) override {
    for (;;) {
      if (auto come = post_.take()) {
        if (auto received = heard(come->first, come->second)) return received;
        continue;
      }
      for (const auto& [rank, words] : post_.left)
        if (notified_.insert(rank).second)
          return Received{static_cast<std::size_t>(rank), {.kind = Message::Kind::gone, .bytes = words}};
      const Clock::time_point now = Clock::now();
      if (auto received = own_->receive(std::min(until, now + rest(now)))) return received;
      if (now >= until) return {};
    }
  }

  [[nodiscard]] bool abandon() override { return own_->abandon(); }

 private:
  std::optional<Received> heard(int rank, const Letter& letter) {
    if (letter.type == Type::left) post_.left[rank] = letter.bytes;
    if (letter.type != Type::message || letter.job != about_.job) return {};
    Received received{static_cast<std::size_t>(rank), run::decoded(letter.bytes)};
    using Kind = Message::Kind;
    if (received.message.kind != Kind::looked && received.message.kind != Kind::kept)
      paces_[received.worker].gave(Clock::now());
    return received;
  }

  /// Time until a rank may run out of work, or a twentieth of the time that its current piece has taken so
  /// far.
  [[nodiscard]] Clock::duration rest(Clock::time_point now) {
    if (!post_.is_empty()) return rest_time;
    Clock::duration minimum = long_rest_time;
    for (const Pace& pace : paces_) minimum = std::min(minimum, pace.rest(now));
    return std::max<Clock::duration>(minimum, rest_time);
  }

  /// Speed of a rank, and its pieces.
  class Pace {
   public:
    void got(Clock::time_point now) {
      if (held_++ == 0) last_ = now;
    }
    void gave(Clock::time_point now) {
      each_ = now - last_;
      last_ = now;
      --held_;
    }
    [[nodiscard]] Clock::duration rest(Clock::time_point now) const {
      if (held_ == 0) return long_rest_time;
      return std::max((held_ - 1) * each_ / 2, (now - last_) / 20);
    }

   private:
    int held_ = 0;
    Clock::time_point last_{};  ///< approximate start of the current piece
    Clock::duration each_{};    ///< of the last piece
  };

  Post& post_;
  Letter about_;
  std::unique_ptr<run::Workers> own_;
  std::set<int> notified_;
  /// of ranks; messages of rank 0's own worker are received at once
  std::vector<Pace> paces_ = std::vector<Pace>(count());
};

class Ranks::FollowerLink final : public run::WorkerLink {
 public:
  FollowerLink(Post& post, const run::Job& job, std::uint64_t number)
      : post_(post), number_(number), identity_(run::checksum(job.identity)) {}

  [[nodiscard]] std::optional<Message> take() override {
    while (auto come = post_.take()) {
      const Letter& letter = come->second;
      if (letter.type == Type::end) {
        ended = true;
        return Message{.kind = Message::Kind::leave};
      }
      if (letter.job != number_ || letter.identity != identity_)
        throw std::runtime_error(
            "this rank does not ask the same as rank 0; do all ranks see the same files?");
      if (letter.type == Type::results) {
        results = std::move(come->second.bytes);
        return Message{.kind = Message::Kind::leave};
      }
      return run::decoded(letter.bytes);
    }
    return {};
  }
  void send(const Message& message) override {
    post_.send(
        0, {.type = Type::message, .job = number_, .identity = identity_, .bytes = run::encoded(message)});
  }
  void rest() override { std::this_thread::sleep_for(rest_time); }
  [[nodiscard]] std::chrono::microseconds timeout() override {
    return post_.is_empty() ? long_rest_time : rest_time;
  }

  bool ended = false;
  std::string results;

 private:
  Post& post_;
  std::uint64_t number_, identity_;
};

Ranks::Ranks() : post_(std::make_unique<Post>()) {}
Ranks::~Ranks() = default;

bool Ranks::leads() const {
  return post_->rank() == 0;
}

int Ranks::count() const {
  return post_->size();
}

Outcome Ranks::carry_out(const run::Job& job, const run::Controls& controls, std::vector<Piece> begun) {
  if (run::on_worker() || left_alone_) return run::Threads(1).carry_out(job, controls, std::move(begun));
  ++jobs_;
  return leads() ? lead(job, controls, std::move(begun)) : follow(job);
}

Outcome Ranks::lead(const run::Job& job, const run::Controls& controls, std::vector<Piece> begun) {
  const auto tell = [&](const std::string& bytes) {
    for (int rank = 1; rank < count(); ++rank)
      post_->send(
          rank,
          {.type = Type::results, .job = jobs_, .identity = run::checksum(job.identity), .bytes = bytes});
  };
  try {
    Outcome outcome;
    {
      RankWorkers workers(job, *post_, jobs_);
      outcome = schedule(job, controls, std::move(begun), workers,
                         {.kind = run::WorkerGroup::Kind::ranks, .count = count()});
    }
    if (outcome.complete())
      tell(results_or_failure(&outcome, {}));
    else
      left_alone_ = true;
    return outcome;
  } catch (...) {
    tell(results_or_failure(nullptr, std::current_exception()));
    throw;
  }
}

Outcome Ranks::follow(const run::Job& job) {
  FollowerLink link(*post_, job, jobs_);
  bool busy = false;
  serve(job, link, busy);
  if (link.ended || busy) {
    // Rank 0 needs nothing more; a piece may still be running that refers to data here.
    MPI_Finalize();
    std::_Exit(0);
  }
  return outcome_of(link.results, count());
}

void Ranks::end(const std::string& received) {
  if (leads()) {
    for (int rank = 1; rank < count(); ++rank) post_->send(rank, {.type = Type::end});
  } else {
    post_->send(0, {.type = Type::left, .bytes = "rank " + std::to_string(post_->rank()) + ": " + received});
  }
  bool ended = leads();
  while (!ended || !post_->is_empty()) {
    while (auto come = post_->take()) ended = ended || come->second.type == Type::end;
    std::this_thread::sleep_for(rest_time);
  }
}

}  // namespace tailbound::mpi
