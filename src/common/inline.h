/* Functions that are always inlined, so an argument that is constant there,
   such as the number of columns, is a constant in their loops. */
#ifndef GG_INLINE_H
#define GG_INLINE_H

#define GG_INLINE static inline __attribute__((always_inline))

#endif
