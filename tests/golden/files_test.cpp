#include <catch2/catch.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/files/file_lock.hpp>
#include <tailbound/files/named_files.hpp>
#include <tailbound/files/pending_file.hpp>
#include <tailbound/run/process/child_process.hpp>
#include <tests/golden/child.hpp>
#include <tests/golden/folder.hpp>
#include <tests/golden/run_command.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

// Files and pipes: existing files are not lost, and write errors are reported.

namespace {

namespace fs = std::filesystem;
using tailbound::golden::content;
using tailbound::golden::Folder;
using tailbound::golden::holds;
using tailbound::golden::in_one_line;
using tailbound::golden::networks;
using tailbound::golden::Outcome;
using tailbound::golden::run_command;
using tailbound::golden::run_line;

const std::string buffer = "buffer --inputs 16 --load 0.9 --drop 1e-15";
/// Runs a shell command in a folder; $T is the executable.
Outcome shell(const Folder& folder, const std::string& script) {
  static const Folder outputs;  // outside the folder in which the script counts files
  setenv("T", TAILBOUND_EXECUTABLE, 1);
  setenv("TMPDIR", folder.path().c_str(), 1);
  const std::string out = outputs / "out", err = outputs / "err";
  // Not `{ script; } > out`: dash 0.5.12 then loses redirections of a subshell at its end.
  const int status = std::system(
      ("cd '" + folder.path() + "' || exit; exec >'" + out + "' 2>'" + err + "'\n" + script).c_str());
  unsetenv("TMPDIR");
  REQUIRE(WIFEXITED(status));
  return {WEXITSTATUS(status), content(out), content(err)};
}

std::size_t files_in(const Folder& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder.path()), {}));
}

void check_rejected(const Outcome& outcome, const std::vector<std::string>& expected, int status = 2) {
  INFO(outcome.err);
  CHECK(outcome.status == status);
  CHECK(outcome.out.empty());
  for (const std::string& text : expected) {
    INFO(text);
    CHECK(holds(outcome.err, text));
  }
}

}  // namespace

TEST_CASE("files: standard output is appended to under any of its names") {
  for (const std::string name : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "-", "link", "/dev/fd/3"}) {
    const Folder folder;
    fs::create_symlink("/dev/stdout", folder / "link");
    const std::string log = folder.file("log", "zero\n");
    const Outcome outcome = shell(folder, "( echo one; $T " + buffer + " --quiet --output " + name +
                                              (name == "/dev/fd/3" ? " 3>&1" : "") + "; echo two ) >> log");
    INFO(name << "\n" << outcome.err);
    CHECK(outcome.status == 0);
    CHECK(content(log) == "zero\none\n157\ntwo\n");
    CHECK(files_in(folder) == 2);
  }
}

TEST_CASE("files: a named pipe is written, and not replaced") {
  const Folder folder;
  const Outcome outcome = shell(folder, "mkfifo pipe && { cat pipe & } && $T " + buffer +
                                            " --quiet --output pipe && wait && test -p pipe");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.out == "157\n");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("files: a picture through a link to standard output") {
  const Folder folder;
  const Outcome outcome = shell(folder,
                                "ln -s /dev/stdout p.svg && $T buffer --inputs 16 --load 0.5,0.9 --drop "
                                "1e-9 --output /dev/null --plot p.svg");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(holds(outcome.out, "<svg"));
  CHECK(holds(outcome.out, "</svg>"));
  CHECK(files_in(folder) == 1);
}

TEST_CASE("files: an output that is also an input is rejected") {
  const Folder folder;
  const std::string text = content(networks + "two_switches.toml");
  const std::string network = folder.file("n.toml", text);
  fs::create_symlink(network, folder / "soft");
  fs::create_hard_link(network, folder / "hard");
  for (const std::string name : {"n.toml", "./n.toml", "soft", "hard"}) {
    check_rejected(shell(folder, "$T delay --drop 1e-9 --network n.toml --output " + name),
                   {"--output is ", name, "--network"});
    check_rejected(shell(folder, "$T simulate tree --slots 1000 --network n.toml --checkpoint " + name),
                   {"--checkpoint is ", name, "--network"});
  }
  CHECK(content(network) == text);
  CHECK(fs::is_symlink(folder / "soft"));

  const std::string pmf = folder.file("a.svg", "0.5\n0.5\n");
  check_rejected(shell(folder, "$T buffer --drop 1e-9 --pmf a.svg --plot a.svg"), {"--plot"});
  check_rejected(shell(folder, "$T compare a.svg --inputs 2 --load 0.5 --output a.svg"),
                 {"--output is a.svg", "FILE"});
  CHECK(content(pmf) == "0.5\n0.5\n");
  // A matrix named in the network file.
  const std::string demand = content(networks + "two_switches.csv");
  const std::string matrix = folder.file("m.csv", demand);
  const std::string with_matrix = folder.file(
      "with_matrix.toml", text.substr(0, text.find("[[flow]]")) + "[traffic]\nmatrix = \"m.csv\"\n");
  check_rejected(shell(folder, "$T delay --network with_matrix.toml --output m.csv"),
                 {"--output is m.csv", "matrix"});
  CHECK(content(matrix) == demand);
  CHECK(fs::exists(with_matrix));
  CHECK(files_in(folder) == 6);
}

TEST_CASE("files: two outputs to the same file are rejected") {
  const Folder folder;
  const std::string list = "buffer --inputs 16 --load 0.5,0.9 --drop 1e-9";
  check_rejected(shell(folder, "$T " + list + " --output x.svg --plot x.svg"),
                 {"--plot is x.svg", "--output"});
  check_rejected(shell(folder, "$T " + list + " --output $PWD/x.svg --plot ./x.svg"), {"--plot", "--output"});
  check_rejected(shell(folder,
                       "$T simulate tree --radix 4 --levels 2 --load 0.8 --slots 1000 --output x "
                       "--checkpoint x"),
                 {"--checkpoint is x", "--output"});
  CHECK(files_in(folder) == 0);
  CHECK(shell(folder, "$T " + list + " --output /dev/null --plot x.svg").status == 0);
}

TEST_CASE("files: a checkpoint of another simulation is not overwritten") {
  const Folder folder;
  const std::string tree = "$T simulate tree --radix 4 --levels 2";
  const std::string kept_often = " --checkpoint-every 0.001 --checkpoint state";
  const std::string notes = folder.file("notes", "do not lose me\n");
  check_rejected(shell(folder, tree + " --load 0.8 --slots 2000 --checkpoint notes"),
                 {"--checkpoint is notes", "no checkpoint"});
  CHECK(content(notes) == "do not lose me\n");

  const std::string state = folder.file("state", "");  // an empty file may become one
  std::string length = " --slots 2000";
  for (long slots = 2000; content(state).empty(); slots *= 4) {  // long enough for a checkpoint
    length = " --slots " + std::to_string(slots);
    const Outcome outcome = shell(folder, tree + " --load 0.8" + kept_often + length);
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
  }
  const std::string kept = content(state);
  check_rejected(shell(folder, tree + " --load 0.7 --checkpoint state" + length),
                 {"--checkpoint is state", "load 4/5", "load 7/10"});
  check_rejected(shell(folder, tree + " --load 0.8 --seed 2 --checkpoint state" + length),
                 {"seed 1", "seed 2"});
  check_rejected(shell(folder, tree + " --load 0.8 --resume state --output state" + length),
                 {"--output is", "--resume"});
  CHECK(content(state) == kept);
  const Outcome whole = shell(folder, tree + " --load 0.8 --format json" + length);
  const Outcome again = shell(folder, tree + " --load 0.8 --format json" + kept_often + length);
  CHECK(again.status == 0);
  CHECK(again.out == whole.out);
  const Outcome resumed =
      shell(folder, tree + " --load 0.8 --format json --checkpoint state --resume state" + length);
  CHECK(resumed.status == 0);
  CHECK(resumed.out == whole.out);
}

TEST_CASE("files: standard output cannot be written") {
  const Folder folder;
  const std::vector<std::string> lines{buffer,
                                       "--help",
                                       "--version",
                                       "buffer --help",
                                       "simulate --help",
                                       "buffer --version",
                                       buffer + " --format json"};
  for (const std::string& line : lines) {
    INFO(line);
    const Outcome full = shell(folder, "$T " + line + " >/dev/full");
    INFO(full.err);
    CHECK(full.status == 5);
    CHECK(holds(full.err, "standard output"));
    CHECK(holds(full.err, "No space left on device"));
    const Outcome closed = shell(folder, "$T " + line + " >&-");
    INFO(closed.err);
    CHECK(closed.status == 5);
    CHECK(holds(closed.err, "Bad file descriptor"));
  }
}

TEST_CASE("files: a pipe without a reader") {
  const Folder folder;
  int ends[2] = {};
  REQUIRE(pipe(ends) == 0);
  close(ends[0]);
  REQUIRE(dup2(ends[1], 9) == 9);
  for (const std::string& line :
       std::vector<std::string>{buffer, "delay --help", buffer + " --output /dev/fd/1"}) {
    const Outcome outcome = shell(folder, "$T " + line + " >&9");
    INFO(line << "\n" << outcome.err);
    CHECK(outcome.status == 4);
    CHECK(holds(outcome.err, holds(line, "--output") ? "the reader of /dev/fd/1 has gone"
                                                     : "the reader of standard output has gone"));
  }
  close(9);
  close(ends[1]);
}

TEST_CASE("files: an output cannot be written") {
  const Folder folder;
  const std::string list = "$T buffer --inputs 16 --load 0.5,0.9 --drop 1e-9";
  check_rejected(shell(folder, list + " --output /dev/full"),
                 {"--output /dev/full cannot be written: No space left on device"}, 5);
  const Outcome pictured = shell(folder, "ln -s /dev/full p.svg && " + list + " --plot p.svg");
  CHECK(pictured.status == 5);
  CHECK(holds(pictured.err, "--plot p.svg cannot be written: No space left on device; the answer is whole"));
  CHECK(holds(pictured.out, "Minimum buffer"));
  // Through a pipe, since the limit also applies to files written by the shell.
  const Outcome limited =
      shell(folder, "( ulimit -f 0; " + list + " --output x; echo status $? ) 2>&1 | cat");
  CHECK(holds(limited.out, "--output x cannot be written: "));
  CHECK(holds(limited.out, "File too large"));
  CHECK(holds(limited.out, "; the answer goes to standard output"));
  CHECK(holds(limited.out, "Minimum buffer"));
  CHECK(holds(limited.out, "status 5"));
  check_rejected(shell(folder, list + " --output /dev/fd/7"),
                 {"--output /dev/fd/7 cannot be written: Bad file descriptor"}, 5);
  check_rejected(shell(folder, list + " --output /dev/stdin </dev/null"), {"--output", "Bad file descriptor"},
                 5);
  const std::string longest(255, 'n'), longer(300, 'n');
  CHECK(shell(folder, list + " --output " + longest).status == 0);
  for (const std::string& command : std::vector<std::string>{list, "$T reproduce mohapatra-4 --quick"})
    check_rejected(shell(folder, command + " --output " + longer), {"--output", "File name too long"}, 5);
  CHECK(files_in(folder) == 2);
}

TEST_CASE("exit status: the table of docs/contract.md has every status with its meaning") {
  const std::string page = content(TAILBOUND_TESTS_DIR "/../docs/contract.md");
  const std::size_t from = page.find("| status | meaning |"), end = page.find("\n\n", from);
  REQUIRE(end != std::string::npos);
  const std::string table = page.substr(from, end - from);
  const std::string help = in_one_line(run_line("--help").out);
  for (const tailbound::cli::StatusMeaning& its : tailbound::cli::status_meanings) {
    INFO(its.meaning);
    CHECK(holds(table, "\n| " + std::to_string(its.status) + " | " + its.meaning + " | "));
    CHECK(holds(help, std::to_string(its.status) + " " + its.meaning));
  }
  CHECK(std::count(table.begin(), table.end(), '\n') ==
        1 + static_cast<std::ptrdiff_t>(tailbound::cli::status_meanings.size()));
}

TEST_CASE("files: outputs that cannot be written have one status, and the reason on standard error") {
  const Folder folder;
  shell(folder, "touch file; cp " + networks + "plant.toml " + networks + "../traffic/requests.csv .");
  static_cast<void>(
      folder.file("plan.toml", "[[query]]\ncommand = \"buffer\"\ninputs = 8\nload = 0.5\ndrop = 1e-9\n"));
  const std::string tree = "simulate tree --radix 2 --levels 1 --load 0.5 --slots 1000";
  for (const auto& [line, option] : std::vector<std::pair<std::string, std::string>>{
           {buffer, "--output"},
           {"pgf --inputs k --load p", "--output"},
           {"network fat-tree --radix 4", "--output"},
           {"schema buffer", "--output"},
           {"buffer --inputs 8 --load 0.5,0.6 --drop 1e-9", "--plot"},
           {tree, "--checkpoint"},
           {"guarantee --network plant.toml", "--certificate"},
           {"fit requests.csv --time-unit ns --link-gbps 1", "--save-traffic"},
           {"sweep plan.toml", "--store"},
           {"reproduce mohapatra-4 --quick", "--output"}})
    for (const std::string format : {"", " --format csv", " --format json", " --quiet"})
      for (const std::string where : {"none/x.svg", "file/x.svg"}) {
        if (option == "--output" && line.starts_with("reproduce") && where.starts_with("none")) continue;
        const Outcome outcome = shell(folder, "$T " + line + format + " " + option + " " + where);
        INFO(line << format << " " << option << " " << where);
        check_rejected(outcome, {option + " " + where.substr(0, 4), " cannot be written: "}, 5);
      }
}

TEST_CASE("files: a sweep on a full disk says so in every format") {
  const Folder folder;
  static_cast<void>(folder.file("plan.toml",
                                "[[query]]\ncommand = \"buffer\"\ninputs = [\"2:20:1\"]\n"
                                "load = [\"0.1:0.9:0.1\"]\ndrop = 1e-9\n"));
  for (const std::string format : {"", " --format csv", " --format json", " --quiet", " --output x"}) {
    INFO(format);
    // Through a pipe, since the limit also applies to files written by the shell.
    const Outcome outcome = shell(folder, "( ulimit -f 200; $T sweep plan.toml --store s.db" + format +
                                              " 2>&1 >/dev/null; echo status $? ) | cat; rm -f s.db*");
    CHECK(holds(outcome.out, "--store s.db cannot be written: "));
    CHECK(holds(outcome.out, "status 5\n"));
  }
}

TEST_CASE("files: every status but 0 has its reason on standard error") {
  const Folder folder;
  static_cast<void>(folder.file("wrong", "0.5\n0.3\n0.2\n"));
  static_cast<void>(folder.file(
      "plan.toml", "[[query]]\ncommand = \"buffer\"\ninputs = 8\nload = [0.5, 1]\ndrop = 1e-9\n"));
  for (const auto& [line, reason] : std::vector<std::pair<std::string, std::string>>{
           {"compare wrong --inputs 2 --load 0.5", "1 of 3 values disagrees, at n = 2"},
           {"compare wrong --inputs 2 --load 0.5,0.6", "2 of 2 settings disagree"},
           {"compare wrong --inputs 2 --load 0.5,1", "1 of 2 points has no answer; the first: load 1: "},
           {"buffer --inputs 8 --load 0.5,1 --drop 1e-9", "1 of 2 points has no answer; the first: load 1: "},
           {"buffer --inputs 8 --load 1 --drop 1e-9", "unstable"},
           {"sweep plan.toml --store s.db", "1 of 2 points has no answer; the first: load 1: "},
           {"buffer --inputs 8 --load x --drop 1e-9", "--load is \"x\""}})
    for (const std::string format : {"", " --format csv", " --format json", " --format html", " --quiet",
                                     " --output x", " --quiet --output x"}) {
      INFO(line << format);
      const Outcome outcome = shell(folder, "$T " + line + format);
      CHECK((outcome.status == 1 || outcome.status == 2));
      CHECK(holds(outcome.err, reason));
    }
}

TEST_CASE("files: pictures do not depend on the environment") {
  const Folder folder;
  const std::string list = "$T buffer --inputs 16 --load 0.5,0.9 --drop 1e-9 --output /dev/null --plot ";
  const bool converted = std::system("rsvg-convert --version > /dev/null 2>&1") == 0;
  const std::vector<std::string> kinds =
      converted ? std::vector<std::string>{"svg", "png"} : std::vector<std::string>{"svg"};
  for (const std::string& kind : kinds) {
    REQUIRE(shell(folder, list + "a." + kind).status == 0);
    const Outcome other = shell(folder, "LC_ALL=nowhere LANG=de_DE.UTF-8 GDK_SCALE=3 " + list + "b." + kind);
    INFO(other.err);
    CHECK(other.status == 0);
    CHECK(other.err.empty());
    CHECK(content(folder / ("a." + kind)) == content(folder / ("b." + kind)));
  }
  CHECK(files_in(folder) == 2 * kinds.size());
}

TEST_CASE("files: SVG needs no other program; PNG names the missing program") {
  const Folder folder;
  const std::string line = "PATH=/none $T buffer --inputs 16 --load 0.9 --drop 1e-9 --quiet --plot ";
  CHECK(shell(folder, line + "a.svg").status == 0);
  CHECK(holds(content(folder / "a.svg"), "</svg>"));
  check_rejected(shell(folder, line + "a.png"), {"--plot", "rsvg-convert is not installed", "librsvg2-bin"});
  CHECK(files_in(folder) == 1);
}

TEST_CASE("files: a store is not overwritten by another output, under any name") {
  const Folder folder;
  static_cast<void>(folder.file(
      "plan.toml", "[[query]]\ncommand = \"buffer\"\ninputs = [8, 9]\nload = 0.5\ndrop = 1e-9\n"));
  REQUIRE(shell(folder, "$T sweep plan.toml --store s.db --quiet").status == 0);
  shell(folder, "cp s.db other.db; ln s.db hard.svg; ln -s s.db soft; cp s.db other.svg");
  const std::string before = content(folder / "s.db");
  for (const auto& [options, expected] : std::vector<std::pair<std::string, std::string>>{
           {"--store s.db --output s.db", "--store"},
           {"--store s.db --dry-run --output s.db", "--store"},
           {"--store s.db --output soft", "--store"},
           {"--store s.db --output s.db-wal", "--store"},
           {"--store s.db --output ./s.db-shm", "--store"},
           {"--store s.db --plot hard.svg", "--store"},
           {"--store other.db --add s.db --output soft", "--add"},
           {"--store s.db --add s.db", "--add"},
           {"--store plan.toml", "PLAN"},
           {"--store s.db --output plan.toml", "PLAN"}}) {
    INFO(options);
    check_rejected(shell(folder, "$T sweep plan.toml " + options), {expected, "another file than that of"});
    CHECK(content(folder / "s.db") == before);
  }
  CHECK(shell(folder, "$T sweep plan.toml --store s.db --dry-run").status == 0);
}

TEST_CASE("files: a dangling link is followed") {
  const Folder folder;
  const Outcome outcome =
      shell(folder, "ln -s there link && ln -s link again && $T " + buffer +
                        " --quiet --output again && test -L again && test -L link && cat there");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.out == "157\n");
  CHECK(files_in(folder) == 3);
  const std::string two =
      "$T simulate tree --radix 4 --levels 2 --load 0.5 --slots 1000 --output link2 --checkpoint ";
  CHECK(shell(folder, "ln -s nowhere link2 && " + two + "nowhere").status == 2);
}

TEST_CASE("files: leftovers of a killed process are removed by the next run, and nothing else") {
  const Folder folder;
  const Outcome outcome = shell(folder, R"(
touch -d '1 hour ago' out.tailbound-aB3xYz out.tailbound-new out.tailbound-notours out.svg
touch out.tailbound-NowNow
touch -d '1 hour ago' locked; mv locked out.tailbound-LockeD
exec 9< out.tailbound-LockeD; flock -n 9 || exit 9
$T )" + buffer + R"( --quiet --output out && ls)");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(
      outcome.out ==
      "out\nout.svg\nout.tailbound-LockeD\nout.tailbound-NowNow\nout.tailbound-new\nout.tailbound-notours\n");
}

TEST_CASE("files: a stalled reader does not delay a stop or a limit") {
  // After one second without progress none takes more than a few seconds.
  const Folder folder;
  shell(folder, "mkfifo pipe");
  const std::string query = "$T " + buffer;
  for (const auto& [script, status, expected] : std::vector<std::tuple<std::string, int, std::string>>{
           {"timeout -s TERM 2 " + query + " --output pipe", 4, "nothing was reading from pipe"},
           {query + " --output pipe --time-limit 1", 1, "the time limit of 1 s is reached"},
           {"$T buffer --pmf pipe --drop 1e-9 --time-limit 1", 1, "within the time limit of 1 s"},
           {"timeout -s TERM 1 $T sweep pipe --store s.db", 4, "stopped on request"},
           {"timeout -s TERM 1 $T merge pipe", 4, "stopped on request"}}) {
    INFO(script);
    // timeout returns 124 if it ends a process, so the program's own status is passed differently.
    const Outcome outcome = shell(folder, "sh -c '" + script + "; exit $?' ; echo $?");
    INFO(outcome.out << outcome.err);
    CHECK(holds(outcome.err, expected));
    CHECK((outcome.out == std::to_string(status) + "\n" || outcome.out == "124\n"));
  }
  // A full pipe: the reader sleeps, and the output exceeds the capacity of a pipe.
  const Outcome full =
      shell(folder,
            "{ timeout -s TERM 1 $T occupancy --inputs 8 --load 0.5 --levels 0:1000:1 --format json; "
            "echo $? > status; } | { while ! test -s status; do sleep 0.1; done; wc -c; }");
  CHECK(content(folder / "status") == "124\n");
  CHECK(holds(full.err, "nothing was reading from standard output"));
  // A late reader is waited for.
  const Outcome late = shell(folder, "{ sleep 1; cat pipe; } & " + query + " --quiet --output pipe; wait");
  CHECK(late.out == "157\n");
}

TEST_CASE("files: a drawing program does not delay a stop: the answer comes without the picture") {
  const Folder folder;
  static_cast<void>(folder.file("rsvg-convert", "#!/bin/sh\nexec sleep 100\n"));
  const std::string line =
      "chmod +x rsvg-convert; PATH=.:$PATH; $T buffer --inputs 16 --load 0.5,0.9 --drop 1e-9 --plot p.png "
      "--format csv";
  const Outcome limited = shell(folder, line + " --time-limit 1");
  CHECK(limited.status == 1);
  CHECK(holds(limited.out, "bernoulli,16,0.9"));
  CHECK(
      holds(limited.err, "the time limit of 1 s is reached; the answer is whole, its picture was not drawn"));
  const Outcome ended =
      shell(folder, "chmod +x rsvg-convert; PATH=.:$PATH; timeout -s INT 1 " + line.substr(line.find("$T")));
  CHECK(holds(ended.out, "bernoulli,16,0.9"));
  CHECK(holds(ended.err, "its picture was not drawn"));
  CHECK(files_in(folder) == 1);
}

TEST_CASE("files: a reader that closes early is not an error") {
  const Folder folder;
  const Outcome outcome = shell(
      folder,
      "{ $T occupancy --inputs 8 --load 0.5 --levels 0:1000:1 --format json; echo $? >&2; } | head -c 2");
  CHECK(outcome.out == "{\n");
  CHECK(outcome.err == "tailbound occupancy: the reader of standard output has gone\n4\n");
}

TEST_CASE("files: names and titles are escaped for a terminal, a spreadsheet, a page and a picture") {
  const Folder folder;
  const std::string odd = "=cmd\x1b]0;\a\xff\xe2\x80\xae.txt";
  static_cast<void>(folder.file(odd, "0.5\n0.25\n0.25\n"));
  for (const std::string format : {"table", "csv", "json", "html", "markdown"}) {
    const Outcome outcome =
        run_command({"buffer", "--pmf", folder / odd, "--drop", "1e-9", "--format", format});
    INFO(format << outcome.out);
    CHECK(outcome.status == 0);
    CHECK(outcome.out.find_first_of("\x1b\a\xff") == std::string::npos);
    CHECK(!holds(outcome.out, "\u202e"));
    CHECK(holds(outcome.out, "cmd\\u001b]0;\\u0007"));
  }
  const Outcome table = shell(folder, "$T buffer --pmf =cmd* --drop 1e-9 --format csv");
  CHECK(holds(table.out, "\n'=cmd"));
  const Outcome rejected = run_command({"buffer", "--inputs", "8", "--load", "0.5\x1b\n", "--drop", "1e-9"});
  CHECK(holds(rejected.err, "--load is \"0.5\\u001b\"; it must be"));
  for (const std::string title :
       {"'quoted", "it's `touch hacked` \"and\" $HOME \\n", "a]]>b<c>&", "\xff\x1b\n\t"}) {
    INFO(title);
    const Outcome drawn = run_command({"buffer", "--inputs", "8", "--load", "0.5,0.6", "--drop", "1e-9",
                                       "--plot", folder / "p.svg", "--title", title});
    INFO(drawn.err);
    CHECK(drawn.status == 0);
    const std::string svg = content(folder / "p.svg");
    CHECK(svg.find_first_of("\xff\x1b") == std::string::npos);
    CHECK(!holds(svg, "]]>b"));
    CHECK(!fs::exists("hacked"));
  }
}

TEST_CASE("files: standard input as a file") {
  const Folder folder;
  const std::string network = networks + "two_switches.toml";
  const auto same = [&](const std::string& command, const std::string& option, const std::string& file) {
    const Outcome named = shell(folder, "$T " + command + " " + option + " '" + file + "' --quiet");
    const Outcome piped = shell(folder, "cat '" + file + "' | $T " + command + " " + option + " - --quiet");
    INFO(command << "\n" << piped.err);
    CHECK(named.status == 0);
    CHECK(piped.status == 0);
    CHECK(piped.out == named.out);
  };
  same("delay --drop 1e-9", "--network", network);
  same("buffer --drop 1e-9", "--pmf", folder.file("pmf", "0.5\n0.3\n0.2\n"));
  same("buffer --drop 1e-9", "--blocks",
       folder.file("blocks", "[[[0.5, 0.1], [0.1, 0.5]], [[0.3, 0.1], [0.1, 0.3]]]"));
  same("compare --inputs 2 --load 0.5", "", folder.file("list", "1/2\n"));
  // Read several times by the command, but only once from the pipe.
  const Outcome twice = shell(folder, "cat '" + network + "' | $T validate delay --slots 1000 --network -");
  INFO(twice.err);
  CHECK(twice.status <= 1);
  CHECK_FALSE(twice.out.empty());

  check_rejected(shell(folder, "$T delay --network - --matrix - <'" + network + "'"),
                 {"--matrix is -", "--network"});
  check_rejected(shell(folder, "$T delay --network - <&-"), {"--network is -", "Bad file descriptor"});
}

TEST_CASE("a file read in pieces is unchanged, and limited in length", "[golden][files]") {
  const Folder folder;
  const std::string path = folder.path() + "/list.csv";
  std::string text;
  for (int i = 0; i < 40'000; ++i) text += "h" + std::to_string(i) + ", h0, 0.25\n";
  tailbound::golden::write(path, text);
  tailbound::files::NamedFiles files;
  std::string read;
  std::size_t pieces = 0;
  const auto take = [&](std::string_view bytes) {
    read += bytes;
    ++pieces;
  };
  files.read_pieces(path, "--list", text.size(), take);
  CHECK(read == text);
  CHECK(pieces > 5);
  CHECK_THROWS_AS(files.read_pieces(path, "--list", text.size() - 1, take), tailbound::InvalidArgument);
  CHECK_THROWS_AS(files.read_pieces(path + "x", "--list", text.size(), take), tailbound::InvalidArgument);
  // It is known as an input: it must not be written.
  CHECK_THROWS_AS(files.writes(path, "--output"), tailbound::InvalidArgument);
  // With remembered contents it is complete, and remembered.
  files.remember();
  read.clear();
  files.read_pieces(path, "--list", text.size(), take);
  CHECK(read == text);
  CHECK(files.remembered().at(path) == text);
}

TEST_CASE("named files: what is kept is neither read nor written by another option", "[golden][files]") {
  const Folder folder;
  const std::string store = folder.file("store", "kept"), other = folder.file("other", "text");
  fs::create_hard_link(store, folder / "twin");
  tailbound::files::NamedFiles named;
  named.keeps(store, "--store");
  named.keeps(store, "--store");
  CHECK_THROWS_AS(named.writes(folder / "twin", "--output"), tailbound::InvalidArgument);
  CHECK_THROWS_AS(named.read(store, "PLAN"), tailbound::InvalidArgument);
  CHECK_THROWS_AS(named.keeps(folder / "twin", "--add"), tailbound::InvalidArgument);
  CHECK(named.read(other, "PLAN") == "text");
  CHECK_THROWS_AS(named.keeps(other, "--store"), tailbound::InvalidArgument);
}

TEST_CASE("write_all: a stop ends what nobody takes", "[golden][files]") {
  std::signal(SIGPIPE, SIG_IGN);
  int ends[2] = {};
  REQUIRE(pipe(ends) == 0);
  std::stop_source stop;
  stop.request_stop();
  // Ends in any case; then nobody reads.
  std::thread ender([&] {
    std::this_thread::sleep_for(std::chrono::seconds(6));
    close(ends[0]);
  });
  CHECK(tailbound::files::write_all(ends[1], std::string(1 << 20, 'x'), stop.get_token()) == ECANCELED);
  ender.join();
  close(ends[1]);
  // Data that is accepted is written, with or without a stop.
  REQUIRE(pipe(ends) == 0);
  std::thread reader([&] {
    char taken[4096];
    while (read(ends[0], taken, sizeof taken) > 0) {
    }
  });
  CHECK(tailbound::files::write_all(ends[1], std::string(1 << 20, 'x'), stop.get_token()) == 0);
  close(ends[1]);
  reader.join();
  close(ends[0]);
}

TEST_CASE("files: a second process that writes the same file is rejected, with the name of the first") {
  for (const std::string option : {"--checkpoint", "--output", "--plot"}) {
    const Folder folder;
    const std::string file = folder / "file.svg", lock = file + ".lock";
    // Paused in the middle, or killed, so that it does not matter how fast the machine is.
    const auto run = [&](const std::string& slots) {
      return "simulate tree --radix 4 --levels 2 --load 0.8 --slots " + slots + " " + option + " " + file;
    };
    std::optional<tailbound::golden::Child> first(run("1e9"));
    while (!first->has_ended() && (!fs::exists(lock) || content(lock).empty()))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const std::string owner = "process " + std::to_string(first->id()) + " on host ";
    CHECK(content(lock).rfind(owner, 0) == 0);
    for (const char* slots : {"1e9", "2000"})
      check_rejected(
          run_line(run(slots)),
          {option + " is " + file + "; it must be a file that no other process is writing (" + owner});
    first.reset();  // killed: the lock file stays, the lock does not
    CHECK(fs::exists(lock));
    CHECK(run_line(run("2000")).status == 0);
    CHECK_FALSE(fs::exists(lock));
    fs::remove(file);
    tailbound::golden::Child second(run("1e9"));
    while (!second.has_ended() && (!fs::exists(lock) || content(lock).empty()))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    second.send(SIGTERM);
    CHECK(second.wait() == 4);
    CHECK_FALSE(fs::exists(lock));
  }
}

TEST_CASE("file locks: of many processes that start at the same time, one at a time has it",
          "[golden][files]") {
  const Folder folder;
  const std::string file = folder / "file";
  std::vector<std::unique_ptr<tailbound::run::ChildProcess>> children;
  for (int i = 0; i < 4; ++i)
    children.push_back(std::make_unique<tailbound::run::ChildProcess>([&file](tailbound::run::FramedStream&) {
      for (int got = 0; got < 50;) {
        try {
          const tailbound::files::FileLock lock(file, "--checkpoint");
          if (!fs::create_directory(file + ".used")) return 2;  // another has the lock, too
          fs::remove(file + ".used");
          ++got;
        } catch (const tailbound::InvalidArgument&) {
        }
      }
      return 0;
    }));
  for (const auto& child : children) CHECK(child->wait() == 0);
  CHECK(files_in(folder) == 0);
}

TEST_CASE("pending files: what is nobody's any more is removed", "[golden][files]") {
  const Folder folder;
  const auto an_hour_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  const std::string old = folder.file("out.tailbound-abcdef", ""),
                    fresh = folder.file("out.tailbound-fresh1", ""),
                    another = folder.file("out2.tailbound-abcdef", "");
  fs::last_write_time(old, an_hour_ago);
  fs::last_write_time(another, an_hour_ago);
  tailbound::files::PendingFile file(folder / "out", "--output");
  CHECK(!fs::exists(old));
  CHECK(fs::exists(fresh));
  CHECK(fs::exists(another));
  file.write("whole");
  file.commit();
  CHECK(content(folder / "out") == "whole");
  CHECK(files_in(folder) == 3);
}
