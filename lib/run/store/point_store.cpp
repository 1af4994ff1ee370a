#include <tailbound/core/choice.hpp>
#include <tailbound/run/store/checksum.hpp>
#include <tailbound/run/store/point_store.hpp>

#include <sqlite3.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <new>
#include <thread>
#include <utility>

namespace tailbound::run {
namespace {

constexpr int application = 0x7462'7377;  // "tbsw"
constexpr int store_format = 1;
constexpr int timeout_ms = 120'000;  ///< for locks of other processes
constexpr int pause_ms = 5;
constexpr std::int64_t foreign_claim_seconds = 86'400;

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// When a process of this machine started [ticks since boot]; empty if there is none.
std::string beginning_of(std::int64_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');  // the name may contain anything
  if (name_end == std::string::npos) return "";
  std::size_t from = name_end + 2;
  for (int field = 3; field < 22 && from != 0; ++field) from = text.find(' ', from) + 1;
  return text.substr(from, text.find(' ', from) - from);
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "?";
}

/// Over all stored data of a point.
std::int64_t checksum_of(const PointRow& row) {
  std::string all;
  for (const std::string* text : {&row.key, &row.message, &row.answer, &row.json})
    all += std::to_string(text->size()) + ":" + *text;
  return static_cast<std::int64_t>(checksum(all + name_of(row.status)));
}

}  // namespace

class PointStore::Database {
 public:
  Database(std::string path, std::string version, Use use)
      : path_(std::move(path)), version_(std::move(version)) {
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
      reject("a writable file (" + why + ")");
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

  [[noreturn]] void damaged(const std::string& what) const { throw ParseError(path_, 0, 0, what); }

 private:
  /// Another process has the lock.
  class Busy : public Error {
   public:
    using Error::Error;
  };

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
    if ((result & 0xFF) == SQLITE_BUSY) throw Busy("the store " + path_ + " is in use: " + why);
    const int kind = result & 0xFF;
    if (kind == SQLITE_FULL || kind == SQLITE_IOERR || kind == SQLITE_READONLY || kind == SQLITE_CANTOPEN)
      throw StoreFull("the store " + path_ + " cannot be written: " + why);
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
    } catch (const Busy&) {
      if (!may_wait) throw;
      return false;
    }
    return true;
  }

  void begin() {
    // Checked without a lock first, as the store usually exists.
    const bool empty = pragma("SELECT count(*) FROM sqlite_master") == 0;
    if (empty) {
      run("PRAGMA journal_mode = WAL");
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
    run("PRAGMA synchronous = NORMAL");
  }

  void make() {
    run(("PRAGMA application_id = " + std::to_string(application)).c_str());
    run(("PRAGMA user_version = " + std::to_string(store_format)).c_str());
    run("CREATE TABLE about(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID");
    run("CREATE TABLE point(key TEXT PRIMARY KEY, status TEXT, message TEXT, answer BLOB, json TEXT,"
        " checksum INTEGER, tries INTEGER)");
    run("CREATE TABLE claim(key TEXT PRIMARY KEY, host TEXT, process INTEGER, beginning TEXT, time INTEGER, "
        "tries INTEGER)"
        " WITHOUT ROWID");
    Statement about(*this, "INSERT INTO about VALUES(?, ?)");
    about.bind(1, "version").bind(2, version_).run_once();
  }

  std::string path_, version_;
  sqlite3* handle_ = nullptr;
  std::map<std::string, std::unique_ptr<Statement>> statements_;
};

PointStore::PointStore(const std::string& path, std::string version, Use use)
    : database_(std::make_unique<Database>(path, std::move(version), use)) {}
PointStore::~PointStore() = default;

std::optional<PointRow> PointStore::find(const std::string& key) {
  const Database::Known statement(*database_,
                                  "SELECT status, message, answer, json, checksum FROM point WHERE key = ?");
  if (!statement->bind(1, key).step()) return {};
  PointRow row{.key = key};
  const std::string status = statement->text(0);
  constexpr auto names = names_of(PointStatus{});
  for (std::size_t i = 0; i < names.size(); ++i)
    if (status == names[i]) row.status = static_cast<PointStatus>(i);
  row.message = statement->text(1);
  row.answer = statement->text(2);
  row.json = statement->text(3);
  if (checksum_of(row) != statement->number(4) || row.status == PointStatus::missing)
    database_->damaged("the store is damaged: the point \"" + key + "\" has a wrong checksum");
  return row;
}

bool PointStore::has(const std::string& key) {
  const Database::Known statement(*database_, "SELECT 1 FROM point WHERE key = ?");
  return statement->bind(1, key).step();
}

std::vector<std::size_t> PointStore::keep_and_claim(const std::vector<PointRow>& rows,
                                                    const std::vector<std::string>& keys, std::size_t& cursor,
                                                    std::size_t maximum) {
  if (rows.empty() && (maximum == 0 || cursor >= keys.size())) return {};
  const std::string host = host_name(), beginning = beginning_of(getpid());
  std::vector<std::size_t> claimed;
  Database::Step step(*database_);
  {
    Database::Statement put(*database_,
                            "INSERT OR REPLACE INTO point"
                            " VALUES(?1, ?2, ?3, ?4, ?5, ?6, (SELECT tries FROM claim WHERE key = ?1))");
    Database::Statement free(*database_, "DELETE FROM claim WHERE key = ?");
    for (const PointRow& row : rows) {
      put.bind(1, row.key).bind(2, name_of(row.status)).bind(3, row.message).bind_bytes(4, row.answer);
      put.bind(5, row.json).bind(6, checksum_of(row)).run_once();
      free.bind(1, row.key).run_once();
    }
    Database::Statement there(*database_, "SELECT 1 FROM point WHERE key = ?");
    Database::Statement whose(*database_, "SELECT host, process, beginning, time FROM claim WHERE key = ?");
    Database::Statement claim(*database_,
                              "INSERT OR REPLACE INTO claim"
                              " VALUES(?1, ?2, ?3, ?4, ?5,"
                              " 1 + coalesce((SELECT tries FROM claim WHERE key = ?1), 0))");
    for (; cursor < keys.size() && claimed.size() < maximum; ++cursor) {
      const std::string& key = keys[cursor];
      const bool finished = there.bind(1, key).step();
      there.again();
      if (finished) continue;
      bool taken = false;
      if (whose.bind(1, key).step()) {
        const std::int64_t process = whose.number(1);
        if (whose.text(0) != host)
          taken = whose.number(3) + foreign_claim_seconds > now();
        else
          taken = process != getpid() && !whose.text(2).empty() && beginning_of(process) == whose.text(2);
      }
      whose.again();
      if (taken) continue;
      claim.bind(1, key)
          .bind(2, host)
          .bind(3, std::int64_t{getpid()})
          .bind(4, beginning)
          .bind(5, now())
          .run_once();
      claimed.push_back(cursor);
    }
  }
  step.done();
  return claimed;
}

PointStore::Count PointStore::count() {
  Database::Statement points(*database_, "SELECT count(*), sum(tries) FROM point");
  Database::Statement claims(*database_, "SELECT count(*), sum(tries) FROM claim");
  static_cast<void>(points.step());
  static_cast<void>(claims.step());
  return {points.number(0), claims.number(0), points.number(1) + claims.number(1)};
}

void PointStore::forget(const std::vector<std::string>& keys) {
  Database::Step step(*database_);
  {
    Database::Statement drop(*database_, "DELETE FROM point WHERE key = ? AND status <> 'answered'");
    for (const std::string& key : keys) drop.bind(1, key).run_once();
  }
  step.done();
}

void PointStore::add(const std::string& other) {
  { const PointStore looked_at(other, database_->version(), Use::read); }
  {
    Database::Statement attach(*database_, "ATTACH ? AS other");
    attach.bind(1, other).run_once();
  }
  database_->run("INSERT OR IGNORE INTO point SELECT * FROM other.point");
  database_->run("DETACH other");
}

}  // namespace tailbound::run
