#include <tailbound/numeric/rational.hpp>
#include <tailbound/render/documents/parts/validated.hpp>
#include <tailbound/render/documents/validation/validate_multistage.hpp>

namespace tailbound::render {
namespace {

using namespace answers;

std::string title(const std::vector<ValidateMultistagePoint>& points) {
  std::vector<CombiningPoint> all;
  std::vector<SimulateMultistageQuery> queries;
  for (const ValidateMultistagePoint& point : points) {
    const SimulateMultistageQuery& query = queries.emplace_back(point.first.simulation);
    all.push_back({query.network, query.load, query.service});
  }
  const std::string wiring = wiring_in_words(queries);
  return in_words(all) + (wiring.empty() ? "" : ", " + wiring);
}

Validation multistage_validation() {
  return {.command = "validate multistage",
          .inputs = simulated_combining_fields().columns(),
          .predicted = "model"};
}

Picture picture(const Document& document, const std::vector<ValidateMultistagePoint>& points,
                MultistageCurve curve) {
  DrawnFlow simulation{.name = "simulation", .style = CurveStyle::bars, .throughput = {}, .delay = {}};
  DrawnFlow model{.name = "model",
                  .style = CurveStyle::line,
                  .throughput = {},
                  .delay = {},
                  .at_load = [all = share(points)](std::size_t i, const numeric::Rational& load) {
                    const answers::SimulateMultistageQuery& query = (*all)[i].first.simulation;
                    return modelled_flow({query.network, load, query.service});
                  }};
  for (const ValidateMultistagePoint& point : points) {
    const ValidateMultistageAnswer& answer = point.second;
    simulation.throughput.push_back(shown(answer.simulation.throughput));
    simulation.delay.push_back(shown(answer.simulation.delay));
    model.throughput.push_back(shown(answer.model.throughput));
    model.delay.push_back(shown(answer.model.delay));
  }
  return flow_picture(document, title(points), curve, {simulation, model},
                      "simulation with 95 % intervals; the model is approximate");
}

}  // namespace

Layout validate_multistage_layout() {
  return layout_of(multistage_validation());
}

Document document(const std::vector<ValidateMultistagePoint>& points, std::size_t requested,
                  MultistageCurve curve) {
  std::vector<ValidatedPoint> all;
  for (const auto& [query, answer] : points)
    all.push_back({.inputs = simulated_combining_fields().cells(query.simulation),
                   .compared = answer,
                   .simulated = answer.simulation.simulated});
  return validated_document(multistage_validation(), capitalized(title(points)) + "; model and simulation",
                            {}, all, requested,
                            [points, curve](const Document& drawn) { return picture(drawn, points, curve); });
}

}  // namespace tailbound::render
