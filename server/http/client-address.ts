import ipaddr from 'ipaddr.js'

/** Resolves client addresses behind reverse proxies. */
export interface TrustedProxies {
  /** The address of the client, given the address of the peer. */
  clientAddress(request: Request, peer: string): string
  /** Whether the peer is a proxy whose forwarding headers count. */
  isTrusted(peer: string): boolean
}

type AddressRange = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]

/** A visitor whose address no proxy states in a readable form: all of them share one budget, and no list of addresses admits them. */
const UNKNOWN_ADDRESS = 'unknown'

/**
 * Reads addresses that peers among the trusted addresses and ranges state: the single header that the operator names, else
 * `X-Forwarded-For` and `Forwarded` from their end, where the first hop that is not a trusted proxy is the client. Everything
 * before it could be forged, as could one of two headers that disagree.
 */
export function createTrustedProxies(trusted: readonly string[], header?: string): TrustedProxies {
  const ranges = trusted.map(toRange)
  const isTrusted = (address: string): boolean =>
    ranges.length > 0 && ipaddr.isValid(address) && ranges.some(range => isInRange(range, address))
  const clientOf = (hops: readonly string[]): string => {
    const addresses = hops.map(hop => readHop(hop))
    return addresses.findLast(hop => !isTrusted(hop)) ?? addresses[0] ?? UNKNOWN_ADDRESS
  }
  return {
    isTrusted,
    clientAddress(request, peer) {
      if (!isTrusted(peer)) return normalizeAddress(peer)
      const [client, other] = new Set(listChains(request.headers, header).map(clientOf))
      if (client === undefined) return isForwarded(request) ? UNKNOWN_ADDRESS : normalizeAddress(peer)
      return other === undefined ? client : UNKNOWN_ADDRESS
    },
  }
}

function listChains(headers: Headers, header: string | undefined): readonly (readonly string[])[] {
  const single = header === undefined ? null : headers.get(header)
  const chains = single === null ? [listHops(headers), listForwarded(headers)] : [[single]]
  return chains.filter(hops => hops.length > 0)
}

const listHops = (headers: Headers): readonly string[] =>
  (headers.get('x-forwarded-for') ?? '').split(',').filter(hop => hop.trim() !== '')

const FORWARDED_FOR = /(?:^|[;,\s])for=(?:"([^"]*)"|([^;,\s]*))/gi

/** The `for` parameters of RFC 7239. */
const listForwarded = (headers: Headers): readonly string[] =>
  [...(headers.get('forwarded') ?? '').matchAll(FORWARDED_FOR)].map(
    ([, quoted, bare]) => quoted ?? bare ?? '',
  )

const ADDRESS_AND_PORT = /^(?:\[(.*)\]|([\d.]+))(?::\d+)?$/

/** The address of a hop, which may stand in brackets and before a port. */
function readHop(hop: string): string {
  const [, inBrackets, beforePort] = ADDRESS_AND_PORT.exec(hop.trim()) ?? []
  const address = inBrackets ?? beforePort ?? hop.trim()
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address)
  return isAddress ? normalizeAddress(address) : UNKNOWN_ADDRESS
}

export const isLoopback = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'

const FORWARDING_HEADERS = ['x-forwarded-for', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via']

/** Whether a proxy forwarded the request, trusted or not: then the client need not be on the proxy's machine. */
export const isForwarded = ({ headers }: Request): boolean =>
  FORWARDING_HEADERS.some(name => headers.has(name))

function toRange(text: string): AddressRange {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

function isInRange([range, bits]: AddressRange, address: string): boolean {
  const parsed = ipaddr.process(address)
  return parsed.kind() === range.kind() && parsed.match(range, bits)
}

/** Converts IPv4-mapped IPv6 to IPv4, so that a client has one address. */
const normalizeAddress = (address: string): string =>
  address.includes(':') && ipaddr.isValid(address) ? ipaddr.process(address).toString() : address

const PRIVATE_RANGES: ReadonlySet<string> = new Set([
  'loopback',
  'private',
  'uniqueLocal',
  'linkLocal',
  'carrierGradeNat',
])

/** Whether a request came through a proxy near the gateway that is not among the trusted ones. */
export const isUnnamedProxy = (request: Request, peer: string, proxies: TrustedProxies): boolean =>
  isForwarded(request) &&
  ipaddr.isValid(peer) &&
  PRIVATE_RANGES.has(ipaddr.process(peer).range()) &&
  !proxies.isTrusted(peer)

/**
 * Where a sign-in comes from, for counting its failures: a /24 or /56 network. An unnamed proxy hides all addresses behind
 * its own, so the one that it appended last is used there: it only keeps visitors apart, and forging it evades no limit of
 * an account.
 */
export function signInNetwork(
  { headers }: Request,
  { clientIp, isProxyUnnamed }: { readonly clientIp: string; readonly isProxyUnnamed: boolean },
): string {
  if (!isProxyUnnamed) return wideNetwork(clientIp)
  const hop = readHop(listHops(headers).at(-1) ?? headers.get('x-real-ip') ?? '')
  return hop === UNKNOWN_ADDRESS ? wideNetwork(clientIp) : `stated ${wideNetwork(hop)}`
}

const IPV4_BITS = 24
const IPV6_BITS = 56

function wideNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed instanceof ipaddr.IPv6
    ? `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${IPV6_BITS}`).toString()}/${IPV6_BITS}`
    : `${ipaddr.IPv4.networkAddressFromCIDR(`${parsed.toString()}/${IPV4_BITS}`).toString()}/${IPV4_BITS}`
}

const IPV6_NETWORK_GROUPS = 4

/** The subject of rate limits: an IPv4 address, or the /64 network of an IPv6 address, since a customer is assigned one. */
export function clientNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed instanceof ipaddr.IPv6
    ? `${parsed.parts
        .slice(0, IPV6_NETWORK_GROUPS)
        .map(part => part.toString(16))
        .join(':')}::/64`
    : parsed.toString()
}
