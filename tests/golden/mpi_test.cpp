#ifdef TAILBOUND_MPI_EXECUTABLE
#include <catch2/catch.hpp>
#include <tests/golden/child.hpp>
#include <tests/golden/folder.hpp>
#include <tests/golden/run_command.hpp>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

// tailbound-mpi: the same bytes as one process, on any number of ranks. Compiled if MPI is found.

namespace {

using tailbound::golden::content;
using tailbound::golden::Folder;
using tailbound::golden::Outcome;
using tailbound::golden::run_line;

/// More ranks than cores, and as root, as tests run in containers.
const bool prepared = [] {
  for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                           "OMPI_MCA_rmaps_base_oversubscribe", "OMPI_MCA_mpi_yield_when_idle"})
    setenv(name, "1", 0);
  return true;
}();

/// mpirun, in a separate process.
class Job {
 public:
  Job(const Folder& folder, int ranks, const std::string& line,
      const std::string& program = TAILBOUND_MPI_EXECUTABLE)
      : out_(folder / "out"), err_(folder / "err") {
    // Under sanitizers: memory that Open MPI does not free is ignored.
    const std::string command = std::string("ASAN_OPTIONS=detect_leaks=0 exec " TAILBOUND_MPIEXEC " -n ") +
                                std::to_string(ranks) + " " + program + " " + line + " >" + out_ + " 2>" +
                                err_;
    id_ = fork();
    if (id_ == 0) {
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    REQUIRE(id_ > 0);
  }
  ~Job() {
    if (!ended_) kill(id_, SIGTERM);
    if (!ended_) waitpid(id_, nullptr, 0);
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  void send(int signal) const { kill(id_, signal); }
  Outcome wait() {
    int status = 0;
    waitpid(id_, &status, 0);
    ended_ = true;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), content(out_), content(err_)};
  }
  /// Returns when the file exists, or the job has ended; true in the first case.
  [[nodiscard]] bool wait_for(const std::string& file) const {
    while (access(file.c_str(), F_OK) != 0) {
      siginfo_t ended{};
      if (waitid(P_PID, static_cast<id_t>(id_), &ended, WEXITED | WNOWAIT | WNOHANG) == 0 &&
          ended.si_pid == id_)
        return false;
      usleep(1000);
    }
    return true;
  }
  /// The process of a rank.
  [[nodiscard]] pid_t rank(int number) const {
    for (const std::string& child : children(id_)) {
      std::ifstream environment("/proc/" + child + "/environ", std::ios::binary);
      const std::string all{std::istreambuf_iterator<char>(environment), {}};
      if (all.find("OMPI_COMM_WORLD_RANK=" + std::to_string(number) + '\0') != std::string::npos)
        return static_cast<pid_t>(std::stol(child));
    }
    return 0;
  }

 private:
  static std::vector<std::string> children(pid_t of) {
    const std::string id = std::to_string(of);
    std::ifstream list("/proc/" + id + "/task/" + id + "/children");
    std::vector<std::string> all;
    for (std::string one; list >> one;) all.push_back(one);
    return all;
  }

  std::string out_, err_;
  pid_t id_ = 0;
  bool ended_ = false;
};

Outcome on_ranks(int ranks, const std::string& line) {
  const Folder folder;
  return Job(folder, ranks, line).wait();
}

const std::string tree = "simulate tree --radix 4 --levels 2 --load 0.8 --slots 3000";
const std::string worm =
    "simulate wormhole --topology mesh --nodes 16 --flits 8 --fractions 20%,50% --cycles 4000";
const std::string multistage = "simulate multistage --nodes 16 --hot 0.08 --loads 0.3,0.5 --slots 4000";
const std::string rare = "simulate tree --radix 4 --levels 2 --load 0.5 --rare 1e-6,20 --slots 20000";
const std::string list =  // by processes of the first rank
    "buffer --inputs 4,16 --load 0.5:0.8:0.1 --drop 1e-9";
const std::string validated = "validate delay --radix 2 --levels 2 --load 0.5 --slots 2000";
const std::string search =
    "simulate wormhole --topology mesh --nodes 16 --flits 4 --saturation --precision 30%";

const std::string long_tree =
    "simulate tree --radix 4 --levels 3 --load 0.8 --warmup 640 --slots 150000 --format json";

}  // namespace

TEST_CASE("mpi: the same bytes as one process") {
  for (const auto& [query, ranks] : {std::pair{tree, 3}, std::pair{list, 2}, std::pair{validated, 2}}) {
    INFO(query);
    const Outcome outcome = on_ranks(ranks, query + " --format json");
    INFO(outcome.err);
    CHECK(outcome.status == 0);
    CHECK(outcome.out == run_line(query + " --format json").out);
  }
}

TEST_CASE("mpi: the same bytes as one process, for every simulator and number of ranks", "[.full]") {
  for (const std::string& query : {tree, worm, multistage, rare, list, validated, search}) {
    for (const int ranks : {1, 2, 4, 8}) {
      INFO(query << " on " << ranks);
      const Outcome outcome = on_ranks(ranks, query + " --format json");
      INFO(outcome.err);
      CHECK(outcome.out == run_line(query + " --format json").out);
    }
  }
}

TEST_CASE("mpi: only rank 0 writes, and an error is reported once") {
  const Folder folder;
  const std::string answer = folder / "answer.csv";
  CHECK(on_ranks(2, tree + " --format csv --output " + answer).out.empty());
  CHECK(content(answer) == run_line(tree + " --format csv").out);
  const Outcome rejected = on_ranks(2, "simulate tree --radix 4 --levels 2 --load 1.5");
  CHECK(rejected.status == 2);
  CHECK(rejected.out.empty());
  const std::size_t expected = rejected.err.find("tailbound simulate tree: --load is 1.5");
  CHECK(expected != std::string::npos);
  CHECK(rejected.err.find("tailbound simulate tree: --load is 1.5", expected + 1) == std::string::npos);
}

TEST_CASE("mpi: commands that write their own files run in one process") {
  const Folder folder;
  const Outcome rejected = on_ranks(2, "reproduce all --output " + (folder / "figures"));
  CHECK(rejected.status == 2);
  CHECK(rejected.err.find("the command is reproduce; it must be run by tailbound itself") !=
        std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder / "figures"));
}

TEST_CASE("mpi: tailbound itself, started by mpirun, hands over to tailbound-mpi") {
  const Folder folder;
  CHECK(Job(folder, 2, tree + " --format json", TAILBOUND_EXECUTABLE).wait().out ==
        run_line(tree + " --format json").out);
}

TEST_CASE("mpi: stopped, and continued by threads, ranks and parts") {
  const Folder folder;
  const std::string state = folder / "state";
  const Outcome whole = run_line(long_tree);
  REQUIRE(whole.status == 0);
  Job job(folder, 2, long_tree + " --checkpoint-every 0.02 --checkpoint " + state);
  REQUIRE(job.wait_for(state));
  job.send(SIGUSR1);  // which mpirun forwards
  const Outcome stopped = job.wait();
  INFO(stopped.err);
  CHECK((stopped.status == 4 || stopped.out == whole.out));  // a fast machine may already have finished
  // A slow one has no result yet, and reports that.
  CHECK((stopped.status == 0 || stopped.err.find("stopped on request") != std::string::npos ||
         stopped.err.find("stopped with") != std::string::npos));
  CHECK(run_line(long_tree + " --threads 3 --resume " + state).out == whole.out);
  CHECK(on_ranks(3, long_tree + " --resume " + state).out == whole.out);
  const std::string query = long_tree.substr(0, long_tree.find(" --format"));
  for (const char* part : {"1", "2"})
    REQUIRE(run_line(query + " --part " + part + "/2 --resume " + state + " --output " + (folder / part))
                .status == 0);
  CHECK(run_line("merge " + (folder / "1") + " " + (folder / "2") + " --format json").out == whole.out);
}

TEST_CASE("mpi: killed ranks and a terminated mpirun leave a complete checkpoint", "[.full]") {
  const Outcome whole = run_line(long_tree);
  for (const int signal : {SIGTERM, SIGINT}) {
    const Folder folder;
    const std::string state = folder / "state";
    Job job(folder, 2, long_tree + " --checkpoint-every 0.02 --checkpoint " + state);
    REQUIRE(job.wait_for(state));
    job.send(signal);
    (void)job.wait();
    CHECK(run_line(long_tree + " --resume " + state).out == whole.out);
  }
  for (const int rank : {0, 1}) {
    const Folder folder;
    const std::string state = folder / "state";
    Job job(folder, 2, long_tree + " --checkpoint-every 0.02 --checkpoint " + state);
    REQUIRE(job.wait_for(state));
    const pid_t process = job.rank(rank);
    if (process > 0) kill(process, SIGKILL);
    const Outcome ended = job.wait();
    CHECK((ended.status != 0 || ended.out == whole.out));
    CHECK((ended.status == 0 || ended.err.find("signal 9") != std::string::npos));
    CHECK(run_line(long_tree + " --resume " + state).out == whole.out);
  }
}
#endif
