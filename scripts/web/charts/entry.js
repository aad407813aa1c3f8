export { expressionInterpreter } from "vega-interpreter";
export { parse, View } from "vega";
export { compile } from "vega-lite";
