#pragma once

namespace tailbound {

/// A function for each alternative of a variant, for std::visit.
template <class... Case>
struct Cases : Case... {
  using Case::operator()...;
};
template <class... Case>
Cases(Case...) -> Cases<Case...>;

}  // namespace tailbound
