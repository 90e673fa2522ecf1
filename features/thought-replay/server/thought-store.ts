import { nowSeconds } from '#server/core/clock.ts'
import type { Secrets } from '#server/core/crypto.ts'
import { errorMessage } from '#server/core/errors.ts'
import { toHandle } from '#server/core/ids.ts'
import { MIB } from '#server/core/limits.ts'
import type { Logger } from '#server/core/logger.ts'
import { mapModel } from '#server/core/model-names.ts'
import type { CachedValue } from '#server/db/engine/cached-value.ts'
import type { Database } from '#server/db/engine/database.ts'
import { deleteExpired } from '#server/db/engine/delete-expired.ts'
import { estimateTextTokens } from '#server/provider-kit/estimate-tokens.ts'
import { parseJson } from '#server/provider-kit/json.ts'
import type { Recording } from '#server/relay/hooks.ts'
import type { ChannelDirectory } from '#server/relay/routing/channel-directory.ts'
import type { Caller, RelayRequest, ThoughtReader } from '#server/relay/types.ts'
import { selectThoughts, type ThoughtRow, touchThoughts, trimThoughts, upsertThoughts } from './queries.ts'
import {
  callsWithoutThoughts,
  createThoughtCollector,
  findThoughtFamily,
  readThought,
  type ThoughtsOfCalls,
  type TurnThought,
  withThoughts,
} from './thoughts.ts'

const DAY_SECONDS = 86_400
const CLEANUP_SECONDS = 3_600
/** The latest turns of one request, and the bytes of their thoughts. */
const TURNS_MAX = 1_000
const REQUEST_BYTES_MAX = 8 * MIB
/** A user's thoughts are trimmed each time this part of the limit has been added. */
const TRIM_SHARE = 1 / 16
/** The sizes of this many users are remembered. */
const USERS_MAX = 10_000

export interface ThoughtLimits {
  readonly isEnabled: boolean
  /** Since the last use. */
  readonly days: number
  /** Of one user. */
  readonly bytesMax: number
}

interface ThoughtStoreDeps {
  readonly db: Database
  readonly secrets: Pick<Secrets, 'encrypt' | 'decrypt'>
  readonly log: Logger
  readonly channels: Pick<CachedValue<ChannelDirectory>, 'current'>
  readonly limits: () => ThoughtLimits
}

/**
 * What models thought before their calls, encrypted and by the id of the first call. Only the user that received a call
 * gets its thought into a request; what a token limited to models or addresses received is for that token only.
 */
export class ThoughtStore {
  private readonly deps: ThoughtStoreDeps
  /** Bytes that were added since the last trim, by user. */
  private readonly added = new Map<number, number>()
  private cleanupAt = 0

  constructor(deps: ThoughtStoreDeps) {
    this.deps = deps
  }

  /** Undefined where nothing of the response is to be kept. */
  record({ clientBody, caller }: RelayRequest, maker: ThoughtReader): Recording | undefined {
    const family = findThoughtFamily(maker)
    if (!family || clientBody.store === false || !this.deps.limits().isEnabled) return undefined
    const { userId, token } = caller
    const owner = { userId, token }
    const { add, thoughts } = createThoughtCollector(family)
    return { ...NO_RECORDING, thoughts: { add, keep: () => this.keep(thoughts(), owner) } }
  }

  private async keep(thoughts: ThoughtsOfCalls, owner: Owner): Promise<void> {
    if (thoughts.size === 0) return
    const { db, secrets, log } = this.deps
    const rows = [...thoughts].map(([callId, thought]): ThoughtRow => {
      const encrypted = secrets.encrypt(JSON.stringify(thought))
      return {
        handle: handleOf(callId, owner),
        user_id: owner.userId,
        thought_encrypted: encrypted,
        bytes: encrypted.length,
        expires_at: this.expiresAt(),
      }
    })
    try {
      await upsertThoughts(db, rows)
      await this.limit(
        owner.userId,
        rows.reduce((sum, { bytes }) => sum + bytes, 0),
      )
    } catch (error) {
      log.warn('the thinking before a call could not be kept', { reason: errorMessage(error) })
    }
  }

  /** The request with the thoughts that a channel may need. Their text counts as input, since it is paid for. */
  async complete(request: RelayRequest): Promise<RelayRequest> {
    const { operation, body, caller, model } = request
    if (!Array.isArray(body.messages) || !this.deps.limits().isEnabled) return request
    const forms = this.deps.channels
      .current()
      .find(caller.group, model)
      .flatMap(channel => {
        const upstreamModel = mapModel(channel.modelMapping, model) ?? model
        return operation.findAdapter(channel.provider)?.thoughtForm?.(upstreamModel) ?? []
      })
    const callIds = forms.length > 0 ? callsWithoutThoughts(body, new Set(forms)).slice(-TURNS_MAX) : []
    const thoughts = callIds.length > 0 ? await this.find(callIds, caller) : NO_THOUGHTS
    if (thoughts.size === 0) return request
    const texts = [...thoughts.values()].map(({ text = '' }) => estimateTextTokens(text))
    return {
      ...request,
      addThoughts: (json, reader) => withThoughts(json, thoughts, findThoughtFamily(reader)?.name ?? ''),
      inputTokens: texts.reduce((sum, tokens) => sum + tokens, request.inputTokens),
    }
  }

  private async find(callIds: readonly string[], owner: Owner): Promise<ThoughtsOfCalls> {
    const { db, limits } = this.deps
    const now = nowSeconds()
    const idOfHandle = new Map(callIds.map(callId => [handleOf(callId, owner), callId]))
    const rows = await selectThoughts(db, {
      handles: [...idOfHandle.keys()],
      userId: owner.userId,
      nowSeconds: now,
      bytesMax: REQUEST_BYTES_MAX,
    })
    const halfLife = (limits().days * DAY_SECONDS) / 2
    const ageing = rows.filter(row => row.expires_at < now + halfLife).map(({ handle }) => handle)
    if (ageing.length > 0) await touchThoughts(db, ageing, this.expiresAt())
    return new Map(
      rows.flatMap(({ handle, thought_encrypted }): readonly (readonly [string, TurnThought])[] => {
        const thought = this.open(thought_encrypted)
        const callId = idOfHandle.get(handle)
        return thought && callId !== undefined ? [[callId, thought]] : []
      }),
    )
  }

  /** Undefined for what another SECRET_KEY encrypted: the request goes on without it. */
  private open(encrypted: string): TurnThought | undefined {
    try {
      return readThought(parseJson(this.deps.secrets.decrypt(encrypted)))
    } catch (error) {
      this.deps.log.warn('the thinking before a call could not be read', { reason: errorMessage(error) })
      return undefined
    }
  }

  private expiresAt(): number {
    return nowSeconds() + this.deps.limits().days * DAY_SECONDS
  }

  private async limit(userId: number, bytes: number): Promise<void> {
    const { db, limits } = this.deps
    const { bytesMax } = limits()
    const added = (this.added.get(userId) ?? Number.POSITIVE_INFINITY) + bytes
    const isDue = added > bytesMax * TRIM_SHARE
    // Deleting first moves the user to the end, so that the first one is the least recently seen.
    this.added.delete(userId)
    this.added.set(userId, isDue ? 0 : added)
    const [oldest] = this.added.keys()
    if (this.added.size > USERS_MAX && oldest !== undefined) this.added.delete(oldest)
    if (isDue) await trimThoughts(db, userId, bytesMax)
    const now = nowSeconds()
    if (now < this.cleanupAt) return
    this.cleanupAt = now + CLEANUP_SECONDS
    await deleteExpired(db, { table: 'thoughts', key: 'handle' }, now)
  }
}

const NO_THOUGHTS: ThoughtsOfCalls = new Map()

/** Thoughts alone are kept, not the response. */
const NO_RECORDING: Recording = {
  begin: () => undefined,
  complete: () => Promise.resolve(),
  drop: () => Promise.resolve(),
}

type Owner = Pick<Caller, 'userId' | 'token'>

const handleOf = (callId: string, { userId, token }: Owner): string =>
  toHandle(`${userId} ${token?.isRestricted ? token.id : ''} ${callId}`)
