// Text files to an encoded corpus in one pass: words counted and numbered in the order of first
// sight, the text as numbers, and where sentences end.
//
// A file is cut into chunks at white space (so one enormous line is shared out like many small
// ones). Threads take chunks in order and number words in tables of their own. Chunks are joined in
// order as they come in; at the end the tables are merged in that order too, which gives the same
// numbers for any number of threads, and the joined text is renumbered.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/growing_buffer.h"
#include "base/pages.h"
#include "base/types.h"
#include "base/worker_team.h"
#include "text/reader.h"
#include "words/word_table.h"

namespace pyw2v {

// Where sentences end. A sentence without words is not a sentence.
struct SentenceRule {
  bool at_line_feed = true;
  std::int64_t max_words = 0;   // longer sentences are cut into pieces of this length; 0: no limit
  std::int64_t max_lines = -1;  // lines read of each file; negative: all
};

struct ScannerConfig {
  int n_workers = 1;
  bool keep_tokens = true;            // false: only count
  std::uint64_t budget = UINT64_MAX;  // bytes of tokens held in memory
  std::string folder;                 // for the file that takes the rest
  std::uint64_t chunk_bytes = std::uint64_t{1} << 20;
};

class CorpusScanner {
 public:
  explicit CorpusScanner(ScannerConfig config);

  // Each of these starts threads; wait() until they are done, then end_work(), which rethrows their
  // error, or stop() them. Any number of files, then merge and renumber once.
  void start_file(const std::string& path, const SentenceRule& rule);
  void start_merge();
  void start_renumber();
  bool wait(double seconds) { return team_.wait(seconds); }
  void stop() { team_.stop(); }
  void end_work();

  // A piece of a text that comes from elsewhere (name is for error messages). Returns how many
  // bytes were used: up to the last blank, or all when it is the last piece. Pass the others again.
  std::size_t add_text(const char* text, std::size_t n, bool is_last, const SentenceRule& rule,
                       const std::string& name);

  std::uint64_t bytes_done() const { return bytes_done_.load(std::memory_order_relaxed); }
  std::uint64_t n_words() const { return n_words_; }          // tokens read
  std::uint64_t n_sentences() const { return n_sentences_; }  // sentences read

  // After the merge.
  std::unique_ptr<WordTable> take_table() { return std::move(tables_[0]); }
  std::unique_ptr<GrowingBuffer> take_tokens() { return std::move(tokens_); }
  std::unique_ptr<GrowingBuffer> take_ends() { return std::move(ends_); }

 private:
  // What one thread made of one chunk; reused, since fresh pages cost as much as the counting.
  struct Chunk {
    PageVector<char> text;
    std::unique_ptr<Pages> ids;  // WordIds
    std::size_t n_ids = 0;
    std::vector<std::size_t> ends;  // sentence ends, in ids; equal to the one before: no sentence
    int worker = 0;
    WordId new_words_begin{}, new_words_end{};  // ids the worker's table gained
    std::uint64_t byte_offset = 0;              // of the text in its file
  };
  // Which table numbered which part of tokens_.
  struct Part {
    int worker;
    WordId new_words_begin, new_words_end;
    std::uint64_t begin, end;
  };
  struct Error {
    std::uint64_t chunk;
    std::exception_ptr what;
  };

  void work(int worker);
  bool read_chunk(std::uint64_t number, Chunk& chunk) const;
  void encode(Chunk& chunk, int worker, const std::string& name);
  void join(std::uint64_t number, std::unique_ptr<Chunk> chunk);
  void append(const Chunk& chunk);
  void end_sentence(std::uint64_t at);
  void end_text();
  void wait_for_slower_threads(std::uint64_t number);
  std::unique_ptr<Chunk> fresh_chunk();
  void merge_tables();
  void renumber(std::size_t worker);

  ScannerConfig config_;
  WorkerTeam team_;
  std::vector<std::unique_ptr<WordTable>> tables_;  // one a worker; the merged one comes first
  std::vector<PageVector<WordId>> merged_ids_;      // by worker and its own id
  std::unique_ptr<GrowingBuffer> tokens_, ends_;
  std::vector<Part> parts_;
  std::uint64_t n_words_ = 0, n_sentences_ = 0, last_end_ = 0;

  // The file being read.
  std::unique_ptr<FileReader> file_;
  SentenceRule rule_;
  std::uint64_t file_end_ = 0, n_chunks_ = 0;
  std::atomic<std::uint64_t> next_chunk_{0}, bytes_done_{0};

  std::mutex mutex_;  // guards all below, and tokens_, ends_, parts_, the totals while threads run
  std::condition_variable joined_;
  std::uint64_t next_to_join_ = 0;
  std::map<std::uint64_t, std::unique_ptr<Chunk>> waiting_;
  std::vector<std::unique_ptr<Chunk>> spare_;
  std::vector<Error> errors_;
};

}  // namespace pyw2v
