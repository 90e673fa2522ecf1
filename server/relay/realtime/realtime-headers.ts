const PROTOCOL = 'realtime'
const BETA_PROTOCOL = 'openai-beta.realtime-v1'

const protocolsOf = (headers: Headers): readonly string[] =>
  (headers.get('sec-websocket-protocol') ?? '').split(',').map(protocol => protocol.trim())

/** The sub-protocol to agree on: browsers close the socket unless it is one that they offered. */
export const realtimeProtocol = (headers: Headers): string | undefined =>
  protocolsOf(headers).includes(PROTOCOL) ? PROTOCOL : undefined

/** Browsers cannot send a header, so that they name the older form of the events as a sub-protocol. */
export function withBetaHeader(headers: Headers): Headers {
  if (!protocolsOf(headers).includes(BETA_PROTOCOL)) return headers
  const changed = new Headers(headers)
  changed.set('openai-beta', 'realtime=v1')
  return changed
}
