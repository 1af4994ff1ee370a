#include <cli/accuracy_options.hpp>
#include <cli/buffer_options.hpp>
#include <cli/commands.hpp>
#include <cli/show.hpp>
#include <cli/traffic_options.hpp>
#include <cli/unit_options.hpp>
#include <tailbound/render/documents/buffer.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace tailbound::cli {
namespace {

using answers::BufferQuestion;
using bounds::Criterion;
using numeric::Rational;

// Above this many packets B the library gives up; so bytes and nanoseconds below fit their types.
constexpr std::int64_t kDeepest = 1'000'000'000'000'000;

enum class Solve { nothing, load, speedup, burst };

Solve read_solve(const BufferOptions& options) {
  if (!options.solve) {
    if (options.capacity && options.drop)
      throw InvalidArgument("--capacity", "given together with --drop",
                            "given alone for the probability of a buffer, --drop alone for the buffer of a "
                            "target, or both with --solve load, speedup or burst");
    if (!options.capacity && !options.drop)
      throw InvalidArgument(
          "--drop", "missing",
          "given as the target EPS, such as 1e-15 (or --capacity B, for the probability of a "
          "buffer)");
    return Solve::nothing;
  }
  const std::size_t choice = parse_choice(*options.solve, "--solve", {"load", "speedup", "burst"});
  if (!options.capacity || !options.drop)
    throw InvalidArgument(options.capacity ? "--drop" : "--capacity", "missing",
                          "given with --solve, which needs --capacity B and --drop EPS");
  return choice == 0 ? Solve::load : choice == 1 ? Solve::speedup : Solve::burst;
}

std::vector<Rational> read_drops(const BufferOptions& options) {
  if (!options.drop) return {0};
  std::vector<Rational> drops = parse_percent_list(*options.drop, "--drop");
  for (const Rational& drop : drops)
    if (drop <= 0 || drop >= 1)
      throw InvalidArgument("--drop", *options.drop, "greater than 0 and less than 1");
  return drops;
}

std::vector<Packets> read_capacities(const BufferOptions& options) {
  if (!options.capacity) return {Packets(0)};
  std::vector<Packets> capacities;
  for (const std::int64_t capacity : parse_integers(*options.capacity, "--capacity", 0, kDeepest))
    capacities.emplace_back(capacity);
  return capacities;
}

std::vector<Criterion> read_criteria(const BufferOptions& options) {
  return choices_or_first<Criterion>(options.criterion, "--criterion",
                                     {{"overflow", Criterion::overflow}, {"loss", Criterion::loss}});
}

[[noreturn]] void refuse_solve(const BufferOptions& options) {
  throw InvalidArgument(
      "--solve", *options.solve,
      "burst, or left out, for correlated arrivals (--traffic onoff, --blocks): give --load a list");
}

/// One question for each combination of what was given as lists.
std::vector<BufferQuestion> read_questions(const BufferOptions& options) {
  const Solve solve = read_solve(options);
  const std::vector<Rational> drops = read_drops(options);
  const std::vector<Packets> capacities = read_capacities(options);
  const std::vector<Criterion> criteria = read_criteria(options);
  const queue::Accuracy accuracy = read_accuracy(options.accuracy);
  const Sought sought = solve == Solve::load    ? Sought::load
                        : solve == Solve::burst ? Sought::burst
                                                : Sought::nothing;
  if (options.solve && solve != Solve::burst && correlated(traffic_form(options.traffic, sought)))
    refuse_solve(options);
  std::vector<BufferQuestion> questions;
  for (const answers::Traffic& traffic : read_traffics(options.traffic, sought))
    for (const Criterion criterion : criteria)
      for (const Packets capacity : capacities)
        for (const Rational& drop : drops) {
          BufferQuestion question{
              .traffic = traffic, .asked = {}, .criterion = criterion, .accuracy = accuracy};
          if (solve == Solve::load)
            question.asked = answers::GreatestLoad{capacity, drop};
          else if (solve == Solve::speedup)
            question.asked = answers::LeastSpeedup{capacity, drop};
          else if (solve == Solve::burst)
            question.asked = answers::LongestBurst{capacity, drop};
          else if (options.capacity)
            question.asked = answers::ProbabilityOf{capacity};
          else
            question.asked = answers::LeastBuffer{drop};
          questions.push_back(std::move(question));
        }
  return questions;
}

Reply answer(const BufferOptions& options, const Context& context) {
  if (!options.sized.sizes) refuse_without_sizes(options.sized);
  if (options.shared.shared) return answer_shared(options, context);
  refuse_without_shared(options.shared);
  if (options.sized.sizes) return answer_sized(options, context);
  const answers::Units units = read_units(options.units);
  const std::vector<BufferQuestion> questions = read_questions(options);
  if (context.draws && questions.size() < 2)
    throw InvalidArgument("--plot", "given for one point",
                          "left out, or --load (--burst, --inputs, ...) a list: the picture shows the answer "
                          "against it");
  return show_all(questions, context, [&](const auto& points) { return render::document(points, units); });
}

void declare(OptionTable& table, BufferOptions& options) {
  add_traffic_options(table, options.traffic);
  const OptionGroup question(table, "Question");
  question.add("--drop", options.drop, "EPS",
               "the target; gives the least buffer that meets it (the packet in\nservice counts)");
  question.add("--capacity", options.capacity, "B",
               "a buffer; gives its probability (the packet in service counts)");
  question.add("--solve", options.solve, "NAME",
               "load, speedup or burst (the greatest, least, longest), from\n--capacity and --drop");
  question.add("--criterion", options.criterion, "NAME",
               "overflow: P(Q > B), the default; or loss: the fraction of packets lost");
  add_shared_buffer_options(table, options.shared);
  add_sized_buffer_options(table, options.sized);
  add_accuracy_options(table, options.accuracy);
  add_unit_options(table, options.units);
}

}  // namespace

Command buffer_command() {
  return command_of<BufferOptions>("buffer", "how many packets must one output queue hold?", true, declare,
                                   answer);
}

}  // namespace tailbound::cli
