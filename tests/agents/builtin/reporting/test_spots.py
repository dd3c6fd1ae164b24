"""What is said of each place that a report begins with, and which places these are."""

FILES = {
    "src/till.py": (
        "def open_drawer(orders):\n"
        "    # Every order is weighed before the drawer opens.\n"
        "    weigh(orders)\n"
        "    return count_coins(orders)\n\n\n"
        "def count_coins(orders):\n    return len(orders)\n\n\n"
        "def close(orders):\n    return count_coins(orders)\n"
    ),
    "src/scale.py": "def weigh(orders):\n    return sum(orders)\n",
}


def starts(looked):
    assert looked.doubts == []
    return [line for line in looked.section("Start here").split("\n") if line.startswith("- ")]


def test_a_place_is_told_by_the_comment_in_it_that_has_the_words(look, make):
    first = starts(look(make(FILES), "Where is the drawer opened for orders?"))[0]
    assert first.endswith("`open_drawer` — a comment in it says: Every order is weighed before the drawer opens")


def test_a_place_without_a_word_about_it_is_told_by_who_calls_it_and_what_it_calls(look, make):
    told = {
        line.split("`")[3]: line.partition(" — ")[2] for line in starts(look(make(FILES), "Where are coins counted?"))
    }
    assert told["count_coins"] == "called by `open_drawer` and `close`"


def test_the_best_file_is_shown_where_each_of_its_places_has_one_of_the_words(look, make):
    evict = "".join(f"int free_{at}(void) {{\n    return maxmemory - {at};\n}}\n\n" for at in range(6))
    files = {
        "src/maxmemory.c": evict,
        "src/net.c": "int clients(void) {\n    enforce(maxmemory);\n"
        + "    wait_for(all, other, things);\n" * 50
        + "}\n",
        "src/log.c": "int log_it(void) {\n    return 2;\n}\n",
    }
    looked = look(make(files), "How is maxmemory enforced?")
    assert looked.found.ranking.files[0][0] == "src/maxmemory.c"
    assert looked.found.spots[0].cited.path == "src/maxmemory.c"
