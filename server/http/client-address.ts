import ipaddr from 'ipaddr.js'

/** Tells the client's address from what the connection and its headers say. */
export type ClientAddress = (request: Request, peer: string) => string

type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]

/**
 * Only a peer among the trusted proxies may say whom it speaks for. `X-Forwarded-For` is read from its end:
 * the first address that is not a trusted proxy is the client.
 */
export function clientAddressOf(trustedProxies: readonly string[]): ClientAddress {
  const ranges = trustedProxies.map(toRange)
  const isTrusted = (address: string): boolean =>
    ipaddr.isValid(address) && ranges.some(range => holds(range, address))
  return (request, peer) => {
    if (ranges.length === 0 || !isTrusted(peer)) return plainAddress(peer)
    const hops = (request.headers.get('x-forwarded-for') ?? '').split(',').map(hop => hop.trim())
    const client = hops.findLast(hop => hop !== '' && !isTrusted(hop))
    return plainAddress(client !== undefined && ipaddr.isValid(client) ? client : peer)
  }
}

/** Whether the peer is a proxy whose headers are believed. */
export const isTrustedPeer = (trustedProxies: readonly string[], peer: string): boolean =>
  trustedProxies.length > 0 &&
  ipaddr.isValid(peer) &&
  trustedProxies.some(proxy => holds(toRange(proxy), peer))

export const isLoopback = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'

function toRange(text: string): Range {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

function holds([range, bits]: Range, address: string): boolean {
  const own = ipaddr.process(address)
  return own.kind() === range.kind() && own.match(range, bits)
}

/** How a socket that listens on both families names an IPv4 peer. */
const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** IPv4 inside IPv6 is written as IPv4, so that one client has one address. */
function plainAddress(address: string): string {
  const mapped = MAPPED_IPV4.exec(address)?.[1]
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : address
}
