#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <tests/golden/csv_rows.hpp>
#include <tests/golden/run_json.hpp>
#include <vector>

namespace {

using nlohmann::json;
using tailbound::golden::Outcome;
using tailbound::golden::run_json;
using tailbound::golden::run_line;
using tailbound::golden::run_result;
using tailbound::golden::value_of;

const std::string small_switch = " --inputs 4 --load 0.8 --slots 20000";

TEST_CASE("simulate switch: estimates are independent of threads") {
  const json one = run_result("simulate switch" + small_switch + " --memory 20 --threads 1");
  CHECK(one == run_result("simulate switch" + small_switch + " --memory 20 --threads 2"));
  CHECK(one["mean_total"]["kind"] == "estimate");
  CHECK(value_of(one["mean_total"]) == Approx(8).epsilon(0.03));
  CHECK(value_of(one["mean_queue"]) == Approx(value_of(one["mean_total"]) / 4));
  CHECK(one["output_load"]["value"] == "4/5");
  CHECK(one["loss"]["lower"].get<double>() <= 9.92580528e-5);
  CHECK(one["loss"]["upper"].get<double>() >= 9.92580528e-5);
  CHECK(one["tail"][0]["level"] == 0);
  CHECK(value_of(one["tail"][0]["queue"]) == Approx(0.8).epsilon(0.01));
  CHECK_FALSE(one.contains("cell_loss"));
}

TEST_CASE("simulate switch: lists give all combinations") {
  const json answer =
      run_json("simulate switch --inputs 4,8 --load 0.5,0.7 --memory 10,20 --threshold 1,2 --slots 1000");
  REQUIRE(answer["results"].size() == 16);
  CHECK(answer["query"]["inputs"] == json({4, 8}));
  CHECK(answer["query"]["memory"] == json({10, 20}));
  CHECK(run_json("simulate switch --rates 0.5,1/3,0.9 --outputs 4 --slots 1000")["results"].size() == 1);
  CHECK(run_json("simulate switch --inputs 4 --load 0.5 --burst 8 --destination per-burst,per-packet "
                 "--slots 1000")["results"]
            .size() == 2);
  const Outcome quiet =
      run_line("simulate switch --inputs 4 --load 0.5,0.7 --memory 10 --slots 1000 --quiet");
  CHECK(std::count(quiet.out.begin(), quiet.out.end(), '\n') == 2);
}

TEST_CASE("simulate switch: packets of several cells") {
  const json imix =
      run_result("simulate switch --inputs 16 --load 0.8 --sizes imix --buffer 100 --slots 20000");
  CHECK(imix["size_cells"] == json({"1", "10", "24"}));
  CHECK(imix["arrive"] == "whole");
  CHECK(value_of(imix["loss"]) == Approx(8.79842e-3).epsilon(0.2));
  CHECK(value_of(imix["cell_loss"]) == Approx(1.088e-2).epsilon(0.2));
  REQUIRE(imix["sizes"].size() == 3);
  CHECK(imix["sizes"][2]["cells"] == 24);
  CHECK(imix["sizes"][0]["packets"].get<double>() / imix["sizes"][2]["packets"].get<double>() ==
        Approx(7).epsilon(0.1));
  const json equal =
      run_result("simulate switch --inputs 4 --load 0.5 --sizes 60:1,64,100:2 --arrive cells --slots 1000");
  CHECK(equal["size_cells"] == json({"1", "2"}));
  CHECK(equal["size_shares"] == json({"0.5", "0.5"}));
  CHECK(run_line("simulate switch --inputs 4 --load 0.5 --sizes imix --memory 40,80 --slots 1000")
            .out.find("memory [cells]") != std::string::npos);
}

TEST_CASE("simulate switch: errors name the option, its value and the legal range") {
  struct Rejection {
    std::string line;
    int status;
    std::vector<const char*> expected;
  };
  for (const Rejection& rejection : std::vector<Rejection>{
           {"", 2, {"--inputs is missing"}},
           {" --inputs 4", 2, {"--load is missing"}},
           {" --inputs 0 --load 0.5", 2, {"--inputs", "0", "from 1 to 1024"}},
           {" --inputs x --load 0.5", 2, {"--inputs", "x"}},
           {" --inputs 4 --load 0", 2, {"--load", "0", "above 0 and at most 1"}},
           {" --inputs 4 --load 1.1", 2, {"--load", "1.1", "above 0 and at most 1"}},
           {" --inputs 4 --load 1", 1, {"unstable"}},
           {" --inputs 4 --load 0.8 --hot 0.2", 1, {"unstable"}},
           {" --inputs 4 --load 0.8 --hot 2", 2, {"--hot", "2", "from 0 to 1"}},
           {" --inputs 4 --load 0.8 --outputs 0", 2, {"--outputs", "0", "from 1 to 4096"}},
           {" --inputs 4 --load 0.8 --memory 0", 2, {"--memory", "0", "from 1"}},
           {" --inputs 4 --load 0.8 --memory x", 2, {"--memory", "x", "from 1"}},
           {" --inputs 4 --load 0.8 --buffer 0", 2, {"--buffer", "0", "from 1"}},
           {" --inputs 4 --load 0.8 --threshold 1", 2, {"--threshold", "--memory"}},
           {" --inputs 4 --load 0.8 --memory 10 --threshold 0", 2, {"--threshold", "0", "above 0"}},
           {" --inputs 4 --load 0.8 --memory 10 --threshold 1e-13", 2, {"threshold", "2^39"}},
           {" --inputs 4 --load 0.8 --rates 0.1,0.2", 2, {"--inputs", "--rates"}},
           {" --rates 0.1,2", 2, {"--rates", "2", "at most 1"}},
           {" --inputs 4 --load 0.8 --on-rate 0.9", 2, {"--on-rate", "--burst"}},
           {" --inputs 4 --load 0.8 --destination per-burst", 2, {"--destination", "--burst"}},
           {" --inputs 4 --load 0.8 --burst 1", 2, {"--burst", "1"}},
           {" --inputs 4 --load 0.8 --burst 8 --destination home", 2, {"--destination", "home", "per-burst"}},
           {" --inputs 4 --load 0.8 --sizes imix --burst 4", 2, {"--burst", "--sizes"}},
           {" --inputs 4 --load 0.8 --cell-bytes 64", 2, {"--cell-bytes", "--sizes"}},
           {" --inputs 4 --load 0.8 --arrive cells", 2, {"--arrive", "--sizes"}},
           {" --inputs 4 --load 0.8 --sizes 0:1", 2, {"--sizes", "0", "from 1"}},
           {" --inputs 4 --load 0.8 --sizes 64:0", 2, {"--sizes", "0", "above 0"}},
           {" --inputs 4 --load 0.8 --sizes 64:x", 2, {"--sizes", "x"}},
           {" --inputs 4 --load 0.8 --sizes 1000000:1 --cell-bytes 1", 2, {"65536 cells"}},
           {" --inputs 4 --load 0.8 --sizes imix --arrive late", 2, {"--arrive", "late", "whole"}},
           {" --inputs 4 --load 0.8 --sizes imix --packet-bytes 64", 2, {"--packet-bytes", "--sizes"}},
           {" --inputs 4 --load 0.8 --occupancy -1", 2, {"--occupancy", "-1"}},
           {" --inputs 4 --load 0.8,0.9 --checkpoint x", 2, {"--checkpoint", "several"}}}) {
    const Outcome outcome = run_line("simulate switch" + rejection.line);
    INFO(rejection.line << "\n" << outcome.err);
    CHECK(outcome.status == rejection.status);
    CHECK(outcome.out.empty());
    for (const char* text : rejection.expected) {
      INFO(text);
      CHECK(outcome.err.find(text) != std::string::npos);
    }
  }
}

TEST_CASE("validate switch: packets of several cells, as in `buffer --shared` and `simulate switch`") {
  const std::string packets = "--inputs 4 --load 0.6 --sizes 64:1,128:1 ";
  const std::string run = "--slots 100000 --seed 3";
  const json both = run_result("validate switch " + packets + "--criterion loss --memory 20 " + run);
  const json proved = run_result("buffer --shared " + packets + "--criterion loss --capacity 20");
  const json seen = run_result("simulate switch " + packets + "--memory 20 " + run);
  REQUIRE(both["rows"].size() == 2);
  const json &cells = both["rows"][0], &whole = both["rows"][1];
  CHECK(cells["quantity"] == "cell_loss");
  CHECK(cells["prediction"] == proved["cell_loss"]);
  CHECK(cells["simulation"]["value"] == seen["cell_loss"]["value"]);
  CHECK(whole["quantity"] == "packet_loss");
  CHECK(whole["prediction"] == proved["packet_loss"]);
  CHECK(whole["simulation"]["value"].get<double>() > cells["simulation"]["value"].get<double>());
  CHECK(both["verdict_of_all"] == "conservative");
  // With unlimited memory: the mean of T is exact, in cells.
  const json capacity = run_result("validate switch " + packets + "--memory 20 " + run);
  const json &tail = capacity["rows"][0], &mean = capacity["rows"][1];
  CHECK(tail["quantity"] == "total_tail");
  CHECK(mean["prediction"] == proved["mean_total"]);
  CHECK(mean["verdict"] == "inside");
  CHECK(run_line("validate switch --inputs 4 --load 0.6 --cell-bytes 64")
            .err.find("--cell-bytes needs --sizes") != std::string::npos);
}

}  // namespace
