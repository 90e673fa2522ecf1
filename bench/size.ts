import { parseArgs } from 'node:util'

/** The amount of work of one benchmark run. */
export interface Size {
  readonly name: 'quick' | 'full'
  /** Number of turns of the candidates; medians over the rounds are reported. */
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

/** Tollgate serves a million requests, so that its memory is that of a long day. */
const FULL: Size = {
  name: 'full',
  rounds: 20,
  requests: { floor: 50_000, tollgate: 50_000, portkey: 1500 },
  steadySeconds: 10,
  streamTokens: 200,
}

export interface BenchOptions {
  readonly size: Size
  /** The JSON file for the figures. */
  readonly file: string
}

/** `--quick` runs one minute instead of ten; `--out FILE` names the output file. */
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
