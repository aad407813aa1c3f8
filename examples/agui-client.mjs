// A stock AG-UI client, with the few lines that let it come back to a run it lost.
//
//     npm install @ag-ui/client
//     node agui-client.mjs "How are you?" [http://127.0.0.1:3000]
//
// Works with and without accounts: a server with YARROW_AUTH=off has nothing to sign up for.

import { HttpAgent, randomUUID } from "@ag-ui/client";

const [, , question = "How are you?", url = "http://127.0.0.1:3000"] = process.argv;

class ResumableAgent extends HttpAgent {
  connect(input) {
    const events = new HttpAgent({ url: `${this.url}/${input.threadId}/events?profile=agui` });
    const headers = { ...this.headers, "Last-Event-ID": "1" };
    events.requestInit = () => ({ headers, signal: this.abortController.signal });
    return events.run(input);
  }
}

async function signUp() {
  const body = JSON.stringify({ email: `${randomUUID()}@example.com`, password: "correct horse" });
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(`${url}/api/v1/auth/signup`, { method: "POST", headers, body }).catch(() => {
    console.error(`No server answers at ${url}: start one with \`make serve\`, or name yours.`);
    process.exit(1);
  });
  const { access_token } = await answer.json();
  return access_token ? { Authorization: `Bearer ${access_token}` } : {};
}

const agent = new ResumableAgent({
  url: `${url}/api/v1/agent/runs`,
  headers: await signUp(),
  threadId: randomUUID(),
});

// One turn, printed as it comes.
agent.addMessage({ id: randomUUID(), role: "user", content: question });
const { result } = await agent.runAgent(
  {},
  {
    onTextMessageContentEvent: ({ event }) => void process.stdout.write(event.delta),
    onCustomEvent: ({ event, messages }) => {
      if (event.name !== "RUN_RESTARTED") return;
      console.log("\n(a server was lost; the text above is void, what was completed is repeated)");
      const discarded = new Set(event.value.discardedMessageIds);
      return { messages: messages.filter(({ id }) => !discarded.has(id)) };
    },
  },
);
console.log(`\n${JSON.stringify(result)}`);

// A page that was reloaded knows only its thread: it gets the conversation, and whatever still
// runs in it.
const { url: runs, headers, threadId } = agent;
const reloaded = new ResumableAgent({ url: runs, headers, threadId });
await reloaded.connectAgent();
for (const { role, content, toolCalls = [] } of reloaded.messages) {
  const calls = toolCalls.map((call) => `${call.function.name}(${call.function.arguments})`);
  console.log(`${role}: ${content || calls.join(", ")}`);
}
