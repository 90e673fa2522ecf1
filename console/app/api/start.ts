import type { DataOf } from '#contract/endpoint.ts'
import { getStart } from '#contract/status.ts'
import { call } from './call.ts'

type Start = DataOf<typeof getStart>

/** Later the parts are outdated. */
const FRESH_MS = 10_000

let start: { readonly parts: Promise<Start>; readonly atMs: number } | undefined
const taken = new Set<keyof Start>()

/**
 * A part of what every page needs first, which the page fetches in one call. Each part is handed out once while it is
 * fresh. Undefined afterwards: then the part has a call of its own.
 */
export async function takeFromStart<Part extends keyof Start>(part: Part): Promise<Start[Part] | undefined> {
  start ??= { parts: call(getStart, {}), atMs: performance.now() }
  if (taken.has(part) || performance.now() - start.atMs > FRESH_MS) return undefined
  taken.add(part)
  return (await start.parts)[part]
}

/** The account may have changed since the page loaded, so it is fetched anew. */
export function forgetStartAccount(): void {
  taken.add('self')
}
