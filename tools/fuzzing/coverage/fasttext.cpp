// The model files of fastText.
#include "formats/fasttext.h"

#include "base/input_file.h"
#include "coverage/harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t n) {
  static MemoryFile memory;
  const std::string_view bytes(reinterpret_cast<const char*>(data), n);
  refusing([&] {
    pyw2v::FastTextFile file;
    file.parse(pyw2v::InputFile(memory.holding(bytes)));
    for (const auto* entries : {&file.words(), &file.labels()}) {
      for (const pyw2v::FastTextEntry& entry : *entries) {
        must(entry.begin <= n && entry.n_bytes <= n - entry.begin);
      }
    }
    const auto dim = static_cast<std::uint64_t>(file.header().dim);
    for (const pyw2v::FastTextMatrix* matrix : {&file.input(), &file.output()}) {
      must(matrix->data <= n);
      const std::uint64_t row =
          matrix->quantized ? static_cast<std::uint64_t>(matrix->n_subvectors) : dim * 4;
      must(matrix->rows == 0 || row <= (n - matrix->data) / matrix->rows);
    }
  });
  return 0;
}
