// node talk.mjs <package>: lets a stock AG-UI client talk to a server, tells what it saw.
//
// Each line of input is a job as JSON: url, token, threadId, turns, tools, forwardedProps, and for a
// client that leaves amid its last turn: leaveAt (the text so far), comeBack ("same" or "fresh"
// client). A turn is a text, or {edit: text} for another text of the last question,
// {regenerate: true}, or {result: text} of the tool that was called. Each line of output is JSON; the
// last one of a job has all turns, the client's messages and what was written to stderr.

import { createInterface } from "node:readline";

const [, , name] = process.argv;
const { HttpAgent, randomUUID } = await import(name);

class ResumableAgent extends HttpAgent {
  connect(input) {
    const events = new HttpAgent({ url: `${this.url}/${input.threadId}/events?profile=agui` });
    const headers = { ...this.headers, "Last-Event-ID": "1" };
    events.requestInit = () => ({ headers, signal: this.abortController.signal });
    return events.run(input);
  }
}

let complaints = "";
process.stderr.write = (text) => {
  complaints += text;
  return true;
};
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
process.on("uncaughtException", (error) => {
  say({ complaints: complaints + error.stack });
  process.exitCode = 1;
  process.stdin.destroy();
});

function watch(turn, onText = () => {}) {
  return {
    onEvent: ({ event }) => void turn.events.push(event.type),
    onCustomEvent: ({ event }) => void (turn.custom[event.name] = event.value),
    onTextMessageContentEvent: ({ event, textMessageBuffer }) =>
      onText(textMessageBuffer + event.delta),
    onRunErrorEvent: ({ event }) => void (turn.runError = event.code),
  };
}

async function settle(turn, running) {
  try {
    const { result, newMessages } = await running;
    Object.assign(turn, { result, newMessages });
  } catch (error) {
    turn.error = { status: error.status, message: String(error.message), payload: error.payload };
  }
  return turn;
}

const newTurn = () => ({ events: [], custom: {} });

function add(agent, step) {
  if (typeof step === "string") {
    agent.addMessage({ id: randomUUID(), role: "user", content: step });
  } else if (step.result !== undefined) {
    const call = agent.messages.flatMap((message) => message.toolCalls ?? []).at(-1);
    const content = step.result;
    agent.addMessage({ id: randomUUID(), role: "tool", toolCallId: call.id, content });
  } else {
    const at = agent.messages.findLastIndex((message) => message.role === "user");
    const question = agent.messages[at];
    const content = step.edit ?? question.content;
    agent.setMessages([...agent.messages.slice(0, at), { ...question, content }]);
  }
}

async function talk({ url, token, threadId, turns, tools = [], leaveAt, comeBack, ...more }) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const newAgent = () => new ResumableAgent({ url, headers, threadId });
  const told = [];
  let agent = newAgent();

  for (const [place, step] of turns.entries()) {
    const turn = newTurn();
    const leaves = leaveAt !== undefined && place === turns.length - 1;
    const onText = (soFar) => {
      if (leaves && soFar === leaveAt) agent.abortRun();
    };
    add(agent, step);
    const running = agent.runAgent({ runId: randomUUID(), tools, ...more }, watch(turn, onText));
    told.push(await settle(turn, running));
    if (leaves) say({ saw: "left" });
  }

  if (comeBack) {
    if (comeBack === "fresh") agent = newAgent();
    agent.abortController = new AbortController();
    const turn = newTurn();
    let joined = false;
    const onText = () => {
      if (!joined) say({ saw: "joined" });
      joined = true;
    };
    told.push(await settle(turn, agent.connectAgent({ runId: randomUUID() }, watch(turn, onText))));
  }

  return { turns: told, messages: agent.messages };
}

for await (const line of createInterface({ input: process.stdin })) {
  complaints = "";
  const told = await talk(JSON.parse(line));
  say({ ...told, complaints });
}
