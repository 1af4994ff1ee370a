#pragma once

#include <tailbound/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The points of sweeps in a file, for several processes at once.
///
/// MODEL     an SQLite database with write-ahead logging: what keep() has returned from outlives the end of any
///           process at any moment, a failure of power perhaps not. A point that somebody works on is claimed; a claim
///           ends with its process, and where that ran on another machine after a day.
/// EXCLUDES  file systems without the locks of SQLite, as some networks'
/// TESTS     tests/run/point_store_test.cpp
namespace tailbound::run {

/// What became of a point.
enum class PointStatus {
  answered,
  no_answer,  ///< well put, but without an answer: the queue is unstable, ...
  bad_input,
  failed,   ///< of the program
  missing,  ///< not yet asked
};
/// "answered", "no answer", "bad input", "failed", "missing"
[[nodiscard]] const char* name(PointStatus status);

/// A point as it is kept.
struct PointRow {
  std::string key;  ///< what was asked, in words
  PointStatus status = PointStatus::missing;
  std::string message{};  ///< where it was not answered
  std::string answer{};   ///< bytes of the answer
  std::string json{};     ///< the same for other programs
};

/// The disk is full, or will not take what is written: what is found now is kept nowhere.
class StoreFull : public NoAnswer {
 public:
  using NoAnswer::NoAnswer;
};

/// Not for use by several threads at a time, nor behind a fork(). Whatever writes throws StoreFull.
class PointStore {
 public:
  enum class Use { read, write };

  /// \param version  of the program: answers of another are not mixed with its own
  /// \param use      write: the file is made where there is none
  /// \throws InvalidArgument  "--store": cannot be opened, is no store, or one of another version
  PointStore(const std::string& path, std::string version, Use use);
  ~PointStore();
  PointStore(const PointStore&) = delete;
  PointStore& operator=(const PointStore&) = delete;

  /// The finished point of this key.  \throws ParseError  it is damaged
  [[nodiscard]] std::optional<PointRow> find(const std::string& key);
  [[nodiscard]] bool has(const std::string& key);

  /// Keeps these, and claims up to so many points for this process, all in one step.
  /// \param keys    what is asked
  /// \param cursor  place in `keys` to look from; behind the last that was looked at, afterwards
  /// \return places in `keys`: neither finished, nor claimed by somebody who is at work
  [[nodiscard]] std::vector<std::size_t> keep_and_claim(const std::vector<PointRow>& rows,
                                                        const std::vector<std::string>& keys,
                                                        std::size_t& cursor, std::size_t most);

  struct Count {
    std::int64_t points = 0;   ///< finished
    std::int64_t claimed = 0;  ///< in work, or left by a process that was ended
    std::int64_t tries = 0;    ///< how often a point was claimed
  };
  [[nodiscard]] Count count();

  /// Points that are not answered though asked, and are to be asked again.
  void forget(const std::vector<std::string>& keys);
  /// Copies the finished points of another store that are not here. \throws InvalidArgument  as the constructor
  void add(const std::string& other);

 private:
  class Database;
  std::unique_ptr<Database> database_;
};

}  // namespace tailbound::run
