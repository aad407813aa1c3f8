"""The model of the fault trials: the scripted server, which also plays an analyst's model.

    python -m benchmarks.fault_model --port 9100

A question with `[[chart 30]]` is answered with a chart, and with a summary once the chart was made;
the number is milliseconds between tokens. So it is in `[[memory 30]]`, which is answered with a
summary in the reply, and with a fact when memories are asked for. Other prompts are the scripted
server's. `GET /stats` counts, beside its counters, how often a chart was asked for.
"""

import argparse
import asyncio
import re

import uvloop
from benchmarks.analyst_script import CHARTED, SQL, SUMMARY
from benchmarks.processes import LOOPBACK

from yarrow.kit.json import JsonObject, encode_json
from yarrow.llm.scripted_directives import AnswerPlan
from yarrow.llm.scripted_server import ScriptedServer, ServerStats

_CHART = re.compile(r"\[\[chart (\d+)\]\]")
_MEMORY = re.compile(r"\[\[memory (\d+)\]\]")
_CONSOLIDATION = "factsAdd"
"""In the prompt that asks for memories."""
RAIN = "Rain. <memo>It rains.</memo>"
FACTS = {"factsAdd": [{"key": "weather", "content": "rain"}]}
_MAX_REQUEST = 64 << 20


class FaultStats(ServerStats):
    """Counters since the start."""

    charts: int = 0


class FaultModel(ScriptedServer):
    """Plans answers for charts; leaves the rest to the scripted server."""

    def __init__(self) -> None:
        super().__init__(AnswerPlan())
        self.stats: FaultStats = FaultStats()

    def _plan_answer(self, body: JsonObject) -> AnswerPlan:
        prompt = encode_json(body.get("messages", [])).decode()
        if memory := _MEMORY.search(prompt):
            text = encode_json(FACTS).decode() if _CONSOLIDATION in prompt else RAIN
            return AnswerPlan(say=text, delay_ms=float(memory[1]))
        wish = _CHART.search(prompt)
        if wish is None:
            return super()._plan_answer(body)
        delay_ms = float(wish[1])
        if CHARTED in prompt[wish.end() :]:
            return AnswerPlan(say=encode_json(SUMMARY).decode(), delay_ms=delay_ms)
        self.stats.charts += 1
        return AnswerPlan(say=encode_json(SQL).decode(), delay_ms=delay_ms)


async def serve(port: int) -> None:
    """Serve until the process ends."""
    model = FaultModel()
    server = await asyncio.start_server(
        model.serve_connection, LOOPBACK, port, limit=_MAX_REQUEST, backlog=1024
    )
    async with server:
        await server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fault_model")
    parser.add_argument("--port", type=int, required=True)
    uvloop.run(serve(parser.parse_args().port))


if __name__ == "__main__":
    main()
