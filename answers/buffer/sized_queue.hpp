#pragma once

#include <tailbound/answers/buffer/sized_buffer.hpp>
#include <tailbound/bounds/sizing/output_queue.hpp>

#include <memory>

namespace tailbound::answers {

/// The queue of cells of a SizedBufferQuestion, reusable for many queries; none if only a bound exists.
/// Internal to the answers module.
/// \throws  as answer(SizedBufferQuestion)
[[nodiscard]] std::unique_ptr<bounds::OutputQueue> sized_queue(const SizedBufferQuestion& question);

}  // namespace tailbound::answers
