"""Hand-made topics, and the flow that makes them: every wrong row is told of, by its number."""

import pytest

import lcm_lab as lcm
from lcm_lab.errors import BadInput, BadParameter, NotFound
from lcm_lab.transcripts.probes.handmade import HandMade
from lcm_lab.transcripts.probes.labelling import label
from lcm_lab.transcripts.probes.mine import mine

SAID = [
    ("m1", "s1", "user", "Which database shall we take for the orders?"),
    ("m2", "s1", "assistant", "Postgres, since orders need transactions."),
    ("m3", "s1", "assistant", "Anything else? Just ask."),
    ("m4", "s2", "user", "Where do backups go?"),
    ("m5", "s2", "assistant", "To the bucket in Frankfurt. Anything else? Just ask."),
    ("m6#tool_result", "s2", "tool", "bucket: frankfurt-1"),
]


@pytest.fixture
def corpus():
    return lcm.Corpus(
        [
            {"docno": docno, "conversation": s, "session": s, "role": role, "text": text}
            for docno, s, role, text in SAID
        ]
    )


@pytest.fixture
def table(tmp_path):
    """Write a table and give its path."""

    def write(text, name="questions.csv"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return str(tmp_path / name)

    return write


def test_rows_of_one_question_are_one_topic(corpus, table):
    path = table(
        "question,message,answer\n"
        "which database?,m2,Postgres\n"
        '"where, and why, do backups go?",m5,\n'
        "\n"
        '"where, and why, do backups go?",m6,\n'
    )
    made = mine(corpus, [HandMade(path)])
    assert made.topics[["query", "answer", "type"]].to_numpy().tolist() == [
        ["which database?", "Postgres", "hand-made"],
        ["where, and why, do backups go?", None, "hand-made"],
    ]
    assert made.qrels["docno"].tolist() == ["m2", "m5", "m6#tool_result"]


def test_tabs_a_byte_order_mark_and_capitals_in_the_head_are_read(corpus, table):
    path = table("\ufeffQuestion\tMessage\nwhich database, if any?\tm2\n", "q.tsv")
    assert mine(corpus, [HandMade(path)]).qrels["docno"].tolist() == ["m2"]


def test_a_quote_points_at_its_message_whatever_its_signs(corpus, table):
    path = table('question,quote,session\nwhere?,"bucket, in FRANKFURT",\nmore?,just ask,s1\n')
    assert mine(corpus, [HandMade(path)]).qrels["docno"].tolist() == ["m5", "m3"]


def test_a_question_with_nothing_right_has_nothing_to_find(corpus, table):
    path = table("question,message,relevance\nwhat is the budget?,m2,0\nwhere?,m5,1\n")
    made = mine(corpus, [HandMade(path)])
    assert len(made.topics) == 2
    assert made.qrels["docno"].tolist() == ["m5"]


def test_asked_at_hides_what_came_later(table):
    rows = [
        {"docno": "a", "text": "We host in Falkenstein.", "time": "2026-01-01"},
        {"docno": "b", "text": "We host in Helsinki.", "time": "2026-02-01"},
    ]
    path = table("question,message,asked_at\nwhere do we host?,a,2026-01-15\n")
    made = mine(lcm.Corpus(rows), [HandMade(path)])
    assert (lcm.BM25() % 5).fit(made.corpus).run(made.topics).frame()["docno"].tolist() == ["a"]


def test_every_wrong_row_is_told_of_with_its_number_and_a_way_out(corpus, table):
    path = table(
        "question,message,quote,session,relevance,asked_at\n"
        "fine?,m2,,,,\n"
        "gone?,m22,,,,\n"
        ",m2,,,,\n"
        "neither?,,,,,\n"
        "many?,,just ask,,,\n"
        "nowhere?,,purple elephants,,,\n"
        "session?,,just ask,s9,,\n"
        "grade?,m2,,,7,\n"
        "???,m2,,,,\n"
        "when?,m2,,,,yesterday-ish\n"
    )
    with pytest.raises(BadInput) as refused:
        mine(corpus, [HandMade(path)])
    told = str(refused.value)
    assert told.startswith("9 rows of ")
    for part in (
        "row 3: no message 'm22' among 6. Did you mean 'm2'?",
        "row 4: no question.",
        "row 5: neither a message id nor a quote.",
        "row 6: 2 messages hold 'just ask' (m3, m5).",
        "row 7: no message holds 'purple elephants'.",
        "row 8: no session 's9'.",
        "row 9: relevance is 1 or 0",
        "And 1 more.",
    ):
        assert part in told, part


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "needs a column 'question'. Its first line has nothing"),
        ("questions,message\nx,m1\n", r"Did you mean 'question'\?"),
        ("question,answer\nx,y\n", "needs a column 'message'"),
    ],
)
def test_a_table_without_its_columns_is_refused(corpus, table, text, told):
    with pytest.raises(BadInput, match=told):
        mine(corpus, [HandMade(table(text))])


def test_no_table_and_no_text_are_told_apart(corpus, tmp_path):
    with pytest.raises(NotFound, match="question,message on its first line"):
        mine(corpus, [HandMade(str(tmp_path / "none.csv"))])
    (tmp_path / "b.csv").write_bytes(b"\xff\xfe\x00question")
    with pytest.raises(BadInput, match="UTF-8"):
        mine(corpus, [HandMade(str(tmp_path / "b.csv"))])
    with pytest.raises(BadParameter, match="Got 3"):
        HandMade(3)


QUESTIONS = ["which database for the orders?", "where do the backups go?", "anything on kangaroos?"]


def test_labels_are_pooled_shown_blind_kept_at_once_and_read_again(corpus, tmp_path):
    path = tmp_path / "labels.csv"
    labels = label(corpus, QUESTIONS, path, policies=[lcm.BM25(), lcm.TfIdf()], k=3)
    shown = labels.candidates
    assert labels.question == QUESTIONS[0]
    assert "docno" not in shown
    assert shown.index.tolist() == list(range(1, len(shown) + 1))
    right = shown.index[shown["text"].str.startswith("Postgres")].tolist()
    labels.answer(*right)
    assert path.read_text().splitlines()[0] == "question,message,relevance"
    again = label(corpus, QUESTIONS, path, policies=[lcm.BM25()], k=3)
    assert (again.left, again.question) == (2, QUESTIONS[1])
    again.answer()
    made = again.collection()
    assert made.topics["query"].tolist() == QUESTIONS[:2]
    assert made.qrels["docno"].tolist() == ["m2"]
    assert made.name == "labels"


@pytest.mark.parametrize(
    ("name", "text", "added"),
    [
        ("l.csv", "Message,answer,relevance,question\nm5,,1,x\n", f"m1,,1,{QUESTIONS[0]}"),
        ("l.tsv", "relevance\tquestion\tmessage\n1\tx\tm5", f"1\t{QUESTIONS[0]}\tm1"),
        ("new.tsv", None, f"{QUESTIONS[0]}\tm1\t1"),
    ],
)
def test_answers_go_where_the_first_line_of_the_table_says(
    corpus, table, tmp_path, name, text, added
):
    if text is not None:
        table(text, name)
    labels = label(corpus, QUESTIONS[:1], tmp_path / name, policies=[lcm.BM25() % 1])
    labels.answer(1)
    assert (tmp_path / name).read_text().splitlines()[-1] == added
    assert QUESTIONS[0] in labels.collection().topics["query"].tolist()


def test_a_table_without_a_place_for_answers_is_refused(corpus, table):
    path = table("question,message\nx,m5\n")
    with pytest.raises(BadInput, match=r"no column 'relevance' to write answers to.*question, m"):
        label(corpus, QUESTIONS, path)


def test_a_question_that_is_skipped_comes_last(corpus, tmp_path):
    labels = label(corpus, QUESTIONS[:2], tmp_path / "l.csv", policies=[lcm.BM25()])
    assert labels.skip().question == QUESTIONS[1]
    assert labels.skip().question == QUESTIONS[0]
    labels.answer()
    assert labels.question == QUESTIONS[1]
    labels.answer(1)
    assert repr(labels) == "Labelling of 2 questions: all are answered"
    with pytest.raises(BadParameter, match="All questions are answered"):
        labels.answer(1)


def test_what_was_said_is_escaped_masked_and_cut(tmp_path):
    key = "AKIA" + "QYLPMN5HHHFPZAM2"
    text = "filler words " * 200 + f"<script>the vault key is {key}</script>"
    labels = label(lcm.Corpus([text]), ["which vault key?"], tmp_path / "l.csv")
    page = labels._repr_html_()
    assert "<script>" not in page
    assert key not in page + repr(labels)
    assert "vault" in labels.candidates["text"].iloc[0]
    assert len(labels.candidates["text"].iloc[0]) < 600


def test_wrong_answers_and_wrong_files_are_refused(corpus, tmp_path):
    labels = label(corpus, QUESTIONS, tmp_path / "l.csv", policies=[lcm.BM25()])
    for number in (0, 99, True, "1"):
        with pytest.raises(BadParameter, match="Candidates are 1 to"):
            labels.answer(number)
    assert not (tmp_path / "l.csv").exists()
    last = label(corpus, QUESTIONS[2:], tmp_path / "l.csv", policies=[lcm.Phrase()])
    with pytest.raises(BadParameter, match="No policy finds anything"):
        last.answer()
    (tmp_path / "l.csv").write_text("question,message,relevance\nx,other,1\n")
    with pytest.raises(BadInput, match="row 2, judges 'other'"):
        label(corpus, QUESTIONS, tmp_path / "l.csv")
    with pytest.raises(BadParameter, match="no questions"):
        label(corpus, [], tmp_path / "l.csv")
    with pytest.raises(BadParameter, match="Got 'BM25'"):
        label(corpus, QUESTIONS, tmp_path / "l.csv", policies=["BM25"])
