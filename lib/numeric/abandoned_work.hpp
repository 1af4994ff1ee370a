#pragma once

/// What arithmetic leaves behind where a computation does not come to its end, or a thread does.
namespace tailbound::numeric {

/// The precision that numbers without a scope of their own have, at the time this was made. One for the whole
/// process: a computation that is given up within a PrecisionScope leaves that scope's.
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
