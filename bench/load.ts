import { z } from 'zod'

/** The load of one run of the generator. */
export const Load = z.object({
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.unknown(),
  kind: z.enum(['requests', 'streams']),
  connections: z.number().int().positive(),
  /** Total number of requests. */
  count: z.number().int().positive(),
  /** Requests per second over all connections; 0: each connection sends as soon as it has its response. */
  ratePerSecond: z.number().nonnegative(),
})
export type Load = z.infer<typeof Load>

export const LoadResult = z.object({
  /** Complete responses with status 200. */
  succeeded: z.number(),
  failed: z.number(),
  /** The first failure, or empty. */
  firstFailure: z.string(),
  seconds: z.number(),
  latencyMs: z.object({ p50: z.number(), p99: z.number() }),
  /** Streams only. */
  firstTokenMs: z.object({ p50: z.number(), p99: z.number() }),
  /** Streams only: the longest gap within any of them. */
  longestGapMs: z.number(),
  /** Streams only: how much later than they were sent events arrived; 0 unless the upstream stamps its events. */
  eventDelayMs: z.object({ p50: z.number(), p99: z.number(), longest: z.number() }),
  /** Streams only: the tokens of all of them. */
  tokens: z.number(),
})
export type LoadResult = z.infer<typeof LoadResult>
