import { existsSync, renameSync } from 'node:fs'
import { removeFile, withCopy, writeBackup } from '#server/db/copy/backup.ts'
import { copyIntoPostgres, holdsRows, isPartitioned, type OnRows } from '#server/db/copy/copy-database.ts'
import { compareTables } from '#server/db/copy/move-database.ts'
import { detectEngine, migrate, type OpenDatabase, openDatabase } from '#server/db/engine/database.ts'
import { createLogMonths } from '#server/db/logs/log-months.ts'
import { removeCapture } from './capture-changes.ts'
import {
  dropMoveState,
  explainUnusable,
  findMoveState,
  type MoveState,
  writeMoveState,
} from './move-state.ts'

export interface BaseCopy {
  readonly to: string
  /** The row of the copy, with the phase `arriving`. */
  readonly state: MoveState
  readonly temporaryPath: string
  readonly nowSeconds: number
  readonly onRows: OnRows
}

const MONTH_SECONDS = 32 * 24 * 3600

/**
 * Copies a snapshot of a database that is in use, marks the copy as incomplete, and opens it. A copy that an earlier run of
 * the same move left is reused; that of another unfinished move is replaced. Throws an Error for people when the target is in
 * use.
 */
export async function openBaseCopy(source: OpenDatabase, base: BaseCopy): Promise<OpenDatabase> {
  const isFile = detectEngine(base.to) === 'sqlite'
  if (isFile) {
    const existing = existsSync(base.to) ? await findFileCopy(base) : undefined
    if (existing) return existing
    await writeBackup(source, { path: base.to, onRows: base.onRows, check: copy => markCopy(copy, base) })
    return openPlace(base)
  }
  const target = openPlace(base)
  try {
    const state = await findMoveState(target)
    if (isComplete(state, base)) return target
    if (state?.phase === 'moved' || (!state && (await holdsRows(target))))
      throw new Error('the database to move to is not empty: create a new one')
    await copyToServer(source, target, base)
    return target
  } catch (error) {
    await target.close()
    throw error
  }
}

/** The disk has each change before the source is marked as moved. */
const openPlace = ({ to }: BaseCopy): OpenDatabase =>
  openDatabase({ url: to, durability: 'power', connections: 1 })

const isComplete = (state: MoveState | undefined, base: BaseCopy): boolean =>
  state?.phase === 'following' && state.id === base.state.id

/** Undefined when a file had to make room. One that was moved away from here is out of date, but belongs to the operator. */
async function findFileCopy(base: BaseCopy): Promise<OpenDatabase | undefined> {
  const existing = openPlace(base)
  const state = await findMoveState(existing).catch(() => undefined)
  if (isComplete(state, base)) return existing
  await existing.close()
  if (!state || explainUnusable(state) === undefined)
    throw new Error(`${base.to} exists: a move never replaces a file`)
  if (state.phase === 'moved') renameSync(base.to, `${base.to}.moved-${base.nowSeconds}`)
  removeFile(base.to)
  return undefined
}

/** The copy of a SQLite file has the triggers of the capture too. */
async function markCopy(copy: OpenDatabase, { state }: BaseCopy): Promise<void> {
  await removeCapture(copy)
  await writeMoveState(copy.db, { ...state, phase: 'following' })
}

async function copyToServer(source: OpenDatabase, target: OpenDatabase, base: BaseCopy): Promise<void> {
  const { temporaryPath: path, onRows, nowSeconds } = base
  await dropMoveState(target.db)
  await migrate(target)
  await writeMoveState(target.db, base.state)
  try {
    await writeBackup(source, { path, onRows, check: removeCapture })
    await withCopy(path, async copy => {
      await copyIntoPostgres(copy.db, target, onRows)
      await compareTables(copy, target)
    })
  } finally {
    removeFile(path)
  }
  if (await isPartitioned(target.db))
    await createLogMonths(target.db, { from: nowSeconds, until: nowSeconds + MONTH_SECONDS })
  await writeMoveState(target.db, { ...base.state, phase: 'following' })
}
