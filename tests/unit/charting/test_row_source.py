"""The source of rows of these tests executes a statement again when its result may differ."""

from tests.unit.charting.row_source import RowSource

ROWS = [{"v": n} for n in (1, 2, 3)]
COPY = 'CREATE OR REPLACE TEMP TABLE "_copy" AS SELECT v FROM _rows WHERE v > ?'
READ = 'SELECT sum(v) FROM "_copy"'


def read_sum(source: RowSource, more_than: int) -> object:
    source.run(COPY, [more_than])
    return source.run(READ)


def test_a_result_is_that_of_the_table_as_it_was_made_last() -> None:
    source = RowSource(ROWS)

    assert [read_sum(source, n) for n in (0, 1, 0, 2, 1)] == [[[6]], [[5]], [[6]], [[3]], [[5]]]


def test_a_new_statement_reads_a_table_that_was_made_before_another() -> None:
    source = RowSource(ROWS)
    for more_than in (0, 1, 0):
        source.run(COPY, [more_than])

    assert source.run('SELECT count(*) FROM "_copy"') == [[3]]


def test_deleted_rows_are_gone_until_the_table_is_made_again() -> None:
    source = RowSource(ROWS)
    for _ in range(2):
        assert read_sum(source, 0) == [[6]]
        source.run('DELETE FROM "_copy" WHERE v = 3')
        assert source.run(READ) == [[3]]


def test_a_table_made_from_another_follows_it() -> None:
    source = RowSource(ROWS)
    doubled = 'CREATE OR REPLACE TEMP TABLE doubled AS SELECT v * 2 AS v FROM "_copy"'
    for more_than, total in ((0, 12), (2, 6), (0, 12)):
        source.run(COPY, [more_than])
        source.run(doubled)
        assert source.run("SELECT sum(v) FROM doubled") == [[total]]


def test_a_changed_result_is_not_the_next_one() -> None:
    source = RowSource(ROWS)
    source.run("SELECT list(v), 1 FROM _rows")[0][0].append(9)

    assert source.run("SELECT list(v), 1 FROM _rows") == [[[1, 2, 3], 1]]
