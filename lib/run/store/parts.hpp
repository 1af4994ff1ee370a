#pragma once

#include <tailbound/run/executor.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// A query split into parts that are computed separately, on any machines at any time, and merged from their
/// files.
///
/// MODEL     Every part runs the whole query. Counting the pieces of all its jobs, part i of n executes those
///           with number i - 1 modulo n, stores their results, and returns no answer. Merging runs the query
///           once more, with all results available.
/// RESULT    the bytes of the whole run, for any n.
/// TESTS     tests/run/parts_test.cpp
namespace tailbound::run {

/// "2/7"
struct PartNumber {
  int number = 1, of = 1;  ///< 1 <= number <= of <= 100 000

  friend bool operator==(const PartNumber&, const PartNumber&) = default;
};

/// Results of one job.
struct JobResults {
  std::string identity;
  std::size_t pieces = 0;
  double seconds = 0;                          ///< time that they took
  std::map<std::size_t, std::string> results;  ///< number of the piece -> its result

  friend bool operator==(const JobResults&, const JobResults&) = default;
};

/// An input file of a query.
struct InputFile {
  std::string path;
  std::uint64_t size = 0, checksum = 0;
  std::optional<std::string> content;  ///< of small ones

  friend bool operator==(const InputFile&, const InputFile&) = default;
};

/// The content of the file of a part.
struct Part {
  std::string version;             ///< of the program
  std::vector<std::string> query;  ///< the command-line arguments that the answer depends on
  std::vector<InputFile> files;    ///< its input files
  PartNumber number;
  bool complete = false;         ///< not stopped early
  std::vector<JobResults> jobs;  ///< in the order in which they occurred

  friend bool operator==(const Part&, const Part&) = default;
};

/// JSON, ending with a checksum.
[[nodiscard]] std::string to_text(const Part& part);
/// \param source  the file's name, for errors
/// \throws ParseError  not a part, of another format, truncated or damaged
[[nodiscard]] Part read_part(std::string_view text, const std::string& source);

/// Executes the pieces of one part, and keeps their results.
class PartOfRun final : public Executor {
 public:
  /// \param workers  executes the pieces, must outlive this; null: the threads given in the controls of a job
  /// \throws InvalidArgument  "part" out of range
  explicit PartOfRun(PartNumber number, Executor* workers = nullptr);

  /// \throws MissingPart  always, once this part's pieces are done or stopped: a part returns no answer
  [[nodiscard]] Outcome carry_out(const Job& job, const Controls& controls,
                                  std::vector<Piece> begun = {}) override;
  [[nodiscard]] bool in_parts() const override { return true; }

  /// What has been done so far.
  [[nodiscard]] const std::vector<JobResults>& jobs() const { return jobs_; }
  /// Has a stop left pieces of this part unfinished?
  [[nodiscard]] bool cut() const { return cut_; }

 private:
  PartNumber number_;
  Executor* workers_;
  std::vector<JobResults> jobs_;
  std::size_t counted_ = 0;  ///< pieces of all jobs so far
  bool cut_ = false, busy_ = false;
};

/// A part, and the name of its file.
struct NamedPart {
  std::string name;
  Part part;
};

/// Checks for all parts of one query, in any order; a part may occur twice if both results agree.
/// \throws InvalidArgument  of another version than this program's, of different queries, files or numbers of
///                          parts (the message names the file and the difference), stopped, or missing
void require_whole(const std::vector<NamedPart>& parts, const std::string& version);

/// Returns the results of the parts. Pieces that they do not contain are executed here,
/// unless the job is attentive.
class Recorded final : public Executor {
 public:
  /// \pre require_whole()
  explicit Recorded(std::vector<NamedPart> parts);

  /// \throws InvalidArgument  the results do not belong to this job
  [[nodiscard]] Outcome carry_out(const Job& job, const Controls& controls,
                                  std::vector<Piece> begun = {}) override;
  [[nodiscard]] bool in_parts() const override { return true; }

 private:
  std::vector<NamedPart> parts_;
  std::map<std::string, std::vector<const JobResults*>> found_;  ///< by identity, of all parts
  std::map<std::string, int> met_;  ///< number of occurrences of an incomplete identity
};

/// "a list of 3 points", and from its second occurrence "a list of 3 points (2)".
[[nodiscard]] std::string named(const std::string& identity, int time);

}  // namespace tailbound::run
