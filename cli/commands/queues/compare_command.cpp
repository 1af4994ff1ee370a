#include <fmt/format.h>
#include <cli/commands.hpp>
#include <cli/options/files.hpp>
#include <cli/options/number_options.hpp>
#include <cli/options/replies.hpp>
#include <cli/options/traffic_options.hpp>
#include <tailbound/render/documents/buffer/compare.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tailbound::cli {
namespace {

using answers::CoefficientsOf;
using answers::CompareAnswer;
using answers::CompareQuery;
using answers::Reading;

constexpr int kMaxDigits = 10'000;

/// As typed; empty if not given.
struct CompareOptions {
  TrafficOptions traffic;
  AccuracyOptions accuracy;
  std::optional<std::string> file, of, scale, first, require;
  bool after_service = false;
};

using AskedPoint = std::pair<answers::Traffic, CompareQuery>;

constexpr std::int64_t deepest = 1'000'000'000'000'000;

/// One for each entry of --of.
std::vector<Reading> read_readings(const CompareOptions& options, std::int64_t first_index) {
  std::vector<Reading> readings;
  for (const CoefficientsOf of : choices_or_first<CoefficientsOf>(options.of, "--of"))
    readings.push_back(
        {.of = of,
         .after_service = options.after_service,
         .scale = options.scale ? choice_of<answers::ListScale>(*options.scale, "--scale")
                                : answers::ListScale::probability,
         .shift = options.first ? parse_integer(*options.first, "--first", -1, deepest) - first_index : 0});
  return readings;
}

/// A query for each combination of list entries, with its traffic.
std::vector<AskedPoint> read_queries(const CompareOptions& options) {
  const queue::Accuracy accuracy = read_accuracy(options.accuracy);
  std::optional<int> required;
  if (options.require)
    required = static_cast<int>(parse_integer(*options.require, "--require", 1, kMaxDigits));
  const std::vector<answers::Traffic> traffics = read_traffics(options.traffic);
  const auto list = answers::parse_coefficients(read_file(*options.file, "FILE"), *options.file);
  std::vector<AskedPoint> queries;
  for (const answers::Traffic& traffic : traffics)
    for (const Reading& reading : read_readings(options, list.coefficients.front().index)) {
      CompareQuery query{.queue = answers::slotted_queue(traffic),
                         .list = list,
                         .reading = reading,
                         .arithmetic = accuracy.arithmetic,
                         .required = required};
      if (options.accuracy.digits) query.digits = accuracy.digits;
      queries.emplace_back(traffic, std::move(query));
    }
  return queries;
}

/// \throws NoAnswer  fewer digits agree somewhere
void require_digits(const render::ComparePoint& point) {
  if (!point.query.required || !point.answer.first) return;
  const std::size_t at = point.answer.first->at;
  const series::Coefficient& printed = point.query.list.coefficients[at];
  const int agreed = point.answer.coefficients[at].agreed_digits;
  throw NoAnswer(fmt::format("{}: {} agree at {} ({} in the file), and {} are required", point.file,
                             render::counted(agreed, "digit"), render::place_in_words(point, at),
                             render::printed_in_words(printed, 20), *point.query.required));
}

Reply answer(const CompareOptions& options, const Context& context) {
  const auto queries = read_queries(options);
  const auto point_of = [&options](const AskedPoint& asked, CompareAnswer found) {
    return render::ComparePoint{*options.file, asked.first, asked.second, std::move(found)};
  };
  auto found = answers::for_each_point(queries.size(), analysis_run(context), [&](std::size_t i) {
    return answers::row_of(i, queries.size() == 1, [&] {
      render::ComparePoint point = point_of(queries[i], answers::answer(queries[i].second));
      require_digits(point);
      return std::move(point.answer);
    });
  });
  std::string disagreements;
  Reply reply = reply_of(
      queries, std::move(found),
      [&](std::vector<std::pair<AskedPoint, CompareAnswer>> answered) {
        std::vector<render::ComparePoint> points;
        for (auto& [asked, answer] : answered) points.push_back(point_of(asked, std::move(answer)));
        disagreements = render::disagreements_in_words(points);
        return render::document(std::move(points));
      },
      [&options](const AskedPoint& asked) {
        return render::inputs_of(*options.file, asked.first, asked.second);
      });
  if (!disagreements.empty()) reply.complain(no_answer, std::move(disagreements));
  return reply;
}

void declare(OptionTable& table, CompareOptions& options) {
  const OptionGroup query(table, "");
  query.add("FILE", options.file, "", "coefficients of Maple, PARI/GP, Giac or Python.\nOr one per line");
  table.options.back().required = true;
  add_traffic_options(table, options.traffic, Correlated::rejected);
  query.add("--of", options.of, "NAME",
            "occupancy, tail, at-least or distribution.\nThe file holds P(Q = n), P(Q > n), P(Q >= n) or P(Q "
            "<= n); default occupancy. If the values disagree, all readings are tried",
            choices<CoefficientsOf>());
  query.add_flag("--after-service", options.after_service,
                 "Q is the queue after service, max(Q - C, 0).\nDefault: just after the arrivals of a slot");
  query.add("--first", options.first, "N", "n of the first value (default 0, or the index in the file)",
            must_be(numeric::integers_in_words(-1, deepest)));
  query.add("--scale", options.scale, "NAME",
            "probability, percent or weights (default probability).\nweights: in proportion to the "
            "probabilities",
            choices<answers::ListScale>());
  query.add("--require", options.require, "DIGITS",
            "exit with status 1 if fewer digits agree anywhere.\nDefault: if a value is off by more than "
            "its last digit",
            must_be(numeric::integers_in_words(1, kMaxDigits)));
  add_accuracy_options(table, options.accuracy);
  table.options.back().help = "digits to compare (default 5 more than printed)";
}

}  // namespace

Command compare_command() {
  return command_of<CompareOptions>({.name = "compare",
                                     .purpose = "check of coefficients of Maple, PARI/GP, Giac or Python",
                                     .work = Work::analysis,
                                     .declare = declare,
                                     .answer = answer,
                                     .layout = [] { return render::with_status(render::compare_layout()); },
                                     .example = {{"--inputs", "16"}, {"--load", "0.9"}}});
}

}  // namespace tailbound::cli
