import type { RelayHooks } from './hooks.ts'

/** The hooks whose features depend on each other's order. */
export type HookOrder = Readonly<
  Record<keyof Pick<RelayHooks, 'admit' | 'inspectRequest' | 'orderCandidates'>, readonly string[]>
>

/** The features that join these hooks, in the order in which they are called. Other hooks are called in any order. */
export const HOOK_ORDER: HookOrder = {
  admit: [],
  inspectRequest: ['sensitive-words'],
  orderCandidates: [],
}
