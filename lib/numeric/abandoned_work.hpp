#pragma once

/// Cleanup of arithmetic state after an abandoned computation or at the end of a thread.
namespace tailbound::numeric {

/// Saves the default precision of numbers outside any scope. That precision is global to the process: a
/// computation abandoned within a PrecisionScope leaves that scope's precision behind.
class AmbientPrecision {
 public:
  AmbientPrecision();
  void restore() const;

 private:
  unsigned real_digits_, interval_digits_;
};

/// Frees the constants that arithmetic keeps for the calling thread, which is about to end.
void release_thread_caches();

}  // namespace tailbound::numeric
