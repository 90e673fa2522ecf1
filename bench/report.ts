import { multipleOf } from './claims.ts'
import type { BenchResult } from './result.ts'

export type Cell = string | number

const COLUMN_GAP = 3

/** Renders the figures of a run as tables for a terminal. */
export function report(result: BenchResult): string {
  const { machine } = result
  return [
    `${result.size} run on ${machine.cores} × ${machine.cpu}, ${machine.system}, Bun ${machine.bun}`,
    'Full load over 64 connections (medians over the rounds; the floor is a reference, not a promise)',
    table(throughputRows(result)),
    '400 requests per second over 64 connections',
    table(steadyRows(result)),
    'First tokens of 50 short streams per second',
    table(firstTokenRows(result)),
    '512 concurrent slow streams',
    table(streamRows(result)),
    ...failures(result),
    `Ledger: ${result.ledger.responses} responses, ${result.ledger.logRows} log rows. ${result.ledger.report}`,
    'Promises',
    table(claimRows(result)),
  ].join('\n\n')
}

function throughputRows({ throughput }: BenchResult): readonly (readonly Cell[])[] {
  const rows = Object.entries(throughput).map(([name, load]) => [
    name,
    round(load.cpuMicrosPerRequest),
    `${round(multipleOf(load, throughput.floor))} ×`,
    `${round(multipleOf(load, throughput.portkey))} ×`,
    Math.round(load.requestsPerSecond),
    round(load.p50Ms),
    round(load.p99Ms),
    Math.round(load.peakMb),
    Math.round(load.finalMb),
    load.succeeded,
    load.failed,
  ])
  return [
    [
      '',
      'CPU µs',
      'vs. floor',
      'vs. portkey',
      'req/s',
      'p50 ms',
      'p99 ms',
      'peak MB',
      'MB at rest',
      'served',
      'failed',
    ],
    ...rows,
  ]
}

function steadyRows({ steady }: BenchResult): readonly (readonly Cell[])[] {
  const direct = steady.direct?.latencyMs
  const rows = Object.entries(steady).map(([name, { latencyMs, failed }]) => [
    name,
    round(latencyMs.p50),
    round(latencyMs.p99),
    round(latencyMs.p50 - (direct?.p50 ?? 0)),
    round(latencyMs.p99 - (direct?.p99 ?? 0)),
    failed,
  ])
  return [['', 'p50 ms', 'p99 ms', 'p50 added', 'p99 added', 'failed'], ...rows]
}

function firstTokenRows({ firstTokens }: BenchResult): readonly (readonly Cell[])[] {
  const direct = firstTokens.direct?.firstTokenMs
  const rows = Object.entries(firstTokens).map(([name, { firstTokenMs, failed }]) => [
    name,
    round(firstTokenMs.p50 - (direct?.p50 ?? 0)),
    round(firstTokenMs.p99 - (direct?.p99 ?? 0)),
    failed,
  ])
  return [['', 'p50 added', 'p99 added', 'failed'], ...rows]
}

function streamRows({ streams }: BenchResult): readonly (readonly Cell[])[] {
  const direct = streams.direct?.firstTokenMs
  const rows = Object.entries(streams).map(([name, load]) => [
    name,
    load.succeeded,
    load.failed,
    load.tokens,
    round(load.firstTokenMs.p50 - (direct?.p50 ?? 0)),
    round(load.firstTokenMs.p99 - (direct?.p99 ?? 0)),
    Math.round(load.longestGapMs),
    Math.round(load.cpuMicrosPerRequest),
    Math.round(load.residentMb),
  ])
  const head = [
    '',
    'finished',
    'failed',
    'tokens',
    'first token +p50 ms',
    '+p99 ms',
    'longest gap ms',
    'CPU µs',
    'MB',
  ]
  return [head, ...rows]
}

/** The first failure of each candidate that had one. */
const failures = ({ throughput, steady, firstTokens, streams }: BenchResult): readonly string[] =>
  [throughput, steady, firstTokens, streams]
    .flatMap(phase => Object.entries(phase))
    .filter(([, load]) => load.failed > 0)
    .map(([name, load]) => `${name}: ${load.failed} failures, the first one: ${load.firstFailure}`)

const claimRows = ({ claims }: BenchResult): readonly (readonly Cell[])[] =>
  claims.map(({ says, found, limit, isMet }) => [
    isMet ? 'met' : 'NOT MET',
    says,
    round(found),
    `≤ ${round(limit)}`,
  ])

export const round = (figure: number): number => Math.round(figure * 100) / 100

/** Aligns the cells of rows in columns. */
export function table(rows: readonly (readonly Cell[])[]): string {
  const texts = rows.map(row => row.map(String))
  const widths = (texts[0] ?? []).map((_, column) => Math.max(...texts.map(row => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row.map((cell, column) => cell.padEnd((widths[column] ?? 0) + COLUMN_GAP)).join('')
  return texts.map(row => line(row).trimEnd()).join('\n')
}
