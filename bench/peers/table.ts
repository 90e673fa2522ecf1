import type { MeasuredLoad } from '../run-load.ts'
import { CONCURRENT_STREAMS, STREAM } from '../stream-load.ts'
import { CONNECTIONS, overRounds, type PeerLoads, RATE_PER_SECOND } from './measure.ts'

type Figure = (loads: PeerLoads) => number

interface Column {
  readonly title: string
  readonly figure: Figure
  readonly digits: number
}

const closed =
  (figure: (load: MeasuredLoad) => number): Figure =>
  loads =>
    overRounds(loads.closed, figure)
const fixed =
  (figure: (load: MeasuredLoad) => number): Figure =>
  loads =>
    overRounds(loads.fixed, figure)
const streamed =
  (figure: (load: MeasuredLoad) => number): Figure =>
  loads =>
    overRounds(loads.streams, figure)

const CLOSED: readonly Column[] = [
  { title: 'CPU µs', figure: closed(load => load.cpuMicrosPerRequest), digits: 0 },
  { title: 'requests/s', figure: closed(load => load.succeeded / load.seconds), digits: 0 },
  { title: 'p50 ms', figure: closed(load => load.latencyMs.p50), digits: 2 },
  { title: 'p99 ms', figure: closed(load => load.latencyMs.p99), digits: 1 },
  { title: 'failed', figure: loads => failedOf(loads.closed), digits: 0 },
]
const FIXED: readonly Column[] = [
  { title: 'CPU µs', figure: fixed(load => load.cpuMicrosPerRequest), digits: 0 },
  { title: 'p50 ms', figure: fixed(load => load.latencyMs.p50), digits: 2 },
  { title: 'p99 ms', figure: fixed(load => load.latencyMs.p99), digits: 1 },
  { title: 'idle % of a core', figure: loads => loads.idleShare * 100, digits: 2 },
  { title: 'peak MB', figure: loads => Math.max(...allOf(loads).map(load => load.peakMb)), digits: 0 },
  { title: 'failed', figure: loads => failedOf(loads.fixed), digits: 0 },
]
const STREAMED: readonly Column[] = [
  { title: 'first token p50 ms', figure: streamed(load => load.firstTokenMs.p50), digits: 1 },
  { title: 'p99 ms', figure: streamed(load => load.firstTokenMs.p99), digits: 1 },
  { title: 'event delay p50 ms', figure: streamed(load => load.eventDelayMs.p50), digits: 2 },
  { title: 'p99 ms', figure: streamed(load => load.eventDelayMs.p99), digits: 1 },
  { title: 'longest gap ms', figure: streamed(load => load.longestGapMs), digits: 0 },
  { title: 'CPU ms a stream', figure: streamed(load => load.cpuMicrosPerRequest / 1000), digits: 1 },
  { title: 'failed', figure: loads => failedOf(loads.streams), digits: 0 },
]

/** Renders the figures as Markdown: medians over the rounds, sums of failures. */
export function peerTables(measured: readonly PeerLoads[]): string {
  return [
    `JSON responses over ${CONNECTIONS} connections, as fast as they go`,
    markdown(measured, CLOSED),
    `JSON responses, ${RATE_PER_SECOND} a second over ${CONNECTIONS} connections`,
    markdown(measured, FIXED),
    `${CONCURRENT_STREAMS} streams at once, each of ${STREAM.events} events ${STREAM.paceMs} ms apart`,
    markdown(measured, STREAMED),
    ...failures(measured),
  ].join('\n\n')
}

const allOf = ({ closed, fixed, streams }: PeerLoads): readonly MeasuredLoad[] => [
  ...closed,
  ...fixed,
  ...streams,
]

const failedOf = (loads: readonly MeasuredLoad[]): number =>
  loads.reduce((sum, { failed }) => sum + failed, 0)

const failures = (measured: readonly PeerLoads[]): readonly string[] =>
  measured.flatMap(loads => {
    const failing = allOf(loads).find(({ failed }) => failed > 0)
    return failing ? [`${loads.name} failed first with: ${failing.firstFailure}`] : []
  })

function markdown(measured: readonly PeerLoads[], columns: readonly Column[]): string {
  const rows = measured.map(loads => [
    loads.name,
    ...columns.map(({ figure, digits }) => figure(loads).toFixed(digits)),
  ])
  const lines = [['', ...columns.map(({ title }) => title)], columns.map(() => '---').concat('---'), ...rows]
  return lines.map(cells => `| ${cells.join(' | ')} |`).join('\n')
}
