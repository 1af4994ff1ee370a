#pragma once

#include <tailbound/core/error.hpp>
#include <tailbound/core/process/this_process.hpp>
#include <tailbound/core/unwritable.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The points of sweeps in a file, for several processes at once.
///
/// MODEL     an SQLite database: results survive the end of any process at any moment once keep_and_claim()
///           has returned, but perhaps not a power failure. It uses write-ahead logging on disks of this
///           machine and a rollback journal on others, as processes of several machines cannot share the
///           memory of the former. A point in progress is claimed. A claim ends with its process; on another
///           node, whose processes cannot be seen, when it is no longer renewed (lease.hpp).
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

/// Limits of one point: the minimum of a row's limits is what it was cut by.
struct PointLimits {
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::int64_t time = none;    ///< [ns]
  std::int64_t memory = none;  ///< [bytes]
};

/// A point that is requested.
struct PointKey {
  std::string text{};    ///< the query in words
  PointLimits limits{};  ///< a row that a smaller one has cut is not finished
};

/// A stored point.
struct PointRow {
  std::string key;  ///< the query in words
  PointStatus status = PointStatus::missing;
  std::string message{};  ///< if it was not answered
  std::string answer{};   ///< bytes of the answer
  std::string json{};     ///< the same for other programs
  PointLimits cut_by{};   ///< the limit that was reached, if one was
};

/// Who claims points. The clock of another machine may show any time, so `now` is only for people.
struct Claimant {
  ProcessName who = this_process();
  std::int64_t sweep = 0;  ///< number of the sweep that the process works for
  std::function<std::int64_t()> now = seconds_now;
};

/// A point in progress.
struct Claim {
  std::string key{};
  ProcessName who{};
  std::int64_t since = 0;  ///< [s since 1970], by the clock of `who`
  std::int64_t beat = 0;   ///< changes with each renewal

  friend bool operator==(const Claim&, const Claim&) = default;
};

/// Another process keeps the store locked.
class StoreBusy : public Error {
 public:
  using Error::Error;
};

/// The disk is full or not writable: results found now are not stored.
class StoreFull : public Unwritable {
 public:
  using Unwritable::Unwritable;
};

/// Not thread-safe, and not usable after a fork(). All writing functions throw StoreFull, and StoreBusy if
/// others keep it locked for two minutes.
class PointStore {
 public:
  enum class Use { read, write };

  /// \param version  of the program: results of different versions are not mixed
  /// \param use      write: the file is created if missing
  /// \throws StoreFull        it cannot be opened for writing
  /// \throws InvalidArgument  "--store": is missing, is not a store, or has another version
  PointStore(const std::string& path, std::string version, Use use, Claimant claimant = {});
  ~PointStore();
  PointStore(const PointStore&) = delete;
  PointStore& operator=(const PointStore&) = delete;

  /// The row of this key, also if it is to be computed again.  \throws ParseError  it is damaged
  [[nodiscard]] std::optional<PointRow> find(const std::string& key);
  /// Is it finished?
  [[nodiscard]] bool has(const PointKey& key);

  /// Stores these points, and claims up to the given number of points for this process, in one transaction.
  /// \param keys    the queries
  /// \param cursor  position in `keys` from which to search; afterwards, the position after the last one
  /// examined
  /// \return positions in `keys` that are neither finished nor in progress
  [[nodiscard]] std::vector<std::size_t> keep_and_claim(const std::vector<PointRow>& rows,
                                                        const std::vector<PointKey>& keys,
                                                        std::size_t& cursor, std::size_t maximum);

  struct Count {
    std::int64_t points = 0;   ///< finished
    std::int64_t claimed = 0;  ///< in progress, or left by a process that ended
    std::int64_t tries = 0;    ///< number of times a point was claimed
  };
  [[nodiscard]] Count count();

  /// The claims of other sweeps whose processes are not known to have ended.
  [[nodiscard]] std::vector<Claim> claims();
  /// Shows others that the claims of this process are in progress.
  void renew();
  /// Frees those of the claims that have not changed. False if that had to wait for others longer than this:
  /// what is known of the claims is then too old.
  bool give_up(const std::vector<Claim>& claims, std::chrono::milliseconds longest);
  /// Frees the claims of the claimant's sweep.
  void give_up_own();
  /// Frees the claims of a host that are not of a running process of this node.
  /// \throws InvalidArgument  "--release": it has none
  void release(const std::string& host);

  /// Points without an answer are to be computed again. Their rows stay until then.
  void repeat(const std::vector<PointKey>& keys);
  /// Copies the finished points of another store that are missing here, or were cut by a smaller limit.
  /// \throws InvalidArgument  as the constructor
  void add(const std::string& other);

 private:
  class Database;
  std::unique_ptr<Database> database_;
};

}  // namespace tailbound::run
