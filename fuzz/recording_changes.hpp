#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "amble/recording/hdf5/lookup3.hpp"

// Changes to whole recordings as a fuzzer's input writes them down.
namespace amble {

/// A block of metadata: `size` bytes, the last four of which are the checksum of those before.
struct HdfBlock {
  std::size_t start, size;
};

inline std::uint32_t checksum(const std::string& bytes, const HdfBlock& block) {
  return hdf5::lookup3(reinterpret_cast<const unsigned char*>(&bytes[block.start]), block.size - 4);
}

/// Found by their names and by what their checksums confirm.
inline std::vector<HdfBlock> blocks_of(const std::string& bytes) {
  constexpr std::size_t kLongest = 4096;
  std::vector<HdfBlock> out;
  for (const char* name :
       {"\x89HDF", "OHDR", "OCHK", "FRHP", "FHDB", "FHIB", "BTHD", "BTLF", "BTIN", "EAHD", "EAIB", "EASB"})
    for (std::size_t at = bytes.find(name); at != bytes.npos; at = bytes.find(name, at + 1))
      for (std::size_t size = 8; size <= kLongest && at + size <= bytes.size(); ++size) {
        std::uint32_t stored = 0;
        std::memcpy(&stored, &bytes[at + size - 4], sizeof stored);
        if (stored != checksum(bytes, {at, size})) continue;
        out.push_back({at, size});
        break;
      }
  return out;
}

struct WholeRecording {
  std::string bytes;
  std::vector<HdfBlock> blocks;
};

/// Those of the corpus, in the order of their names; run.py says where the sources are.
inline std::vector<WholeRecording> read_whole_recordings() {
  const char* const root = std::getenv("AMBLE_FUZZ_ROOT");
  const std::string folder = std::string(root ? root : ".") + "/fuzz/corpus/recording";
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".h5") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<WholeRecording> out;
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(in), {}};
    out.push_back({bytes, blocks_of(bytes)});
  }
  if (out.empty()) std::abort();
  return out;
}

inline const std::vector<WholeRecording>& whole_recordings() {
  static const std::vector<WholeRecording> all = read_whole_recordings();
  return all;
}

/// Reads the input from its start; zeros once it has ended.
class ChangeReader {
 public:
  explicit ChangeReader(std::string_view input) : input_(input) {}
  bool ended() const { return input_.empty(); }
  std::uint64_t number(std::size_t bytes) {
    std::uint64_t out = 0;
    const std::size_t count = std::min(bytes, input_.size());
    std::memcpy(&out, input_.data(), count);
    input_.remove_prefix(count);
    return out;
  }
  std::size_t below(std::size_t n) { return n == 0 ? 0 : number(4) % n; }

 private:
  std::string_view input_;
};

/// One change: a number of 1 to 8 bytes within a block or anywhere, a piece of the file copied to another place, or
/// an earlier end.
inline void change(ChangeReader& input, const WholeRecording& whole, std::string& bytes) {
  const std::uint64_t kind = input.number(1);
  const std::size_t width = 1 + kind / 8 % 8;
  if (kind % 8 < 5 && !whole.blocks.empty()) {
    const HdfBlock& block = whole.blocks[input.below(whole.blocks.size())];
    const std::size_t at = block.start + 4 + input.below(block.size - 8);
    const std::uint64_t number = input.number(width);
    if (at + width <= bytes.size()) std::memcpy(&bytes[at], &number, width);
  } else if (kind % 8 == 5) {
    const std::size_t at = input.below(bytes.size());
    const std::uint64_t number = input.number(width);
    if (at + width <= bytes.size()) std::memcpy(&bytes[at], &number, width);
  } else if (kind % 8 == 6) {
    const std::size_t from = input.below(bytes.size()), to = input.below(bytes.size());
    const std::size_t count = std::min({input.below(512), bytes.size() - from, bytes.size() - to});
    std::memmove(&bytes[to], &bytes[from], count);
  } else {
    bytes.resize(input.below(bytes.size() + 1));
  }
}

/// The recording that an input stands for.
inline std::string recording_of(std::string_view input) {
  if (input.starts_with("\x89HDF")) return std::string(input);
  ChangeReader reader(input);
  const WholeRecording& whole = whole_recordings()[reader.number(1) % whole_recordings().size()];
  std::string bytes = whole.bytes;
  while (!reader.ended()) change(reader, whole, bytes);
  for (const HdfBlock& block : whole.blocks) {
    if (block.start + block.size > bytes.size()) continue;
    const std::uint32_t sum = checksum(bytes, block);
    std::memcpy(&bytes[block.start + block.size - 4], &sum, sizeof sum);
  }
  return bytes;
}

}  // namespace amble
