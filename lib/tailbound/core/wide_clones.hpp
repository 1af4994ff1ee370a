#pragma once

/// For loops that gain by wider registers: the compiler makes them twice and the processor's abilities choose (arch=
/// would name one maker's). Each operation is as written, on every machine.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define TAILBOUND_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define TAILBOUND_WIDE
#endif
