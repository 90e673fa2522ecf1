import { z } from 'zod'

/** What one run of the generator does. */
export const Load = z.object({
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.unknown(),
  kind: z.enum(['requests', 'streams']),
  connections: z.number().int().positive(),
  /** How many requests in all. */
  count: z.number().int().positive(),
  /** Requests per second over all connections; 0: each connection sends as soon as it has its answer. */
  ratePerSecond: z.number().nonnegative(),
})
export type Load = z.infer<typeof Load>

export const LoadResult = z.object({
  /** Answers with status 200 that are whole. */
  succeeded: z.number(),
  failed: z.number(),
  /** The first thing that went wrong, empty when nothing did. */
  firstFailure: z.string(),
  seconds: z.number(),
  latencyMs: z.object({ p50: z.number(), p99: z.number() }),
  /** Only of streams. */
  firstTokenMs: z.object({ p50: z.number(), p99: z.number() }),
  /** Only of streams: the longest silence within any of them. */
  longestGapMs: z.number(),
  /** Only of streams: tokens over all of them. */
  tokens: z.number(),
})
export type LoadResult = z.infer<typeof LoadResult>
