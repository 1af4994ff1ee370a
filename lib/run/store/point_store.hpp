#pragma once

#include <tailbound/core/error.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The points of sweeps in a file, for several processes at once.
///
/// MODEL     an SQLite database with write-ahead logging: results survive the end of any process at any
///           moment once keep() has returned, but perhaps not a power failure. A point in progress is
///           claimed; a claim ends with its process, or after a day if that runs on another machine.
/// EXCLUDES  file systems without the locks of SQLite, such as some network file systems
/// TESTS     tests/run/point_store_test.cpp
namespace tailbound::run {

/// The state of a point.
enum class PointStatus {
  answered,
  no_answer,  ///< valid, but without an answer: the queue is unstable, ...
  bad_input,
  failed,   ///< of the program
  missing,  ///< not yet computed
};
[[nodiscard]] constexpr auto names_of(PointStatus) {
  return std::array{"answered", "no answer", "bad input", "failed", "missing"};
}

/// A stored point.
struct PointRow {
  std::string key;  ///< the query in words
  PointStatus status = PointStatus::missing;
  std::string message{};  ///< if it was not answered
  std::string answer{};   ///< bytes of the answer
  std::string json{};     ///< the same for other programs
};

/// The disk is full or not writable: results found now are not stored.
class StoreFull : public NoAnswer {
 public:
  using NoAnswer::NoAnswer;
};

/// Not thread-safe, and not usable after a fork(). All writing functions throw StoreFull.
class PointStore {
 public:
  enum class Use { read, write };

  /// \param version  of the program: results of different versions are not mixed
  /// \param use      write: the file is created if missing
  /// \throws InvalidArgument  "--store": cannot be opened, is not a store, or has another version
  PointStore(const std::string& path, std::string version, Use use);
  ~PointStore();
  PointStore(const PointStore&) = delete;
  PointStore& operator=(const PointStore&) = delete;

  /// The finished point of this key.  \throws ParseError  it is damaged
  [[nodiscard]] std::optional<PointRow> find(const std::string& key);
  [[nodiscard]] bool has(const std::string& key);

  /// Stores these points, and claims up to the given number of points for this process, in one transaction.
  /// \param keys    the queries
  /// \param cursor  position in `keys` from which to search; afterwards, the position after the last one
  /// examined
  /// \return positions in `keys` that are neither finished nor claimed by a running process
  [[nodiscard]] std::vector<std::size_t> keep_and_claim(const std::vector<PointRow>& rows,
                                                        const std::vector<std::string>& keys,
                                                        std::size_t& cursor, std::size_t maximum);

  struct Count {
    std::int64_t points = 0;   ///< finished
    std::int64_t claimed = 0;  ///< in progress, or left by a process that ended
    std::int64_t tries = 0;    ///< number of times a point was claimed
  };
  [[nodiscard]] Count count();

  /// Removes points without an answer that are to be computed again.
  void forget(const std::vector<std::string>& keys);
  /// Copies the finished points of another store that are missing here. \throws InvalidArgument  as the
  /// constructor
  void add(const std::string& other);

 private:
  class Database;
  std::unique_ptr<Database> database_;
};

}  // namespace tailbound::run
