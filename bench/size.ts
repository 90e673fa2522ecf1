import { parseArgs } from 'node:util'

/** How much one run of the benchmark does. */
export interface Size {
  readonly name: 'quick' | 'full'
  /** The candidates take turns this often; the medians of the rounds are reported. */
  readonly rounds: number
  /** Requests per round. */
  readonly requests: Readonly<Record<string, number>>
  readonly steadySeconds: number
  readonly streamTokens: number
}

const QUICK: Size = {
  name: 'quick',
  rounds: 3,
  requests: { floor: 20_000, tollgate: 20_000, portkey: 1500 },
  steadySeconds: 3,
  streamTokens: 40,
}

/** Tollgate answers a million requests, so that its memory is that of a long day. */
const FULL: Size = {
  name: 'full',
  rounds: 20,
  requests: { floor: 50_000, tollgate: 50_000, portkey: 1500 },
  steadySeconds: 10,
  streamTokens: 200,
}

export interface BenchOptions {
  readonly size: Size
  /** Where the figures are written as JSON. */
  readonly file: string
}

/** `--quick` for a minute instead of several; `--out FILE` for the figures. */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      out: { type: 'string', default: 'test-results/bench.json' },
    },
  })
  return { size: values.quick ? QUICK : FULL, file: values.out }
}
