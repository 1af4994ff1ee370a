#include <catch2/catch.hpp>
#include <cli/command_runner.hpp>
#include <cli/program.hpp>
#include <tailbound/core/error.hpp>

#include <algorithm>
#include <stop_token>
#include <string>

// Commands run in process for their documents, as by Python and sweeps.

namespace {

using namespace tailbound;
using cli::CommandRunner;

std::string json_of(const cli::Reply& reply) {
  return render::to_json(reply.document, {.version = "0", .quiet = false});
}

TEST_CASE("ask: every command by its name, with its options") {
  const std::vector<std::string> names = cli::command_names();
  CHECK(std::find(names.begin(), names.end(), "simulate tree") != names.end());
  for (const std::string& name : names) {
    const CommandRunner runner(name);
    CHECK(runner.command().name == name);
    CHECK_FALSE(runner.options().options.empty());
    for (const cli::Option& option : runner.options().options) {
      INFO(name << " " << option.name);
      CHECK_FALSE(option.help.empty());
      CHECK_FALSE(option.given());
    }
  }
  const CommandRunner buffer("buffer");
  const cli::Option* load = buffer.options().find("--load");
  REQUIRE(load != nullptr);
  CHECK(load->type == "R");
  CHECK(load->group == "Traffic");
  CHECK_THROWS_AS(CommandRunner("bufer"), InvalidArgument);
}

TEST_CASE("ask: the same document by name and by command line") {
  const CommandRunner runner("buffer");
  const cli::Reply by_names = runner.answer({{"--inputs", "16"}, {"--load", "0.8,0.9"}, {"--drop", "1e-15"}});
  CHECK(by_names.status() == cli::answered);
  CHECK(by_names.document.results.size() == 2);
  CHECK(json_of(by_names) ==
        json_of(cli::answer_document({"buffer", "--inputs=16", "--load", "0.8,0.9", "--drop", "1e-15"})));
  // No state of one query remains for the next.
  const cli::Reply next =
      runner.answer({{"--shared", ""}, {"--inputs", "4"}, {"--load", "0.5"}, {"--drop", "1e-6"}});
  CHECK(next.document.results.size() == 1);
  CHECK(json_of(runner.answer({{"--inputs", "16"}, {"--load", "0.8,0.9"}, {"--drop", "1e-15"}})) ==
        json_of(by_names));
}

TEST_CASE("ask: errors are thrown, as typed") {
  const CommandRunner runner("buffer");
  const auto message = [&](const std::vector<std::pair<std::string, std::string>>& given) -> std::string {
    try {
      static_cast<void>(runner.answer(given));
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "nothing thrown";
  };
  CHECK(message({{"--inputs", "0"}, {"--load", "0.9"}, {"--drop", "1e-9"}}).rfind("--inputs is 0", 0) == 0);
  CHECK(message({{"--inptus", "16"}}).find("did you mean --inputs?") != std::string::npos);
  CHECK(message({{"--inputs", "16"}, {"--inputs", "8"}}).find("given twice") != std::string::npos);
  CHECK_THROWS_AS(runner.answer({{"--inputs", "16"}, {"--load", "1"}, {"--drop", "1e-9"}}), NoAnswer);
  CHECK_THROWS_AS(cli::answer_document({"buffer", "--inputs"}), cli::BadUsage);
  CHECK_THROWS_AS(CommandRunner("compare").answer({{"--inputs", "16"}, {"--load", "0.9"}}), InvalidArgument);
}

TEST_CASE("ask: help is text, a stop is thrown or marked") {
  const cli::Reply help = cli::answer_document({"buffer", "--help"});
  REQUIRE(help.text);
  CHECK(help.text->find("--drop EPS") != std::string::npos);
  std::stop_source stop;
  stop.request_stop();
  CHECK_THROWS_AS(CommandRunner("buffer").answer({{"--inputs", "16"}, {"--load", "0.9"}, {"--drop", "1e-9"}},
                                                 {.stop = stop.get_token()}),
                  Stopped);
}

}  // namespace
