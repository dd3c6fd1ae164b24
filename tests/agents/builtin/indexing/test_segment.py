from array import array

from hypothesis import given
from hypothesis import strategies as st

from scoutkit.agents.builtin.indexing.chunks import Chunk, chunks
from scoutkit.agents.builtin.indexing.segment import Place, Segment, pack, unpack, unpack_places

numbers = st.lists(st.integers(0, 65_535), max_size=20)


@given(numbers, numbers)
def test_postings_are_read_back_as_they_were_written(files, held):
    values = bytearray(number % 256 for number in files), bytearray(number % 256 for number in held)
    packed = pack(array("H", files), values[0], array("H", held), values[1])
    assert [list(part) for part in unpack(packed)] == [files, list(values[0]), held, list(values[1])]


def made(*texts):
    segment = Segment()
    for text in texts:
        segment.add(chunks("a.py", text))
    return {term: unpack(data) for term, data in segment.postings()}


def test_a_name_is_worth_more_than_a_word_of_a_body():
    found = made("def cookie():\n    return 1\n", "def other():\n    return cookie\n")
    _, _, held, values = found["cooki"]
    assert list(held) == [0, 1]
    assert values[0] > values[1]


def test_definitions_are_found_by_their_name_spelled_exactly():
    found = made("LIMIT = 1\n\n\ndef limit(): pass\n\n\nclass Limit: pass\n")
    assert [list(found[f"={name}"][2]) for name in ("LIMIT", "limit", "Limit")] == [[0], [1], [2]]


def test_files_are_counted_as_one_text():
    files, values, held, _ = made("def a(): sign()\n\n\ndef b(): sign()\n", "def c(): sign()\n" + "x = 1\n" * 300)[
        "sign"
    ]
    assert list(files) == [0, 1]
    assert list(held) == [0, 1, 2]
    assert values[0] > values[1]


def test_places_say_where_to_look():
    segment = Segment()
    segment.add([Chunk(3, 9, "method", "sign", "Signer.sign")])
    assert unpack_places(segment.files[0]) == [Place(3, 9, "method", "sign", "Signer.sign")]
