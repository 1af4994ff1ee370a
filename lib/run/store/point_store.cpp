#include <tailbound/core/choice.hpp>
#include <tailbound/run/store/checksum.hpp>
#include <tailbound/run/store/point_store.hpp>

#include <sqlite3.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <new>
#include <thread>
#include <utility>

namespace tailbound::run {
namespace {

constexpr int application = 0x7462'7377;  // "tbsw"
constexpr int store_format = 2;
constexpr int timeout_ms = 120'000;  ///< for locks of other processes
constexpr int pause_ms = 5;

/// File systems of this machine alone, by their numbers in statfs(2). On others, and on unknown ones, several
/// machines may have the file.
bool is_local(const std::string& path) {
  constexpr std::array<std::uint32_t, 12> local{0xEF53,      // ext2, ext3, ext4
                                                0x58465342,  // XFS
                                                0x9123683E,  // Btrfs
                                                0x01021994,  // tmpfs
                                                0x858458F6,  // ramfs
                                                0x794C7630,  // overlayfs
                                                0x2FC12FC1,  // ZFS
                                                0xF2F52010,  // F2FS
                                                0xCA451A4E,  // bcachefs
                                                0x3153464A,  // JFS
                                                0x52654973,  // ReiserFS
                                                0x4D44};     // FAT
  struct statfs status {};
  return statfs(path.c_str(), &status) == 0 &&
         std::find(local.begin(), local.end(), static_cast<std::uint32_t>(status.f_type)) != local.end();
}

/// Over all stored data of a point.
std::int64_t checksum_of(const PointRow& row) {
  std::string all;
  for (const std::string* text : {&row.key, &row.message, &row.answer, &row.json})
    all += std::to_string(text->size()) + ":" + *text;
  all += std::to_string(row.cut_by.time) + ":" + std::to_string(row.cut_by.memory);
  return static_cast<std::int64_t>(checksum(all + name_of(row.status)));
}

}  // namespace

class PointStore::Database {
 public:
  Database(std::string path, std::string version, Use use, Claimant claimant)
      : path_(std::move(path)), version_(std::move(version)), claimant_(std::move(claimant)) {
    std::error_code error;
    if (use == Use::read && !std::filesystem::exists(path_, error)) reject("an existing store");
    const int flags = use == Use::read ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    if (const int result = sqlite3_open_v2(path_.c_str(), &handle_, flags, nullptr); result != SQLITE_OK) {
      if (result == SQLITE_NOMEM) {
        sqlite3_close(handle_);
        throw std::bad_alloc();
      }
      const std::string why = sqlite3_errmsg(handle_);
      sqlite3_close(handle_);
      throw StoreFull("--store " + path_, why);
    }
    sqlite3_busy_timeout(handle_, timeout_ms);
    try {
      // SQLite does not wait for a change of the journal mode: if several processes create the store, it is
      // retried.
      for (int tries = 0; !begun(tries < timeout_ms / pause_ms); ++tries)
        std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
    } catch (...) {
      sqlite3_close(handle_);
      throw;
    }
  }
  ~Database() {
    statements_.clear();
    sqlite3_close(handle_);
  }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// One statement; its values are bound in order.
  class Statement {
   public:
    Statement(Database& database, const char* text) : database_(database) {
      database_.check(sqlite3_prepare_v2(database.handle_, text, -1, &statement_, nullptr));
    }
    ~Statement() { sqlite3_finalize(statement_); }
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    /// \param text  must outlive the next step
    Statement& bind(int place, std::string_view text) {
      database_.check(
          sqlite3_bind_text(statement_, place, text.data(), static_cast<int>(text.size()), SQLITE_STATIC));
      return *this;
    }
    Statement& bind_bytes(int place, std::string_view bytes) {
      database_.check(sqlite3_bind_blob64(statement_, place, bytes.data(), bytes.size(), SQLITE_STATIC));
      return *this;
    }
    Statement& bind(int place, std::int64_t number) {
      database_.check(sqlite3_bind_int64(statement_, place, number));
      return *this;
    }
    /// Is there a row?
    [[nodiscard]] bool step() {
      const int result = sqlite3_step(statement_);
      if (result != SQLITE_ROW && result != SQLITE_DONE) database_.check(result);
      return result == SQLITE_ROW;
    }
    void run_once() {
      static_cast<void>(step());
      sqlite3_reset(statement_);
    }
    void again() { sqlite3_reset(statement_); }
    [[nodiscard]] std::string text(int column) const {
      const void* bytes = sqlite3_column_blob(statement_, column);
      return bytes == nullptr
                 ? std::string()
                 : std::string(static_cast<const char*>(bytes),
                               static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
    }
    [[nodiscard]] std::int64_t number(int column) const { return sqlite3_column_int64(statement_, column); }

   private:
    Database& database_;
    sqlite3_stmt* statement_ = nullptr;
  };

  /// A statement that is reused. After each use it has no bound values or locks.
  class Known {
   public:
    Known(Database& database, const char* text) {
      std::unique_ptr<Statement>& statement = database.statements_[text];
      if (!statement) statement = std::make_unique<Statement>(database, text);
      statement_ = statement.get();
    }
    ~Known() { statement_->again(); }
    Known(const Known&) = delete;
    Known& operator=(const Known&) = delete;
    [[nodiscard]] Statement* operator->() const { return statement_; }

   private:
    Statement* statement_;
  };

  void run(const char* text) { check(sqlite3_exec(handle_, text, nullptr, nullptr, nullptr)); }

  /// A transaction: all or nothing, with no other writer meanwhile.
  class Step {
   public:
    explicit Step(Database& database) : database_(database) { database_.run("BEGIN IMMEDIATE"); }
    ~Step() {
      if (!done_) sqlite3_exec(database_.handle_, "ROLLBACK", nullptr, nullptr, nullptr);
    }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;
    void done() {
      database_.run("COMMIT");
      done_ = true;
    }

   private:
    Database& database_;
    bool done_ = false;
  };

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::string& version() const { return version_; }
  [[nodiscard]] const Claimant& claimant() const { return claimant_; }

  /// Is it held by another process that may still compute it?
  [[nodiscard]] bool is_in_progress(const Claim& claim) const {
    const ProcessName& ours = claimant_.who;
    return claim.who.process != 0 && !(claim.who == ours) && !has_ended(claim.who, ours);
  }

  [[noreturn]] void damaged(const std::string& what) const { throw ParseError(path_, 0, 0, what); }

 private:
  [[noreturn]] void reject(const std::string& legal) const { throw InvalidArgument("--store", path_, legal); }

  void check(int result) const {
    if (result == SQLITE_OK) return;
    if (result == SQLITE_NOMEM || result == SQLITE_IOERR_NOMEM) throw std::bad_alloc();
    const std::string why = sqlite3_errmsg(handle_);
    if (result == SQLITE_NOTADB)
      reject("a store written by `sweep`, or a new file (this is a file of another kind)");
    // The statements are correct, so if SQLite rejects them, the tables are different.
    if ((result & 0xFF) == SQLITE_CORRUPT || result == SQLITE_ERROR)
      damaged("the store is damaged (" + why + ")");
    if ((result & 0xFF) == SQLITE_BUSY) throw StoreBusy("the store " + path_ + " is in use: " + why);
    const int kind = result & 0xFF;
    if (kind == SQLITE_FULL || kind == SQLITE_IOERR || kind == SQLITE_READONLY || kind == SQLITE_CANTOPEN)
      throw StoreFull("--store " + path_, why);
    throw Error("the store " + path_ + " cannot be used: " + why);
  }

  [[nodiscard]] std::int64_t pragma(const char* text) {
    Statement statement(*this, text);
    return statement.step() ? statement.number(0) : 0;
  }

  /// False if other processes are creating it, which may be waited for.
  [[nodiscard]] bool begun(bool may_wait) {
    try {
      begin();
    } catch (const StoreBusy&) {
      if (!may_wait) throw;
      return false;
    }
    return true;
  }

  void begin() {
    // Checked without a lock first, as the store usually exists.
    const bool empty = pragma("SELECT count(*) FROM sqlite_master") == 0, local = is_local(path_);
    if (local ? empty : is_logged_ahead())
      run(local ? "PRAGMA journal_mode = WAL" : "PRAGMA journal_mode = DELETE");
    if (empty) {
      Step step(*this);
      if (pragma("SELECT count(*) FROM sqlite_master") == 0) make();
      step.done();
    }
    if (pragma("PRAGMA application_id") != application)
      reject("a store written by `sweep` (this is another database)");
    if (pragma("PRAGMA user_version") != store_format)
      reject("a store of format " + std::to_string(store_format) + " (this one has format " +
             std::to_string(pragma("PRAGMA user_version")) + "); give another file");
    Statement version(*this, "SELECT value FROM about WHERE key = 'version'");
    const std::string its = version.step() ? version.text(0) : "?";
    if (its != version_)
      reject("a store of version " + version_ +
             " of tailbound, because results of different versions are not mixed (this one is of version " +
             its + "); give another file");
    // Another machine may fail at any time, whose writes are then lost in any order.
    run(is_logged_ahead() ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL");
  }
  [[nodiscard]] bool is_logged_ahead() {
    Statement mode(*this, "PRAGMA journal_mode");
    return mode.step() && mode.text(0) == "wal";
  }

  void make() {
    run(("PRAGMA application_id = " + std::to_string(application)).c_str());
    run(("PRAGMA user_version = " + std::to_string(store_format)).c_str());
    run("CREATE TABLE about(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID");
    run("CREATE TABLE point(key TEXT PRIMARY KEY, status TEXT, message TEXT, answer BLOB, json TEXT,"
        " checksum INTEGER, tries INTEGER, time_limit INTEGER, memory_limit INTEGER, repeat INTEGER)");
    run("CREATE TABLE claim(key TEXT PRIMARY KEY, host TEXT, node TEXT, process INTEGER, beginning TEXT,"
        " sweep INTEGER, time INTEGER, beat INTEGER, tries INTEGER) WITHOUT ROWID");
    Statement about(*this, "INSERT INTO about VALUES(?, ?)");
    about.bind(1, "version").bind(2, version_).run_once();
  }

  std::string path_, version_;
  Claimant claimant_;
  sqlite3* handle_ = nullptr;
  std::map<std::string, std::unique_ptr<Statement>> statements_;
};

namespace {

constexpr const char* is_finished =
    "SELECT 1 FROM point WHERE key = ?1 AND repeat = 0"
    " AND coalesce(time_limit >= ?2, 1) AND coalesce(memory_limit >= ?3, 1)";
constexpr const char* all_of_claim = "SELECT key, host, node, process, beginning, time, beat FROM claim ";
/// A free claim keeps the number of tries.
constexpr const char* free_claims = "UPDATE claim SET process = 0 WHERE process <> 0 AND ";

template <class Statement>
Statement& bind(Statement& statement, const PointKey& key) {
  return statement.bind(1, key.text).bind(2, key.limits.time).bind(3, key.limits.memory);
}

template <class Statement>
Claim claim_of(const Statement& row) {
  return {
      .key = row.text(0),
      .who = {.host = row.text(1), .node = row.text(2), .process = row.number(3), .beginning = row.text(4)},
      .since = row.number(5),
      .beat = row.number(6)};
}

}  // namespace

PointStore::PointStore(const std::string& path, std::string version, Use use, Claimant claimant)
    : database_(std::make_unique<Database>(path, std::move(version), use, std::move(claimant))) {}
PointStore::~PointStore() = default;

std::optional<PointRow> PointStore::find(const std::string& key) {
  const Database::Known statement(*database_,
                                  "SELECT status, message, answer, json, checksum, coalesce(time_limit, ?2),"
                                  " coalesce(memory_limit, ?2) FROM point WHERE key = ?1");
  if (!statement->bind(1, key).bind(2, PointLimits::none).step()) return {};
  PointRow row{.key = key};
  const std::string status = statement->text(0);
  constexpr auto names = names_of(PointStatus{});
  for (std::size_t i = 0; i < names.size(); ++i)
    if (status == names[i]) row.status = static_cast<PointStatus>(i);
  row.message = statement->text(1);
  row.answer = statement->text(2);
  row.json = statement->text(3);
  row.cut_by = {.time = statement->number(5), .memory = statement->number(6)};
  if (checksum_of(row) != statement->number(4) || row.status == PointStatus::missing)
    database_->damaged("the store is damaged: the point \"" + key + "\" has a wrong checksum");
  return row;
}

bool PointStore::has(const PointKey& key) {
  const Database::Known statement(*database_, is_finished);
  return bind(*statement.operator->(), key).step();
}

std::vector<std::size_t> PointStore::keep_and_claim(const std::vector<PointRow>& rows,
                                                    const std::vector<PointKey>& keys, std::size_t& cursor,
                                                    std::size_t maximum) {
  if (rows.empty() && (maximum == 0 || cursor >= keys.size())) return {};
  const Claimant& own = database_->claimant();
  std::vector<std::size_t> claimed;
  Database::Step step(*database_);
  {
    // An answer is not replaced by the rejection of a process that was thought to have ended.
    Database::Statement put(
        *database_,
        "INSERT INTO point VALUES(?1, ?2, ?3, ?4, ?5, ?6,"
        " coalesce((SELECT tries FROM claim WHERE key = ?1), (SELECT tries FROM point WHERE key = ?1), 1),"
        " nullif(?7, ?9), nullif(?8, ?9), 0)"
        " ON CONFLICT(key) DO UPDATE SET status = excluded.status, message = excluded.message,"
        " answer = excluded.answer, json = excluded.json, checksum = excluded.checksum, tries = "
        "excluded.tries,"
        " time_limit = excluded.time_limit, memory_limit = excluded.memory_limit, repeat = 0"
        " WHERE status <> 'answered' OR excluded.status = 'answered'");
    Database::Statement free(*database_, "DELETE FROM claim WHERE key = ?");
    for (const PointRow& row : rows) {
      put.bind(1, row.key).bind(2, name_of(row.status)).bind(3, row.message).bind_bytes(4, row.answer);
      put.bind(5, row.json).bind(6, checksum_of(row)).bind(7, row.cut_by.time).bind(8, row.cut_by.memory);
      put.bind(9, PointLimits::none).run_once();
      free.bind(1, row.key).run_once();
    }
    Database::Statement there(*database_, is_finished);
    Database::Statement whose(*database_, (std::string(all_of_claim) + "WHERE key = ?").c_str());
    Database::Statement claim(*database_,
                              "INSERT OR REPLACE INTO claim VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, 0,"
                              " 1 + coalesce((SELECT tries FROM claim WHERE key = ?1),"
                              " (SELECT tries FROM point WHERE key = ?1), 0))");
    for (; cursor < keys.size() && claimed.size() < maximum; ++cursor) {
      const PointKey& key = keys[cursor];
      const bool finished = bind(there, key).step();
      there.again();
      if (finished) continue;
      const bool taken = whose.bind(1, key.text).step() && database_->is_in_progress(claim_of(whose));
      whose.again();
      if (taken) continue;
      claim.bind(1, key.text).bind(2, own.who.host).bind(3, own.who.node).bind(4, own.who.process);
      claim.bind(5, own.who.beginning).bind(6, own.sweep).bind(7, own.now()).run_once();
      claimed.push_back(cursor);
    }
  }
  step.done();
  return claimed;
}

PointStore::Count PointStore::count() {
  Database::Statement points(*database_, "SELECT count(*), sum(tries) FROM point");
  Database::Statement claims(*database_,
                             "SELECT count(*), sum(tries - coalesce((SELECT tries FROM point WHERE key = "
                             "claim.key), 0)) FROM claim");
  static_cast<void>(points.step());
  static_cast<void>(claims.step());
  return {points.number(0), claims.number(0), points.number(1) + claims.number(1)};
}

std::vector<Claim> PointStore::claims() {
  const Database::Known statement(*database_, (std::string(all_of_claim) + "WHERE sweep <> ?").c_str());
  statement->bind(1, database_->claimant().sweep);
  std::vector<Claim> found;
  while (statement->step())
    if (Claim claim = claim_of(*statement.operator->()); database_->is_in_progress(claim))
      found.push_back(std::move(claim));
  return found;
}

void PointStore::renew() {
  const ProcessName& who = database_->claimant().who;
  const Database::Known statement(
      *database_, "UPDATE claim SET beat = beat + 1 WHERE node = ? AND process = ? AND beginning = ?");
  statement->bind(1, who.node).bind(2, who.process).bind(3, who.beginning).run_once();
}

bool PointStore::give_up(const std::vector<Claim>& claims, std::chrono::milliseconds longest) {
  if (claims.empty()) return true;
  const auto before = std::chrono::steady_clock::now();
  Database::Step step(*database_);
  if (std::chrono::steady_clock::now() - before > longest) return false;
  {
    Database::Statement free(
        *database_,
        (std::string(free_claims) + "key = ? AND node = ? AND process = ? AND beginning = ? AND beat = ?")
            .c_str());
    for (const Claim& claim : claims)
      free.bind(1, claim.key)
          .bind(2, claim.who.node)
          .bind(3, claim.who.process)
          .bind(4, claim.who.beginning)
          .bind(5, claim.beat)
          .run_once();
  }
  step.done();
  return true;
}

void PointStore::give_up_own() {
  Database::Statement free(*database_, (std::string(free_claims) + "sweep = ?").c_str());
  free.bind(1, database_->claimant().sweep).run_once();
}

void PointStore::release(const std::string& host) {
  std::vector<Claim> its;
  std::string hosts;
  for (Claim& claim : claims()) {
    if (claim.who.node == database_->claimant().who.node) continue;  // these processes are running
    const std::string name = ", " + claim.who.host;
    if (hosts.find(name) == std::string::npos) hosts += name;
    if (claim.who.host == host) its.push_back(std::move(claim));
  }
  if (its.empty())
    throw InvalidArgument("--release", host,
                          hosts.empty() ? "omitted: no other machine claims a point of this store"
                                        : "a machine that claims points of this store:" + hosts.substr(1));
  static_cast<void>(give_up(its, std::chrono::milliseconds(2 * timeout_ms)));
}

void PointStore::repeat(const std::vector<PointKey>& keys) {
  Database::Step step(*database_);
  {
    Database::Statement mark(*database_,
                             "UPDATE point SET repeat = 1 WHERE key = ? AND status <> 'answered'");
    for (const PointKey& key : keys) mark.bind(1, key.text).run_once();
  }
  step.done();
}

void PointStore::add(const std::string& other) {
  { const PointStore looked_at(other, database_->version(), Use::read); }
  {
    Database::Statement attach(*database_, "ATTACH ? AS other");
    attach.bind(1, other).run_once();
  }
  {
    Database::Statement copy(*database_,
                             "INSERT OR REPLACE INTO point SELECT * FROM other.point AS new WHERE NOT EXISTS "
                             "(SELECT 1 FROM main.point AS old"
                             " WHERE old.key = new.key AND NOT (old.repeat = 1 AND new.status = 'answered')"
                             " AND coalesce(old.time_limit >= coalesce(new.time_limit, ?1), 1)"
                             " AND coalesce(old.memory_limit >= coalesce(new.memory_limit, ?1), 1))");
    copy.bind(1, PointLimits::none).run_once();
  }
  database_->run("DETACH other");
}

}  // namespace tailbound::run
