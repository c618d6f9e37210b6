/* Declarations between these have C linkage also in C++. */
#ifndef GG_C_LINKAGE_H
#define GG_C_LINKAGE_H

#ifdef __cplusplus
#define GG_C_BEGIN extern "C" {
#define GG_C_END   }
#else
#define GG_C_BEGIN
#define GG_C_END
#endif

#endif
