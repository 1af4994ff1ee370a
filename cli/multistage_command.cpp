#include <cli/commands.hpp>
#include <cli/multistage_options.hpp>
#include <cli/option_group.hpp>
#include <cli/show.hpp>
#include <cli/traffic_options.hpp>
#include <tailbound/render/documents/multistage.hpp>

#include <memory>

namespace tailbound::cli {
namespace {

using answers::MultistageQuestion;
using bounds::multistage::Variant;

/// As typed; an option that was not given is empty.
struct Options {
  MultistageOptions question;
  std::optional<std::string> variant;
};

Reply answer(const Options& options, const Context& context) {
  const std::vector<render::CombiningPoint> points = read_multistage(options.question);
  std::vector<MultistageQuestion> questions;
  for (const Variant variant :
       choices_or_first<Variant>(options.variant, "--variant",
                                 {{"blocking", Variant::blocking}, {"published", Variant::published}}))
    for (const render::CombiningPoint& point : points)
      questions.push_back(
          {.network = point.network, .load = point.load, .service = point.service, .variant = variant});
  const render::MultistageCurve curve = read_curve(options.question);
  return show_all(questions, context, [&](const auto& found) { return render::document(found, curve); });
}

}  // namespace

Command add_multistage_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "multistage", "combining multistage network under a hot spot: throughput, delay");
  const auto options = std::make_shared<Options>();
  add_multistage_options(*command, options->question);
  const OptionGroup model(*command, "Model");
  model.add("--variant", options->variant, "NAME", "blocking (full buffers stop those behind) or published");
  add_plot_option(*command);
  return {.app = command, .answer = [options](const Context& context) { return answer(*options, context); }};
}

}  // namespace tailbound::cli
