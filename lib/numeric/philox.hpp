#pragma once

// Of Random123 only Philox4x64 is used here, which needs no vector instructions; the compiler's headers for them take
// as long as all the rest of this one.
#ifndef R123_USE_SSE
#define R123_USE_SSE 0
#endif
#ifndef R123_USE_X86INTRIN_H
#define R123_USE_X86INTRIN_H 0
#endif
#include <Random123/philox.h>
