import type { PlainRequest, PlainRoute } from '#server/api/plain-route.ts'
import { nowSeconds, sleepMs } from '#server/core/clock.ts'
import { constantTimeEqual, type Secrets } from '#server/core/crypto.ts'
import { MIB } from '#server/core/limits.ts'
import type { EchoFacts } from './echo-facts.ts'

export const ECHO_PATH = '/doctor/echo'
export const ECHO_EVENTS = 6
export const ECHO_PAUSE_MS = 200
/** The body that a check sends, and a little more for proxies that change it. */
export const ECHO_BODY_BYTES = 32 * MIB
const TICKET_PURPOSE = 'doctor'
const TICKET_SECONDS = 300
const TICKET = /^Bearer (\d{1,12})\.([0-9a-f]{64})$/

/** What proves to the gateway that a program with its secret key asks. */
export function createTicket(secrets: Pick<Secrets, 'hash'>): string {
  const expiresAt = String(nowSeconds() + TICKET_SECONDS)
  return `Bearer ${expiresAt}.${secrets.hash(TICKET_PURPOSE, expiresAt)}`
}

function isValid(ticket: string | null, secrets: Pick<Secrets, 'hash'>): boolean {
  const [, expiresAt = '', signature = ''] = TICKET.exec(ticket ?? '') ?? []
  const isSigned = constantTimeEqual(signature, secrets.hash(TICKET_PURPOSE, expiresAt))
  return isSigned && Number(expiresAt) > nowSeconds() && Number(expiresAt) <= nowSeconds() + TICKET_SECONDS
}

/** Tells `tollgate doctor --url` how its requests arrived. For everybody else there is nothing. */
export function createEcho({ secrets }: { readonly secrets: Pick<Secrets, 'hash'> }): readonly PlainRoute[] {
  const forDoctor =
    (respond: (call: PlainRequest) => Promise<Response>): PlainRoute['respond'] =>
    async call =>
      isValid(call.request.headers.get('authorization'), secrets) ? respond(call) : undefined
  return [
    { method: 'GET', path: ECHO_PATH, respond: forDoctor(async call => streamFacts(factsOf(call))) },
    { method: 'POST', path: ECHO_PATH, respond: forDoctor(countBody) },
  ]
}

const factsOf = ({ request: { headers }, clientIp, isSecure, basePath }: PlainRequest): EchoFacts => ({
  address: clientIp,
  is_secure: isSecure,
  base_path: basePath,
  host: headers.get('host') ?? '',
  forwarded_host: headers.get('x-forwarded-host') ?? '',
  forwarded_for: headers.get('x-forwarded-for') ?? headers.get('forwarded') ?? '',
  upgrade: headers.get('upgrade') ?? '',
  connection: headers.get('connection') ?? '',
})

/** A stream like those of models: small events with pauses. */
function streamFacts(facts: EchoFacts): Response {
  const encoder = new TextEncoder()
  let event = 0
  const events = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (event > 0) await sleepMs(ECHO_PAUSE_MS)
      const data = event === 0 ? JSON.stringify(facts) : String(event)
      controller.enqueue(encoder.encode(`data: ${data}\n\n`))
      event += 1
      if (event === ECHO_EVENTS) controller.close()
    },
  })
  return new Response(events, {
    headers: {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
  })
}

const countBody = async ({ readText }: PlainRequest): Promise<Response> =>
  Response.json({ bytes: (await readText(ECHO_BODY_BYTES)).length })
