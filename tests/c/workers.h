/* Calls on several devices, tried on few: several threads compute on each device. */
#ifndef WORKERS_H
#define WORKERS_H

#include <stdint.h>

/* Makes so many threads compute each CUDA call on each of its devices, however short it is; 0: as
   without tests. */
void set_workers(int32_t each);

#endif
