#include "amble/recording/hdf5/object_check.hpp"

#include <algorithm>
#include <initializer_list>

#include "amble/recording/hdf5/messages.hpp"

namespace amble::hdf5 {

namespace {

using Bytes = std::string_view;

std::uint64_t number(Bytes block, std::size_t at, std::size_t size) { return Cursor(block.substr(at)).number(size); }

/// A number where it stands in a block, and what it is in every recording.
struct Fixed {
  std::size_t at, size;
  std::uint64_t value;
};

bool has_all(Bytes block, std::initializer_list<Fixed> numbers) {
  return std::all_of(numbers.begin(), numbers.end(),
                     [&](const Fixed& n) { return number(block, n.at, n.size) == n.value; });
}

constexpr std::uint64_t kTreeNode = 512;

/// How many records have room in a node: in those that are no leaves there are places of other nodes beside them.
std::uint64_t room_in_node(std::uint64_t record, std::uint64_t depth) {
  constexpr std::uint64_t kEnds = 10, kPlace = 9;
  return depth == 0 ? (kTreeNode - kEnds) / record : (kTreeNode - kEnds - kPlace) / (record + kPlace);
}

// ---- links and attributes outside of a header: a heap of messages, and a tree of their places

constexpr std::size_t kHeapHeader = 146, kTreeHeader = 38;
constexpr std::uint64_t kWidth = 4, kLargestBlock = 65536;  // blocks in a row of a heap's table; bytes

/// A heap whose header was checked.
struct Heap {
  std::uint64_t first_block, offset_bytes, root, rows;
};

Heap heap_of(Bytes header) {
  check_heap(header);
  return {number(header, 112, 8), number(header, 128, 2) / 8, number(header, 132, 8), number(header, 140, 2)};
}

/// A place in a heap, and how far its block goes on.
struct HeapPlace {
  std::uint64_t at, left;
};

/// Rows of blocks, each as large as all before it together, but for the first two, which are equal.
HeapPlace place_in(const FileBytes& file, const Heap& heap, std::uint64_t offset) {
  const auto within = [&](std::uint64_t block, std::uint64_t start, std::uint64_t size) {
    return HeapPlace{block + offset - start, size - (offset - start)};
  };
  constexpr const char* kOutside = "a name outside of its heap";
  if (heap.rows == 0) {
    require(offset < heap.first_block, kOutside);
    return within(heap.root, 0, heap.first_block);
  }
  std::uint64_t start = 0, size = heap.first_block;
  for (std::uint64_t row = 0; row < heap.rows; ++row, start += kWidth * size, size *= row > 1 ? 2 : 1) {
    require(size <= kLargestBlock, "a heap of too many blocks");
    if (offset >= start + kWidth * size) continue;
    const std::uint64_t column = (offset - start) / size, entries = heap.root + 13 + heap.offset_bytes;
    return within(number(file.read(entries + 8 * (kWidth * row + column), 8), 0, 8), start + column * size, size);
  }
  throw Flaw{kOutside};
}

/// A message by the identifier that a tree has of it: where it is in the heap, and how long.
std::string message_at(const FileBytes& file, const Heap& heap, Cursor id) {
  require(id.number(1) == 0, "a name of an unknown kind");
  const std::uint64_t offset = id.number(heap.offset_bytes), length = id.number(2);
  const HeapPlace place = place_in(file, heap, offset);
  require(length <= place.left, "a name outside of its heap");
  return file.read(place.at, length);
}

/// A tree of names: what stands in its header, which was checked.
struct Tree {
  bool of_links;
  std::uint64_t record, depth, root, records;
};

Tree tree_of(Bytes header) {
  check_tree(header);
  return {number(header, 5, 1) == 5, number(header, 10, 2), number(header, 12, 2), number(header, 16, 8),
          number(header, 24, 2)};
}

/// Calls visit(record) for the records of a node, and of those below it.
template <class Visit>
void each_record(const FileBytes& file, const Tree& tree, std::uint64_t at, std::uint64_t records, std::uint64_t depth,
                 const Visit& visit) {
  require(records <= room_in_node(tree.record, depth), "a tree with wrong counts");
  const std::string node = file.read(at, kTreeNode);
  Cursor in(node);
  require(in.take(4) == (depth == 0 ? "BTLF" : "BTIN") && in.number(1) == 0, "a tree of an unknown kind");
  require(in.number(1) == (tree.of_links ? 5 : 8), "a tree of an unknown kind");
  for (std::uint64_t i = 0; i < records; ++i) visit(Cursor(in.take(tree.record)));
  for (std::uint64_t i = 0; depth > 0 && i <= records; ++i) {
    const std::uint64_t child = in.number(8);
    each_record(file, tree, child, in.number(1), depth - 1, visit);
  }
}

void check_dense(const FileBytes& file, const Dense& dense, void (*read)(Cursor&)) {
  if (dense.heap == kNowhere && dense.tree == kNowhere) return;
  const Heap heap = heap_of(file.read(dense.heap, kHeapHeader));
  const Tree tree = tree_of(file.read(dense.tree, kTreeHeader));
  require(tree.of_links == (read == read_link), "a tree of an unknown kind");
  if (tree.records == 0) return;
  each_record(file, tree, tree.root, tree.records, tree.depth, [&](Cursor record) {
    if (tree.of_links) record.skip(4);
    const Bytes id = record.take(tree.of_links ? 7 : 8);
    require(tree.of_links || record.number(1) == 0, "an attribute of an unknown kind");
    const std::string message = message_at(file, heap, Cursor(id));
    Cursor content(message);
    read(content);
  });
}

// ---- headers

/// What an object is made of, as its messages come.
class Object {
 public:
  explicit Object(const FileBytes& file) : file_(file) {}

  void add(std::uint64_t kind, std::uint64_t flags, Bytes content);
  /// Throws a Flaw unless the parts agree.
  void check() const;

 private:
  static constexpr int kKinds = 32;
  void once(std::uint64_t kind) {
    require((seen_ >> kind & 1) == 0, "an object with parts that come twice");
    seen_ |= 1u << kind;
  }

  const FileBytes& file_;
  std::uint32_t seen_ = 0;
  std::optional<Extent> extent_;
  std::optional<std::uint64_t> element_;
  std::optional<Layout> layout_;
};

/// The kinds of messages by their numbers in the format.
enum Message {
  kNothing = 0,
  kExtent = 1,
  kLinkInfo = 2,
  kType = 3,
  kOldFill = 4,
  kFill = 5,
  kLink = 6,
  kExternal = 7,
  kLayout = 8,
  kGroupInfo = 10,
  kFilters = 11,
  kAttribute = 12,
  kContinuation = 16,
  kSymbolTable = 17,
  kTime = 18,
  kAttributeInfo = 21,
  kFileSpace = 23,
};

void Object::add(std::uint64_t kind, std::uint64_t flags, Bytes content) {
  constexpr std::uint64_t kShared = 2;
  require((flags & kShared) == 0, "a shared message");
  Cursor in(content);
  if (kind != kNothing && kind != kLink && kind != kAttribute && kind < kKinds) once(kind);
  switch (kind) {
    case kNothing: return;
    case kExtent: extent_ = read_extent(in); return;
    case kLinkInfo: return check_dense(file_, read_link_info(in), read_link);
    case kType: element_ = read_type(in); return;
    case kOldFill: return in.skip(in.number(4));
    case kFill: return read_fill(in);
    case kLink: return read_link(in);
    case kExternal: throw Flaw{"a table that stands in another file"};
    case kLayout: layout_ = read_layout(in); return;
    case kGroupInfo: return read_group_info(in);
    case kFilters: throw Flaw{"a compressed table"};
    case kAttribute: return read_attribute(in);
    case kSymbolTable: throw Flaw{"a group of an old kind"};
    case kTime: return in.skip(8);
    case kAttributeInfo: return check_dense(file_, read_attribute_info(in), read_attribute);
    case kFileSpace: return read_file_space(in);
    default: throw Flaw{"a message of an unknown kind"};
  }
}

void Object::check() const {
  if (!layout_ && !extent_ && !element_) return;  // a group
  require(layout_ && extent_ && element_, "a table that lacks a part");
  if (layout_->compact_bytes)
    require(*layout_->compact_bytes == *element_ * extent_->points, "a table of a wrong size");
  if (layout_->chunk.empty()) return;
  require(layout_->chunk.size() == extent_->rank + 1, "chunks of a wrong size");
  require(layout_->chunk.back() == *element_, "chunks of a wrong size");
}

struct Piece {
  std::uint64_t at, size;
};

/// The messages of one piece of a header; pieces that it leads to are added.
void read_messages(Bytes messages, bool ordered, Object& object, std::vector<Piece>& pieces) {
  const std::size_t head = ordered ? 6 : 4;
  Cursor in(messages);
  while (in.left() >= head) {
    const std::uint64_t kind = in.number(1), size = in.number(2), flags = in.number(1);
    if (ordered) in.skip(2);
    const Bytes content = in.take(size);
    if (kind != kContinuation) {
      object.add(kind, flags, content);
      continue;
    }
    Cursor to(content);
    const std::uint64_t at = to.number(8);
    pieces.push_back({at, to.number(8)});
  }
}

}  // namespace

void check_heap(Bytes header) {
  constexpr const char* kOdd = "a heap of an unknown kind";
  require(header.size() >= kHeapHeader && header.starts_with("FRHP"), kOdd);
  require(has_all(header, {{4, 1, 0}, {7, 2, 0}, {10, 4, 4096}, {110, 2, kWidth}, {120, 8, kLargestBlock}}), kOdd);
  const bool of_links = has_all(header, {{5, 2, 7}, {112, 8, 512}, {128, 2, 32}}),
             of_attributes = has_all(header, {{5, 2, 8}, {112, 8, 1024}, {128, 2, 40}});
  require(of_links || of_attributes, kOdd);
  require(number(header, 140, 2) <= 9, "a heap of too many blocks");
}

void check_tree(Bytes header) {
  constexpr const char* kOdd = "a tree of an unknown kind";
  require(header.size() >= kTreeHeader && header.starts_with("BTHD"), kOdd);
  require(has_all(header, {{4, 1, 0}, {6, 4, kTreeNode}}), kOdd);
  require(has_all(header, {{5, 1, 5}, {10, 2, 11}}) || has_all(header, {{5, 1, 8}, {10, 2, 17}}), kOdd);
  const std::uint64_t depth = number(header, 12, 2);
  require(depth <= 1, "a tree that is too deep");
  require(number(header, 24, 2) <= room_in_node(number(header, 10, 2), depth), "a tree with wrong counts");
}

void check_object(const FileBytes& file, std::uint64_t at) {
  constexpr std::size_t kMostPieces = 100, kLongestHead = 34, kChecksum = 4;
  const std::uint64_t left = file.size() - std::min(at, file.size());
  const std::string start = file.read(at, std::min<std::uint64_t>(kLongestHead, left));
  Cursor in(start);
  require(in.take(4) == "OHDR" && in.number(1) == 2, "an object of an unknown kind");
  const std::uint64_t flags = in.number(1);
  require(flags < 64, "an object of an unknown kind");
  in.skip((flags & 32 ? 16 : 0) + (flags & 16 ? 4 : 0));
  const std::uint64_t size = in.number(std::size_t{1} << (flags & 3));
  const bool ordered = (flags & 4) != 0;
  Object object(file);
  std::vector<Piece> pieces;
  read_messages(file.read(at + (start.size() - in.left()), size), ordered, object, pieces);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    require(pieces.size() <= kMostPieces && pieces[i].size >= 8, "an object of too many pieces");
    const std::string piece = file.read(pieces[i].at, pieces[i].size);
    require(piece.starts_with("OCHK"), "an object of an unknown kind");
    read_messages(Bytes(piece).substr(4, piece.size() - 4 - kChecksum), ordered, object, pieces);
  }
  object.check();
}

}  // namespace amble::hdf5
