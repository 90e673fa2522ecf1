/** The name under which all models of one family are offered and priced; every other model is a family of its own. */
export const modelFamily = (model: string): string => model.replace(/^(gpt-4o?-gizmo)-.+$/, '$1-*')
