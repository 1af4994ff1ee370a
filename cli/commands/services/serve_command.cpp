#include <cli/commands.hpp>
#include <cli/options/options.hpp>

namespace tailbound::cli {
namespace {

/// Used by tailbound-serve (serve/main.cpp), which replaces this process if it is found.
struct ServeOptions {
  std::optional<std::string> port, host, time_limit, memory_limit, runs;
  bool no_open = false;
};

void declare(OptionTable& table, ServeOptions& options) {
  const OptionGroup page(table, "Page");
  page.add("--port", options.port, "N", "where it is served; 0, unless told: any that is free");
  page.add(
      "--host", options.host, "ADDRESS",
      "who may see it: 127.0.0.1, unless told, is this machine alone;\nbeyond it what is asked is read by "
      "the whole network");
  page.add_flag("--no-open", options.no_open, "only print the link, and open no browser");
  const OptionGroup limits(table, "Limits");
  limits.add("--time-limit", options.time_limit, "S",
             "seconds of an answer; simulations take their time (10)");
  limits.add("--memory-limit", options.memory_limit, "SIZE",
             "of each process that answers: 500MB, 2GB (2GiB)");
  limits.add("--runs", options.runs, "N", "simulations at once (2)");
}

Reply answer(const ServeOptions&, const Context&) {
  throw NoAnswer(
      "the workbench is the program tailbound-serve, which is not beside this one: it is built where "
      "cpp-httplib "
      "is found (libcpp-httplib-dev)");
}

}  // namespace

Command serve_command() {
  return command_of<ServeOptions>({.name = "serve",
                                   .purpose = "all of this in a browser: forms, live answers, pictures",
                                   .work = Work::analysis,
                                   .declare = declare,
                                   .answer = answer});
}

}  // namespace tailbound::cli
