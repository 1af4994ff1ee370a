#pragma once

namespace tailbound::test {

/// The model with a change.
template <class Model, class Change>
[[nodiscard]] Model with(Model model, const Change& change) {
  change(model);
  return model;
}

}  // namespace tailbound::test
