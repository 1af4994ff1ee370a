#pragma once

#include <cli/formats.hpp>
#include <cli/plots.hpp>

#include <memory>
#include <string>

/// The reply of a command whose answer is one object.
namespace tailbound::cli {

/// In the format asked for, with its picture. Beside Answer there are
///   to_tables(answer, quiet), to_json_text(answer, context), to_csv(answer) and picture(answer).
template <class Answer>
[[nodiscard]] Reply reply_of(const std::shared_ptr<Answer>& answer, const Context& context) {
  Reply reply;
  reply.text = in_format(
      context.format, [&] { return to_tables(*answer, context.quiet); },
      [&] { return to_json_text(*answer, context); }, [&] { return to_csv(*answer); });
  reply.draw = [answer](const std::string& file) { plots::draw(picture(*answer), file); };
  return reply;
}

}  // namespace tailbound::cli
