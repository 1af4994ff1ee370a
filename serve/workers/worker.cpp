#include <serve/workers/note_stream.hpp>
#include <serve/workers/worker.hpp>

#include <cli/command_runner.hpp>
#include <cli/process/interrupt.hpp>
#include <cli/process/pieces.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/files/leftovers.hpp>
#include <tailbound/files/named_files.hpp>
#include <tailbound/render/document.hpp>
#include <tailbound/render/drawing/picture_program.hpp>
#include <tailbound/render/formats/html.hpp>
#include <tailbound/version.hpp>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <utility>

namespace tailbound::serve {
namespace {

/// After this many queries the process is replaced, which frees what leaked; a new one is just as fast.
constexpr int max_queries_per_worker = 2000;
/// Maximum size of a result in all formats [bytes].
constexpr std::size_t longest_answer = std::size_t{24} << 20;
constexpr auto between_reports = std::chrono::milliseconds(100);

/// One CommandRunner per command, created on first use.
const cli::CommandRunner& runner(const std::string& query) {
  static std::map<std::string, std::unique_ptr<cli::CommandRunner>> runners;
  std::unique_ptr<cli::CommandRunner>& made = runners[query];
  if (!made) made = std::make_unique<cli::CommandRunner>(query);
  return *made;
}

// --- limits

void limit(int resource, rlim_t maximum) {
  rlimit now{};
  if (getrlimit(static_cast<__rlimit_resource>(resource), &now) != 0) return;
  now.rlim_cur = now.rlim_max == RLIM_INFINITY ? maximum : std::min(maximum, now.rlim_max);
  now.rlim_max = now.rlim_cur;
  setrlimit(static_cast<__rlimit_resource>(resource), &now);
}

void be_confined([[maybe_unused]] std::size_t memory) {
  files::NamedFiles::confine();
#ifndef __SANITIZE_ADDRESS__  // which reserves terabytes of address space
  limit(RLIMIT_AS, memory);
#endif
  limit(RLIMIT_FSIZE, 64 << 20);  // the input of rsvg-convert is an unnamed file
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_NOFILE, 64);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGCHLD, SIG_DFL);  // rsvg-convert is waited for
  std::signal(SIGTERM, SIG_DFL);  // stops come through the stream (Mailbox)
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &stop, nullptr);
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO}) dup2(nowhere, standard);
}

// --- input

/// Reads the stream while a query runs. A stop request is passed on as the signal that commands handle. The
/// process exits when the stream ends, even in the middle of a query.
class Mailbox {
 public:
  explicit Mailbox(NoteStream& stream) : stream_(stream), thread_([this] { look(); }) {}

  [[nodiscard]] Note next() {
    std::unique_lock guard(lock_);
    come_.wait(guard, [this] { return !notes_.empty(); });
    Note note = std::move(notes_.front());
    notes_.pop_front();
    return note;
  }
  /// While true, a stop applies to the current query.
  void heed(bool busy) {
    const std::scoped_lock guard(lock_);
    busy_ = busy;
  }

 private:
  [[noreturn]] void look() {
    for (;;) {
      std::optional<Note> note = stream_.receive(Clock::now() + std::chrono::hours(1));
      if (!note && !stream_.ended()) continue;
      if (!note) {
        files::leftovers::remove_leftovers();
        _exit(0);
      }
      const std::scoped_lock guard(lock_);
      if (note->head.contains("stop")) {
        if (busy_) kill(getpid(), SIGTERM);
        continue;
      }
      notes_.push_back(std::move(*note));
      come_.notify_one();
    }
  }

  NoteStream& stream_;
  std::mutex lock_;
  std::condition_variable come_;
  std::deque<Note> notes_;
  bool busy_ = false;
  std::thread thread_;  ///< last: it uses the other members
};

// --- results

/// The requested formats.
struct Wanted {
  std::vector<std::string> formats;
  std::string command_line;
};

/// \throws NoAnswer, InvalidArgument, Error  there is no such picture
std::string written(const cli::Reply& reply, const Wanted& wanted, const std::string& format) {
  const render::Document& document = reply.document;
  render::Frame frame{.version = TAILBOUND_VERSION, .quiet = false};
  if (format == "page") frame.command_line = wanted.command_line;  // the workbench shows it separately
  const bool text_alone = document.layout == nullptr;
  if (format == "svg" || format == "png")
    return render::drawn(render::picture_of(document), "picture." + format, environ);
  if (reply.text && format == "html")
    return text_alone ? render::html_of_text("", *reply.text, frame)
                      : render::html_fragment(document, frame, *reply.text);
  if (reply.text && format == "page") return render::html_page(document, *reply.text, frame);
  if (reply.text && (text_alone || format == "table")) return *reply.text;
  if (format == "html") return render::html_fragment(document, frame);
  if (format == "page") return render::to_html(document, frame);
  if (format == "table") return render::to_text(document, frame);
  if (format == "json") return render::to_json(document, frame);
  if (format == "csv") return render::to_csv(document, frame);
  if (format == "markdown") return render::to_markdown(document, frame);
  throw InvalidArgument("the format", format, "html, page, table, json, csv, markdown, svg or png");
}

/// The result in all formats that exist and fit. If only one format is requested, its error is thrown.
/// \throws Error
Note answered_note(const cli::Reply& reply, const Wanted& wanted) {
  Note note;
  std::size_t left = longest_answer;
  note.head["formats"] = Json::array();
  for (const std::string& format : wanted.formats) {
    std::string text;
    try {
      text = written(reply, wanted, format);
    } catch (const Error&) {
      if (wanted.formats.size() == 1) throw;
      continue;
    }
    if (text.size() > left) {
      if (wanted.formats.size() > 1) continue;
      throw NoAnswer("the result exceeds 24 MiB: request less, or use the command line");
    }
    left -= text.size();
    note.head["formats"].push_back(format);
    note.parts.push_back(std::move(text));
  }
  note.head["status"] = static_cast<int>(reply.document.stopped ? cli::stopped : reply.status());
  note.head["stopped"] = reply.document.stopped;
  note.head["headline"] = reply.document.headline.text();
  note.head["draws"] = static_cast<bool>(reply.document.picture);
  return note;
}

Note rejected(cli::Status status, const std::string& message) {
  return {.head = {{"status", static_cast<int>(status)}, {"error", {{"message", message}}}}};
}

/// The current exception, as the command line would report it.
Note error_note() {
  try {
    throw;
  } catch (const InvalidArgument& error) {
    Note note = rejected(cli::bad_input, error.what());
    note.head["error"].update(
        {{"option", error.argument()}, {"value", error.value()}, {"legal", error.legal()}});
    return note;
  } catch (const ParseError& error) {
    Note note = rejected(cli::bad_input, error.what());
    note.head["error"].update(
        {{"source", error.source()}, {"line", error.line()}, {"column", error.column()}});
    return note;
  } catch (const Stopped& error) {
    return rejected(cli::stopped, error.what());
  } catch (const NoAnswer& error) {
    return rejected(cli::no_answer, error.what());
  } catch (const std::bad_alloc&) {
    Note note = rejected(cli::no_answer, "the query exceeds the memory limit of the workbench");
    note.head["last"] = true;
    return note;
  } catch (const std::exception& error) {
    Note note = rejected(cli::internal_failure, std::string("internal failure: ") + error.what());
    note.head["last"] = true;
    return note;
  }
}

/// Reports the progress, at most once per interval.
class Progress {
 public:
  explicit Progress(NoteStream& stream) : stream_(stream) {}
  void tell(double done, double left) {
    const Clock::time_point now = Clock::now();
    if (now - last_ < between_reports) return;
    last_ = now;
    stream_.send({.head = {{"progress", done}, {"left", left}}});
  }

 private:
  NoteStream& stream_;
  Clock::time_point last_ = Clock::now();
};

/// Sends the partial result of a simulation, computed from its checkpoint as if it were stopped now.
class AnswerSoFar {
 public:
  using Options = std::vector<std::pair<std::string, std::string>>;
  AnswerSoFar(NoteStream& stream, std::string query, const Options& given,
              const std::map<std::string, std::string>& contents)
      : stream_(stream), query_(std::move(query)), given_(given), contents_(contents) {}

  void tell(const std::string& checkpoint, double done) {
    // At most one thirtieth of the time is spent on previews.
    constexpr int share = 30;
    const Clock::time_point begun = Clock::now();
    if (begun - last_ < share * took_) return;
    try {
      std::stop_source stopped;
      stopped.request_stop();
      // A new CommandRunner: the option table of the other one is in use.
      const cli::Reply reply = cli::CommandRunner(query_).answer(
          given_, {.stop = stopped.get_token(), .resume = checkpoint}, contents_);
      if (!reply.text)
        stream_.send({.head = {{"progress", done}, {"so_far", true}},
                      .parts = {render::html_fragment(reply.document, {.version = TAILBOUND_VERSION})}});
    } catch (const std::exception&) {
      // No result yet; the run itself reports errors.
    }
    last_ = Clock::now();
    took_ = last_ - begun;
  }

 private:
  NoteStream& stream_;
  std::string query_;
  const Options& given_;
  const std::map<std::string, std::string>& contents_;
  Clock::time_point last_{};
  Clock::duration took_{};
};

Note answer(const Note& requested, NoteStream& stream, Mailbox& mailbox) {
  struct Heeds {
    explicit Heeds(Mailbox& box) : mailbox(box) { mailbox.heed(true); }
    ~Heeds() { mailbox.heed(false); }
    Mailbox& mailbox;
  };
  const Clock::time_point start = Clock::now();
  Note note;
  try {
    const std::vector<std::pair<std::string, std::string>> given = requested.head.at("options");
    std::map<std::string, std::string> contents;
    for (std::size_t i = 0; i < requested.parts.size(); ++i)
      contents[requested.head.at("files").at(i)] = requested.parts[i];
    const Wanted wanted{.formats = requested.head.at("formats"),
                        .command_line = requested.head.at("command_line")};
    cli::Interrupt interrupt;
    cli::Pieces pieces(interrupt);
    const Heeds heeds(mailbox);
    Progress progress(stream);
    AnswerSoFar so_far(stream, requested.head.at("question"), given, contents);
    double share_done = 0;
    answers::Run run{.stop = interrupt.token(),
                     .progress =
                         [&](double done, double left) {
                           share_done = done;
                           progress.tell(done, left);
                         },
                     .piece = [&](const auto& work) { return pieces.carry_out(work); }};
    if (requested.head.value("so_far", false)) {
      constexpr std::chrono::milliseconds between{300};
      run.checkpoint_interval = between;
      run.checkpoint = [&](const std::string& bytes) { so_far.tell(bytes, share_done); };
    }
    const cli::Reply reply = runner(requested.head.at("question")).answer(given, run, contents);
    note = answered_note(reply, wanted);
  } catch (...) {
    note = error_note();
  }
  note.head["seconds"] = std::chrono::duration<double>(Clock::now() - start).count();
  return note;
}

}  // namespace

void prepare() {
  // Warms up what the first query of a process would have to initialize.
  for (const std::string& query : cli::command_names()) static_cast<void>(runner(query));
  const cli::Reply reply =
      runner("buffer").answer({{"--inputs", "16"}, {"--load", "0.9"}, {"--drop", "1e-15"}});
  static_cast<void>(render::to_json(reply.document, {.version = TAILBOUND_VERSION, .quiet = false}));
}

void work(int descriptor, std::size_t memory) {
  be_confined(memory);
  NoteStream stream(descriptor);
  Mailbox mailbox(stream);
  for (int queries = 1;; ++queries) {
    const Note requested = mailbox.next();
    Note note = answer(requested, stream, mailbox);
    // After a piece was aborted, this process is a fork of the original one, without its mailbox thread.
    const bool last =
        cli::has_given_up() || queries == max_queries_per_worker || note.head.value("last", false);
    note.head["last"] = last;
    stream.send(note);
    if (last) _exit(0);
  }
}

}  // namespace tailbound::serve
