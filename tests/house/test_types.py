"""Words, rows and positions are types of their own: what mixes them does not compile."""

import cxx
import pytest

pytestmark = pytest.mark.skipif(not cxx.CSRC.is_dir(), reason="needs the sources")

ALLOWED = """\
#include "base/types.h"
using namespace pyw2v;
static_assert(sizeof(WordId) == 4 && sizeof(RowId) == 4 && sizeof(TokenPos) == 8);
static_assert(row_of(WordId{3}) == row_number(3) && raw(WordId{3} + 2) == 5);
static_assert(TokenPos{5} - TokenPos{3} == 2 && raw(TokenPos{5} + 2) == 7);
bool same(const std::int32_t* numbers, const WordId* ids) {
  return Borrowed<const WordId>(numbers) == ids;
}
"""

MIXED = (
    "WordId id = 3;",
    "int number = WordId{3};",
    "RowId row = WordId{3};",
    "WordId id = row_of(WordId{3});",
    "TokenPos at = WordId{3};",
    "std::int64_t at = TokenPos{3};",
    "bool equal = WordId{3} == TokenPos{3};",
    "bool less = WordId{3} < 4;",
    "auto sum = TokenPos{3} + TokenPos{4};",
    "auto row = row_of(TokenPos{3});",
    "auto row = row_of(3);",
    "int at(const int* values) { return values[WordId{3}]; }",
    "const WordId* ids(const std::int32_t* numbers) { return numbers; }",
    "Borrowed<const WordId> ids(const TokenPos* ends) { return ends; }",
)


def test_only_what_mixes_no_kinds_of_ids_compiles():
    command = cxx.compiler()
    unused = ("-Wno-unused-variable", "-Wno-unused-function")
    compiled = [
        line
        for line in ("", *MIXED)
        if not cxx.errors(command, f"{ALLOWED}namespace {{ {line} }}\n", *unused)
    ]
    assert compiled == [""]
