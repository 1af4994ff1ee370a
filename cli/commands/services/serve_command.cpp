#include <cli/commands.hpp>
#include <cli/options/options.hpp>

namespace tailbound::cli {
namespace {

/// Used by tailbound-serve (serve/main.cpp), which replaces this process if it is found.
struct ServeOptions {
  OptionTable rows{};
  OptionGroup page{rows, "Page"}, limits{rows, "Limits"};
  Text port{page, "--port", "N",
            options::text().by_default("0").must_be(numeric::integers_in_words(0, 65535)),
            "TCP port (default {}: any free port)"};
  Text host{page, "--host", "ADDRESS", options::text().by_default("127.0.0.1"),
            "address to listen on (default {}).\nThe default is reachable from this machine only; with any "
            "other address the whole network can read the queries"};
  Flag no_open{page, "--no-open", "print the link without opening a browser"};
  Text time_limit{limits, "--time-limit", "S", options::text().by_default("10").must_be("from 0.001 to 1e9"),
                  "limit of a query in seconds (default {}).\nSimulations have no limit"};
  Text memory_limit{limits, "--memory-limit", "SIZE",
                    options::text().by_default("2GiB").must_be("a size of at least 256MB"),
                    "memory limit of each worker process (default {})"};
  Text runs{limits, "--runs", "N", options::text().by_default("2").must_be(numeric::integers_in_words(1, 64)),
            "concurrent simulations (default {})"};
  Flag keep{limits, "--keep",
            "continue simulations while no page is open. Otherwise they\nare stopped after 15 minutes "
            "without one, with the result so far"};
};

Reply answer(const ServeOptions&, const Context&) {
  throw NoAnswer(
      "the workbench is the program tailbound-serve, which is not installed next to this one; it is built "
      "where cpp-httplib is found (libcpp-httplib-dev)");
}

}  // namespace

Command serve_command() {
  return command_of<ServeOptions>(
      {.name = "serve", .purpose = "workbench in the browser", .work = Work::analysis, .answer = answer});
}

}  // namespace tailbound::cli
