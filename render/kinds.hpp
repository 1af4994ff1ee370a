#pragma once

#include <array>

/// The kinds of numbers in the words of pages and manuals; docs/contract.md has what each guarantees.
namespace tailbound::render {

struct Kind {
  const char *name, *meaning;
};
inline constexpr std::array<Kind, 7> kinds{
    {{"exact", "the exact value"},
     {"enclosure", "proved: the value lies between both ends; all digits shown are certain"},
     {"bound", "proved upper or lower bound of the value"},
     {"approximation", "computed twice; only digits that agree are shown; not proved"},
     {"asymptote", "limit of the values far in the tail; not a bound"},
     {"model", "result of an approximate model; the notes state its measured accuracy"},
     {"estimate", "simulation result with its confidence interval"}}};

}  // namespace tailbound::render
