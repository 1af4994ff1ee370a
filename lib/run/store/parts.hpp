#pragma once

#include <tailbound/run/executor.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// A question cut into parts that are computed apart, on any machines at any time, and merged from their files.
///
/// MODEL     Every part asks the whole question. Of the pieces of all its jobs, counted through, part i of n does
///           those with number i - 1 modulo n, keeps their results, and makes no answer. To merge is to ask the
///           question once more, with all results at hand.
/// RESULT    the bytes of the whole run, whatever n.
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
  double seconds = 0;                          ///< that they took
  std::map<std::size_t, std::string> results;  ///< number of the piece -> its result

  friend bool operator==(const JobResults&, const JobResults&) = default;
};

/// A file that a question has read.
struct InputFile {
  std::string path;
  std::uint64_t size = 0, checksum = 0;
  std::optional<std::string> content;  ///< of small ones

  friend bool operator==(const InputFile&, const InputFile&) = default;
};

/// What the file of a part holds.
struct Part {
  std::string version;                ///< of the program
  std::vector<std::string> question;  ///< the words of its command line that the answer depends on
  std::vector<InputFile> files;       ///< that it has read
  PartNumber number;
  bool complete = false;         ///< not cut short by a stop
  std::vector<JobResults> jobs;  ///< in the order in which they were met

  friend bool operator==(const Part&, const Part&) = default;
};

/// JSON, ending with a checksum.
[[nodiscard]] std::string to_text(const Part& part);
/// \param source  the file's name, for errors
/// \throws ParseError  no part, of another format, cut short or damaged
[[nodiscard]] Part read_part(std::string_view text, const std::string& source);

/// Does the pieces of one part, and keeps their results.
class PartOfRun final : public Executor {
 public:
  /// \param hands  do the pieces, and outlive this; null: as many threads as the controls of a job say
  /// \throws InvalidArgument  "part" out of range
  explicit PartOfRun(PartNumber number, Executor* hands = nullptr);

  /// \throws Elsewhere  always, once this part's pieces are done or stopped: no part makes an answer
  [[nodiscard]] Outcome carry_out(const Job& job, const Controls& controls,
                                  std::vector<Piece> begun = {}) override;
  [[nodiscard]] bool in_parts() const override { return true; }

  /// What has been done so far.
  [[nodiscard]] const std::vector<JobResults>& jobs() const { return jobs_; }
  /// A stop has left pieces of this part.
  [[nodiscard]] bool cut() const { return cut_; }

 private:
  PartNumber number_;
  Executor* hands_;
  std::vector<JobResults> jobs_;
  std::size_t counted_ = 0;  ///< pieces of all jobs so far
  bool cut_ = false, busy_ = false;
};

/// A part, and the name of the file that it is from.
struct NamedPart {
  std::string name;
  Part part;
};

/// All parts of one question, in any order; one may be there twice, if both say the same.
/// \throws InvalidArgument  of another version than this program's, of different questions, files or numbers of
///                          parts (the file and what differs are named), stopped, or missing
void require_whole(const std::vector<NamedPart>& parts, const std::string& version);

/// Gives what the parts have found. What is done alone and they do not know is done here.
class Recorded final : public Executor {
 public:
  /// \pre require_whole()
  explicit Recorded(std::vector<NamedPart> parts);

  /// \throws InvalidArgument  what they hold is not of this job
  [[nodiscard]] Outcome carry_out(const Job& job, const Controls& controls,
                                  std::vector<Piece> begun = {}) override;
  [[nodiscard]] bool in_parts() const override { return true; }

 private:
  std::vector<NamedPart> parts_;
  std::map<std::string, std::vector<const JobResults*>> found_;  ///< by identity, of all parts
  std::map<std::string, int> met_;                               ///< how often, where the identity is not all
};

/// "a list of 3 points", and from its second time on "a list of 3 points (2)".
[[nodiscard]] std::string named(const std::string& identity, int time);

}  // namespace tailbound::run
