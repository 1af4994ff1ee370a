#pragma once

// Only Philox4x64 of Random123 is used, without vector instructions. The compiler's headers for those would
// double the compile time of this one.
#ifndef R123_USE_SSE
#define R123_USE_SSE 0
#endif
#ifndef R123_USE_X86INTRIN_H
#define R123_USE_X86INTRIN_H 0
#endif
#include <Random123/philox.h>
