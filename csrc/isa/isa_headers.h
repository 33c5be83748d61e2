// Every ordinary header that code of an instruction set uses, for an isa_*.cpp to include before it
// opens the target region.
#pragma once

#include "isa/kernel_table.h"
#include "kernels/region.h"
