import type { Database } from '../db/database.ts'
import { growHold, type HoldRow, insertHolds } from '../db/holds.ts'
import type { GatewayError } from '../kernel/errors.ts'
import type { Entries } from './entries.ts'
import { findCrowded } from './find-crowded.ts'
import { type Demand, grant } from './grant.ts'
import type { HoldWish } from './hold.ts'
import { type Extend, isOpening, type Movement, type Reserve } from './movement.ts'

/** Why a movement was not done. What is not in here was done. */
export type Refusals = ReadonlyMap<Movement, GatewayError | 'closed'>

interface Opening {
  readonly movements: readonly Movement[]
  readonly entries: Entries
  readonly processId: string
  readonly nowSeconds: number
}

/** Reserves and extends. A refused one changes nothing and stands in the way of no other. */
export async function enterOpenings(tx: Database, opening: Opening): Promise<Refusals> {
  const asked = opening.movements.filter(isOpening)
  const refusals = new Map<Movement, GatewayError | 'closed'>([
    ...(await growHolds(tx, asked)),
    ...(await findCrowded(tx, asked.filter(isReserve))),
  ])
  const open = asked.filter(movement => !refusals.has(movement))
  const demands = new Map(open.map(movement => [movement, demandOf(movement)]))
  const refused = await grant(tx, [...demands.values()])

  const granted: (Reserve | Extend)[] = []
  for (const [movement, demand] of demands) {
    const refusal = refused.get(demand)
    if (!refusal) granted.push(movement)
    else {
      refusals.set(movement, refusal)
      if (movement.kind === 'extend') await growHold(tx, movement.hold.requestId, -movement.by)
    }
  }
  await insertHolds(
    tx,
    granted.filter(isReserve).map(movement => openRow(movement, opening)),
  )
  for (const movement of granted) enterHold(opening.entries, movement)
  return refusals
}

/** Grows the rows of the holds to extend before their money is there; gives those found closed. */
async function growHolds(
  tx: Database,
  asked: readonly (Reserve | Extend)[],
): Promise<Map<Movement, 'closed'>> {
  const closed = new Map<Movement, 'closed'>()
  for (const movement of asked)
    if (movement.kind === 'extend' && !(await growHold(tx, movement.hold.requestId, movement.by)))
      closed.set(movement, 'closed')
  return closed
}

const isReserve = (movement: Movement): movement is Reserve => movement.kind === 'reserve'
const amountOf = (movement: Reserve | Extend): number =>
  movement.kind === 'reserve' ? movement.hold.amount : movement.by

const demandOf = (movement: Reserve | Extend): Demand => ({
  userId: movement.hold.userId,
  tokenId: movement.hold.isTokenLimited ? movement.hold.tokenId : null,
  amount: amountOf(movement),
})

const toRow = (hold: HoldWish): HoldRow => ({
  request_id: hold.requestId,
  user_id: hold.userId,
  token_id: hold.tokenId,
  is_token_limited: hold.isTokenLimited ? 1 : 0,
  amount: hold.amount,
})

const openRow = ({ hold }: Reserve, { processId, nowSeconds }: Opening) => ({
  ...toRow(hold),
  process_id: processId,
  opened_at: nowSeconds,
})

function enterHold(entries: Entries, movement: Reserve | Extend): void {
  const amount = amountOf(movement)
  if (amount === 0) return
  const move = movement.kind === 'reserve' ? 'hold' : 'extension'
  entries.post(toRow(movement.hold), { move, amount })
}
