#include <cli/commands.hpp>
#include <cli/multistage_options.hpp>
#include <cli/show.hpp>
#include <cli/traffic_options.hpp>
#include <tailbound/render/documents/multistage.hpp>

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

void declare(OptionTable& table, Options& options) {
  add_multistage_options(table, options.question);
  const OptionGroup model(table, "Model");
  model.add("--variant", options.variant, "NAME", "blocking (full buffers stop those behind) or published");
}

}  // namespace

Command multistage_command() {
  return command_of<Options>("multistage", "combining multistage network under a hot spot: throughput, delay",
                             true, declare, answer);
}

}  // namespace tailbound::cli
