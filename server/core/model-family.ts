/** The name under which a family of models is offered and priced. Every other model is a family of its own. */
export const modelFamily = (model: string): string => model.replace(/^(gpt-4o?-gizmo)-.+$/, '$1-*')
