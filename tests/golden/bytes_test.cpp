#include <catch2/catch.hpp>
#include <tests/golden/folder.hpp>
#include <tests/golden/run_command.hpp>

#include <string>
#include <vector>

// A buffer in bytes is that of the packets or cells that fit, wherever a buffer is given.

using tailbound::golden::holds;
using tailbound::golden::in_one_line;
using tailbound::golden::Outcome;
using tailbound::golden::run_line;

TEST_CASE("buffers in bytes: as many packets as fit, in every command", "[answers]") {
  struct Pair {
    std::string line, bytes, count;
  };
  const std::vector<Pair> pairs{
      {"buffer --inputs 16 --load 0.9 --packet-bytes 64 --capacity ", "6KB", "93"},
      {"buffer --inputs 16 --load 0.9 --packet-bytes 64 --capacity ", "6KB,6KiB,64B", "93,96,1"},
      {"buffer --inputs 16 --packet-bytes 64 --drop 1e-9 --solve load --capacity ", "6KiB", "96"},
      {"buffer --inputs 16 --police 9/10,20 --packet-bytes 100 --capacity ", "12kB", "120"},
      {"buffer --inputs 16 --load 0.8 --sizes imix --cell-bytes 208 --capacity ", "40KB", "192"},
      {"buffer --shared --inputs 8 --load 0.8 --sizes imix --cell-bytes 208 --capacity ", "100KB", "480"},
      {"buffer --shared --inputs 8 --load 0.8 --packet-bytes 64 --capacity ", "6KB", "93"},
      {"buffer --incast 8,4 --spread 3 --packet-bytes 100 --capacity ", "1KB", "10"},
      {"simulate buffer --inputs 4 --load 0.8 --slots 1000 --quiet --packet-bytes 100 --capacity ", "1KB",
       "10"},
      {"simulate classes --inputs 4 --classes 0.3,0.3 --slots 1000 --quiet --packet-bytes 100 --buffers ",
       "1KB,2KB", "10,20"},
      {"simulate switch --inputs 4 --load 0.8 --slots 1000 --quiet --packet-bytes 100 --memory ", "1KB",
       "10"},
      {"simulate switch --inputs 4 --load 0.8 --slots 1000 --quiet --sizes imix --memory ", "3KB", "46"},
      {"validate switch --inputs 4 --load 0.6 --slots 1000 --quiet --sizes imix --memory ", "3KB", "46"},
      {"validate buffer --inputs 4 --load 0.6 --slots 1000 --quiet --sizes imix --capacity ", "3KB", "46"}};
  for (const Pair& pair : pairs) {
    INFO(pair.line << pair.bytes);
    const Outcome bytes = run_line(pair.line + pair.bytes), count = run_line(pair.line + pair.count);
    CHECK(count.err.empty());
    CHECK(bytes.out == count.out);
    CHECK(bytes.err == count.err);
  }
  for (const std::string line : {"buffer --inputs 16 --load 0.9 --capacity 6KB",
                                 "simulate buffer --inputs 4 --load 0.8 --capacity 1KB",
                                 "buffer --shared --inputs 8 --load 0.8 --capacity 6KB"})
    CHECK(holds(in_one_line(run_line(line).err), "--packet-bytes is missing"));
  CHECK(holds(run_line("buffer --inputs 16 --load 0.9 --packet-bytes 64 --capacity 6XB").err, "6XB"));
}

TEST_CASE("loss is of packets with packets of several cells, shared or not", "[answers]") {
  const auto loss = [](const std::string& how, const std::string& criterion) {
    return run_line("buffer " + how + " --inputs 8 --load 0.7 --sizes imix --capacity 900 --criterion " +
                    criterion)
        .out;
  };
  for (const std::string how : {"--shared", "--arrive whole"}) {
    CHECK(holds(loss(how, "loss"), "of the packets."));
    CHECK(holds(loss(how, "cell-loss"), "of the cells."));
  }
  CHECK(holds(run_line("buffer --shared --inputs 8 --load 0.7 --drop 1e-9 --criterion cell-loss").err,
              "--sizes"));
}

TEST_CASE("one incast: without a rate it is a single event", "[answers]") {
  CHECK(holds(run_line("buffer --incast 64,32 --drop 1e-9").out, "A 2017-packet buffer suffices"));
  CHECK(holds(run_line("buffer --incast 64,32 --load 1e-8 --drop 1e-9").out, "fraction of packets lost"));
  CHECK(holds(run_line("buffer --incast 64,32 --load 1e-8 --spread 3 --drop 1e-9").err, "--spread"));
  CHECK(holds(run_line("buffer --incast 4,32 --packets-per-slot 4 --drop 1e-9").err, "no queue builds up"));
  CHECK(run_line("buffer --incast 64,32 --spread 1,10,100 --capacity 1990,2000 --quiet").status == 0);
  // A downlink twice as fast.
  CHECK(holds(run_line("buffer --incast 64,32 --packets-per-slot 2 --drop 1e-9").out, "1986-packet"));
}

TEST_CASE("fit: a compressed capture is said to be one", "[answers]") {
  const tailbound::golden::Folder folder;
  const Outcome outcome =
      run_line("fit " + folder.file("capture.pcap.gz", "\x1f\x8b\x08\x08 packets") + " --link-gbps 1");
  CHECK(outcome.status != 0);
  CHECK(holds(in_one_line(outcome.err), "not compressed: decompress it first"));
}
