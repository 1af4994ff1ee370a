#include <cli/gnuplot.hpp>
#include <cli/show.hpp>

#include <memory>
#include <utility>

namespace tailbound::cli {
namespace {

std::string text_of(const render::Document& document, const Context& context) {
  const render::Frame frame{.version = context.version, .quiet = context.quiet};
  switch (context.format) {
    case Format::json:
      return render::to_json(document, frame);
    case Format::csv:
      return render::to_csv(document, frame);
    case Format::markdown:
      return render::to_markdown(document, frame);
    case Format::table:
      break;
  }
  return render::to_text(document, frame);
}

}  // namespace

Reply show(render::Document document, const Context& context) {
  render::require_known_keys(document);
  Reply reply;
  reply.text = text_of(document, context);
  reply.stopped = document.stopped;
  const auto drawn = std::make_shared<const render::Document>(std::move(document));
  reply.draw = [drawn, title = context.title, log_y = context.log_y](const std::string& file) {
    render::Picture picture = render::picture_of(*drawn);
    if (title) picture.title = *title;
    picture.log_y = log_y;
    draw(picture, file);
  };
  return reply;
}

}  // namespace tailbound::cli
