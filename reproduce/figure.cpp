#include <reproduce/figure.hpp>
#include <reproduce/papers/greenberg_guan.hpp>
#include <reproduce/papers/mohapatra.hpp>
#include <reproduce/papers/shahrabi.hpp>
#include <reproduce/papers/singh_dally.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

namespace tailbound::figures {

const std::vector<Figure>& all_figures() {
  static const std::vector<Figure> figures = [] {
    std::vector<Figure> list;
    for (const auto& paper :
         {singh_dally_figures, greenberg_guan_figures, mohapatra_figures, shahrabi_figures}) {
      std::vector<Figure> more = paper();
      std::move(more.begin(), more.end(), std::back_inserter(list));
    }
    return list;
  }();
  return figures;
}

std::vector<std::string> all_names() {
  std::vector<std::string> names{"all"};
  for (const Figure& figure : all_figures()) {
    if (std::find(names.begin(), names.end(), figure.paper) == names.end()) names.push_back(figure.paper);
    names.push_back(figure.name);
  }
  return names;
}

std::vector<const Figure*> figures_named(const std::string& name) {
  std::vector<const Figure*> named;
  for (const Figure& figure : all_figures())
    if (name == "all" || name == figure.paper || name == figure.name) named.push_back(&figure);
  return named;
}

Result new_result(std::vector<render::Column> requested, std::vector<render::Column> found,
                  render::Picture picture) {
  const render::Layout layout{
      .command = "table of a figure", .inputs = std::move(requested), .results = std::move(found)};
  return {.table = {.layout = std::make_shared<const render::Layout>(layout),
                    .headline = render::Headline::without_numbers(picture.title),
                    .results = {}},
          .picture = std::move(picture)};
}

void add_row(Result& result, render::Cells requested, render::Cells found) {
  result.table.results.push_back({.inputs = std::move(requested), .cells = std::move(found)});
}

}  // namespace tailbound::figures
