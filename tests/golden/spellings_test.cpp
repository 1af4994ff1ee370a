#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <tests/golden/folder.hpp>
#include <tests/golden/run_json.hpp>

#include <functional>
#include <string>
#include <vector>

// Equivalent spellings give identical answers, in every reader of a file and in options: one table of
// spellings
// of 1/16, and one of readers.

namespace {

using tailbound::golden::Folder;
using tailbound::golden::Outcome;
using tailbound::golden::run_line;

/// As other programs print a number. Every reader takes these.
const std::vector<std::string> decimals{"0.0625",  "6.25e-2", "6.25E-2",   "0.06250",
                                        "625e-4",  "62.5e-3", "6.25e-002", "6.250000000000000000e-02",
                                        "6.25E-02"};
/// As people write it. Readers of a language with numbers of its own (JSON, TOML) take them in quotes.
const std::vector<std::string> texts{"+0.0625", ".0625", "000.0625", " 0.0625 ", "1/16", "6.25*10^-2"};
/// Rejected, or the same number: never another one.
const std::vector<std::string> doubtful{"0,0625",  "6.25%",    "6.25d-2",  "0x1p-4", "6_25e-4",
                                        "2^-4",    "6.25e",    "6.25e-",   "nan",    "inf",
                                        "0.0625x", "--0.0625", "6.25 e-2", "1//16",  "0.06.25"};

struct Reader {
  std::string name;
  /// The command line for a number; it writes its file.
  std::function<std::string(const std::string& number)> line;
  bool texts = true;
  bool may_be_unknown = false;  ///< words without digits mean that a speed is not known
};

const std::string star =
    "hosts = [\"a\", \"b\", \"c\"]\nswitches = [\"s\"]\n[[link]]\nfrom = [\"a\", \"b\", \"c\"]\nto = "
    "\"s\"\nboth = "
    "true\n";

/// Two flows through one output.
std::string network(const std::string& rate, const std::string& link, const std::string& other) {
  return "hosts = [\"a\", \"b\", \"c\"]\nswitches = [\"s\"]\n[[link]]\nfrom = [\"a\", \"b\"]\nto = "
         "\"s\"\n[[link]]\nfrom = "
         "\"s\"\nto = \"c\"\nrate = " +
         link + "\n[[flow]]\nfrom = \"a\"\nto = \"c\"\nrate = " + rate +
         "\n[[flow]]\nfrom = \"b\"\nto = \"c\"\nrate = " + other + "\n";
}

std::vector<Reader> readers(const Folder& folder) {
  const auto file = [&folder](std::string before, const std::string& name, std::string head, std::string tail,
                              std::string after) {
    return [&folder, before = std::move(before), name, head = std::move(head), tail = std::move(tail),
            after = std::move(after)](const std::string& number) {
      return before + " " + folder.file(name, head + number + tail) + " " + after;
    };
  };
  const std::string levels = "--levels 0,3", check = "--analysis";
  const std::string on_star = "delay --network " + folder.file("star.toml", star) + " --analysis --matrix";
  const auto quoted = [](const std::string& number) { return '"' + number + '"'; };
  return {
      {"--pmf", file("occupancy --pmf", "p.txt", "0.9375\n0\n", "\n", levels)},
      {"--pmf, pairs", file("occupancy --pmf", "p.csv", "0 0.9375\n2 ", "\n", levels)},
      {"--blocks, CSV",
       file("occupancy --blocks", "b.csv", "0.4375,0.5\n0.5,0.4375\n\n", ",0\n0,0.0625\n", levels)},
      {"--blocks, JSON",
       file("occupancy --blocks", "b.json", "[[[0.4375,0.5],[0.5,0.4375]],[[", ",0],[0,0.0625]]]", levels),
       false},
      {"--blocks, JSON strings", file("occupancy --blocks", "s.json", "[[[0.4375,0.5],[0.5,0.4375]],[[\"",
                                      "\",0],[0,0.0625]]]", levels)},
      {"--joint", file("occupancy --joint", "j.csv", "0,0,0.9375\n2,1,", "\n", levels)},
      {"--sizes", file("buffer --inputs 4 --load 0.5 --drop 1e-3 --sizes", "s.txt", "64 1\n1500 ", "\n", "")},
      {"delay --delays",
       file("delay --flow-rate 0.5 --reorder 1e-3 --delays", "d.txt", "0.9375\n0\n", "\n", "")},
      {"traffic matrix", file(on_star, "m.csv", ",a,b,c\na,0,", ",0.1\nb,0.25,0,0.1\nc,0.1,0.1,0\n", "")},
      {"traffic matrix with semicolons",
       file(on_star, "m2.csv", ";a;b;c\na;0;", ";0,1\nb;0,25;0;0,1\nc;0,1;0,1;0\n", "")},
      {"list of pairs", file(on_star, "p2.csv", "src,dst,demand\na,b,", "\nb,c,0.5\n", "")},
      {"arrows", file(on_star, "a.tm", "a -> b: ", "\nb -> c: 0.5\n", "")},
      {"TOML rate of a flow",
       [&folder](const std::string& number) {
         return "delay --analysis --network " + folder.file("n.toml", network(number, "1", "0.5"));
       },
       false},
      {"TOML rate of a flow in quotes",
       [&folder, quoted](const std::string& number) {
         return "delay --analysis --network " + folder.file("n.toml", network(quoted(number), "1", "0.5"));
       }},
      {"TOML rate of a link",
       [&folder](const std::string& number) {
         return "delay --analysis --network " + folder.file("n.toml", network("0.03125", number, "0.015625"));
       },
       false},
      {"TOML rate of a link in quotes",
       [&folder, quoted](const std::string& number) {
         return "delay --analysis --network " +
                folder.file("n.toml", network("0.03125", quoted(number), "0.015625"));
       }},
      {"edge list",
       file("delay --analysis --uniform 0.03 --network", "e.csv", "source,target,capacity\ns1,s2,",
            "\ns1,h1,1\ns2,h2,1\n", ""),
       true, true},
      {"GML",
       file("delay --analysis --uniform 0.03 --network", "g.gml",
            "graph [ node [ id 0 label \"h0\" ] node [ id 1 label \"s\" ] node [ id 2 label \"h2\" ] edge [ "
            "source 0 target 1 speed ",
            " ] edge [ source 1 target 2 speed 1 ] ]", ""),
       false, true},
      {"times of a trace", file("fit --link-gbps 1 --buffer 2", "t.csv", "time,bytes,input\n0,64,1\n",
                                ",64,1\n0.0626,64,2\n0.0626,64,1\n0.0635,64,2\n", "")},
      {"--load",
       [](const std::string& number) {
         return "occupancy --levels 0,3 --inputs 4 --load \"" + number + "\"";
       }},
      {"--rates",
       [](const std::string& number) { return "occupancy --levels 0,3 --rates \"" + number + "\""; }},
      {"--drop",
       [](const std::string& number) { return "buffer --inputs 4 --load 0.5 --drop \"" + number + "\""; }},
  };
}

Outcome outcome_of(const Reader& reader, const std::string& number) {
  return run_line(reader.line(number) + " --format json");
}

}  // namespace

TEST_CASE("spellings: every reader gives identical answers for the same number") {
  const Folder folder;
  std::size_t same = 0, refused = 0;
  for (const Reader& reader : readers(folder)) {
    const Outcome first = outcome_of(reader, decimals.front());
    INFO(reader.name << "\n" << first.err);
    REQUIRE(first.status == 0);
    for (const std::string& number : decimals) {
      CAPTURE(number);
      const Outcome its = outcome_of(reader, number);
      CHECK(its.status == 0);
      CHECK(its.out == first.out);
      ++same;
    }
    for (const auto& list : {texts, doubtful})
      for (const std::string& number : list) {
        if (reader.may_be_unknown && number.find_first_of("0123456789") == std::string::npos) continue;
        CAPTURE(number);
        const Outcome its = outcome_of(reader, number);
        CHECK((its.status == 0 || its.status == 2));
        if (&list == &texts && reader.texts) CHECK(its.status == 0);
        if (its.status == 0) CHECK(its.out == first.out);
        if (its.status == 2) CHECK(its.out.empty());
        ++(its.status == 0 ? same : refused);
      }
  }
  CHECK(same > 250);
  CHECK(refused > 200);
}
