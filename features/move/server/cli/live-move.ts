import { elapsedMs, everyMs, nowSeconds, sleepMs } from '#server/core/clock.ts'
import { errorMessage } from '#server/core/errors.ts'
import { newRequestId } from '#server/core/ids.ts'
import type { TableChecksum } from '#server/db/copy/checksums.ts'
import type { OnRows } from '#server/db/copy/copy-database.ts'
import { copyLastNumber } from '#server/db/copy/last-number.ts'
import { listOwnTableShapes, type TableShape } from '#server/db/copy/table-shapes.ts'
import { type Database, inTransaction, type OpenDatabase, openDatabase } from '#server/db/engine/database.ts'
import { listHeartbeats } from '#server/db/system/processes.ts'
import { applyChanges } from '../queries/apply-changes.ts'
import { removeCapture, startCapture } from '../queries/capture-changes.ts'
import { compareAppended, compareSides } from '../queries/compare-sides.ts'
import { openBaseCopy } from '../queries/copy-base.ts'
import {
  clearMoveReplies,
  describePlace,
  explainUnusable,
  findMoveState,
  finishArrival,
  listMoveReplies,
  lockTables,
  type MoveState,
  rejectChanges,
  setMovePhase,
  touchMove,
  writeMoveState,
} from '../queries/move-state.ts'

export interface LiveMove {
  readonly to: string
  /** The URL of the new database, encrypted with the secret key that the gateways share. */
  readonly urlEncrypted: string
  readonly temporaryPath: string
  readonly onRows: OnRows
  readonly say: (line: string) => void
}

export interface SwitchReport {
  readonly checksums: readonly TableChecksum[]
  /** How long gateways kept requests waiting. */
  readonly pausedMs: number
}

/** Gateways go on after 2 s. */
export const PAUSE_MS_MAX = 2000
/** The rest is for a gateway to notice. */
const SWITCH_MS_MAX = 1600
const PASS_MS_MAX = 300
const PASSES_MAX = 200
const POLL_MS = 20
const TOUCH_MS = 10_000
const READY_MS_MAX = 60_000
const SWITCH_ATTEMPTS_MAX = 5
const BETWEEN_ATTEMPTS_MS = 2000
/** Heartbeats are written every 5 s. */
const ALIVE_SECONDS = 15

/**
 * Moves a database while gateways serve from it: copies a snapshot, applies the changes since then in passes, and
 * pauses the gateways for the last pass. The source serves until it is marked as moved; from then on it rejects every change.
 * An interrupted move continues with the copy that exists.
 */
export async function moveWhileServing(source: OpenDatabase, move: LiveMove): Promise<SwitchReport> {
  const shapes = await listOwnTableShapes()
  const state = await beginMove(source, shapes, move)
  const stopTouching = startTouching(source, state.id)
  let target: OpenDatabase | undefined
  try {
    move.say(`copying to ${state.place} while the gateway serves`)
    target = await openBaseCopy(source, {
      ...move,
      state: { ...state, phase: 'arriving', place: describePlace(source.location.url) },
      nowSeconds: nowSeconds(),
    })
    await catchUp(source, target, shapes)
    const report = await switchOver(source, target, { shapes, state, say: move.say })
    await finishArrival(target, state.id)
    return report
  } finally {
    await stopTouching()
    await target?.close()
  }
}

/** Reports regularly that the command still runs, over a connection that no copy occupies. */
function startTouching(source: OpenDatabase, id: string): () => Promise<void> {
  const own = openDatabase({ ...source.location, connections: 1 })
  const stop = everyMs(TOUCH_MS, async () => {
    // The next report makes up for a missed one.
    await touchMove(own.db, id, nowSeconds()).catch(() => undefined)
  })
  return async () => {
    await stop()
    await own.close()
  }
}

async function switchOver(
  source: OpenDatabase,
  target: OpenDatabase,
  { shapes, state, say }: Switching & Pick<LiveMove, 'say'>,
): Promise<SwitchReport> {
  await announce(source, state)
  for (let attempt = 1; ; attempt += 1) {
    await untilReplied(source, target, { shapes, reply: 'ready', waitMs: READY_MS_MAX })
    const report = await trySwitch(source, target, { shapes, state })
    if (typeof report !== 'string') return report
    if (attempt === SWITCH_ATTEMPTS_MAX)
      throw new Error(`${report}; the gateway keeps serving from the old database`)
    say(`${report}: trying again`)
    await sleepMs(BETWEEN_ATTEMPTS_MS)
    await catchUp(source, target, shapes)
  }
}

/** Asks every gateway anew whether it can follow. */
const announce = (source: OpenDatabase, { id }: MoveState): Promise<void> =>
  inTransaction(source.db, async tx => {
    await setMovePhase(tx, id, 'announced', nowSeconds())
    await clearMoveReplies(tx)
  })

/** Ends a move that has not switched. The copy stays marked as incomplete. Returns whether there was one. */
export async function cancelMove(source: OpenDatabase): Promise<boolean> {
  const state = await findMoveState(source)
  if (!state || state.phase === 'moved') return false
  await removeCapture(source)
  return true
}

async function beginMove(
  source: OpenDatabase,
  shapes: readonly TableShape[],
  move: LiveMove,
): Promise<MoveState> {
  const place = describePlace(move.to)
  const earlier = await findMoveState(source)
  if (earlier?.phase === 'moved') throw new Error(explainUnusable(earlier))
  if (earlier && earlier.place === place && earlier.phase !== 'preparing') {
    await setMovePhase(source.db, earlier.id, 'capturing', nowSeconds())
    return earlier
  }
  if (earlier) await removeCapture(source)
  const state = {
    id: newRequestId(),
    phase: 'capturing',
    place,
    urlEncrypted: move.urlEncrypted,
    activeAt: nowSeconds(),
  } as const
  await startCapture(source, shapes, state)
  return state
}

/** Applies changes until a pass takes well below a second. */
async function catchUp(
  source: OpenDatabase,
  target: OpenDatabase,
  shapes: readonly TableShape[],
): Promise<void> {
  for (let pass = 1; pass <= PASSES_MAX; pass += 1) {
    const startedMs = elapsedMs()
    await applyChanges(source.db, target, shapes)
    if (elapsedMs() - startedMs < PASS_MS_MAX) return
  }
  throw new Error('more changes come than can be copied: move at a quieter time, or stop the gateway')
}

interface Waiting {
  readonly shapes: readonly TableShape[]
  readonly reply: 'ready' | 'paused'
  readonly waitMs: number
}

/** Waits until all gateways have replied, and applies changes meanwhile. Throws when one cannot follow. */
async function untilReplied(source: OpenDatabase, target: OpenDatabase, waiting: Waiting): Promise<void> {
  const deadlineMs = elapsedMs() + waiting.waitMs
  for (;;) {
    const missing = await findMissing(source.db, target, waiting.reply)
    if (missing === 0) return
    if (elapsedMs() >= deadlineMs)
      throw new Error(
        `${missing} gateway processes did not reply that they are ${waiting.reply}: do all of them run this version?`,
      )
    if (waiting.reply === 'ready') await applyChanges(source.db, target, waiting.shapes)
    await sleepMs(POLL_MS)
  }
}

/** The number of running processes that have not given the reply yet. */
async function findMissing(db: Database, target: OpenDatabase, reply: string): Promise<number> {
  const replies = await listMoveReplies(db)
  const alive = [...(await listHeartbeats(db))].filter(
    ([, heartbeatAt]) => heartbeatAt > nowSeconds() - ALIVE_SECONDS,
  )
  if (target.engine === 'sqlite' && alive.length > 1)
    throw new Error(
      `${alive.length} processes serve, but only one can serve from a file: set WORKERS=1 first`,
    )
  for (const given of replies.values())
    if (given !== 'ready' && given !== 'paused') throw new Error(`a gateway cannot follow: ${given}`)
  return alive.filter(([id]) => replies.get(id) !== reply).length
}

interface Switching {
  readonly shapes: readonly TableShape[]
  readonly state: MoveState
}

/** Returns why the switch did not happen: nothing has changed then. */
async function trySwitch(
  source: OpenDatabase,
  target: OpenDatabase,
  { shapes, state }: Switching,
): Promise<SwitchReport | string> {
  const compared = await compareAppended(source, target, shapes)
  const startedMs = elapsedMs()
  const checkTime = () => {
    if (elapsedMs() - startedMs > SWITCH_MS_MAX) throw new Error('the switch took too long')
  }
  await setMovePhase(source.db, state.id, 'switching', nowSeconds())
  try {
    await untilReplied(source, target, { shapes, reply: 'paused', waitMs: SWITCH_MS_MAX })
    const checksums = await inTransaction(source.db, async tx => {
      const tables = shapes.map(({ name }) => name)
      await lockTables(tx, source.engine, tables)
      if ((await findMissing(tx, target, 'paused')) > 0)
        throw new Error('a gateway started during the switch')
      await applyChanges(tx, target, shapes)
      for (const shape of shapes) await copyLastNumber({ db: tx, engine: source.engine }, target, shape)
      checkTime()
      const sums = await compareSides({ db: tx, engine: source.engine }, target, { shapes, compared })
      await rejectChanges(tx, source.engine, tables)
      await writeMoveState(tx, { ...state, phase: 'moved', activeAt: nowSeconds() })
      checkTime()
      return sums
    })
    return { checksums, pausedMs: Math.round(elapsedMs() - startedMs) }
  } catch (error) {
    await announce(source, state)
    return errorMessage(error)
  }
}
