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
  page.add("--port", options.port, "N", "TCP port (default 0: any free port)");
  page.add("--host", options.host, "ADDRESS",
           "address to listen on (default 127.0.0.1).\nThe default is reachable from this machine only; with "
           "any other address the whole network can read the queries");
  page.add_flag("--no-open", options.no_open, "print the link without opening a browser");
  const OptionGroup limits(table, "Limits");
  limits.add("--time-limit", options.time_limit, "S",
             "limit of a query in seconds (default 10).\nSimulations have no limit");
  limits.add("--memory-limit", options.memory_limit, "SIZE",
             "memory limit of each worker process (default 2GiB)");
  limits.add("--runs", options.runs, "N", "concurrent simulations (default 2)");
}

Reply answer(const ServeOptions&, const Context&) {
  throw NoAnswer(
      "the workbench is the program tailbound-serve, which is not installed next to this one; it is built "
      "where cpp-httplib is found (libcpp-httplib-dev)");
}

}  // namespace

Command serve_command() {
  return command_of<ServeOptions>({.name = "serve",
                                   .purpose = "workbench in the browser",
                                   .work = Work::analysis,
                                   .declare = declare,
                                   .answer = answer});
}

}  // namespace tailbound::cli
