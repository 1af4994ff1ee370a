#include <algorithm>
#include <catch2/catch.hpp>
#include <cli/command_runner.hpp>
#include <cli/help/hints.hpp>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <tests/golden/folder.hpp>
#include <tests/golden/run_command.hpp>
#include <vector>

// Command lines without an answer: the status, the message, and no standard output.

using tailbound::golden::Folder;
using tailbound::golden::Outcome;
using tailbound::golden::run_command;
using tailbound::golden::run_line;

namespace {

struct Rejection {
  const char* line;
  int status;
  std::vector<const char*> expected;  ///< each must be in the message: option, value, legal range
};

void check(const Rejection& rejection) {
  const Outcome outcome = run_line(rejection.line);
  INFO(rejection.line << "\n" << outcome.err);
  CHECK(outcome.status == rejection.status);
  CHECK(outcome.out.empty());
  for (const char* text : rejection.expected) {
    INFO(text);
    CHECK(outcome.err.find(text) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("rejected: no command, unknown commands and options") {
  for (const Rejection& rejection : std::vector<Rejection>{
           {"", 2, {"command", "buffer, occupancy"}},
           {"bufer --inputs 16", 2, {"unknown command 'bufer'; did you mean buffer?"}},
           {"buffer --inputs 16 --load 0.9 --drop 1e-15 --depth 4", 2, {"--depth"}},
           {"buffer --inputs 16 --load 0.9 --drop 1e-15 stray", 2, {"stray"}},
           {"buffer --inputs 16 --load 0.9 --load 0.8 --drop 1e-15", 2, {"--load"}},
           {"buffer --inputs 16 --drop 1e-15 --load", 2, {"--load"}},
           {"compare", 2, {"FILE"}},
           {"nonsense",
            2,
            {"tailbound: unknown command 'nonsense'; the commands are buffer", "Try 'tailbound -h'."}},
           {"simulate",
            2,
            {"tailbound simulate: a command is missing: tree", "Try 'tailbound simulate -h'."}},
           {"simulate forest",
            2,
            {"unknown command 'simulate forest'", "tree", "hypercube", "Try 'tailbound simulate -h'."}},
           {"simulate --deep", 2, {"Try 'tailbound simulate -h'."}},
           {"validate forest",
            2,
            {"delay, buffer, switch, crossbar, multistage", "broadcast", "Try 'tailbound validate -h'."}},
           {"validate buffer --deep", 2, {"--deep", "Try 'tailbound validate buffer -h'."}},
       })
    check(rejection);
}

TEST_CASE("rejected: values of the wrong type or out of range") {
  for (const Rejection& rejection : std::vector<Rejection>{
           {"buffer --inputs many --load 0.9 --drop 1e-15", 2, {"--inputs", "many", "1048576"}},
           {"buffer --inputs 1.5 --load 0.9 --drop 1e-15", 2, {"--inputs", "1.5", "integer"}},
           {"buffer --inputs 0 --load 0.9 --drop 1e-15", 2, {"--inputs is 0", "from 1 to 1048576"}},
           {"buffer --inputs 2000000 --load 0.9 --drop 1e-15", 2, {"--inputs", "2000000", "1048576"}},
           {"buffer --inputs 1e99999 --load 0.9 --drop 1e-15", 2, {"--inputs", "1048576"}},
           {"buffer --inputs 16 --load heavy --drop 1e-15", 2, {"--load", "heavy"}},
           {"buffer --inputs 16 --load 0,9 --drop 1e-15", 2, {"--load", "0"}},
           {"buffer --inputs 16 --load -0.5 --drop 1e-15", 2, {"--load", "greater than 0"}},
           {"buffer --inputs 16 --load 17 --drop 1e-15", 2, {"--load", "17", "16"}},
           {"buffer --inputs 16 --load 1/0 --drop 1e-15", 2, {"--load", "1/0"}},
           {"buffer --inputs 16 --load nan --drop 1e-15", 2, {"--load", "nan"}},
           {"buffer --inputs 16 --load 1e999999999 --drop 1e-15", 2, {"--load"}},
           {"buffer --inputs 16 --load 0.1:0.9 --drop 1e-15", 2, {"--load", "FIRST:LAST:STEP"}},
           {"buffer --inputs 16 --load 0.1:0.9:0 --drop 1e-15", 2, {"--load", "0.1:0.9:0"}},
           {"buffer --inputs 16 --load 0.1:0.9:-0.1 --drop 1e-15", 2, {"--load", "0.1:0.9:-0.1"}},
           {"buffer --inputs 16 --load 0.1:0.9:1e-9 --drop 1e-15", 2, {"--load", "10000 entries"}},
           {"buffer --inputs 16 --load 0.1, --drop 1e-15", 2, {"--load"}},
           {"buffer --inputs 16 --load 0.9 --drop 0", 2, {"--drop", "greater than 0 and less than 1"}},
           {"buffer --inputs 16 --load 0.9 --drop 1", 2, {"--drop", "greater than 0 and less than 1"}},
           {"buffer --inputs 16 --load 0.9 --drop -1e-9", 2, {"--drop", "-1e-9"}},
           {"buffer --inputs 16 --load 0.9 --drop few", 2, {"--drop", "few"}},
           {"buffer --inputs 16 --load 0.9 --drop 1e-15 --criterion drops",
            2,
            {"--criterion", "drops", "overflow or loss"}},
           {"guarantee --periodic x", 2, {"--periodic is x", "N x PERIOD"}},
           {"guarantee --sporadic x3", 2, {"--sporadic is x3", "N x PERIOD"}},
           {"guarantee --bucket 3x0.1,", 2, {"--bucket is 3x0.1,", "N x R,B"}},
           {"buffer --inputs 16 --load 0.9 --capacity -1", 2, {"--capacity", "-1", "from 0"}},
           {"buffer --inputs 16 --load 0.9 --capacity 1e30", 2, {"--capacity", "1e30"}},
           {"buffer --inputs 16 --load 0.9 --capacity ten", 2, {"--capacity", "ten"}},
           {"buffer --inputs 16 --drop 1e-9 --capacity 9 --solve inputs",
            2,
            {"--solve", "inputs", "load, speedup, burst"}},
           {"buffer --inputs 16 --load 0.9 --drop 1e-15 --arithmetic float",
            2,
            {"--arithmetic", "float", "exact"}},
           {"buffer --inputs 16 --load 0.9 --drop 1e-15 --digits 0", 2, {"--digits", "from 1 to 10000"}},
           {"buffer --inputs 16 --load 0.9 --drop 1e-15 --digits 10001", 2, {"--digits", "10001"}},
           {"buffer --inputs 16 --load 0.9 --drop 1e-15 --digits ten", 2, {"--digits", "ten"}},
           {"buffer --inputs 16 --load 0.9 --drop 1e-15 --packets-per-slot 0",
            2,
            {"--packets-per-slot", "from 1 to 64"}},
           {"buffer --inputs 16 --load 0.9 --drop 1e-15 --packets-per-slot 65",
            2,
            {"--packets-per-slot", "65"}},
           {"buffer --inputs 16 --load 0.9 --drop 1e-15 --packet-bytes 0", 2, {"--packet-bytes", "from 1"}},
           {"buffer --inputs 16 --load 0.9 --drop 1e-15 --packet-bytes big", 2, {"--packet-bytes", "big"}},
           {"buffer --inputs 16 --load 0.9 --drop 1e-15 --packet-bytes 64 --link-gbps 0", 2, {"--link-gbps"}},
           {"buffer --inputs 16 --load 0.9 --drop 1e-15 --packet-bytes 64 --link-gbps fast",
            2,
            {"--link-gbps", "fast"}},
           {"buffer --inputs 16 --load 0.9 --drop 1e-15 --format xml",
            2,
            {"--format", "xml", "table, json, csv"}},
           {"buffer --inputs 16 --load 0.5,0.9 --drop 1e-15 --plot figure.gif",
            2,
            {"--plot", "figure.gif", ".svg, .png or .pdf"}},
           {"buffer --traffic onoff --inputs 16 --load 0.9 --drop 1e-15",
            2,
            {"--burst is missing", "--traffic onoff", "such as --burst 16"}},
           {"buffer --rates 0.2,1.5 --drop 1e-15", 2, {"--rates", "3/2"}},
           {"buffer --rates 0.2,x --drop 1e-15", 2, {"--rates", "x"}},
           {"buffer --arrivals z+ --drop 1e-15", 2, {"--arrivals"}},
           {"buffer --arrivals z^2+1 --drop 1e-15", 2, {"--arrivals", "A(1)"}},
           {"buffer --arrivals 2*z-z^2 --drop 1e-15", 2, {"--arrivals"}},
           {"buffer --arrivals 1-p+p*z --drop 1e-15", 2, {"--arrivals", "p"}},
           {"occupancy --inputs 16 --load 0.9 --levels -1", 2, {"--levels", "-1"}},
           {"occupancy --inputs 16 --load 0.9 --levels 1.5", 2, {"--levels", "1.5"}},
           {"occupancy --inputs 16 --load 0.9 --levels 0:2000000:1", 2, {"--levels", "1000000"}},
           {"occupancy --inputs 16 --load 0.9 --until 2", 2, {"--until", "less than 1"}},
       })
    check(rejection);
}

TEST_CASE("rejected: something is missing") {
  for (const Rejection& rejection : std::vector<Rejection>{
           {"buffer", 2, {"--drop"}},
           {"buffer --drop 1e-15", 2, {"--inputs", "--rates", "--pmf"}},
           {"buffer --inputs 16 --drop 1e-15", 2, {"--load"}},
           {"buffer --load 0.9 --drop 1e-15", 2, {"--inputs"}},
           {"buffer --traffic poisson --drop 1e-15", 2, {"--load"}},
           {"buffer --inputs 16 --load 0.9", 2, {"--drop", "--capacity"}},
           {"buffer --inputs 16 --solve load --capacity 9", 2, {"--drop", "--solve"}},
           {"buffer --inputs 16 --solve load --drop 1e-9", 2, {"--capacity", "--solve"}},
           {"buffer --inputs 16 --load 0.9 --drop 1e-15 --link-gbps 10", 2, {"--packet-bytes"}},
           {"occupancy --inputs 16 --load 0.9", 2, {"--levels", "--until"}},
       })
    check(rejection);
}

TEST_CASE("rejected: options that exclude each other, both named") {
  for (const Rejection& rejection : std::vector<Rejection>{
           {"buffer --inputs 16 --rates 0.1,0.2 --drop 1e-9", 2, {"--inputs", "--rates"}},
           {"buffer --inputs 16 --load 0.9 --pmf a --drop 1e-9", 2, {"--inputs", "--pmf"}},
           {"buffer --rates 0.1 --arrivals z --drop 1e-9", 2, {"--rates", "--arrivals"}},
           {"buffer --arrivals z --pmf a --drop 1e-9", 2, {"--arrivals", "--pmf"}},
           {"buffer --rates 0.1,0.2 --load 0.9 --drop 1e-9", 2, {"--rates", "--load"}},
           {"buffer --arrivals z --load 0.9 --drop 1e-9", 2, {"--arrivals", "--load"}},
           {"buffer --traffic poisson --inputs 4 --load 0.9 --drop 1e-9", 2, {"poisson", "--inputs"}},
           {"buffer --traffic poisson --rates 0.5 --drop 1e-9", 2, {"poisson", "--rates"}},
           {"buffer --inputs 16 --load 0.9 --drop 1e-9 --capacity 9", 2, {"--capacity", "--drop", "--solve"}},
           {"buffer --inputs 16 --load 0.9 --drop 1e-9 --capacity 9 --solve load", 2, {"--load"}},
           {"buffer --inputs 16 --capacity 90 --drop 1e-9 --solve load --plot a.svg",
            2,
            {"--plot", "--load"}},
           {"occupancy --inputs 16 --load 0.9 --levels 3 --until 1e-3", 2, {"--levels", "--until"}},
       })
    check(rejection);
}

TEST_CASE("rejected: what was probably meant") {
  for (const Rejection& rejection : std::vector<Rejection>{
           // values
           {"buffer -i 16 -l 85 -d 1e-9", 2, {"--load is 85", "did you mean 85% or 0.85?"}},
           {"buffer -i 16 --load=85 -d 1e-9", 2, {"did you mean 85% or 0.85?"}},
           {"delay --radix 16 --levels 3 --load 80", 2, {"did you mean 80% or 0.8?"}},
           {"buffer -i 16 -l 0.1-0.9 -d 1e-9", 2, {"--load is 0.1-0.9", "did you mean 0.1:0.9:0.1?"}},
           {"buffer -i 16 -l 0.1..0.9 -d 1e-9", 2, {"did you mean 0.1:0.9:0.1?"}},
           {"occupancy -i 16 -l 0.9 --levels 0-100", 2, {"did you mean 0:100:1?"}},
           {"buffer -i 16 -l 0,5 -d 1e-9", 2, {"did you mean 0.5?", "0,5 is the list of 0 and 5"}},
           {"buffer -i 16 -l 0.9 -d 15", 2, {"--drop is 15", "did you mean 1e-15?"}},
           {"buffer -i 16 -l 0.9 -d -15", 2, {"did you mean 1e-15?"}},
           {"buffer -i 16 -l 0.9 -d 1e-9 --traffic bursty", 2, {"did you mean onoff with --burst L?"}},
           {"buffer -i 16 -l 0.9 -d 1e-9 -f pdf", 2, {"did you mean --plot FILE?"}},
           {"wormhole --topology dragonfly --nodes 64 --flits 8", 2, {"tailbound network SHAPE"}},
           {"network grid", 2, {"did you mean mesh or torus?"}},
           {"delay --network share/none.toml -l 0.8", 2, {"--load is not allowed with --network"}},
           // options
           {"buffer -i 16 -l 0.9 -d 1e-9 --priority 2", 2, {"did you mean --classes R1,R2,..?"}},
           {"buffer --trace x.csv -d 1e-9", 2, {"did you mean --traffic-file FILE?", "tailbound fit TRACE"}},
           {"buffer -i 16 -l 0.9 -d 1e-9 --cable 16", 2, {"--cable belongs to guarantee"}},
           {"buffer -l 0.9 -d 1e-9 --radix 16", 2, {"did you mean --inputs K?"}},
           {"simulate switch --radix 4 -l 0.8", 2, {"did you mean --inputs K?"}},
           {"delay --radix 4 --levels 2 -l 0.8 --buffer 64",
            2,
            {"delay has unlimited buffers", "tailbound simulate tree --buffer B"}},
           {"validate delay --radix 4 --levels 2 -l 0.8 --buffer 64",
            2,
            {"validate delay has unlimited buffers", "tailbound simulate tree --buffer B"}},
           {"broadcast --nodes 16", 2, {"did you mean --dimensions N? (2^N nodes"}},
           {"simulate hypercube --nodes 16", 2, {"did you mean --dimensions N?"}},
           {"buffer -i 16 -l 0.9 -d 1e-9 --unit bytes",
            2,
            {"did you mean --packet-bytes N?", "with --link-gbps G nanoseconds"}},
           {"delay --radix 4 --levels 2 -l 0.8 --units ns", 2, {"did you mean --packet-bytes N?"}},
           {"fit trace.csv --unit ns", 2, {"did you mean --time-unit UNIT?"}},
           {"delay --radix 4 --levels 2 -l 0.8 --inputs 4", 2, {"did you mean --radix K?"}},
           {"delay --radix 4 --levels 2 -l 0.8 --percentile 99", 2, {"did you mean --percentiles LIST?"}},
           {"wormhole --topology mesh --nodes 16 --flits 8 --vcs 2",
            2,
            {"did you mean --virtual-channels V?"}},
           {"buffer -i 16 --ldoa 0.9 -d 1e-9", 2, {"did you mean --load?"}},
           {"buffer -i 16 -l 0.9 -d 1e-9 --radxi 4", 2, {"did you mean --radix of delay"}},
           {"buffer -n 16 -l 0.9", 2, {"unknown option -n", "-i --inputs"}},
           {"buffer -i 16 -l", 2, {"-l needs a value: -l R (packets per slot"}},
           {"buffer 16 0.9", 2, {"unexpected argument '16'"}},
           {"fit", 2, {"FILE is missing: packet trace"}},
           {"fit nothing.pcap", 2, {"FILE is nothing.pcap", "a file that can be read"}},
           // commands
           {"priority", 2, {"unknown command 'priority'", "--classes"}},
           {"crossbar", 2, {"--load is missing"}},
           {"voq", 2, {"tailbound crossbar --scheduler"}},
           {"islip", 2, {"tailbound crossbar --scheduler"}},
           {"tcp", 2, {"not modelled"}},
           {"dragonfly", 2, {"tailbound network SHAPE", "tailbound delay --network FILE"}},
           {"mesh", 2, {"tailbound wormhole --topology mesh"}},
           {"torus", 2, {"tailbound wormhole --topology torus"}},
           {"simulate queue", 2, {"unknown command 'simulate queue'", "tailbound simulate buffer"}},
           {"help priority", 2, {"unknown command 'priority'"}},
       })
    check(rejection);
}

TEST_CASE("rejected: every hint names what there is") {
  std::vector<std::string> first = tailbound::cli::command_names();
  for (const std::string& word : tailbound::cli::hinted_commands()) {
    INFO(word);
    CHECK(std::find(first.begin(), first.end(), word) == first.end());
    const Outcome outcome = run_line(word);
    INFO(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find("unknown command") != std::string::npos);
    CHECK(outcome.err.find("commands are") == std::string::npos);
    CHECK(
        (outcome.err.find("ailbound ") != std::string::npos || outcome.err.find("--") != std::string::npos));
    // Each command that is named is one.
    const std::regex named("tailbound ((?:simulate |validate )?[a-z]+)");
    for (std::sregex_iterator found(outcome.err.begin(), outcome.err.end(), named), end; found != end;
         ++found) {
      const std::string name = (*found)[1];
      if (name == "simulate" || name == "validate") continue;
      INFO(name);
      CHECK(std::find(first.begin(), first.end(), name) != first.end());
    }
  }
  for (const std::string& option : tailbound::cli::hinted_options())
    for (const char* command : {"buffer", "delay", "wormhole", "simulate tree", "guarantee"}) {
      const Outcome outcome = run_line(std::string(command) + " " + option);
      INFO(command << " " << option << "\n" << outcome.err);
      CHECK(outcome.status == 2);
      if (outcome.err.find("unknown option") == std::string::npos) continue;  // it has it
      CHECK((outcome.err.find("did you mean") != std::string::npos ||
             outcome.err.find("belongs to") != std::string::npos ||
             outcome.err.find("; tailbound ") != std::string::npos));
    }
}

TEST_CASE("no answer: unstable, out of reach, too large") {
  for (const Rejection& rejection : std::vector<Rejection>{
           {"buffer --inputs 16 --load 1 --drop 1e-15", 1, {"unstable", "load is 1", "below 1"}},
           {"buffer --inputs 16 --load 1.25,1.5 --drop 1e-15", 1, {"unstable", "1.25"}},
           {"buffer --inputs 16 --load 2 --packets-per-slot 2 --drop 1e-15", 1, {"unstable", "below 2"}},
           {"buffer --rates 0.6,0.6 --drop 1e-15", 1, {"unstable", "1.2"}},
           {"buffer --traffic poisson --load 1.5 --drop 1e-15", 1, {"unstable", "1.5"}},
           {"occupancy --inputs 16 --load 1 --levels 3", 1, {"unstable"}},
           {"buffer --inputs 16 --load 0.9 --drop 1e-15 --arithmetic double --digits 40",
            1,
            {"double", "40"}},
           {"buffer --inputs 1 --solve load --capacity 3 --drop 1e-9", 1, {"load"}},
           {"occupancy --inputs 16 --load 0.9999999 --until 1e-15", 1, {"--until", "1000000"}},
       })
    check(rejection);
}

TEST_CASE("rejected: files that cannot be read or hold no distribution") {
  const Folder folder;
  const auto rejected = [](const std::string& file, const std::string& expected) {
    const Outcome outcome = run_command({"buffer", "--pmf", file, "--drop", "1e-9"});
    INFO(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.find(expected) != std::string::npos);
  };
  rejected(folder / "none", "--pmf");
  rejected(folder.path(), "--pmf");
  rejected(folder.file("empty", ""), "empty");
  rejected(folder.file("words", "one half\n"), "words");
  rejected(folder.file("sum", "0.5\n0.4\n"), "9/10");
  rejected(folder.file("negative", "1.5\n-0.5\n"), "negative");
}

TEST_CASE("rejected: --output that cannot be written leaves nothing behind") {
  const Folder folder;
  const auto rejected = [](const std::string& file) {
    const Outcome outcome =
        run_command({"buffer", "--inputs", "16", "--load", "0.9", "--drop", "1e-15", "--output", file});
    INFO(outcome.err);
    CHECK(outcome.status == 5);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.find("--output " + file + " cannot be written: ") != std::string::npos);
  };
  rejected(folder / "none/answer");
  rejected(folder.path());
  CHECK(std::filesystem::is_empty(folder.path()));

  // An existing file keeps its content if the query has no answer.
  const std::string kept = folder.file("kept", "former\n");
  CHECK(run_line("buffer --inputs 16 --load 1 --drop 1e-15 --output " + kept).status == 1);
  std::string text;
  std::getline(std::ifstream(kept) >> std::ws, text);
  CHECK(text == "former");
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("a message stays short for any value") {
  const Outcome outcome =
      run_command({"buffer", "--inputs", std::string(50'000, '7') + "x", "--load", "0.9", "--drop", "1e-15"});
  CHECK(outcome.status == 2);
  CHECK(outcome.err.size() < 2000);
}
