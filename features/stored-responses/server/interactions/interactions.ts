import { GatewayError } from '#server/core/errors.ts'
import { jsonTextResponse } from '#server/core/json/json.ts'
import { toInteractionEvents } from '#server/dialects/interactions/collect-events.ts'
import { isOwnInteractionId } from '#server/dialects/interactions/stored-steps.ts'
import { asObject, type JsonObject, parseJson } from '#server/provider-kit/json.ts'
import { type AccountCall, callAccount } from '../call-account.ts'
import { interactionsFormat } from '../formats/interactions-format.ts'
import { createReserve, stateOwnerOf } from '../state-owner.ts'
import { readAfter, type StoredResponseDeps, type StoredResponseQuery } from '../stored-responses.ts'

/** An interaction from our store, or from the account that keeps it. With `stream`, the events that make it. */
export async function getInteraction(
  query: StoredResponseQuery,
  deps: StoredResponseDeps,
): Promise<Response> {
  const { searchParams } = query.connection.url
  const isInputIncluded = searchParams.get('include_input') === 'true'
  if (searchParams.get('stream') === 'true') return streamInteraction(query, deps)
  // The query may also hold the client's key.
  const rest = isInputIncluded ? '?include_input=true' : ''
  if (!isOwnInteractionId(query.id)) return jsonTextResponse(await askAccount(query, 'GET', rest, deps))
  const interaction = (await findRunning(query, deps)) ?? (await getStored(query, deps))
  if (!isInputIncluded) return jsonTextResponse(JSON.stringify(interaction))
  const input = await deps.responseStore.findInput(query.id, toReader(query))
  return jsonTextResponse(JSON.stringify({ ...interaction, input }))
}

/** Those of an interaction in the background come as it runs; those of any other are made from it. */
async function streamInteraction(query: StoredResponseQuery, deps: StoredResponseDeps): Promise<Response> {
  const { id } = query
  const after = readAfter(query.connection.url, interactionsFormat)
  if (!isOwnInteractionId(id))
    return toEventStream(asObject(parseJson(await askAccount(query, 'GET', '', deps))), after)
  if (!(await findRunning(query, deps))) return toEventStream(await getStored(query, deps), after)
  return deps.backgroundResponses.stream(id, after, query)
}

function toEventStream(interaction: JsonObject, after: number): Response {
  const { events: format } = interactionsFormat
  const text = toInteractionEvents(interaction)
    .map((event, number) => format.toNumbered(event, number, String(interaction.id)))
    .filter(event => format.numberOf(event) > after)
    .map(format.write)
    .join('')
  return new Response(text + format.end, { headers: { 'content-type': 'text/event-stream' } })
}

/** Of an interaction in the background nothing more is written once it was cancelled. One that has ended stays as it is. */
export async function cancelInteraction(
  query: StoredResponseQuery,
  deps: StoredResponseDeps,
): Promise<Response> {
  const { id } = query
  if (!isOwnInteractionId(id)) return jsonTextResponse(await askAccount(query, 'POST', '/cancel', deps))
  const { owner, reserve } = toReader(query)
  const cancelled = await deps.backgroundResponses.cancel(id, owner, reserve)
  if (cancelled) return Response.json(cancelled)
  await getStored(query, deps)
  throw new GatewayError('invalid_request', {
    zh: `interaction ${id} 不在后台运行，无法取消`,
    en: `the interaction ${id} was not made in the background, so it cannot be cancelled`,
  })
}

export async function deleteInteraction(
  query: StoredResponseQuery,
  deps: StoredResponseDeps,
): Promise<Response> {
  const { id } = query
  if (!isOwnInteractionId(id)) return jsonTextResponse(await askAccount(query, 'DELETE', '', deps))
  const { owner } = toReader(query)
  const deleted = [
    await deps.backgroundResponses.delete(id, owner),
    await deps.responseStore.delete(id, owner),
  ]
  if (!deleted.includes(true)) throw interactionNotFound(id)
  return Response.json({})
}

const toReader = (query: StoredResponseQuery) => ({
  owner: stateOwnerOf(query.caller),
  reserve: createReserve(query),
})

function findRunning(
  query: StoredResponseQuery,
  { backgroundResponses }: StoredResponseDeps,
): Promise<JsonObject | undefined> {
  const { owner, reserve } = toReader(query)
  return backgroundResponses.find(query.id, owner, reserve)
}

async function getStored(
  query: StoredResponseQuery,
  { responseStore }: StoredResponseDeps,
): Promise<JsonObject> {
  const { owner, reserve } = toReader(query)
  const interaction = await responseStore.find(query.id, owner, reserve)
  if (!interaction) throw interactionNotFound(query.id)
  return interaction
}

/** Asks the account that keeps the interaction. Returns its JSON as text. */
const askAccount = (
  { id, caller, httpRequest: { signal } }: StoredResponseQuery,
  method: AccountCall['method'],
  rest: string,
  deps: StoredResponseDeps,
): Promise<string> =>
  callAccount(
    {
      ...{ dialect: 'interactions', id, caller, method, rest, signal },
      notFound: cause => interactionNotFound(id, cause),
    },
    deps,
  )

const interactionNotFound = (id: string, cause?: unknown): GatewayError =>
  new GatewayError(
    'not_found',
    {
      zh: `没有 ID 为 ${JSON.stringify(id)} 的 interaction`,
      en: `there is no interaction with the ID ${JSON.stringify(id)}`,
    },
    { cause },
  )
