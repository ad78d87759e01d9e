// version: 1.0.0
export const __category__: string = `a`;
const r = /["`]/.test(`${{a: "}"}}`);
export const CONFIG_SCHEMA = { type: "object", /* c */ x: [-1, "\u{e9}",], } as const;
