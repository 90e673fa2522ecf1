import type { RelayHooks } from './hooks.ts'

/** The hooks whose features depend on each other's order. */
export type HookOrder = Readonly<
  Record<
    keyof Pick<RelayHooks, 'admit' | 'completeBody' | 'inspectRequest' | 'orderCandidates'>,
    readonly string[]
  >
>

/** The features that join these hooks, in the order in which they are called. Other hooks are called in any order. */
export const HOOK_ORDER: HookOrder = {
  admit: ['token-addresses', 'tags'],
  // A turn of a socket is a body only after its event was opened.
  completeBody: ['response-sockets', 'stored-responses'],
  inspectRequest: ['sensitive-words'],
  orderCandidates: [],
}
