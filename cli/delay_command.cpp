#include <cli/delay_command.hpp>
#include <cli/delay_question.hpp>
#include <cli/show.hpp>
#include <tailbound/render/documents/delay.hpp>

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

namespace tailbound::cli {
namespace {

Reply reply_to_delay(const DelayOptions& options, const Context& context) {
  const std::vector<answers::DelayQuestion> questions = read_delay_questions(options);
  auto points = answers::for_each_simulation(
      questions.size(), analysis_run(context),
      [&](std::size_t i, const answers::Run& run) { return answers::answer(questions[i], run); });
  const std::size_t finished = points.finished.size();
  render::Document document = render::document(paired(questions, std::move(points.finished)));
  if (points.stopped && !document.stopped) render::mark_stopped(document, finished, questions.size());
  if (document.stopped && questions.size() > 1 && finished < questions.size())
    document.stopped_after = fmt::format("{} of {} points", finished, questions.size());
  return show(std::move(document), context);
}

Reply reply_to_reorder(const DelayOptions& options, bool draws, const Context& context) {
  if (draws)
    throw InvalidArgument("--plot", "given together with --delays", "left out: the delays are given");
  return show_all(read_reorder_questions(options), context,
                  [](const auto& points) { return render::document(points); });
}

}  // namespace

Command add_delay_command(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("delay", "how long do packets take through a tree or any network?");
  const auto options = std::make_shared<DelayOptions>();
  add_delay_options(*command, *options);
  add_plot_option(*command);
  command->footer(
      "Example:\n"
      "  tailbound delay --radix 16 --levels 3 --load 0.8\n"
      "prints\n"
      "\n"
      "  Delay through the 16-ary 3-tree at load 0.8, random-root routing: 5 queues in a row\n"
      "\n"
      "    mean queueing   9.86572265625 slots, exact\n"
      "    latency         queueing + 5 slots, one for each queue\n"
      "    delay of a hop  wait: of an arbitrary packet, first in first out, its own slot not counted\n"
      "    arrivals        decoupled: every queue is fed by all sources whose packets pass it\n"
      "\n"
      "      percentile [%]  queueing [slots]  latency [slots]  P(D > t)     P(D > t - 1)\n"
      "                  50                 9               14  0.46943      0.55031\n"
      "                  90                17               22  0.083128     0.10691\n"
      "                  99                25               30  0.0087806    0.011850\n"
      "               99.99                39               44  0.000091937  0.00012956\n"
      "             99.9999                52               57  9.0623e-7    1.3044e-6\n"
      "\n"
      "      hop  load [packets/slot]  sources\n"
      "        1                  0.8  16 x 0.05\n"
      "        2                  0.8  256 x 0.003125\n"
      "        3                  0.8  4096 x 0.0001953125\n"
      "        4                  0.8  4096 x 0.0001953125\n"
      "        5                  0.8  4096 x 0.0001953125\n"
      "\n"
      "    D: queueing delay in slots; as arithmetic every number is exact or certified.\n"
      "    model: hops are taken as independent, though waits are positively correlated: simulated tails "
      "(16-ary 3-tree,\n"
      "    load 0.8) are 7% lighter at 1e-2, 10% heavier at 2e-6, 36% at 5e-8\n");
  return {.app = command, .answer = [command, options](const Context& context) {
            const bool draws = command->get_option("--plot")->count() > 0;
            return options->delays ? reply_to_reorder(*options, draws, context)
                                   : reply_to_delay(*options, context);
          }};
}

}  // namespace tailbound::cli
