// The state of a run as its events leave it, for a page to show.

/**
 * @typedef {import("./run_client.js").RunEvent} RunEvent
 * @typedef {object} TextPart
 * @property {"text" | "reasoning"} kind
 * @property {string} id
 * @property {string} text
 * @property {boolean} done
 * @property {Record<string, any>} [output] the structured answer
 * @typedef {object} ToolPart
 * @property {"tool"} kind
 * @property {string} id
 * @property {string} name
 * @property {string} text the arguments as JSON text
 * @property {boolean} done
 * @property {string} [result]
 * @typedef {object} CardPart
 * @property {"card"} kind
 * @property {string} id
 * @property {string} text
 * @property {boolean} done
 * @property {any} schema
 * @typedef {TextPart | ToolPart | CardPart} Part
 * @typedef {object} RunState
 * @property {"waiting" | "running" | "succeeded" | "failed" | "cancelled"} status
 * @property {Part[]} parts
 * @property {{code: string, message: string}[]} warnings
 * @property {Record<string, any>} products what the agent made beside its text, by name
 * @property {{attempt: number, text: string} | null} takenBack the answer of a lost attempt
 * @property {{code: string, message: string} | null} error
 * @property {string} progress
 * @property {any} result
 */

/** @returns {RunState} */
export function startState() {
  return {
    status: "waiting",
    parts: [],
    warnings: [],
    products: {},
    takenBack: null,
    error: null,
    progress: "",
    result: null,
  };
}

/** @param {RunState} state @param {string} id */
const findPart = (state, id) => state.parts.findLast((part) => part.id === id);

/**
 * Frames of one event are sent again if the connection was lost between them.
 * @param {RunState} state @param {Part} part
 */
function addPart(state, part) {
  if (!findPart(state, part.id)) state.parts.push(part);
}

/** @param {RunState} state */
export const readText = (state) =>
  state.parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n\n");

/**
 * Change the state by one event.
 * @param {RunState} state
 * @param {RunEvent} event
 */
export function applyEvent(state, event) {
  const apply = CHANGES[event.type];
  if (apply) apply(state, event);
}

/** @param {RunState} state @param {any} value */
function restart(state, value) {
  const text = readText(state);
  Object.assign(state, startState(), { status: "running" });
  state.takenBack = { attempt: value.attempt, text };
}

/** @param {RunState} state @param {RunEvent} event */
function applyCustom(state, { name, value }) {
  switch (name) {
    case "RUN_RESTARTED":
      return restart(state, value);
    case "WARNING":
      return void state.warnings.push(value);
    case "PROGRESS":
      state.progress = value.label ?? "";
      return;
    case "UI_CARD":
      return addPart(state, {
        kind: "card",
        id: `card-${value.messageId}`,
        text: "",
        done: true,
        schema: value.uiSchema,
      });
    default:
      state.products[name] = value;
  }
}

/** @param {RunEvent} event */
function readOutput({ type: _type, messageId: _messageId, ...output }) {
  return Object.keys(output).length ? output : undefined;
}

/** @type {Record<string, (state: RunState, event: RunEvent) => void>} */
const CHANGES = {
  RUN_STARTED: (state) => {
    state.status = "running";
  },
  RUN_FINISHED: (state, event) => {
    state.status = "succeeded";
    state.result = event.result;
  },
  RUN_ERROR: (state, event) => {
    state.status = event.code === "AGENT_RUN_CANCELED" ? "cancelled" : "failed";
    state.error = { code: event.code, message: event.message };
  },
  TEXT_MESSAGE_START: (state, event) => {
    addPart(state, { kind: "text", id: event.messageId, text: "", done: false });
  },
  TEXT_MESSAGE_CONTENT: (state, event) => {
    const part = findPart(state, event.messageId);
    if (part) part.text += event.delta;
  },
  TEXT_MESSAGE_END: (state, event) => {
    const part = findPart(state, event.messageId);
    if (part?.kind === "text") Object.assign(part, { done: true, output: readOutput(event) });
  },
  REASONING_MESSAGE_START: (state, event) => {
    addPart(state, { kind: "reasoning", id: event.messageId, text: "", done: false });
  },
  REASONING_MESSAGE_CONTENT: (state, event) => {
    const part = findPart(state, event.messageId);
    if (part) part.text += event.delta;
  },
  REASONING_MESSAGE_END: (state, event) => {
    const part = findPart(state, event.messageId);
    if (part) part.done = true;
  },
  TOOL_CALL_START: (state, event) => {
    addPart(state, { kind: "tool", id: event.toolCallId, name: event.toolCallName, text: "", done: false });
  },
  TOOL_CALL_ARGS: (state, event) => {
    const part = findPart(state, event.toolCallId);
    if (part) part.text += event.delta;
  },
  TOOL_CALL_RESULT: (state, event) => {
    const part = findPart(state, event.toolCallId);
    if (part?.kind === "tool") Object.assign(part, { done: true, result: event.content });
  },
  DIVINATION_DERIVED: (state, event) => {
    state.products.DIVINATION_DERIVED = event.divination;
  },
  CUSTOM: applyCustom,
};
