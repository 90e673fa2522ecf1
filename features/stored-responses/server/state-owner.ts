import type { ClientConnection } from '#server/relay/request/client-connection.ts'
import { senderOf } from '#server/relay/request/read-json.ts'
import type { Caller } from '#server/relay/types.ts'

/** Whose stored state a caller makes and reads: that of a restricted token, or else that of its user. */
export interface StateOwner {
  readonly userId: number
  /** Null for the playground. */
  readonly tokenId: number | null
  /** Only the token itself reads what it makes, and it reads nothing else. */
  readonly isPrivate: boolean
}

export const stateOwnerOf = ({ userId, token }: Pick<Caller, 'userId' | 'token'>): StateOwner => ({
  userId,
  tokenId: token?.id ?? null,
  isPrivate: token?.isRestricted === true,
})

export const toOwnerColumns = ({ userId, tokenId, isPrivate }: StateOwner) => ({
  user_id: userId,
  token_id: tokenId,
  is_private: isPrivate ? 1 : 0,
})

/** Takes bytes from the memory for bodies before they are read. Throws when there is no room for them. */
export type Reserve = (bytes: number) => void

/** Beside the texts, which are decrypted and written anew for the provider, stands what they are parsed into: millions of objects for small parts. */
const MEMORY_PER_STORED_BYTE = 1.5

/** Takes what a request refers to from the memory of its body. */
export const createReserve =
  ({ caller, connection }: { caller: Caller; connection: Pick<ClientConnection, 'takeMemory'> }): Reserve =>
  bytes =>
    connection.takeMemory(Math.ceil(bytes * MEMORY_PER_STORED_BYTE), senderOf(caller))
