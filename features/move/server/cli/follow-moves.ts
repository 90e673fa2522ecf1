import type { ComposedApp } from '#server/compose-app.ts'
import { elapsedMs, everyMs, nowSeconds, sleepMs } from '#server/core/clock.ts'
import { errorMessage } from '#server/core/errors.ts'
import type { Logger } from '#server/core/logger.ts'
import { type OpenDatabase, openDatabase, unlessUnchanged } from '#server/db/engine/database.ts'
import {
  findMoveState,
  finishArrival,
  isAbandoned,
  listMoveReplies,
  type MoveState,
  writeMoveReply,
} from '../queries/move-state.ts'
import { PAUSE_MS_MAX } from './live-move.ts'
import type { ServingApp } from './serving-app.ts'

interface MoveFollower {
  readonly serving: ServingApp
  readonly compose: (options: {
    readonly databaseUrl: string
    readonly processId: string
  }) => Promise<ComposedApp>
  readonly log: Logger
  readonly onMoved: (databaseUrl: string) => void
}

const CHECK_MS = 1000
const ANNOUNCED_MS = 25
const PAUSED_MS = 5
const RETRY_MS = 500

/**
 * Follows a move of the database that this process serves from: replies that it can, pauses when asked to, and then serves
 * from the new database. Requests in progress finish in the app that started them, whose statements and ledger commands are
 * redirected there. Returns a function that stops following.
 */
export function followMoves(follower: MoveFollower): () => Promise<void> {
  const { serving, log } = follower
  const stopping = new AbortController()
  const currentDatabase = () => serving.current().store.database
  const check = unlessUnchanged(currentDatabase, async () => {
    const state = await findMoveState(currentDatabase())
    if (state && IS_FOLLOWED[state.phase]) await followMove(follower, stopping.signal)
  })
  const stop = everyMs(CHECK_MS, async () => {
    try {
      await check()
    } catch (error) {
      log.error('a move of the database could not be followed', { reason: errorMessage(error) })
    }
  })
  return () => {
    stopping.abort()
    return stop()
  }
}

const IS_FOLLOWED: Readonly<Record<MoveState['phase'], boolean>> = {
  capturing: false,
  preparing: false,
  announced: true,
  switching: true,
  moved: true,
  arriving: false,
  following: false,
}

/** From the announcement to the end of the move, over a connection that no pause holds up. */
async function followMove(follower: MoveFollower, signal: AbortSignal): Promise<void> {
  const { database } = follower.serving.current().store
  const own = openDatabase({ ...database.location, connections: 1 })
  try {
    let progress: Progress = 'asked'
    while (!signal.aborted && progress !== 'over') {
      progress = await takeStep(follower, { own, progress, signal })
      await sleepMs(ANNOUNCED_MS)
    }
  } finally {
    await own.close()
  }
}

/** `asked`: the command waits for a reply. `ready`: it has one. */
type Progress = 'asked' | 'ready' | 'over'

interface Step {
  readonly own: OpenDatabase
  readonly progress: Progress
  readonly signal: AbortSignal
}

async function takeStep(follower: MoveFollower, { own, progress, signal }: Step): Promise<Progress> {
  const { processId } = follower.serving.current().store
  const state = await findMoveState(own)
  if (state?.phase === 'moved') {
    await goOnAt(follower, state, signal)
    return 'over'
  }
  if (!isInProgress(state)) return 'over'
  if (state.phase === 'announced') {
    // A command that begins again has forgotten what it was told.
    if (progress === 'ready' && (await listMoveReplies(own.db)).has(processId)) return progress
    return (await sayWhetherReady(follower, own, state)) ? 'ready' : 'asked'
  }
  if (state.phase === 'switching' && progress === 'ready')
    return (await pause(follower, own, signal)) ? 'over' : 'asked'
  return progress
}

/** Whether the command waits for gateways. */
const isInProgress = (state: MoveState | undefined): state is MoveState =>
  state !== undefined && IS_FOLLOWED[state.phase] && !isAbandoned(state, nowSeconds())

async function sayWhetherReady(
  follower: MoveFollower,
  own: OpenDatabase,
  state: MoveState,
): Promise<boolean> {
  const reply = await checkPlace(follower, state)
  await writeMoveReply(own.db, follower.serving.current().store.processId, reply)
  return reply === 'ready'
}

/** Returns `ready`, or why this process cannot serve from the new database. */
async function checkPlace({ serving }: MoveFollower, state: MoveState): Promise<string> {
  const { secrets, database } = serving.current().store
  let target: OpenDatabase | undefined
  try {
    target = openDatabase({
      url: secrets.decrypt(state.urlEncrypted),
      durability: database.location.durability,
      connections: 1,
    })
    const found = await findMoveState(target)
    return found?.id === state.id ? 'ready' : 'it reaches another database'
  } catch (error) {
    return errorMessage(error)
  } finally {
    await target?.close()
  }
}

/** Holds all requests and statements until the switch has happened or not. Returns whether it has. */
async function pause(follower: MoveFollower, own: OpenDatabase, signal: AbortSignal): Promise<boolean> {
  const { serving } = follower
  const { database, processId } = serving.current().store
  const deadlineMs = elapsedMs() + PAUSE_MS_MAX
  serving.hold(PAUSE_MS_MAX)
  database.gate.close()
  try {
    await Promise.race([database.gate.untilUnused(), sleepMs(PAUSE_MS_MAX)])
    await writeMoveReply(own.db, processId, 'paused')
    while (elapsedMs() < deadlineMs) {
      const state = await findMoveState(own)
      if (state?.phase === 'moved') {
        await goOnAt(follower, state, signal)
        return true
      }
      if (state?.phase !== 'switching') break
      await sleepMs(PAUSED_MS)
    }
    return false
  } finally {
    database.gate.open()
    serving.release()
  }
}

/** Serves from the new database, and retries until that works: nothing may serve from the old one any more. */
async function goOnAt(follower: MoveFollower, state: MoveState, signal: AbortSignal): Promise<void> {
  const { serving, log } = follower
  serving.current().store.database.gate.close()
  for (;;) {
    try {
      return await replaceApp(follower, state)
    } catch (error) {
      log.error('the database was moved, but the new one cannot be used', {
        place: state.place,
        reason: errorMessage(error),
      })
      if (signal.aborted) throw error
      await sleepMs(RETRY_MS)
    }
  }
}

async function replaceApp({ serving, compose, log, onMoved }: MoveFollower, state: MoveState): Promise<void> {
  const earlier = serving.current()
  const { database, secrets, processId } = earlier.store
  const url = secrets.decrypt(state.urlEncrypted)
  const target = openDatabase({ url, durability: database.location.durability, connections: 1 })
  try {
    await finishArrival(target, state.id)
  } finally {
    await target.close()
  }
  const next = await compose({ databaseUrl: url, processId })
  database.gate.redirect(next.store.database)
  serving.replace(next)
  serving.release()
  onMoved(url)
  log.warn(
    'the database was moved: this process serves from the new one, which the settings must name before the next start',
    {
      place: state.place,
    },
  )
  earlier.retire().catch(error => log.error('the app before the move could not be closed', { error }))
}
