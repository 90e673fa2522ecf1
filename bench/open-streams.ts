import { sleepMs } from '#server/core/clock.ts'
import { startLab } from '../tests/harness/start-lab.ts'
import { type Candidate, MODEL } from './candidates/candidate.ts'
import { startFloor } from './candidates/floor.ts'
import { startTollgate } from './candidates/tollgate.ts'
import { readUsage } from './process-usage.ts'
import { type MeasuredLoad, runLoad } from './run-load.ts'

const STREAM_COUNTS = [512, 2048] as const
const PACE_MS = 500
const TOKENS = 40
const STREAM_MS = PACE_MS * TOKENS
/** When memory is read, as shares of the duration of a stream. All streams are open at both times. */
const EARLY_SHARE = 0.3
const LATE_SHARE = 0.8
/** For each further stream, because the first ones also grow the heap to the size that any work needs. */
const KB_PER_STREAM_MAX = 64
const KB_PER_MB = 1024

interface Figure {
  readonly name: string
  readonly streams: number
  /** Memory in addition to that before the streams; likewise `lateMb`. */
  readonly earlyMb: number
  readonly lateMb: number
  readonly load: MeasuredLoad
}

/** Measures the memory of open streams, early and late in their life. Exits with 1 above the limit. */
async function main(): Promise<number> {
  const lab = await startLab()
  const tollgate = await startTollgate(lab)
  const floor = await startFloor(lab.url)
  const figures: Figure[] = []
  try {
    for (const candidate of [floor, tollgate]) {
      await runLoad(candidate, createLoad({ streams: 64, paceMs: 5 }))
      for (const streams of STREAM_COUNTS) figures.push(await measure(candidate, streams))
    }
  } finally {
    await Promise.all([floor.stop(), tollgate.stop(), lab.stop()])
  }
  for (const figure of figures) print(formatFigure(figure))
  const kb = {
    floor: kbPerFurtherStream(figures, floor.name),
    tollgate: kbPerFurtherStream(figures, tollgate.name),
  }
  print(
    `each further stream: ${kb.tollgate.toFixed(1)} KB (at most ${KB_PER_STREAM_MAX}; floor: ${kb.floor.toFixed(1)})`,
  )
  return kb.tollgate <= KB_PER_STREAM_MAX && figures.every(({ load }) => isComplete(load)) ? 0 : 1
}

async function measure(candidate: Candidate, streams: number): Promise<Figure> {
  const idleMb = readUsage(candidate.pid).residentMb
  const addedMb = () => readUsage(candidate.pid).residentMb - idleMb
  const running = runLoad(candidate, createLoad({ streams, paceMs: PACE_MS }))
  await sleepMs(STREAM_MS * EARLY_SHARE)
  const earlyMb = addedMb()
  await sleepMs(STREAM_MS * (LATE_SHARE - EARLY_SHARE))
  const lateMb = addedMb()
  return { name: candidate.name, streams, earlyMb, lateMb, load: await running }
}

/** KB for each stream beyond the smallest number of streams. */
function kbPerFurtherStream(figures: readonly Figure[], name: string): number {
  const own = figures.filter(figure => figure.name === name)
  const [few, many] = [own.at(0), own.at(-1)]
  if (!few || !many) return Number.NaN
  return ((many.lateMb - few.lateMb) * KB_PER_MB) / (many.streams - few.streams)
}

const isComplete = ({ succeeded, failed, tokens }: MeasuredLoad): boolean =>
  failed === 0 && tokens === succeeded * TOKENS

const createLoad = ({ streams, paceMs }: { readonly streams: number; readonly paceMs: number }) => {
  const content = `Count slowly. [lab: pace-${paceMs}+tokens-${TOKENS}]`
  return {
    kind: 'streams',
    connections: streams,
    count: streams,
    ratePerSecond: 0,
    body: { model: MODEL, stream: true, messages: [{ role: 'user', content }] },
  } as const
}

const formatFigure = ({ name, streams, earlyMb, lateMb, load }: Figure): string =>
  `${name.padEnd(9)} ${String(streams).padStart(5)} open: ${earlyMb.toFixed(1)} MB early, ${lateMb.toFixed(1)} MB late; ` +
  `${load.succeeded} complete, ${load.failed} failed, longest gap ${Math.round(load.longestGapMs)} ms`

const print = (line: string): void => void process.stdout.write(`${line}\n`)

process.exit(await main())
