#pragma once

#include <python/module/shown.hpp>

/// Buffer sizes without the command's option parsing: identical inputs with independent slots, which take
/// microseconds.
namespace tailbound::python {

/// The answer of `buffer` to these keywords, or None if the command itself must run: for any query that is
/// not simple and fast, and for all errors.
[[nodiscard]] py::object size_buffer(const py::dict& given);

}  // namespace tailbound::python
