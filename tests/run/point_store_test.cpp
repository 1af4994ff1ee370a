#include <catch2/catch.hpp>
#include <tailbound/run/process/child_process.hpp>
#include <tailbound/run/store/point_store.hpp>
#include <tests/golden/folder.hpp>

#include <signal.h>
#include <sys/wait.h>

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
using Use = run::PointStore::Use;

const std::vector<std::string> keys{"a", "b", "c", "d", "e"};

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
  CHECK(store.has("a"));
  CHECK_FALSE(store.has("c"));
  std::size_t again = 0;
  CHECK(store.keep_and_claim({}, {"a", "b"}, again, 5).empty());  // they are finished
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
  CHECK(store.has("a"));
  CHECK(store.count().claimed == 2);
  std::size_t cursor = 0;
  CHECK(store.keep_and_claim({}, keys, cursor, 10) == std::vector<std::size_t>{1, 2, 3, 4});
  CHECK(store.count().tries == 7);
}

TEST_CASE("point store: stores are merged, unanswered points are removed") {
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
  two.forget(keys);
  CHECK_FALSE(two.has("c"));
  CHECK(two.has("a"));
  CHECK_THROWS_AS(two.add(folder / "none"), InvalidArgument);
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
  CHECK_THROWS_AS(PointStore(folder / "no folder/store", "1", Use::write), InvalidArgument);
  CHECK_THROWS_AS(PointStore(folder.path(), "1", Use::write), InvalidArgument);

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

TEST_CASE("point store: several processes create it at the same time") {
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
}
