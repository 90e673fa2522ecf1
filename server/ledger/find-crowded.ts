import { GatewayError } from '../core/errors.ts'
import { countOpenHolds } from '../db/holds.ts'
import type { Session } from '../db/session.ts'
import type { Reserve } from './movement.ts'

type Holder = 'user' | 'token'

/** Nobody knows when a request under way ends. */
const RETRY_AFTER_SECONDS = 1
const NONE: ReadonlyMap<Reserve, GatewayError> = new Map()

/**
 * The reserves that would leave a user or a token with more open holds than its limit, and why. Every process opens
 * holds under the lock of their user, so that no two of them count the same free place.
 */
export async function findCrowded(
  session: Session,
  reserves: readonly Reserve[],
): Promise<ReadonlyMap<Reserve, GatewayError>> {
  const limited = reserves.filter(({ hold }) => hold.limits)
  if (limited.length === 0) return NONE
  const open = await openHoldsOf(session, limited)
  const crowded = new Map<Reserve, GatewayError>()
  for (const reserve of limited) {
    const { limits = { user: 0, token: 0 } } = reserve.hold
    const places = placesOf(reserve)
    const full = places.find(({ of, name }) => limits[of] > 0 && (open.get(name) ?? 0) >= limits[of])
    if (full) crowded.set(reserve, tooMany(full.of, limits[full.of]))
    else for (const { name } of places) open.set(name, (open.get(name) ?? 0) + 1)
  }
  return crowded
}

/** Open holds by user and by token. */
async function openHoldsOf(session: Session, reserves: readonly Reserve[]): Promise<Map<string, number>> {
  const open = new Map<string, number>()
  const users = new Set(reserves.map(({ hold }) => hold.userId))
  for (const row of await countOpenHolds(session, [...users]))
    for (const name of [`user ${row.user_id}`, `token ${row.token_id}`])
      open.set(name, (open.get(name) ?? 0) + row.open)
  return open
}

/** What an open hold of this request takes a place of. */
function placesOf({ hold }: Reserve): readonly { readonly of: Holder; readonly name: string }[] {
  const ofUser = { of: 'user', name: `user ${hold.userId}` } as const
  return hold.tokenId === null ? [ofUser] : [{ of: 'token', name: `token ${hold.tokenId}` }, ofUser]
}

const tooMany = (of: Holder, limit: number): GatewayError =>
  new GatewayError(
    'too_many_requests',
    `${limit} requests under way at once are the limit of the ${of}, try again when one has ended`,
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  )
