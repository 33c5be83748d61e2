#include "isa/dispatch.h"

#include <chrono>
#include <cstdint>
#include <stdexcept>

#include "base/worker_team.h"

#if defined(_MSC_VER) && defined(_M_X64)
#include <intrin.h>
#elif defined(__x86_64__)
#include <cpuid.h>
#endif

namespace pyw2v {
namespace {

#if defined(__x86_64__) || defined(_M_X64)

struct CpuidLeaf {
  std::uint32_t eax, ebx, ecx, edx;
};

CpuidLeaf cpuid(std::uint32_t leaf) {
#if defined(_MSC_VER)
  int r[4];
  __cpuidex(r, static_cast<int>(leaf), 0);
  return {static_cast<std::uint32_t>(r[0]), static_cast<std::uint32_t>(r[1]),
          static_cast<std::uint32_t>(r[2]), static_cast<std::uint32_t>(r[3])};
#else
  CpuidLeaf r{};
  __cpuid_count(leaf, 0, r.eax, r.ebx, r.ecx, r.edx);
  return r;
#endif
}

// Which register files the operating system saves (XCR0). Read by its opcode bytes: the intrinsic
// would need a target of its own.
std::uint64_t saved_registers() {
#if defined(_MSC_VER)
  return _xgetbv(0);
#else
  std::uint32_t low, high;
  __asm__ volatile(".byte 0x0f, 0x01, 0xd0" : "=a"(low), "=d"(high) : "c"(0));
  return (std::uint64_t{high} << 32) | low;
#endif
}

// Own CPUID code because __builtin_cpu_supports does not link with every compiler we ship with.
bool has_avx2_fma() {
  if (cpuid(0).eax < 7) return false;
  const std::uint32_t features = cpuid(1).ecx;
  constexpr std::uint32_t kFma = 1u << 12, kOsxsave = 1u << 27, kAvx = 1u << 28;
  constexpr std::uint32_t kNeeded = kFma | kOsxsave | kAvx;
  if ((features & kNeeded) != kNeeded) return false;
  if ((saved_registers() & 6) != 6) return false;  // XMM and YMM state
  constexpr std::uint32_t kAvx2 = 1u << 5;
  return (cpuid(7).ebx & kAvx2) != 0;
}

#endif

}  // namespace

std::vector<const KernelTable*> runnable_kernels() {
  std::vector<const KernelTable*> tables;
#if defined(__x86_64__) || defined(_M_X64)
  if (has_avx2_fma()) tables.push_back(&kAvx2Kernels);
#elif defined(__aarch64__) || defined(_M_ARM64)
  tables.push_back(&kNeonKernels);
#endif
  tables.push_back(&kBaselineKernels);
  return tables;
}

const KernelTable& kernels_named(const std::string& name) {
  std::string valid;
  for (const KernelTable* table : runnable_kernels()) {
    if (name == table->name) return *table;
    valid += (valid.empty() ? "" : ", ") + std::string(table->name);
  }
  throw std::invalid_argument("instruction set must be one this machine runs (" + valid +
                              "), got '" + name + "'");
}

double fma_peak(const KernelTable& kernels, int n_threads, double seconds) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> rates(static_cast<std::size_t>(n_threads));
  const auto work = [&](int thread) {
    float sink[3] = {0.999f, 0.001f, 0.0f};
    const auto start = Clock::now();
    double done = 0, elapsed = 0;
    do {
      done += kernels.fma_work(100000, sink);
      elapsed = std::chrono::duration<double>(Clock::now() - start).count();
    } while (elapsed < seconds);
    rates[static_cast<std::size_t>(thread)] = done / elapsed;
  };
  WorkerTeam team;
  team.start(n_threads, work);
  team.finish();
  double total = 0;
  for (const double rate : rates) total += rate;
  return total;
}

}  // namespace pyw2v
