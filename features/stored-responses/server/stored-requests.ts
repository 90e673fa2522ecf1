import { insufficientFunds } from '#server/ledger/apply-opens.ts'
import { isObject, type JsonObject } from '#server/provider-kit/json.ts'
import { requireBalance, type WalletCheckDeps } from '#server/relay/admission/admit.ts'
import type { RelayHooks } from '#server/relay/hooks.ts'
import type { RelayServices } from '#server/relay/relay-services.ts'
import type { ClientConnection } from '#server/relay/request/client-connection.ts'
import type { BackgroundResponses } from './background/background-responses.ts'
import { findStoredFormat } from './formats/formats.ts'
import type { StoredFormat } from './formats/stored-format.ts'
import type { ResponseStore, StoredInput } from './response-store.ts'
import { createReserve, type Reserve, stateOwnerOf } from './state-owner.ts'

interface StoredRequestDeps
  extends Pick<RelayServices, 'respond' | 'settings'>,
    Pick<WalletCheckDeps, 'channels'> {
  readonly responseStore: ResponseStore
  readonly backgroundResponses: BackgroundResponses
}

/** What is kept of a request until its response begins. */
interface KeptRequest {
  readonly format: StoredFormat
  readonly storedInput: StoredInput | undefined
  /** The client's own body, where the response is to run in the background. */
  readonly backgroundBody: JsonObject | undefined
}

/** Requests of dialects with stored responses, from the body to the recording of the response. */
export function createStoredRequests(deps: StoredRequestDeps): RelayHooks {
  const { responseStore, backgroundResponses, respond } = deps
  const kept = new WeakMap<ClientConnection, KeptRequest>()
  /** What is kept must not stay in memory for as long as a stream lasts. */
  const take = (connection: ClientConnection): KeptRequest | undefined => {
    const request = kept.get(connection)
    kept.delete(connection)
    return request
  }
  return {
    async completeBody({ value, chars }, { caller, client, connection }) {
      const format = findStoredFormat(client.name)
      if (!format) return undefined
      const { userId } = caller
      const { isBackground = false } = connection
      const take = createReserve({ caller, connection })
      const reserve: Reserve = bytes => {
        // Counting tokens is free, but not of what is stored.
        requireBalance(caller, deps)
        take(bytes)
      }
      const arrived = { format, json: value, chars, owner: stateOwnerOf(caller), isBackground, reserve }
      const { json, storedInput } = await responseStore.resolve(arrived)
      const isStarted = isObject(value) && value.background === true
      kept.set(connection, { format, storedInput, backgroundBody: isStarted ? value : undefined })
      return {
        json,
        echoedFields: format.toEchoedFields(storedInput ?? NOT_STORED),
        encrypt: createEncrypt(responseStore, userId),
      }
    },
    async respondInstead(request, { leastUnits }, { httpRequest, connection }) {
      const { format, backgroundBody } = kept.get(connection) ?? {}
      if (!format || !backgroundBody) return undefined
      take(connection)
      // Refused at once, since nobody waits for the response in the background.
      const { walletUnits, token } = request.caller
      const options = deps.settings.current()
      if (leastUnits > Math.max(walletUnits, 0))
        throw insufficientFunds({ payer: 'wallet', found: walletUnits, needed: leastUnits }, options)
      if (leastUnits > 0 && token?.usedShare === 1)
        throw insufficientFunds({ payer: 'token', found: 0, needed: leastUnits }, options)
      return backgroundResponses.start({ format, request, backgroundBody, httpRequest, connection, respond })
    },
    recordResponse(request, { connection, isNative }) {
      const storedInput = take(connection)?.storedInput
      return storedInput && responseStore.record(request, storedInput, isNative)
    },
  }
}

const NOT_STORED = { isStored: false }

/** A function of its own: a closure in `completeBody` would keep the body for as long as a stream lasts. */
const createEncrypt =
  (responseStore: ResponseStore, userId: number) =>
  (text: string): string =>
    responseStore.encryptFor(userId, text)
