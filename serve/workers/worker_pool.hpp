#pragma once

#include <serve/workers/note_stream.hpp>
#include <serve/workers/nursery.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

/// The processes that answer, as the server sees them.
namespace tailbound::serve {

/// What each question may take.
struct WorkLimits {
  std::chrono::milliseconds analysis{10'000};  ///< that is answered while somebody waits
  std::size_t memory = std::size_t{2} << 30;   ///< [bytes]
  int analyses = 4;                            ///< at once
  int runs = 2;                                ///< that go on by themselves, at once
};

/// How a question came to its end.
struct ErrandOutcome {
  enum class Kind {
    answered,  ///< or refused: the note says
    too_long,  ///< it was ended at its limit, with no answer
    cut,       ///< somebody has given it up
    died,      ///< the process has ended: out of memory, a fault
  } kind = Kind::died;
  Note note{};
};

/// {"status", "headline", "formats", "html", ..} for a page, or {"status", "error": {"message", ..}}.
[[nodiscard]] Json outcome_shown(const ErrandOutcome& outcome);
/// In one of its formats; nothing if it has it not.
[[nodiscard]] std::optional<std::string> text_of(const ErrandOutcome& outcome, const std::string& format);

/// One question on its way. Its asker is one thread; others may end it.
class Errand {
 public:
  explicit Errand(std::shared_ptr<NoteStream> stream) : stream_(std::move(stream)) {}

  /// Asks for what is finished, as Ctrl-C does. At most `patience` later the question is at its end.
  void stop();
  /// Ends it at once, with no answer.
  void cut();

  /// \param question  as worker.hpp has it
  /// \param limit     after which it is stopped; zero: none
  /// \param so_far    told the answer by what was done, as HTML
  [[nodiscard]] ErrandOutcome carry_out(const Note& question, std::chrono::milliseconds limit,
                                        const std::function<void(double, double)>& progress = {},
                                        const std::function<void(std::string)>& so_far = {});
  [[nodiscard]] const std::shared_ptr<NoteStream>& stream() const { return stream_; }

  /// What a question has for its end once it was stopped.
  static constexpr std::chrono::milliseconds patience{4000};

 private:
  [[nodiscard]] Clock::time_point end_of_patience(Clock::time_point otherwise);

  std::shared_ptr<NoteStream> stream_;
  std::mutex lock_;
  bool cut_ = false;
  std::optional<Clock::time_point> stopped_;
};

/// CONTRACT  may be used by several threads.
class WorkerPool {
 public:
  /// CONTRACT  made while this process has one thread
  explicit WorkerPool(const WorkLimits& limits) : limits_(limits), nursery_(limits.memory) {}

  /// A process that waits for a question.  \throws std::system_error
  [[nodiscard]] std::shared_ptr<NoteStream> hire();
  /// It has answered, and waits for more. Of several at rest some are let go.
  void rest(std::shared_ptr<NoteStream> stream);
  [[nodiscard]] const WorkLimits& limits() const { return limits_; }

 private:
  WorkLimits limits_;
  Nursery nursery_;
  std::mutex lock_;
  std::vector<std::shared_ptr<NoteStream>> resting_;
};

}  // namespace tailbound::serve
