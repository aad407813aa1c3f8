// The few functions of Vega and Vega-Lite that the pages use.

export function compile(spec: any, options?: { logger?: any }): { spec: any };
export function parse(spec: any, config?: any, options?: { ast?: boolean }): any;
export const expressionInterpreter: any;
export class View {
  constructor(runtime: any, options?: Record<string, any>);
  runAsync(): Promise<View>;
  finalize(): View;
}
