import { type SqlBool, sql } from 'kysely'
import type { Database } from '#server/db/engine/database.ts'
import type { StateOwner } from './state-owner.ts'

/** A response whose provider keeps nothing, for requests that refer to it. */
export interface StoredResponseTable {
  /** The client's id: `resp_` and the id of its request. */
  id: string
  /** The only user that may refer to it. */
  user_id: number
  /** The token that made it, and whether no other may refer to it. */
  token_id: number | null
  is_private: number
  /** The response that it continues. */
  previous_id: string | null
  /** Encrypted JSON: the items that the request added to those of the previous response. */
  input_encrypted: string
  /** Encrypted JSON; null until the response is complete. */
  response_encrypted: string | null
  /** The size of both. */
  bytes: number
  /** When it was stored or continued. */
  used_at: number
  expires_at: number
}

/** A conversation of the Responses API. */
export interface ConversationTable {
  id: string
  /** The only user that may refer to it. */
  user_id: number
  /** The token that made it, and whether no other may refer to it. */
  token_id: number | null
  is_private: number
  /** Encrypted JSON. */
  metadata_encrypted: string
  /** The size of metadata and items. */
  bytes: number
  item_count: number
  created_at: number
  used_at: number
  expires_at: number
}

export interface ConversationItemTable {
  conversation_id: string
  /** Sorts behind those of earlier requests: the id of the request, `a` for input or `b` for output, and a number. */
  position: string
  item_id: string
  /** Encrypted JSON. */
  item_encrypted: string
}

/** A response that runs on without its client. */
export interface BackgroundResponseTable {
  id: string
  user_id: number
  /** As above. */
  token_id: number | null
  is_private: number
  /** Encrypted JSON: the response as it began, and in the end as it ended. */
  response_encrypted: string
  /** The API's name of the status; `in_progress` until the end. */
  status: string
  /** 1 when the client wants it to end. */
  is_cancelled: number
  /** When its process was last known to be alive. */
  alive_at: number
  expires_at: number
}

export interface BackgroundEventTable {
  response_id: string
  /** The number of the last event in the row. */
  last_number: number
  /** Encrypted: events as they are sent. */
  events_encrypted: string
}

/** A type, since an interface does not join the tables of the base. */
export type StoredResponseTables = {
  stored_responses: StoredResponseTable
  conversations: ConversationTable
  conversation_items: ConversationItemTable
  background_responses: BackgroundResponseTable
  background_events: BackgroundEventTable
}

/** The database with the tables of this feature. */
export const withResponseTables = (db: Database) => db.withTables<StoredResponseTables>()

/** The rows that the owner may read. A token keeps what it made when its restrictions change. */
export const isVisibleTo = ({ userId, tokenId, isPrivate }: StateOwner) =>
  isPrivate
    ? sql<SqlBool>`(user_id = ${userId} and token_id = ${tokenId})`
    : sql<SqlBool>`(user_id = ${userId} and (is_private = 0 or token_id = ${tokenId}))`
