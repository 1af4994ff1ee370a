#include <cli/run.hpp>

#include <cli/help/hints.hpp>
#include <cli/options/files.hpp>
#include <cli/options/options.hpp>
#include <cli/part.hpp>
#include <cli/process/interrupt.hpp>
#include <cli/process/memory.hpp>
#include <cli/process/pieces.hpp>
#include <cli/program.hpp>
#include <tailbound/answers/points/points.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/core/printable.hpp>
#include <tailbound/core/unwritable.hpp>
#include <tailbound/files/file_lock.hpp>
#include <tailbound/render/document.hpp>
#include <tailbound/render/drawing/picture_program.hpp>
#include <tailbound/render/formats/formats.hpp>
#include <tailbound/render/formats/html.hpp>
#include <tailbound/version.hpp>

#include <fmt/format.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <functional>
#include <iostream>
#include <mutex>
#include <new>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace tailbound::cli {
namespace {

constexpr const char* standard_output = "standard output";

/// \throws Unwritable, Stopped  as files::reject_output(), unless everything was written
void print_whole(std::ostream& out, const std::string& text, std::optional<int> descriptor = {},
                 const std::stop_token& stop = {}) {
  if (descriptor) {
    out.flush();
    if (const int failed = files::write_all(*descriptor, text, stop); failed != 0)
      files::reject_output(standard_output, standard_output, failed);
    return;
  }
  errno = 0;
  out << text;
  out.flush();
  if (!out) files::reject_output(standard_output, standard_output, errno);
}

/// Of --format; default: the table for people.
render::Write read_format(const std::optional<std::string>& text) {
  return text ? choice_of(*text, "--format", render::formats()) : render::formats().front().second;
}

/// The output: the document, or the text that replaces it.
std::string unfiltered_text(const Reply& reply, render::Write write, const render::Frame& frame) {
  if (reply.text && write == render::to_html) return render::html_page(reply.document, *reply.text, frame);
  if (reply.text && (write == render::to_text || !reply.document.layout)) return *reply.text;
  return write(reply.document, frame);
}

/// The same with control characters escaped, which names and files may contain.
std::string text_of(const Reply& reply, render::Write write, const render::Frame& frame) {
  return printable(unfiltered_text(reply, write, frame));
}

/// The picture in the format of the --plot file.
std::string drawn_document(const render::Document& document, const CommonOptions& options,
                           const std::stop_token& stop) {
  render::Picture picture = render::picture_of(document);
  if (options.title) picture.title = *options.title;
  picture.log_y = options.log_y;
  return render::drawn(picture, *options.plot, environ, stop);
}

/// For a truncated answer: the drawing program has a few seconds.
std::string drawn_in_a_moment(const render::Document& document, const CommonOptions& options) {
  constexpr std::chrono::seconds moment{3};
  std::stop_source over;
  std::mutex lock;
  std::condition_variable_any ended;
  const std::jthread timer([&](const std::stop_token& drawn) {
    std::unique_lock held(lock);
    if (!ended.wait_for(held, drawn, moment, [] { return false; }) && !drawn.stop_requested())
      over.request_stop();
  });
  return drawn_document(document, options, over.get_token());
}

/// The same command line, resumed from this file.
std::string resuming_line(int argc, const char* const* argv, const std::string& checkpoint) {
  std::vector<std::string> words;
  for (int i = 0; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--resume") ++i;
    if (word == "--resume" || word.rfind("--resume=", 0) == 0) continue;
    words.push_back(word);
  }
  words.insert(words.end(), {"--resume", checkpoint});
  return shell_words(words);
}

/// A user's value may be very long; a message must not be.
std::string shorten(std::string message) {
  constexpr std::size_t longest = 1200;
  if (message.size() > longest) message.replace(longest / 2, message.size() - longest, " [...] ");
  return message;
}

/// "50 s", "12 min 30 s", "3 h 5 min"
std::string duration_in_words(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(std::min(seconds, 1e9)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

/// On a terminal, shows the progress of a computation of more than a second. Cleared by the destructor.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet) : wanted_(!quiet && isatty(STDERR_FILENO) != 0) {}
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { clear(); }
  void clear() {
    if (shown_) std::cerr << "\r\033[K" << std::flush;
    shown_ = false;
  }

  [[nodiscard]] std::function<void(double, double)> reported() {
    if (!wanted_) return {};
    return [this](double done, double left) {
      show(fmt::format("{:.0f} %{}", 100 * done, left > 0 ? ", " + duration_in_words(left) + " left" : ""));
    };
  }

 private:
  void show(const std::string& text) {
    if (std::chrono::steady_clock::now() - start_ < std::chrono::seconds(1)) return;
    std::cerr << "\r" << text << "\033[K" << std::flush;
    shown_ = true;
  }

  bool wanted_, shown_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The command's answer, or its finished part after a stop, with the reason for the stop.
/// \throws LimitExceeded  a limit was reached before any result;  as Command
Reply answer_within(const Command& command, const Context& context, const Interrupt& interrupt) {
  const auto limited = [&] {
    return context.outcome->limited = interrupt.limit() != LimitWatch::Limit::none;
  };
  try {
    Reply reply = command.answer(context);
    if (reply.document.stopped && limited())
      reply.document.stopped_after += ", at " + interrupt.limits().name_of(interrupt.limit());
    if (context.outcome->cut) limited();
    return reply;
  } catch (const Stopped& error) {
    if (!limited()) throw;
    std::string reached = error.what();
    if (const std::string plain = "stopped on request"; reached.rfind(plain, 0) == 0)
      reached.erase(0, std::min(reached.size(), plain.size() + 2));  // and "; "
    throw LimitExceeded(interrupt.limits().rejection(interrupt.limit(), reached));
  }
}

/// What a page of text may use of the terminal that shows it.
struct Terminal {
  std::optional<std::size_t> columns{};  ///< 60 .. 240; none if it is not known
  bool styled = false;
};
Terminal terminal_of(int descriptor) {
  if (isatty(descriptor) == 0) return {};
  Terminal terminal;
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    terminal.columns = std::clamp<std::size_t>(size.ws_col, 60, 240);
  const char *plain = std::getenv("NO_COLOR"), *name = std::getenv("TERM");
  terminal.styled =
      (plain == nullptr || *plain == '\0') && name != nullptr && std::string_view(name) != "dumb";
  return terminal;
}

/// The exit status, and its reasons on standard error: no other place has one without the other.
class Report {
 public:
  Report(const Program& program, std::ostream& err) : program_(program), err_(err) {}

  /// \param why  a clause; the worst status stays
  void add(Status status, const std::string& why) {
    err_ << program_.name() << ": " << printable(shorten(why)) << '\n';
    if (status == bad_input) err_ << "Try '" << program_.name() << " -h'.\n";
    status_ = std::max(status_, status);
  }
  [[nodiscard]] Status status() const { return status_; }

 private:
  const Program& program_;
  std::ostream& err_;
  Status status_ = answered;
};

/// Executes one parsed command line: opens the output files, computes, and writes.
class Answering {
 public:
  /// \param words  of the command line, with the program's name
  /// \throws InvalidArgument  common options that are incompatible or cannot be read
  Answering(const Program& program, std::vector<std::string> words, std::ostream& out, Report& report,
            std::shared_ptr<RunOutcome> outcome, const Engine& engine)
      : command_(*program.chosen()),
        common_(program.common()),
        words_(std::move(words)),
        out_(out),
        report_(report),
        outcome_(std::move(outcome)),
        engine_(engine),
        interrupt_(limits()),
        pieces_(interrupt_),
        line_(common_.quiet) {
    begin_files(interrupt_.token());
    for (const auto& [name, given] :
         {std::pair{"--title", common_.title.has_value()}, std::pair{"--log-y", common_.log_y}})
      if (given && !common_.plot) throw needs(name, "--plot FILE");
    write_ = read_format(common_.format);
    if (common_.part) {
      part_.emplace(read_part_number(common_), engine_.executor);
      named_files().remember();
    }
  }

  /// \throws as Command; Unwritable
  void answer() {
    open_files();
    if (part_) return do_part();
    const Reply reply = answer_within(command_, context(), interrupt_);
    if (!engine_.writes) return;
    if (reply.document.layout) render::require_known_keys(reply.document);
    write_answer(reply);
  }

 private:
  [[nodiscard]] Limits limits_of_each(Limits usual) const {
    return read_limits(common_.time_limit, common_.memory_limit, std::move(usual));
  }
  /// The limits of the complete query; none for a sweep, which stores points that exceed theirs.
  [[nodiscard]] Limits limits() const {
    static_cast<void>(limits_of_each({}));  // are they valid?
    if (!engine_.writes || keeps_rejections()) return {};
    return limits_of_each(usual_limits(command_, engine_.executor != nullptr || common_.part));
  }
  [[nodiscard]] bool keeps_rejections() const { return command_.name == "sweep"; }

  [[nodiscard]] Context context() {
    // With several processes no piece is aborted by forking.
    std::function<bool(const std::function<void()>&)> piece;
    if (engine_.executor == nullptr) piece = [this](const auto& work) { return pieces_.carry_out(work); };
    return {.version = TAILBOUND_VERSION,
            .quiet = common_.quiet,
            .draws = common_.plot.has_value(),
            .progress = engine_.progress && !common_.quiet ? engine_.progress : line_.reported(),
            .stop = interrupt_.token(),
            .piece = piece,
            .outcome = outcome_,
            .executor = part_ ? &*part_ : engine_.executor,
            .writes = engine_.writes,
            .limits_of_each = [this](Limits usual) { return limits_of_each(std::move(usual)); }};
  }

  /// Before anything is computed, so that a long computation does not end with a file that cannot be opened.
  void open_files() {
    if (engine_.writes && common_.output && *common_.output != "-") {
      text_.emplace(pending_file(*common_.output, "--output"));
      locks_.emplace_back(*common_.output, "--output");
    }
    if (!engine_.writes || !common_.plot) return;
    render::require_known_ending(*common_.plot);
    picture_.emplace(pending_file(*common_.plot, "--plot"));
    locks_.emplace_back(*common_.plot, "--plot");
  }

  void put_out(const std::string& text) {
    if (text_) text_->write(text);
    if (text_) text_->commit();
    with_picture([this] { picture_->commit(); });
    if (!text_) print_whole(out_, text, engine_.out_descriptor, interrupt_.token());
  }

  /// Limits end once the answer is computed, but a named pipe is not waited for beyond them.
  void write_in_time(const std::string& text) {
    if (!text_ || !text_->is_special()) interrupt_.end_of_work();
    try {
      put_out(text);
    } catch (const Stopped&) {
      if (!text_ || interrupt_.limit() == LimitWatch::Limit::none) throw;
      throw LimitExceeded(interrupt_.limits().name_of(interrupt_.limit()) +
                          " is reached; nothing was reading from " + *common_.output);
    } catch (const Unwritable& error) {  // the computed answer is not lost
      if (!text_ || text_->is_special()) throw;
      text_.reset();
      report_.add(unwritten, std::string(error.what()) + "; the answer goes to standard output");
      put_out(text);
    }
    interrupt_.end_of_work();
  }

  void report_incomplete(const std::string& rest) {
    const std::string why = outcome_->limited
                                ? interrupt_.limits().name_of(interrupt_.limit()) + " is reached"
                                : "stopped on request";
    report_.add(outcome_->limited ? no_answer : stopped, why + "; " + rest);
  }

  void do_part() {
    const run::Part done = answer_part(command_, context(), *part_, read_part_number(common_));
    line_.clear();
    write_in_time(run::to_text(done));
    outcome_->limited = interrupt_.limit() != LimitWatch::Limit::none;
    if (!done.complete) report_incomplete("what is written of part " + *common_.part + " is not all of it");
  }

  /// \param words  of the command line that prints it
  [[nodiscard]] std::string shown(const Reply& reply, render::Write write,
                                  const std::vector<std::string>& words) const {
    render::Frame frame{
        .version = TAILBOUND_VERSION, .quiet = common_.quiet, .command_line = shell_words(words)};
    if (!text_ && engine_.out_descriptor) {
      const Terminal terminal = terminal_of(*engine_.out_descriptor);
      if (terminal.columns) frame.width = *terminal.columns;
      frame.styled = terminal.styled;
    }
    return text_of(reply, write, frame);
  }

  void write_answer(const Reply& reply) {
    const std::string text = shown(reply, write_, words_);
    if (engine_.also != nullptr)
      for (auto& [format, other] : *engine_.also) {
        std::vector<std::string> words = words_;
        words.insert(words.end(), {"--format", format});
        other = shown(reply, read_format(format), words);
      }
    line_.clear();  // before the answer, which may go to the same terminal
    draw(reply.document);
    if (!keeps_rejections()) require_memory_lasted();
    write_in_time(text);
    if (picture_stopped_) report_incomplete("the answer is whole, its picture was not drawn");
    if (!picture_unwritten_.empty())
      report_.add(unwritten, picture_unwritten_ + "; the answer is whole without its picture");
    for (const Complaint& each : reply.complaints) report_.add(each.status, each.why);
    if (reply.document.stopped || outcome_->cut) report_incomplete("what is finished is shown");
  }

  /// The answer does not wait for a picture after a stop request, only briefly if the request came before.
  void draw(const render::Document& document) {
    if (!picture_) return;
    const std::stop_token stop = interrupt_.token();
    std::string drawn;
    try {
      drawn = stop.stop_requested() ? drawn_in_a_moment(document, common_)
                                    : drawn_document(document, common_, stop);
    } catch (const Stopped&) {
      picture_.reset();
      outcome_->limited = interrupt_.limit() != LimitWatch::Limit::none;
      picture_stopped_ = true;
    }
    with_picture([&] { picture_->write(drawn); });
  }

  /// The answer does not need its picture if that cannot be written.
  void with_picture(const std::function<void()>& step) {
    if (!picture_) return;
    try {
      step();
    } catch (const Unwritable& error) {
      picture_.reset();
      picture_unwritten_ = error.what();
    }
  }

  const Command& command_;
  const CommonOptions& common_;
  std::vector<std::string> words_;
  std::ostream& out_;
  Report& report_;
  std::shared_ptr<RunOutcome> outcome_;
  const Engine& engine_;
  Interrupt interrupt_;
  Pieces pieces_;
  ProgressLine line_;
  render::Write write_ = nullptr;
  std::optional<run::PartOfRun> part_{};
  std::vector<files::FileLock> locks_{};
  std::optional<files::PendingFile> text_{}, picture_{};
  bool picture_stopped_ = false;
  std::string picture_unwritten_{};  ///< why; empty if it is written
};

/// Parses, computes and writes.  \throws as Command and Program; Unwritable
void answer_and_write(Program& program, int argc, const char* const* argv, std::ostream& out, Report& report,
                      const std::shared_ptr<RunOutcome>& outcome, const Engine& engine) {
  if (const std::optional<std::string> help = program.parse(argc, argv)) {
    require_memory_lasted();
    return print_whole(out, *help, engine.out_descriptor);
  }
  if (engine.executor != nullptr && program.chosen()->name == "reproduce")
    throw InvalidArgument("the command", "reproduce",
                          "run by tailbound itself: all ranks would write its files");
  std::vector<std::string> words{"tailbound"};
  words.insert(words.end(), argv + 1, argv + argc);
  Answering(program, std::move(words), out, report, outcome, engine).answer();
}

/// No memory for a thread or for kernel resources.
bool is_of_memory(const std::system_error& error) {
  return error.code() == std::errc::resource_unavailable_try_again ||
         error.code() == std::errc::not_enough_memory;
}

void report_error(Report& report, const std::string& message, Status status) {
  // Whatever error resulted from that, such as a parse error of a number.
  if ((status == bad_input || status == internal_failure) && memory_ran_out())
    return report.add(no_answer, no_memory);
  report.add(status, message);
}

/// "0,5" of "--load 0,5", "-l 0,5" or "--load=0,5"; empty where the option is not there.
std::string word_behind(const std::string& option, int argc, const char* const* argv) {
  const std::string letter = short_name(option);
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.rfind(option + "=", 0) == 0) return word.substr(option.size() + 1);
    if (i + 1 < argc && (word == option || (!letter.empty() && word == letter))) return argv[i + 1];
  }
  return {};
}

/// Whether a larger --packets-per-slot is possible with the options given.
bool may_serve_more(const OptionTable& options) {
  if (options.find("--packets-per-slot") == nullptr) return false;
  for (const char* const name : {"--classes", "--joint", "--sizes", "--shared", "--police"})
    if (const Option* option = options.find(name); option != nullptr && option->given()) return false;
  const Option* traffic = options.find("--traffic");
  return traffic == nullptr || traffic->text == nullptr || *traffic->text != "md1";
}

/// The options of a command that lower a load that is too high: "; lower --load or raise --packets-per-slot".
std::string remedy_for_overload(const OptionTable& options) {
  const auto given = [&](const char* name) {
    const Option* option = options.find(name);
    return option != nullptr && option->given();
  };
  std::string lower;
  for (const char* const name : {"--load", "--loads", "--load-scale", "--uniform"})
    if (lower.empty() && given(name)) lower = std::string("; lower ") + name;
  if (lower.empty() && options.find("--load-scale") != nullptr) return "; --load-scale F lowers all rates";
  for (const char* const name :
       {"--classes", "--joint", "--matrix", "--rates", "--periodic", "--sporadic", "--bucket"})
    if (lower.empty() && given(name)) lower = std::string("; lower the rates of ") + name;
  const auto either = [&](const char* other) {
    lower += (lower.empty() ? "; " : " or ") + std::string(other);
  };
  if (may_serve_more(options)) either("raise --packets-per-slot");
  if (options.find("--buffers") != nullptr) either("give --buffers");
  return lower;
}

/// Turns exceptions into a message and a status.
void answer_or_complain(Program& program, int argc, const char* const* argv, std::ostream& out,
                        Report& report, const std::shared_ptr<RunOutcome>& outcome, const Engine& engine) {
  const auto internal = [&report](const std::exception& error) {
    report_error(report, std::string("internal failure: ") + error.what(), internal_failure);
  };
  try {
    answer_and_write(program, argc, argv, out, report, outcome, engine);
  } catch (const InvalidArgument& error) {
    std::optional<InvalidArgument> as_option;
    if (program.chosen() != nullptr) as_option = as_typed(program.chosen()->options, error);
    const InvalidArgument& named = as_option ? *as_option : error;
    report_error(report, with_meant(named, word_behind(named.argument(), argc, argv)), bad_input);
  } catch (const BadUsage& error) {
    report_error(report, error.what(), bad_input);
  } catch (const ParseError& error) {
    report_error(report, error.what(), bad_input);
  } catch (const Stopped& error) {
    report_error(report, error.what(), stopped);
  } catch (const LoadTooHigh& error) {
    report_error(report, error.what() + remedy_for_overload(program.chosen()->options), no_answer);
  } catch (const NoAnswer& error) {
    report_error(report, error.what(), no_answer);
  } catch (const Unwritable& error) {
    report_error(report, error.what(), unwritten);
  } catch (const std::bad_alloc&) {
    report_error(report, no_memory, no_answer);
  } catch (const std::system_error& error) {
    if (!is_of_memory(error)) return internal(error);
    report_error(report, no_memory, no_answer);
  } catch (const std::exception& error) {
    internal(error);
  }
}

}  // namespace

answers::Run analysis_run(const Context& context) {
  return {.stop = context.stop,
          .progress = context.progress,
          .piece = context.piece,
          .cut = [outcome = context.outcome] { outcome->cut = true; },
          .executor = context.executor};
}

int run(int argc, const char* const* argv, std::ostream& out, std::ostream& err, const Engine& engine) {
  try {
    Program program(argc > 1 ? argv[1] : "");
    const auto outcome = std::make_shared<RunOutcome>();
    Report report(program, err);
    answer_or_complain(program, argc, argv, out, report, outcome, engine);
    const bool incomplete = report.status() == stopped || outcome->limited;
    if (!outcome->no_checkpoint.empty()) {
      const std::string why = "the last checkpoint was not written: " + outcome->no_checkpoint;
      if (report.status() == answered)
        err << program.name() << ": " << printable(why) << "; the answer does not depend on it\n";
      else
        report.add(unwritten, why);
    }
    if (incomplete && outcome->checkpoint)
      err << "Go on with:\n  " << resuming_line(argc, argv, *outcome->checkpoint) << '\n';
    return report.status();
  } catch (const std::bad_alloc&) {
    err << "tailbound: " << no_memory << '\n';
    return no_answer;
  } catch (const std::exception& error) {
    err << "tailbound: internal failure: " << error.what() << '\n';
  } catch (...) {
    err << "tailbound: internal failure of an unknown kind\n";
  }
  return internal_failure;
}

}  // namespace tailbound::cli
