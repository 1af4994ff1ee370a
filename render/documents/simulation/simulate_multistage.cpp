#include <fmt/format.h>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/parts/simulation.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/documents/simulation/simulate_multistage.hpp>

#include <memory>
#include <optional>

namespace tailbound::render {
namespace {

using namespace answers;

std::string title(const std::vector<SimulateMultistagePoint>& points) {
  std::vector<CombiningPoint> all;
  std::vector<SimulateMultistageQuery> queries;
  for (const SimulateMultistagePoint& point : points) {
    all.push_back({point.first.network, point.first.load, point.first.service});
    queries.push_back(point.first);
  }
  const std::string wiring = wiring_in_words(queries);
  return in_words(all) + (wiring.empty() ? "" : ", " + wiring);
}

std::vector<const Simulated*> runs_of(const std::vector<SimulateMultistagePoint>& points) {
  std::vector<const Simulated*> runs;
  for (const SimulateMultistagePoint& point : points) runs.push_back(&point.second.simulated);
  return runs;
}

const Fields<SimulateMultistageAnswer>& simulated_flow() {
  using Answer = SimulateMultistageAnswer;
  static const Fields<Answer> fields{
      flow_fields<Answer>(Shape::estimate),
      {{"stalled", "stalled", "", Shape::estimate, "fraction of the requests that find stage 0 full"},
       &Answer::stalled},
      {{"requests", "requests", "", Shape::whole, "delivered while measured", Style::hidden},
       &Answer::requests},
      {simulation_fields(), &Answer::simulated}};
  return fields;
}

/// A queue of the hot path.
struct SimulatedStage {
  std::size_t stage;
  Value occupancy, combining;
};

const Table<SimulatedStage>& simulated_hot_path() {
  using Stage = SimulatedStage;
  static const Table<Stage> table{
      "hot_path",
      "queues on the path of hot requests, one row per stage",
      {{{"stage", "stage", "", Shape::whole, "0 is next to the processors"}, &Stage::stage},
       {{"occupancy", "occupancy", "", Shape::estimate,
         "mean number of requests, in service or blocked included"},
        &Stage::occupancy},
       {{"combining", "combining", "", Shape::estimate,
         "probability that a hot request combines here; null if none arrived"},
        &Stage::combining}}};
  return table;
}

Rows hot_path(const SimulateMultistageAnswer& answer) {
  std::vector<SimulatedStage> stages;
  for (const auto& queue : answer.hot_path)
    stages.push_back({stages.size(), shown(queue.occupancy), shown(queue.combining)});
  return simulated_hot_path().rows(share(std::move(stages)));
}

std::vector<Line> lines(const SimulateMultistagePoint& point) {
  const auto& [query, answer] = point;
  return joined(
      std::vector<Line>{
          {"throughput", fmt::format("{} requests per processor and service time, offered {}",
                                     brief(shown(answer.throughput)), numeric::plain(query.load))},
          {"mean delay", brief(shown(answer.delay))},
          {"hot requests", brief(shown(answer.hot_delay))},
          {"cold requests", brief(shown(answer.cold_delay))},
          {"stalled", brief(shown(answer.stalled)) + " of the requests find stage 0 full"},
          {"requests", fmt::format("{} delivered while measured", answer.requests)}},
      simulation_lines(answer.simulated));
}

std::vector<std::string> notes(const std::vector<SimulateMultistagePoint>& points) {
  std::vector<std::string> notes{
      fmt::format("Estimates with {:.6g} % intervals from {}. Delays from the entry into stage 0, in the "
                  "unit of --service. Stalled: fraction of requests that find stage 0 full.",
                  100 * points.front().first.confidence, batches_in_words(runs_of(points)))};
  if (points.size() > max_hot_paths_in_text)
    notes.emplace_back("Queues on the path of hot requests: --format json or csv, or fewer points.");
  return notes;
}

Picture picture(const Document& document, const std::vector<SimulateMultistagePoint>& points,
                MultistageCurve curve) {
  DrawnFlow flow{.name = "simulation", .style = CurveStyle::bars, .throughput = {}, .delay = {}};
  for (const SimulateMultistagePoint& point : points) {
    flow.throughput.push_back(shown(point.second.throughput));
    flow.delay.push_back(shown(point.second.delay));
  }
  return flow_picture(document, title(points), curve, {flow},
                      fmt::format("simulation, {:.6g} % intervals", 100 * points.front().first.confidence));
}

}  // namespace

Layout simulate_multistage_layout() {
  return {.command = "simulate multistage",
          .inputs = simulated_combining_fields().columns(),
          .results = simulated_flow().columns(),
          .tables = {simulated_hot_path().layout()}};
}

Cells inputs_of(const SimulateMultistageQuery& query) {
  return simulated_combining_fields().cells(query);
}

Document document(const std::vector<SimulateMultistagePoint>& points, std::size_t requested,
                  MultistageCurve curve) {
  Document document{.layout = std::make_shared<const Layout>(simulate_multistage_layout()),
                    .headline = {},
                    .settings = "Simulation: " + title(points) + ".",
                    .results = {}};
  for (const auto& [query, answer] : points)
    document.results.push_back({.inputs = inputs_of(query), .cells = simulated_flow().cells(answer)});
  for (std::size_t i = 0; i < points.size(); ++i) {
    Rows rows = hot_path(points[i].second);
    rows.caption = hot_path_caption(document, document.results[i]);
    rows.in_text = points.size() <= max_hot_paths_in_text && points[i].first.network.hot > 0;
    document.results[i].tables.push_back(std::move(rows));
  }
  if (points.size() == 1) document.results.front().lines = lines(points.front());
  document.headline = {
      "throughput", range_in_words(document, "throughput") + " requests per processor and service time",
      "; mean delay " + range_in_words(document, "delay"), values_of(document, "throughput")};
  document.notes = notes(points);
  mark_stopped(document, runs_of(points), requested);
  document.picture = [document, points, curve] { return picture(document, points, curve); };
  return document;
}

}  // namespace tailbound::render
