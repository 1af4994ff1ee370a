#include <sqlite3.h>
#include <catch2/catch.hpp>
#include <tailbound/answers/points/sweep.hpp>
#include <tailbound/run/process/child_process.hpp>
#include <tailbound/run/store/lease.hpp>
#include <tailbound/run/store/point_store.hpp>
#include <tests/golden/folder.hpp>

#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <numeric>

// The use by the command is tested in tests/golden/sweep_test.cpp.

namespace {

using namespace tailbound;
using golden::Folder;
using run::ChildProcess;
using run::FramedStream;
using run::PointRow;
using run::PointStatus;
using run::PointStore;
using run::StoreFull;
using Use = run::PointStore::Use;

const std::vector<run::PointKey> keys{{"a"}, {"b"}, {"c"}, {"d"}, {"e"}};

PointRow row(const std::string& key) {
  return {.key = key,
          .status = PointStatus::answered,
          .message = "",
          .answer = std::string("bytes\0of ", 9) + key,
          .json = "{}"};
}

}  // namespace

TEST_CASE("point store: stored points are found, and none is claimed twice") {
  const Folder folder;
  PointStore store(folder / "store", "1", Use::write);
  std::size_t cursor = 0;
  CHECK(store.keep_and_claim({}, keys, cursor, 2) == std::vector<std::size_t>{0, 1});
  CHECK(cursor == 2);
  CHECK(store.keep_and_claim({row("a"), row("b")}, keys, cursor, 10) == std::vector<std::size_t>{2, 3, 4});
  CHECK(store.has({"a"}));
  CHECK_FALSE(store.has({"c"}));
  std::size_t again = 0;
  CHECK(store.keep_and_claim({}, {{"a"}, {"b"}}, again, 5).empty());  // they are finished
  const auto found = store.find("b");
  REQUIRE(found);
  CHECK(found->answer == row("b").answer);
  CHECK(found->status == PointStatus::answered);
  CHECK(store.count().points == 2);
  CHECK(store.count().claimed == 3);
  CHECK(store.count().tries == 5);

  // Another process gets nothing while this one lives.
  ChildProcess child([&](FramedStream&) {
    std::size_t from = 0;
    PointStore its(folder / "store", "1", Use::write);
    return its.keep_and_claim({}, keys, from, 10).empty() ? 0 : 2;
  });
  CHECK(child.wait() == 0);
}

TEST_CASE("point store: claims of a process end with it") {
  const Folder folder;
  ChildProcess child([&](FramedStream&) {
    std::size_t from = 0;
    PointStore its(folder / "store", "1", Use::write);
    static_cast<void>(its.keep_and_claim({}, keys, from, 2));
    static_cast<void>(its.keep_and_claim({row("a")}, keys, from, 1));
    return raise(SIGKILL);
  });
  REQUIRE(WIFSIGNALED(child.wait()));
  PointStore store(folder / "store", "1", Use::write);
  CHECK(store.has({"a"}));
  CHECK(store.count().claimed == 2);
  std::size_t cursor = 0;
  CHECK(store.keep_and_claim({}, keys, cursor, 10) == std::vector<std::size_t>{1, 2, 3, 4});
  CHECK(store.count().tries == 7);
}

TEST_CASE("point store: stores are merged, unanswered points are repeated") {
  const Folder folder;
  {
    PointStore one(folder / "one", "1", Use::write);
    std::size_t cursor = 0;
    static_cast<void>(one.keep_and_claim({row("a"), row("b")}, keys, cursor, 0));
  }
  PointStore two(folder / "two", "1", Use::write);
  PointRow rejected{.key = "c", .status = PointStatus::no_answer, .message = "unstable"};
  std::size_t cursor = 0;
  static_cast<void>(two.keep_and_claim({row("b"), rejected}, keys, cursor, 0));
  two.add(folder / "one");
  CHECK(two.count().points == 3);
  CHECK(two.find("a")->answer == row("a").answer);
  CHECK(two.find("c")->message == "unstable");
  two.repeat(keys);
  CHECK_FALSE(two.has({"c"}));
  CHECK(two.find("c")->message == "unstable");  // until there is a new row
  CHECK(two.has({"a"}));
  cursor = 0;
  CHECK(two.keep_and_claim({}, {{"c"}}, cursor, 5).size() == 1);
  static_cast<void>(two.keep_and_claim({rejected}, keys, cursor, 0));
  CHECK(two.has({"c"}));
  CHECK_THROWS_AS(two.add(folder / "none"), InvalidArgument);
}

namespace {

/// A process of another machine, whose clock shows another time.
run::Claimant on(const std::string& host, std::chrono::hours later = std::chrono::hours(0)) {
  return {.who = {.host = host, .node = host + "'s boot", .process = 7, .beginning = "1"},
          .sweep = static_cast<std::int64_t>(host.front()),
          .now = [later] { return seconds_now() + std::chrono::seconds(later).count(); }};
}

/// Of the first two points.
std::size_t claimed_by(PointStore& store) {
  std::size_t cursor = 0;
  return store.keep_and_claim({}, {keys[0], keys[1]}, cursor, 10).size();
}

PointRow cut(const std::string& key, run::PointLimits by) {
  return {.key = key, .status = PointStatus::no_answer, .message = "cut", .cut_by = by};
}

}  // namespace

TEST_CASE(
    "point store: a claim of another machine lasts as long as it is renewed, whatever the clocks show") {
  using std::chrono::seconds;
  const run::LeaseTimes times;
  for (const std::chrono::hours later : {std::chrono::hours(-1), std::chrono::hours(1)}) {
    const Folder folder;
    PointStore one(folder / "store", "1", Use::write, on("one", later));
    PointStore two(folder / "store", "1", Use::write, on("two"));
    std::size_t cursor = 0;
    REQUIRE(one.keep_and_claim({}, keys, cursor, 2).size() == 2);
    CHECK(claimed_by(two) == 0);
    run::ClaimWatch watch(times);
    run::ClaimWatch::Clock::time_point now{};
    const auto look_for = [&](std::chrono::milliseconds time, bool renewed) {
      for (const auto end = now + time; now < end; now += times.look) {
        if (renewed && now.time_since_epoch() % times.renewal == seconds(0)) one.renew();
        two.give_up(watch.expired_of(two.claims(), now), seconds(100));
      }
      return claimed_by(two);
    };
    CHECK(look_for(std::chrono::hours(3), true) == 0);
    CHECK(look_for(times.expiry / 4, false) == 0);  // three quarters after the last renewal
    now += std::chrono::hours(5);  // suspended, or waiting for the file server: nobody could renew
    CHECK(look_for(times.expiry / 8, false) == 0);
    CHECK(two.claims().size() == 2);
    CHECK(two.claims()[0].who == on("one").who);
    CHECK(std::abs(two.claims()[0].since - on("one", later).now()) < 1000);
    CHECK(look_for(times.expiry / 4, false) == 2);
    // Its process has gone on meanwhile, and ends first or last.
    static_cast<void>(one.keep_and_claim({row("a")}, keys, cursor, 0));
    static_cast<void>(two.keep_and_claim({row("a"), row("b")}, keys, cursor, 0));
    static_cast<void>(one.keep_and_claim({cut("b", {.time = 5})}, keys, cursor, 0));
    CHECK(two.find("b")->answer == row("b").answer);  // an answer stays
    CHECK(two.count().tries == 2 + 2);
  }
}

TEST_CASE("point store: the claims of a failed machine are given up on request") {
  const Folder folder;
  PointStore one(folder / "store", "1", Use::write, on("one"));
  PointStore two(folder / "store", "1", Use::write, on("two"));
  PointStore here(folder / "store", "1", Use::write);
  std::size_t cursor = 0;
  static_cast<void>(one.keep_and_claim({}, keys, cursor, 1));
  static_cast<void>(two.keep_and_claim({}, keys, cursor, 1));
  CHECK_THROWS_WITH(here.release("three"),
                    Catch::Contains("--release is three") && Catch::Contains(": one, two"));
  here.release("one");
  CHECK(claimed_by(here) == 1);
  CHECK_THROWS_WITH(here.release(this_process().host), Catch::Contains(": two"));  // its own are in progress
  two.give_up_own();
  CHECK(claimed_by(one) == 1);
}

TEST_CASE("point store: a row that a limit has cut is finished for this limit and smaller ones") {
  const Folder folder;
  PointStore store(folder / "store", "1", Use::write), other(folder / "other", "1", Use::write);
  std::size_t cursor = 0;
  static_cast<void>(
      store.keep_and_claim({cut("a", {.time = 100}), cut("b", {.memory = 100})}, keys, cursor, 0));
  for (const std::string key : {"a", "b"}) {
    const auto has = [&](std::int64_t time, std::int64_t memory) {
      return store.has({.text = key, .limits = {.time = time, .memory = memory}});
    };
    CHECK(has(100, 100));
    CHECK(has(5, 100));
    CHECK(has(100, 5));
    CHECK(has(101, 100) == (key == "b"));
    CHECK(has(100, 101) == (key == "a"));
    CHECK_FALSE(has(run::PointLimits::none, run::PointLimits::none));
  }
  CHECK(store.find("a")->cut_by.time == 100);
  CHECK(store.find("a")->cut_by.memory == run::PointLimits::none);
  // Of two stores, the row of the larger limit is kept.
  static_cast<void>(other.keep_and_claim({cut("a", {.time = 99}), row("b")}, keys, cursor, 0));
  store.add(folder / "other");
  CHECK(store.find("a")->cut_by.time == 100);
  CHECK(store.find("b")->status == PointStatus::answered);
  other.add(folder / "store");
  CHECK(other.find("a")->cut_by.time == 100);
}

TEST_CASE("sweeps: the points of a machine that has failed are computed once its claims have expired") {
  const Folder folder;
  const std::string told = folder / "told";
  answers::SweepQuery query{.points = std::vector<answers::SweepPoint>(keys.size()),
                            .keys = keys,
                            .store = folder / "store",
                            .version = "1",
                            .runner = [] { return [](const answers::SweepPoint&) { return row("any"); }; },
                            .waiting = [&told](const std::string& what) { golden::write(told, what); }};
  query.lease = {.renewal = std::chrono::milliseconds(20),
                 .expiry = std::chrono::milliseconds(200),
                 .look = std::chrono::milliseconds(10)};
  {
    PointStore gone(query.store, "1", Use::write, on("gone", std::chrono::hours(1)));
    std::size_t cursor = 0;
    REQUIRE(gone.keep_and_claim({}, keys, cursor, 2).size() == 2);
  }
  const answers::SweepAnswer answer = answers::answer(query, 2);
  CHECK(answer.count(PointStatus::answered) == 5);
  CHECK_FALSE(answer.stopped);
  const std::string expected =
      "waiting for the point \"a\" and 1 more, claimed by process 7 on host gone since 20";
  CHECK(golden::content(told).substr(0, expected.size()) == expected);
  PointStore store(query.store, "1", Use::write);
  CHECK(store.count().tries == 7);
  CHECK(store.count().claimed == 0);
}

TEST_CASE("point store: other versions, other kinds and damage are rejected") {
  const Folder folder;
  std::vector<PointRow> rows;
  for (int i = 0; i < 200; ++i) rows.push_back(row("point " + std::to_string(i)));
  {
    PointStore store(folder / "store", "1", Use::write);
    std::size_t cursor = 0;
    static_cast<void>(store.keep_and_claim(rows, keys, cursor, 0));
  }
  CHECK_THROWS_WITH(PointStore(folder / "store", "2", Use::write), Catch::Contains("of version 1"));
  golden::write(folder / "text", "this is not a database\n");
  CHECK_THROWS_WITH(PointStore(folder / "text", "1", Use::write), Catch::Contains("another kind"));
  CHECK_THROWS_AS(PointStore(folder / "none", "1", Use::read), InvalidArgument);
  CHECK_THROWS_AS(PointStore(folder / "no folder/store", "1", Use::write), StoreFull);
  CHECK_THROWS_AS(PointStore(folder.path(), "1", Use::write), StoreFull);

  // A single character of an answer.
  std::string changed = golden::content(folder / "store");
  const std::size_t letter_at = changed.find(std::string("bytes\0of point 57", 17));
  REQUIRE(letter_at != std::string::npos);
  changed[letter_at] = 'B';
  golden::write(folder / "changed", changed);
  PointStore letter(folder / "changed", "1", Use::write);
  CHECK_THROWS_WITH(letter.find("point 57"), Catch::Contains("wrong checksum"));
  CHECK(letter.find("point 58"));

  // For any overwritten page: an error that reports it, or the stored data.
  const std::string whole = golden::content(folder / "store");
  REQUIRE(whole.size() > 20'000);
  std::size_t rejected = 0;
  for (std::size_t place = 0; place < whole.size(); place += 1024) {
    std::string damaged = whole;
    for (std::size_t i = place; i < std::min(place + 512, whole.size()); ++i) damaged[i] = '\x5a';
    golden::write(folder / "damaged", damaged);
    try {
      PointStore store(folder / "damaged", "1", Use::write);
      for (const PointRow& kept : rows)
        if (const auto found = store.find(kept.key)) CHECK(found->answer == kept.answer);
    } catch (const Error&) {
      ++rejected;
    }
  }
  CHECK(rejected > whole.size() / 1024 / 2);
}

TEST_CASE("point store: several processes create it at the same time, and share it with a rollback journal") {
  const Folder folder;
  std::vector<std::unique_ptr<ChildProcess>> children;
  for (int i = 0; i < 8; ++i)
    children.push_back(std::make_unique<ChildProcess>([&](FramedStream&) {
      PointStore store(folder / "store", "1", Use::write);
      std::size_t cursor = 0;
      static_cast<void>(store.keep_and_claim({row("key " + std::to_string(i))}, keys, cursor, 0));
      return 0;
    }));
  for (const auto& child : children) CHECK(child->wait() == 0);
  CHECK(PointStore(folder / "store", "1", Use::read).count().points == 8);
  // As on a network file system.
  sqlite3* handle = nullptr;
  REQUIRE(sqlite3_open((folder / "store").c_str(), &handle) == SQLITE_OK);
  CHECK(sqlite3_exec(handle, "PRAGMA journal_mode = DELETE", nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(handle);
  children.clear();
  for (int i = 0; i < 4; ++i)
    children.push_back(std::make_unique<ChildProcess>([&](FramedStream&) {
      PointStore store(folder / "store", "1", Use::write);
      for (int point = 0; point < 8; ++point) {
        std::size_t cursor = 0;
        const std::string key = std::to_string(i) + "/" + std::to_string(point);
        static_cast<void>(store.keep_and_claim({row(key)}, keys, cursor, 1));
        if (store.find(key)->answer != row(key).answer) return 2;
      }
      return 0;
    }));
  for (const auto& child : children) CHECK(child->wait() == 0);
  CHECK_FALSE(std::filesystem::exists(folder / "store-wal"));
  CHECK(PointStore(folder / "store", "1", Use::read).count().points == 8 + 4 * 8);
}
