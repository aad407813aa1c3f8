"""`data-loading-chat` over real HTTP: the scripted model uses real tools in the real sandbox."""

from pathlib import Path

import pytest
from tests.loose_json import JsonObject, decode_json
from tests.protocols.ndjson.analyst_client import drop_usage
from tests.protocols.ndjson.table_calls import in_workspace, upload, upload_form
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import Caller, Served, serving

from yarrow.llm.errors import ModelRateLimited
from yarrow.llm.scripted import Call, Fail, Say, ScriptedModel

CHAT = "/api/agent/data-loading-chat"
SCRATCH = "/api/agent/workspace/scratch"

DEMO = """\
df_demo = pd.DataFrame({'城市': ['北京', '上海'], 'n': [1, 2]})
print('made')
"""


async def chat(caller: Caller, text: str = "load it", **body) -> list[JsonObject]:
    """The lines of one request, read strictly, but for signs of progress."""
    sent = {"messages": [{"role": "user", "content": text}], **body}
    async with caller.http.post(caller.url + CHAT, json=sent, headers=caller.headers) as answer:
        assert answer.status == 200
        assert answer.headers["Content-Type"] == "application/x-ndjson", await answer.text()
        content = await answer.read()
    assert content.endswith(b"\n")
    lines = [decode_json(line) for line in content.splitlines()]
    return [line for line in lines if line["type"] != "progress"]


async def use(caller: Caller, switchable: SwitchableModel, tool: str, **arguments) -> JsonObject:
    """What one tool answers."""
    switchable.script([Call(tool, arguments)], [Say("done")])
    return next(line for line in await chat(caller) if line["type"] == "tool_result")


def kinds(lines: list[JsonObject]) -> list[str]:
    """The types of lines; a run of text counts as one."""
    found: list[str] = []
    for line in lines:
        if line["type"] != "text_delta" or found[-1:] != ["text_delta"]:
            found.append(line["type"])
    return found


# oracle DF107


async def test_a_made_frame_is_shown_and_offered(
    caller: Caller, switchable: SwitchableModel
) -> None:
    switchable.script(
        [Say("Let me make it. "), Call("execute_python", {"code": DEMO})],
        [Call("show_user_data_preview", {"saved_dfs": ["df_demo"]})],
        [Say("Here it is.")],
    )

    lines = await chat(caller)

    assert kinds(lines) == [
        *("text_delta", "tool_call", "tool_result", "tool_call", "tool_result"),
        *("text_delta", "actions", "done"),
    ]
    called, ran, _, shown, *_ = [line for line in lines if line["type"] != "text_delta"]
    assert (called["tool"], called["code"], called["args"]) == (
        "execute_python",
        DEMO,
        {"code": DEMO},
    )
    assert (ran["status"], ran["stdout"], ran["error"]) == ("ok", "made\n", None)
    assert ran["saved_dataframes"] == {
        "df_demo": {
            "path": "scratch/df_demo.csv",
            "rows": 2,
            "columns": ["城市", "n"],
            "preview": [{"城市": "北京", "n": 1}, {"城市": "上海", "n": 2}],
        }
    }
    preview = {
        "type": "preview_table",
        "name": "df_demo",
        "columns": ["城市", "n"],
        "sample_rows": [{"城市": "北京", "n": 1}, {"城市": "上海", "n": 2}],
        "total_rows": 2,
        "csv_scratch_path": "scratch/df_demo.csv",
    }
    assert shown["actions"] == [preview]
    assert lines[-2] == {"type": "actions", "actions": [preview]}
    assert drop_usage(lines[-1]) == {"type": "done", "full_text": "Let me make it. Here it is."}


async def test_the_shown_file_can_be_fetched_and_loaded(
    caller: Caller, switchable: SwitchableModel
) -> None:
    await use(caller, switchable, "execute_python", code=DEMO)

    async with caller.http.get(
        f"{caller.url}{SCRATCH}/df_demo.csv", headers=caller.headers
    ) as answer:
        content = await answer.read()

    assert content.decode() == "城市,n\n北京,1\n上海,2\n"
    assert (await upload(caller, content, filename="df_demo.csv"))["row_count"] == 2


async def test_the_model_gets_no_sample_rows(caller: Caller, switchable: SwitchableModel) -> None:
    model = switchable.script(
        [Call("execute_python", {"code": DEMO.replace("print('made')", "")})],
        [Call("show_user_data_preview", {"saved_dfs": ["df_demo"]})],
        [Say("done")],
    )

    await chat(caller)

    result = [message.text for message in model.requests[-1].messages[-3:]]
    assert "df_demo" in result[-1]
    assert not any("北京" in text or "sample_rows" in text or 'preview"' in text for text in result)


async def test_names_of_python_live_for_a_turn_and_not_longer(
    caller: Caller, switchable: SwitchableModel
) -> None:
    switchable.script(
        [Call("execute_python", {"code": "kept = 41"})],
        [Call("execute_python", {"code": "print(kept + 1)"})],
        [Say("ok")],
    )
    results = [line for line in await chat(caller) if line["type"] == "tool_result"]
    assert results[1]["stdout"] == "42\n"

    again = await use(caller, switchable, "execute_python", code="print(kept)")

    assert again["status"] == "error"
    assert "NameError" in again["error"]


async def test_python_sees_uploads_written_files_and_tables(
    caller: Caller, switchable: SwitchableModel
) -> None:
    await upload(caller, table_name="sales")
    form = upload_form("a;b\n1;2\n", filename="原始.csv")
    _, brought = await caller.send("POST", f"{SCRATCH}/upload", data=form)
    code = (
        f"print(open({brought['data']['path']!r}).read(), open('scratch/note.txt').read(), "
        "len(pd.read_parquet('data/sales.parquet')))"
    )
    switchable.script(
        [Call("execute_python", {"code": "x = 1"})],
        [Call("write_file", {"path": "note.txt", "content": "记下"})],
        [Call("execute_python", {"code": code})],
        [Say("ok")],
    )

    results = [line for line in await chat(caller) if line["type"] == "tool_result"]

    assert results[2]["stdout"] == "a;b\n1;2\n 记下 3\n", results[2]


async def test_calls_of_one_answer_come_in_pairs(
    caller: Caller, switchable: SwitchableModel
) -> None:
    switchable.script([Call("list_directory"), Call("list_data")], [Say("ok")])

    lines = await chat(caller)

    assert [(line["type"], line.get("tool")) for line in lines[:4]] == [
        ("tool_call", "list_directory"),
        ("tool_result", "list_directory"),
        ("tool_call", "list_data"),
        ("tool_result", "list_data"),
    ]


async def test_ten_rounds_are_the_end(caller: Caller, switchable: SwitchableModel) -> None:
    model = switchable.script(*[[Call("list_directory")]] * 12)

    lines = await chat(caller)

    assert len(model.requests) == 10
    assert lines[-2]["warning"]["message_code"] == "TOOL_ROUNDS_USED"
    assert drop_usage(lines[-1]) == {"type": "done", "full_text": ""}


# reference, §6: a model's failure is the unified error, and nothing is done


async def test_a_failing_model_ends_with_an_error_and_no_done(
    caller: Caller, switchable: SwitchableModel
) -> None:
    switchable.script(
        [Say("One moment. "), Call("list_directory")],
        *[[Fail(ModelRateLimited(retry_after_s=0.0))]] * 3,
    )

    lines = await chat(caller)

    assert lines[-1]["type"] == "error"
    assert set(lines[-1]["error"]) == {"code", "message", "retry"}
    assert (lines[-1]["error"]["code"], lines[-1]["error"]["retry"]) == ("LLM_RATE_LIMIT", True)
    assert "done" not in kinds(lines)


async def test_unknown_tool_is_reported_to_the_model(
    caller: Caller, switchable: SwitchableModel
) -> None:
    answer = await use(caller, switchable, "format_disk")

    assert answer["status"] == "error"
    assert "read_file" in answer["error"]


async def test_files_are_written_flat_read_and_listed(
    caller: Caller, switchable: SwitchableModel
) -> None:
    written = await use(
        caller, switchable, "write_file", path="../../deep/报告.txt", content="一\n二\n三\n"
    )
    assert (written["path"], written["size"]) == ("scratch/报告.txt", 12)

    read = await use(caller, switchable, "read_file", path="scratch/报告.txt", max_lines=2)
    listed = await use(caller, switchable, "list_directory")

    assert read["content"] == "一\n二\n"
    assert listed["entries"] == ["报告.txt"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "shift_jis", "euc_kr", "cp1251"])
async def test_a_text_is_read_in_its_encoding_as_in_uploads(
    caller: Caller, switchable: SwitchableModel, encoding: str
) -> None:
    text = {
        "euc_kr": "지역,매출,비고\n서울,1200,사과\n부산,800,배추김치\n대구,300,한국어\n",
        "cp1251": "регион,выручка\nМосква,1200\nСанкт-Петербург,800\nКазань,300\n",
    }.get(encoding, "地域,売上,備考\n東京都,1200,カメラ\n大阪府,800,りんごジュース\n")
    form = upload_form(text.encode(encoding), filename="text.csv")
    _, brought = await caller.send("POST", f"{SCRATCH}/upload", data=form)

    read = await use(caller, switchable, "read_file", path=brought["data"]["path"])

    assert read["content"] == text


async def test_a_file_that_is_no_text_is_refused(
    caller: Caller, switchable: SwitchableModel
) -> None:
    form = upload_form(b"PK\x03\x04\0\0\x80\xff" * 20, filename="archive.bin")
    _, brought = await caller.send("POST", f"{SCRATCH}/upload", data=form)

    read = await use(caller, switchable, "read_file", path=brought["data"]["path"])

    assert "is not text" in read["error"]


async def test_a_long_file_is_cut(caller: Caller, switchable: SwitchableModel) -> None:
    await use(caller, switchable, "write_file", path="long.txt", content="x" * 60_000)

    read = await use(caller, switchable, "read_file", path="long.txt")

    assert len(read["content"]) == 50_000


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "", "scratch/../../x", "C:\\x"])
async def test_paths_that_lead_out_are_denied(
    caller: Caller, switchable: SwitchableModel, path: str
) -> None:
    read = await use(caller, switchable, "read_file", path=path)

    assert read["status"] == "error"
    assert read["error"].startswith("Access denied")


async def test_files_of_other_workspaces_are_not_there(
    caller: Caller, switchable: SwitchableModel
) -> None:
    await use(in_workspace(caller, "other"), switchable, "write_file", path="mine.txt", content="x")

    assert (await use(caller, switchable, "list_directory"))["entries"] == []
    assert (await use(caller, switchable, "read_file", path="mine.txt"))["status"] == "error"


async def test_tables_from_text_become_previews(
    caller: Caller, switchable: SwitchableModel
) -> None:
    tables = [{"name": "prices", "data": "item,price\n茶,3.5\n"}, {"name": "bad", "data": ""}]

    shown = await use(caller, switchable, "show_user_data_preview", tables=tables)

    good, bad = shown["actions"]
    assert good["sample_rows"] == [{"item": "茶", "price": 3.5}]
    assert good["csv_scratch_path"] == "scratch/prices.csv"
    assert (bad["type"], bad["name"]) == ("preview_table", "bad")
    assert "error" in bad


async def test_a_frame_that_was_never_made_is_an_error_in_its_place(
    caller: Caller, switchable: SwitchableModel
) -> None:
    shown = await use(caller, switchable, "show_user_data_preview", saved_dfs=["ghost"])

    assert "error" in shown["actions"][0]


async def test_sources_are_counted_listed_and_described(
    caller: Caller, switchable: SwitchableModel
) -> None:
    await upload(caller, table_name="sales")
    await upload(in_workspace(caller, "计划"), table_name="orders")

    summary = await use(caller, switchable, "list_data")
    listed = await use(caller, switchable, "list_data", source_id="workspaces/计划", filter="ord")
    result = await use(
        caller, switchable, "describe_data", source_id="workspaces/计划", table_key="orders"
    )

    assert {source["source_id"]: source["table_count"] for source in summary["sources"]} == {
        "workspace": 1,
        "scratch": 0,
        "workspaces/计划": 1,
    }
    assert [table["name"] for table in listed["tables"]] == ["orders"]
    assert (listed["source_id"], listed["folders"]) == ("workspaces/计划", [])
    assert "amount (integer)" in result["result"]


async def test_data_is_found_by_a_pattern_in_a_scope(
    caller: Caller, switchable: SwitchableModel
) -> None:
    await upload(caller, table_name="monthly_orders")
    other = in_workspace(caller, "archive")
    await upload(other, table_name="monthly_returns")
    await upload(other, table_name="customers")

    everywhere = await use(caller, switchable, "find_data", query="MONTHLY_(orders|returns)")
    connected = await use(
        caller,
        switchable,
        "find_data",
        query="monthly|customers",
        scope="connected",
        exclude=["^cust"],
    )
    by_column = await use(caller, switchable, "find_data", query="amount", fields=["name"])

    found = {(hit["source_id"], hit["name"], hit["status"]) for hit in everywhere["results"]}
    assert found == {
        ("workspace", "monthly_orders", "imported"),
        ("workspaces/archive", "monthly_returns", "not imported"),
    }
    assert [hit["name"] for hit in connected["results"]] == ["monthly_returns"]
    assert by_column["results"] == []
    assert "workspace" in by_column["valid_source_ids"]
    assert by_column["note"]


@pytest.mark.parametrize("query", ["(", "", "a{999999}"])
async def test_a_bad_pattern_is_an_error(
    caller: Caller, switchable: SwitchableModel, query: str
) -> None:
    await upload(caller, table_name="sales")

    assert (await use(caller, switchable, "find_data", query=query))["status"] == "error"


async def test_catastrophic_pattern_terminates(caller: Caller, switchable: SwitchableModel) -> None:
    await upload(caller, table_name="a" * 60)

    found = await use(caller, switchable, "find_data", query="^(a+)+$!", scope="workspace")

    assert found["results"] == []


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("show_user_data_preview", {"tables": 5}),
        ("show_user_data_preview", {"tables": True}),
        ("propose_load_plan", {"candidates": "x"}),
        ("propose_load_plan", {"candidates": []}),
        ("propose_load_plan", {}),
    ],
)
async def test_arguments_of_no_use_are_an_error_of_the_tool(
    caller: Caller, switchable: SwitchableModel, tool: str, arguments: JsonObject
) -> None:
    result = await use(caller, switchable, tool, **arguments)

    assert result["status"] == "error"
    assert "actions" not in result


async def test_a_plan_names_tables_that_exist(caller: Caller, switchable: SwitchableModel) -> None:
    await upload(in_workspace(caller, "archive"), table_name="orders")
    here = {"source_id": "workspaces/archive", "table_key": "orders"}
    filters = [{"column": "city", "operator": "=", "value": "Berlin"}]

    planned = await use(
        caller,
        switchable,
        "propose_load_plan",
        candidates=[{**here, "filters": filters}, {**here, "table_key": "ghost"}],
        reasoning="because",
    )
    refused = await use(
        caller, switchable, "propose_load_plan", candidates=[{**here, "table_key": "ghost"}]
    )

    [action] = planned["actions"]
    assert (action["type"], action["reasoning"]) == ("load_plan", "because")
    [candidate] = action["candidates"]
    assert (candidate["source_id"], candidate["table_key"]) == ("workspaces/archive", "orders")
    assert candidate["filters"] == [{"column": "city", "operator": "EQ", "value": "Berlin"}]
    assert (refused["status"], "actions" in refused) == ("error", False)


async def test_a_program_that_ends_its_process_is_an_error(
    caller: Caller, switchable: SwitchableModel
) -> None:
    switchable.script(
        [Call("execute_python", {"code": "import os\nos._exit(3)"})],
        [Call("execute_python", {"code": "print('again')"})],
        [Say("ok")],
    )

    first, second = [line for line in await chat(caller) if line["type"] == "tool_result"]

    assert first["status"] == "error"
    assert second["stdout"] == "again\n"


async def test_without_python_a_program_is_refused_with_the_reason(
    without_python: Served, switchable: SwitchableModel
) -> None:
    caller = await without_python.account()

    answer = await use(caller, switchable, "execute_python", code="print(1)")

    assert answer["status"] == "error"
    assert "runs no Python" in answer["error"]


# oracle DF004, and what must be refused before a stream begins


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("text/plain", b"{}"),
        ("application/json", b"{}"),
        ("application/json", b"{"),
        ("application/json", b'{"messages": []}'),
        ("application/json", b'{"messages": [{"role": "user", "content": 3}]}'),
        ("application/json", b'{"messages": [{"role": "user"}], "row_limit": 0}'),
    ],
)
async def test_a_broken_request_is_refused_before_the_stream(
    caller: Caller, kind: str, body: bytes
) -> None:
    headers = {**caller.headers, "Content-Type": kind}

    status, answer = await caller.send("POST", CHAT, data=body, headers=headers)

    assert (status, answer["status"]) == (200, "error")
    assert (answer["error"]["code"], answer["error"]["retry"]) == ("INVALID_REQUEST", False)


async def test_without_a_model_mentioned_files_are_shown(dsn: str, tmp_path: Path) -> None:
    async with serving(dsn, model=ScriptedModel(), data_dir=tmp_path) as plain:
        caller = await plain.account()
        form = upload_form("城市,n\n北京,1\n", filename="sales.csv")
        _, brought = await caller.send("POST", f"{SCRATCH}/upload", data=form)
        path = brought["data"]["path"]
        attached = {"type": "file", "name": "sales.csv", "scratchPath": path, "preview": ""}
        messages = [{"role": "user", "content": "load", "attachments": [attached]}]

        lines = await chat(caller, messages=messages)

    assert kinds(lines) == ["text_delta", "actions", "done"]
    assert lines[-2]["actions"][0]["sample_rows"] == [{"城市": "北京", "n": 1}]
    assert "1 rows" in lines[-1]["full_text"]
