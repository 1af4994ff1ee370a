#pragma once

#include <tailbound/answers/buffer/sized_buffer.hpp>
#include <tailbound/bounds/sizing/output_queue.hpp>

#include <memory>

namespace tailbound::answers {

/// The queue of cells of a SizedBufferQuery, reusable for many queries; none if only a bound exists.
/// Internal to the answers module.
/// \throws  as answer(SizedBufferQuery)
[[nodiscard]] std::unique_ptr<bounds::OutputQueue> sized_queue(const SizedBufferQuery& query);

}  // namespace tailbound::answers
