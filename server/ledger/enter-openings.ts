import type { GatewayError } from '../core/errors.ts'
import { growHold, type HoldRow, insertHolds } from '../db/holds.ts'
import type { Session } from '../db/session.ts'
import type { Entries } from './entries.ts'
import { findCrowded } from './find-crowded.ts'
import { type Demand, grant } from './grant.ts'
import { type Extend, isOpening, type Movement, type Reserve } from './movement.ts'
import type { OpenHolds } from './open-holds.ts'

/** Why a movement was not done. What is not in here was done. */
export type Refusals = ReadonlyMap<Movement, GatewayError | 'closed'>

interface Opening {
  readonly movements: readonly Movement[]
  readonly entries: Entries
  readonly processId: string
  readonly nowSeconds: number
  readonly openHolds: OpenHolds
}

interface Opened {
  readonly refusals: Refusals
  /** The rows of the holds that are new. */
  readonly opened: readonly HoldRow[]
}

/** Reserves and extends. A refused one changes nothing and stands in the way of no other. */
export async function enterOpenings(session: Session, opening: Opening): Promise<Opened> {
  const asked = opening.movements.filter(isOpening)
  const refusals = new Map<Movement, GatewayError | 'closed'>([
    ...(await growHolds(session, asked, opening.openHolds)),
    ...(await findCrowded(session, asked.filter(isReserve))),
  ])
  const demands = asked.filter(movement => !refusals.has(movement)).map(demandOf)
  const refused = await grant(session, demands)
  for (const [{ movement }, refusal] of refused) {
    refusals.set(movement, refusal)
    if (movement.kind === 'extend') await growHold(session, movement.hold.requestId, -movement.by)
  }
  const granted = refused.size === 0 ? demands : demands.filter(demand => !refused.has(demand))
  const opened = enterHolds(granted, opening.entries)
  await insertHolds(session, opened, [opening.processId, opening.nowSeconds])
  return { refusals, opened }
}

/** Posts what was granted; gives the rows of the holds that are new. */
function enterHolds(granted: readonly Wanted[], entries: Entries): readonly HoldRow[] {
  const opened: HoldRow[] = []
  for (const { movement, amount } of granted) {
    const row = toRow(movement)
    if (movement.kind === 'reserve') opened.push(row)
    if (amount > 0) entries.post(row, movement.kind === 'reserve' ? 'hold' : 'extension', amount)
  }
  return opened
}

/** Grows the rows of the holds to extend before their money is there; gives those found closed. */
async function growHolds(
  session: Session,
  asked: readonly (Reserve | Extend)[],
  openHolds: OpenHolds,
): Promise<Map<Movement, 'closed'>> {
  const closed = new Map<Movement, 'closed'>()
  for (const movement of asked) {
    if (movement.kind !== 'extend') continue
    const { requestId } = movement.hold
    openHolds.forget(requestId)
    if (!(await growHold(session, requestId, movement.by))) closed.set(movement, 'closed')
  }
  return closed
}

interface Wanted extends Demand {
  readonly movement: Reserve | Extend
}

const isReserve = (movement: Movement): movement is Reserve => movement.kind === 'reserve'

const demandOf = (movement: Reserve | Extend): Wanted => ({
  movement,
  userId: movement.hold.userId,
  tokenId: movement.hold.isTokenLimited ? movement.hold.tokenId : null,
  amount: movement.kind === 'reserve' ? movement.hold.amount : movement.by,
})

const toRow = ({ hold }: Reserve | Extend): HoldRow => ({
  request_id: hold.requestId,
  user_id: hold.userId,
  token_id: hold.tokenId,
  is_token_limited: hold.isTokenLimited ? 1 : 0,
  amount: hold.amount,
})
