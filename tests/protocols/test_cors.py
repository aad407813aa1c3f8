"""Pages of other origins: only those that were named."""

from pathlib import Path

from tests.serving import RUNS, serving

from yarrow.llm.scripted import ScriptedModel

PAGE = "https://app.example"


async def test_a_named_origin_may_call(dsn: str, model: ScriptedModel, tmp_path: Path) -> None:
    async with serving(dsn, model=model, data_dir=tmp_path, cors_origins=(PAGE,)) as served:
        sent = {
            "Origin": PAGE,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,content-type",
        }
        async with served.http.options(served.url + RUNS, headers=sent) as answer:
            assert answer.status == 200
            assert answer.headers["Access-Control-Allow-Origin"] == PAGE
        sent["Origin"] = "https://other.example"
        async with served.http.options(served.url + RUNS, headers=sent) as answer:
            assert "Access-Control-Allow-Origin" not in answer.headers


async def test_a_named_origin_reads_what_an_export_leaves_out(
    dsn: str, model: ScriptedModel, tmp_path: Path
) -> None:
    async with (
        serving(dsn, model=model, data_dir=tmp_path, cors_origins=(PAGE,)) as served,
        served.http.get(served.url + "/healthz", headers={"Origin": PAGE}) as answer,
    ):
        exposed = answer.headers["Access-Control-Expose-Headers"].split(", ")

    assert {"X-States-Left-Out", "X-Replies-Left-Out", "X-Memories-Left-Out"} <= set(exposed)
