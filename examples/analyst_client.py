"""Ask about tables, and answer the analyst's questions in the terminal.

    .venv/bin/python examples/analyst_client.py "Who sells most?" --table sales
    .venv/bin/python examples/analyst_client.py "Who sells most?" --csv sales.csv

Shows how a client of the NDJSON streams reads them: an error ends the stream, a warning does
not, unknown types are passed over. With `--csv` the file is uploaded first, in the place of the
table that an earlier file of its name became, and the question is about that table. A server
elsewhere is named by `--url`, and one with accounts wants `--token`.
"""

import argparse
import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import aiohttp

ADDRESS = "/api/agent/data-agent-streaming"
UPLOAD = "/api/tables/create-table"
PAUSES = ("clarify", "explain", "delegate")
MALFORMED = {"code": "MALFORMED_STREAM_RESPONSE", "message": "this is no answer of Yarrow's"}


class AnalystError(Exception):
    """The server said no, before the stream or in it."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(f"{error.get('code')}: {error.get('message')}")
        self.code = error.get("code", "UNKNOWN")
        self.retry = bool(error.get("retry"))


def parse_line(line: str) -> dict[str, Any] | None:
    """The event of a line; None for what is no event: blank, broken, or without a type."""
    try:
        event = json.loads(line)
    except ValueError:
        return None
    if isinstance(event, dict) and isinstance(event.get("type"), str):
        return event
    return None


async def read_events(chunks: AsyncIterator[bytes]) -> AsyncIterator[dict[str, Any]]:
    """The events of a stream, in whatever pieces it comes; a last line needs no end."""
    buffer = b""
    async for chunk in chunks:
        *lines, buffer = (buffer + chunk).split(b"\n")
        for line in lines:
            if event := parse_line(line.decode("utf-8", "replace")):
                yield event
    if event := parse_line(buffer.decode("utf-8", "replace")):
        yield event


def assemble_reply(answers: Sequence[str], freeform: str = "") -> str:
    """One text for all answers: bare if there is one, numbered if there are more."""
    given = [answer.strip() for answer in answers if answer.strip()]
    numbered = "; ".join(f"{number}. {answer}" for number, answer in enumerate(given, 1))
    chosen = given[0] if len(given) == 1 else numbered
    return "\n".join(part for part in (chosen, freeform.strip()) if part)


async def read_object(answer: aiohttp.ClientResponse) -> dict[str, Any]:
    """An answer that is no stream; empty if it is no object either."""
    try:
        said = json.loads(await answer.read())
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


async def bring(http: aiohttp.ClientSession, file: Path, headers: dict[str, str]) -> str:
    """Upload a file; gives back what its table is called. A name that is taken gets a number."""
    form = aiohttp.FormData({"replace_source": "true"})
    form.add_field("file", await asyncio.to_thread(file.read_bytes), filename=file.name)
    async with http.post(UPLOAD, data=form, headers=headers) as answer:
        said = await read_object(answer)
    if said.get("status") != "success":
        raise AnalystError(said.get("error") or MALFORMED)
    name = str(said["data"]["table_name"])
    print(f"{file} is table {name}, {said['data']['row_count']} rows")
    return name


async def ask(
    http: aiohttp.ClientSession, body: dict[str, Any], headers: dict[str, str]
) -> AsyncIterator[dict[str, Any]]:
    """The events of an answer. An error, before the stream or in it, is raised."""
    async with http.post(ADDRESS, json=body, headers=headers) as answer:
        if answer.content_type != "application/x-ndjson":
            raise AnalystError((await read_object(answer)).get("error") or MALFORMED)
        async for event in read_events(answer.content.iter_any()):
            if event["type"] == "error":
                raise AnalystError(event["error"])
            yield event


def show(event: dict[str, Any]) -> None:
    """One event for a person."""
    match event:
        case {"type": "warning", "warning": {"message": message}}:
            print(f"! {message}")
        case {"type": "progress", "phase": "restarted"}:
            print("(a server was lost; what stands above is void, the answer begins again)")
        case {"type": "thinking_text" | "text_delta", "content": content}:
            print(content)
        case {"type": "tool_start", "tool": tool, "purpose": purpose}:
            print(f"… {tool} {purpose or ''}")
        case {"type": "action", "display_instruction": instruction}:
            print(f"> {instruction}")
        case {"type": "result", "content": {"result": result}}:
            virtual, goal = result["content"]["virtual"], result["refined_goal"]
            print(f"  {goal['chart']['chart_type']} of {virtual['table_name']}")
            for row in result["content"]["rows"][:10]:
                print("  ", {field: plain(value) for field, value in row.items()})
        case {"type": "completion", "content": {"summary": summary}}:
            print(summary)
        case _:
            pass


def plain(value: Any) -> Any:
    """A whole number without `.0`."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def reply_to(pause: dict[str, Any]) -> str:
    """What the person at the terminal answers."""
    answers = []
    for question in pause.get("questions", []):
        print(f"? {question['text']}")
        for option in question.get("options", []):
            print(f"  - {option['label']}")
        answers.append(input("= "))
    if not answers:
        print(f"{pause.get('message', '')} {pause.get('options', [])}")
        answers.append(input("= "))
    return assemble_reply(answers)


async def talk(
    url: str, body: dict[str, Any], headers: dict[str, str], files: Sequence[Path] = ()
) -> None:
    """Ask, and go on as long as the analyst asks back and gets an answer."""
    timeout = aiohttp.ClientTimeout(total=None)
    async with aiohttp.ClientSession(url, timeout=timeout) as http:
        brought = [{"name": await bring(http, file, headers)} for file in files]
        body = {**body, "input_tables": [*body["input_tables"], *brought]}
        while True:
            pause = None
            async for event in ask(http, body, headers):
                show(event)
                if event["type"] in PAUSES:
                    pause = event
            if pause is None or not (reply := reply_to(pause)):
                return
            kept = ("trajectory", "completed_step_count")
            body = {**body, **{field: pause[field] for field in kept}, "user_question": reply}


def what_to_do(error: Exception, url: str) -> str:
    """A failure in one line."""
    if isinstance(error, aiohttp.ClientConnectionError):
        return f"No server answers at {url}: start one with `make serve`, or name yours by --url."
    return str(error)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("question")
    parser.add_argument("--url", default="http://127.0.0.1:3000")
    parser.add_argument("--workspace", default="default")
    parser.add_argument("--table", action="append", default=[])
    parser.add_argument("--csv", action="append", default=[], type=Path)
    parser.add_argument("--token")
    options = parser.parse_args()
    tables = [{"name": name} for name in options.table]
    headers = {"X-Workspace-Id": options.workspace}
    if options.token:
        headers["Authorization"] = f"Bearer {options.token}"
    body = {"user_question": options.question, "input_tables": tables}
    try:
        asyncio.run(talk(options.url, body, headers, options.csv))
    except (AnalystError, aiohttp.ClientError, OSError) as error:
        raise SystemExit(what_to_do(error, options.url)) from None


if __name__ == "__main__":
    main()
