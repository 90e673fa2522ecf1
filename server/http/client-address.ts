import ipaddr from 'ipaddr.js'

/** Who stands between clients and us, and whom they speak for. */
export interface Proxies {
  /** The client's address, from what the connection and its headers say. */
  clientOf(request: Request, peer: string): string
  /** Whether the peer is a proxy whose headers are believed. */
  isTrusted(peer: string): boolean
}

type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]

/**
 * Only a peer among the trusted addresses and ranges may say whom it speaks for. `X-Forwarded-For` is read from its
 * end: the first address that is not a trusted proxy is the client.
 */
export function openProxies(trusted: readonly string[]): Proxies {
  const ranges = trusted.map(toRange)
  const isTrusted = (address: string): boolean =>
    ranges.length > 0 && ipaddr.isValid(address) && ranges.some(range => holds(range, address))
  return {
    isTrusted,
    clientOf(request, peer) {
      if (!isTrusted(peer)) return plainAddress(peer)
      const hops = (request.headers.get('x-forwarded-for') ?? '').split(',').map(hop => hop.trim())
      const client = hops.findLast(hop => hop !== '' && !isTrusted(hop))
      return plainAddress(client !== undefined && ipaddr.isValid(client) ? client : peer)
    },
  }
}

export const isLoopback = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'

const FORWARDING_HEADERS = ['x-forwarded-for', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via']

/** Whether it came through a proxy that says so, named here or not: whoever is behind that need not be on its machine. */
export const isForwarded = ({ headers }: Request): boolean =>
  FORWARDING_HEADERS.some(name => headers.has(name))

function toRange(text: string): Range {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

function holds([range, bits]: Range, address: string): boolean {
  const own = ipaddr.process(address)
  return own.kind() === range.kind() && own.match(range, bits)
}

/** IPv4 inside IPv6 is written as IPv4, so that one client has one address. */
const plainAddress = (address: string): string =>
  address.includes(':') && ipaddr.isValid(address) ? ipaddr.process(address).toString() : address

const IPV6_GROUPS_OF_A_NETWORK = 4

/** Whom to count by: an IPv4 address, or the /64 of an IPv6 one, since one customer is given all of it. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const own = ipaddr.process(address)
  return own instanceof ipaddr.IPv6
    ? `${own.parts
        .slice(0, IPV6_GROUPS_OF_A_NETWORK)
        .map(part => part.toString(16))
        .join(':')}::/64`
    : own.toString()
}
